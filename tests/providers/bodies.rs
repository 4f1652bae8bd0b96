//! Bodies: the same prompt gives the same bytes, and they say what the prompt says.

use polyloop::prelude::*;
use polyloop::{
    ChatTool, DeveloperRole, Grouped, Image, JsonAction, OpenAi, ResponseFormat, ToolDefinition, UserInput,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::decode;
use crate::support::{App, Place, Rules};

fn client() -> OpenAi {
    OpenAi::new("http://localhost/v1", "m").unwrap()
}

/// The prompts of a run in which the model replies so.
fn prompts(replies: Vec<Reply>, native: bool) -> Vec<Prompt> {
    prompts_for("Add.".into(), replies, native)
}

/// The prompts of a run with this goal.
pub(crate) fn prompts_for(goal: UserInput, replies: Vec<Reply>, native: bool) -> Vec<Prompt> {
    let model = Scripted::results(replies.into_iter().map(Ok));
    let builder = Agent::<App>::builder(model.clone()).budget(Budget::steps(20));
    let builder = if native { builder } else { builder.interpreter(JsonAction) };
    let agent = builder.build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let run = agent
            .on(())
            .inject(Rules { text: "Be brief.".to_owned() })
            .inject(Place { path: "/srv".to_owned() })
            .goal(goal);
        run.await.unwrap().finish().await.unwrap();
    });
    model.requests()
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#"{"left":1,"right":2}"#.to_owned()),
        Just(String::new()),
        Just(r#"{"unreadable_arguments":"{}"}"#.to_owned()),
        r#"\{"left": ?[0-9]{1,3}, ?"right": ?-?[1-9]"#,
        any::<String>(),
    ]
}

pub(crate) fn reply() -> impl Strategy<Value = Reply> {
    let name = prop_oneof![Just("add".to_owned()), Just("clock".to_owned()), any::<String>()];
    let calls = proptest::collection::vec((any::<String>(), name, arguments()), 0..4);
    (any::<String>(), calls).prop_map(|(text, calls)| {
        let add = |reply: Reply, (id, name, arguments)| reply.call_with_id(id, name, arguments);
        calls.into_iter().fold(Reply::text(text), add)
    })
}

/// A person's words: any texts, and images among them.
pub(crate) fn goal() -> impl Strategy<Value = UserInput> {
    let text = any::<String>().prop_map(UserInput::from);
    let data = ("image/[a-z+.-]{1,9}", proptest::collection::vec(any::<u8>(), 1..40));
    let image = prop_oneof![
        data.prop_map(|(media_type, bytes)| Image::new(&media_type, bytes, 7).unwrap()),
        r#"https://[a-z"]{1,9}"#.prop_map(|url| Image::url(url, 7).unwrap()),
    ];
    let part = prop_oneof![text, image.prop_map(UserInput::from)];
    proptest::collection::vec(part, 0..5).prop_map(|inputs| {
        let said = inputs.iter().flat_map(UserInput::parts).cloned().collect::<UserInput>();
        said.text("Add.")
    })
}

/// What a client may be built with.
#[derive(Clone, Debug)]
struct Options {
    model: String,
    developer: bool,
    temperature: Option<f64>,
    seed: Option<i64>,
    most: Option<u32>,
    parallel: Option<bool>,
    by_schema: Option<bool>,
    streaming: bool,
    own: Vec<(String, String)>,
}

fn options() -> impl Strategy<Value = Options> {
    let own = proptest::collection::btree_map("x_[a-z]{1,8}", any::<String>(), 0..3);
    let numbers = (proptest::option::of(0.0..2.0), any::<Option<i64>>(), any::<Option<u32>>());
    let switches = (any::<bool>(), any::<Option<bool>>(), any::<Option<bool>>(), any::<bool>());
    (r"[a-z][^\p{C}]{0,12}", numbers, switches, own).prop_map(|(model, numbers, switches, own)| {
        let (temperature, seed, most) = numbers;
        let (developer, parallel, by_schema, streaming) = switches;
        let own = own.into_iter().collect();
        Options { model, developer, temperature, seed, most, parallel, by_schema, streaming, own }
    })
}

