//! How large a prompt is, and what filled it.

use polyloop::{Content, JsonAction, Message, Prompt, Reply, Scripted};

use crate::support::{builder, last, rules, skill, tallies, texts};

/// The size of a prompt, counted anew.
fn counted(prompt: &Prompt) -> usize {
    let chars = |content: &Content| match content {
        Content::Text { text } => text.chars().count(),
        Content::ToolCall { name, arguments, .. } => name.chars().count() + arguments.chars().count(),
        Content::ToolResult { parts, .. } => parts.iter().map(|part| part.chars().count()).sum(),
        other => panic!("{other:?} has no measure here"),
    };
    prompt.messages().flat_map(Message::blocks).map(|block| chars(block.content())).sum()
}

async fn long_run(json: bool) -> (polyloop::Report, Scripted) {
    let call = |line: &str| {
        let text = Reply::text("Ich schreibe: äöü 😀 ");
        let arguments = format!(r#"{{"line":"{line}"}}"#);
        if json {
            Reply::text(format!(r#"Grüße {{"tool":"tally","arguments":{arguments}}}"#))
        } else {
            text.call("tally", arguments)
        }
    };
    let answer = if json { r#"{"answer":"x"}"# } else { "x" };
    let model = Scripted::replies([call("ä😀"), Reply::tool("nope", ""), call("b"), Reply::text(answer)]);
    let builder = builder(model.clone());
    let agent = if json { builder.interpreter(JsonAction).build() } else { builder.build() }.unwrap();
    let request = agent.on(crate::support::Log::default()).inject(rules()).inject(skill("a", "1😀"));
    let report = crate::support::finish(request.goal("größer").await.unwrap()).await;
    (report, model)
}

#[tokio::test]
async fn a_prompts_size_is_the_sum_of_its_blocks_in_characters() {
    for json in [false, true] {
        let (report, model) = long_run(json).await;
        for prompt in model.requests() {
            assert_eq!(prompt.chars(), counted(&prompt));
            assert_eq!(prompt.chars(), prompt.messages().map(Message::chars).sum::<usize>());
        }
        assert_eq!(report.prompt_chars, last(&model).chars());
    }
}

#[tokio::test]
async fn shares_add_up_to_the_size_exactly_and_name_kind_and_tool() {
    for json in [false, true] {
        let (report, model) = long_run(json).await;
        for prompt in model.requests() {
            let shares = prompt.shares();
            assert_eq!(shares.iter().map(|share| share.chars).sum::<usize>(), prompt.chars());
            let blocks = prompt.messages().flat_map(Message::blocks).count();
            assert_eq!(shares.iter().map(|share| share.blocks).sum::<usize>(), blocks);
        }
        assert_eq!(report.shares, last(&model).shares());
        let share = |kind: &str, tool: Option<&str>| {
            report.shares.iter().find(|share| share.kind == kind && share.tool.as_deref() == tool).cloned()
        };
        assert_eq!(share("rules", None).unwrap().chars, "Be brief.".len());
        assert_eq!(share("skill", None).unwrap().chars, 2);
        assert_eq!(share("polyloop.input", None).unwrap().chars, 6);
        let observations = share("polyloop.observation", Some("tally")).unwrap();
        assert_eq!((observations.blocks, observations.chars), (2, "wrote ".len() * 2 + 3));
        assert_eq!(share("polyloop.reply", Some("tally")).is_some(), !json);
    }
}

#[tokio::test]
async fn every_block_is_traced_to_an_item_that_was_recorded() {
    let model = Scripted::replies([tallies(["a", "b"]), Reply::text("done")]);
    let mut run = crate::support::start(&builder(model.clone()).build().unwrap()).await;
    run.finish().await.unwrap();
    let items: Vec<_> = run.items().iter().map(|item| (item.id(), item.kind_name())).collect();
    for block in last(&model).messages().flat_map(Message::blocks) {
        let origin = block.origin();
        assert!(items.contains(&(origin.item(), origin.kind())), "{origin:?}");
    }
    let told = texts(&last(&model));
    let recorded: Vec<String> = run.items().iter().map(|item| item.text().into_owned()).collect();
    assert_eq!(recorded[..told.len()], told, "what is recorded is what is sent");
}