impl Options {
    fn schema() -> Value {
        json!({"type": "object", "properties": {"b": {}, "a": {}}})
    }

    fn client(&self) -> OpenAi {
        let mut builder = OpenAi::builder("http://localhost/v1", &self.model).streaming(self.streaming);
        if self.developer {
            builder = builder.developer_role(DeveloperRole::Developer);
        }
        if let Some(temperature) = self.temperature {
            builder = builder.temperature(temperature);
        }
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        if let Some(most) = self.most {
            builder = builder.max_tokens(most).max_completion_tokens(most);
        }
        if let Some(parallel) = self.parallel {
            builder = builder.parallel_tool_calls(parallel);
        }
        builder = match self.by_schema {
            Some(true) => builder.response_format(ResponseFormat::json_schema("step", Self::schema())),
            Some(false) => builder.response_format(ResponseFormat::JsonObject),
            None => builder,
        };
        self.own
            .iter()
            .fold(builder, |builder, (name, value)| builder.parameter(name, value.as_str()))
            .build()
            .unwrap()
    }

    /// The members of the API reference for these options.
    fn parameters(&self, with_tools: bool) -> Value {
        let mut all = json!({});
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                all[name] = value;
            }
        };
        set("temperature", self.temperature.map(Value::from));
        set("seed", self.seed.map(Value::from));
        set("max_tokens", self.most.map(Value::from));
        set("max_completion_tokens", self.most.map(Value::from));
        set(
            "response_format",
            self.by_schema.map(|by_schema| {
                let described = json!({"name": "step", "strict": true, "schema": Self::schema()});
                if by_schema {
                    json!({"type": "json_schema", "json_schema": described})
                } else {
                    json!({"type": "json_object"})
                }
            }),
        );
        set("stream", self.streaming.then_some(true.into()));
        set("stream_options", self.streaming.then(|| json!({"include_usage": true})));
        for (name, value) in &self.own {
            set(name, Some(value.as_str().into()));
        }
        set("parallel_tool_calls", self.parallel.filter(|_| with_tools).map(Value::from));
        all
    }
}

#[test]
fn what_is_said_in_one_message_does_not_run_together() {
    let mut session = Session::<App>::with_layout(Grouped);
    session.inject(Place { path: "/a".to_owned() }).unwrap();
    session.inject(Place { path: "/b".to_owned() }).unwrap();
    session.say("What is here?").unwrap();
    let body: Value = serde_json::from_slice(&client().body(&session.prompt()).unwrap()).unwrap();
    let text = |text| json!({"type": "text", "text": text});
    assert_eq!(body["messages"][0]["content"], json!([text("<cwd>/a</cwd>"), text("<cwd>/b</cwd>")]));
    assert_eq!(body["messages"][1]["content"], "What is here?", "one thing is a text");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_body_gives_back_what_went_in(
        goal in goal(),
        replies in proptest::collection::vec(reply(), 1..6),
        native in any::<bool>(),
        options in options(),
    ) {
        let (client, again) = (options.client(), options.client());
        for prompt in prompts_for(goal, replies, native) {
            let bytes = client.body(&prompt).unwrap();
            prop_assert_eq!(&bytes, &client.body(&prompt).unwrap());
            prop_assert_eq!(&bytes, &again.body(&prompt).unwrap());
            let body = OpenAi::decode(&bytes).unwrap();
            let developer = if options.developer { "developer" } else { "system" };
            prop_assert_eq!(body.messages, decode::prompt(&prompt, developer));
            let defined = |tool: &ToolDefinition| ChatTool {
                name: tool.name().to_owned(),
                description: tool.description().to_owned(),
                parameters: tool.parameters().to_owned(),
            };
            prop_assert_eq!(body.tools, prompt.tools().iter().map(defined).collect::<Vec<_>>());
            prop_assert_eq!(body.model, options.model.as_str());
            prop_assert_eq!(Value::Object(body.parameters), options.parameters(native));
        }
    }

    #[test]
    fn a_body_without_its_end_begins_the_next_one(replies in proptest::collection::vec(reply(), 1..6)) {
        let client = client();
        let bodies: Vec<Vec<u8>> = prompts(replies, true).iter().map(|prompt| client.body(prompt).unwrap()).collect();
        for pair in bodies.windows(2) {
            let (before, end) = pair[0].split_at(pair[0].len() - 2);
            prop_assert_eq!(end, b"]}");
            prop_assert!(pair[1].starts_with(before));
        }
    }
}

#[test]
fn words_with_images_are_sent_as_the_reference_says() {
    let goal = UserInput::from("What is")
        .text(" this?")
        .image(Image::new("image/png", "abc", 7).unwrap())
        .image(Image::url("https://example.org/a.png", 7).unwrap())
        .text("One word.");
    let prompts = prompts_for(goal, vec![Reply::text("Done.")], true);
    let text = String::from_utf8(client().body(&prompts[0]).unwrap()).unwrap();
    let message = concat!(
        r#"{"role":"user","content":[{"type":"text","text":"What is this?"},"#,
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}},"#,
        r#"{"type":"image_url","image_url":{"url":"https://example.org/a.png"}},"#,
        r#"{"type":"text","text":"One word."}]}]}"#,
    );
    assert!(text.ends_with(message), "{text}");
}

#[test]
fn an_image_alone_is_a_list_of_one_part() {
    let goal = UserInput::from(Image::url("https://example.org/a.png", 7).unwrap());
    let prompts = prompts_for(goal, vec![Reply::text("Done.")], true);
    let text = String::from_utf8(client().body(&prompts[0]).unwrap()).unwrap();
    let message = r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]}]}"#;
    assert!(text.ends_with(message), "{text}");
}

#[test]
fn a_step_with_parallel_calls_is_sent_as_the_reference_says() {
    let calls = Reply::text("Let me see.")
        .call_with_id("x", "add", r#"{"left":1,"right":2}"#)
        .call_with_id("x", "clock", "")
        .call_with_id("", "add", "{broken");
    let prompts = prompts(vec![calls, Reply::text("Done.")], true);
    let bytes = client().body(prompts.last().unwrap()).unwrap();
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    assert!(body["tools"].as_array().unwrap().len() == 2);
    let text = serde_json::to_string(&body["messages"]).unwrap();
    let calls = concat!(
        r#"{"role":"assistant","content":"Let me see.","tool_calls":["#,
        r#"{"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"left\":1,\"right\":2}"}},"#,
        r#"{"id":"call_2","type":"function","function":{"name":"clock","arguments":"{}"}},"#,
        r#"{"id":"call_3","type":"function","function":{"name":"add","#,
        r#""arguments":"{\"unreadable_arguments\":\"{broken\"}"}}]}"#,
    );
    assert!(text.contains(calls), "{text}");
    let mut results: Vec<(String, String)> = Vec::new();
    for message in body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool") {
        let part = |name: &str| message[name].as_str().unwrap().to_owned();
        results.push((part("tool_call_id"), part("content")));
    }
    results.sort();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0], ("call_1".to_owned(), "3".to_owned()));
    assert_eq!(results[1], ("call_2".to_owned(), "noon".to_owned()));
    assert!(results[2].1.starts_with("not executed: invalid arguments for `add`"), "{results:?}");
}

#[test]
fn a_step_of_calls_alone_has_no_content() {
    let prompts = prompts(vec![Reply::tool("clock", "{}"), Reply::text("Done.")], true);
    let text = String::from_utf8(client().body(prompts.last().unwrap()).unwrap()).unwrap();
    assert!(text.contains(r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","#), "{text}");
}

#[test]
fn without_native_calls_there_are_no_tools_in_the_body() {
    let client = OpenAi::builder("http://localhost/v1", "m").parallel_tool_calls(true).build().unwrap();
    for prompt in prompts(vec![Reply::text(r#"{"answer": "a"}"#)], false) {
        let body: Value = serde_json::from_slice(&client.body(&prompt).unwrap()).unwrap();
        assert!(body.get("tools").is_none() && body.get("parallel_tool_calls").is_none());
    }
    for prompt in prompts(vec![Reply::text("a")], true) {
        let body: Value = serde_json::from_slice(&client.body(&prompt).unwrap()).unwrap();
        assert_eq!(
            (body["tools"].as_array().unwrap().len(), &body["parallel_tool_calls"]),
            (2, &true.into())
        );
    }
}
