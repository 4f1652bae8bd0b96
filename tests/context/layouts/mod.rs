//! The same things said, in each layout.

mod order;
mod promises;

use polyloop::{
    Agent, ContextFragment, FollowUp, Layout, Message, Prompt, RecordError, Reply, Request, Run, Scripted,
    Session, registry,
};

macro_rules! fragments {
    ($($name:ident($($options:tt)*))*) => {
        $(
            /// One of many.
            #[derive(ContextFragment)]
            #[fragment($($options)*, max_chars = 100, body = "{text}", at_most = 99)]
            struct $name { text: String }
        )*

        /// Says one of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Say { $($name,)* }

        impl Say {
            const ALL: &[Self] = &[$(Self::$name),*];

            fn to(self, text: &str, session: &mut Session<App>) -> Result<(), RecordError> {
                let text = text.to_owned();
                match self {
                    $(Self::$name => session.inject($name { text }).map(drop),)*
                }
            }

            fn first(self, text: &str, request: Request<App>) -> Request<App> {
                let text = text.to_owned();
                match self {
                    $(Self::$name => request.inject($name { text }),)*
                }
            }

            fn later<'r>(self, text: &str, next: FollowUp<'r, App>) -> FollowUp<'r, App> {
                let text = text.to_owned();
                match self {
                    $(Self::$name => next.inject($name { text }),)*
                }
            }
        }
    };
}

fragments! {
    System(role = system, unmarked = "for a test")
    SystemTop(role = system, unmarked = "for a test", pin = top, rank = 100)
    SystemAlone(role = system, unmarked = "for a test", standalone)
    Developer(role = developer, unmarked = "for a test", slot = goal)
    DeveloperEarly(role = developer, unmarked = "for a test", rank = -3)
    DeveloperLate(role = developer, unmarked = "for a test", rank = 7)
    DeveloperTop(role = developer, unmarked = "for a test", pin = top, rank = 100)
    DeveloperBottom(role = developer, unmarked = "for a test", pin = bottom, rank = -100)
    DeveloperAlone(role = developer, unmarked = "for a test", standalone)
    DeveloperAloneTop(role = developer, unmarked = "for a test", standalone, pin = top)
    User(role = user, unmarked = "for a test")
    UserBottom(role = user, unmarked = "for a test", pin = bottom)
    UserAlone(role = user, unmarked = "for a test", standalone)
    Skill(slot = injection("skill"))
    Advice(slot = injection("advice"))
    Goal(role = user, unmarked = "for a test", slot = goal)
    Marked(role = user, markers("<marked>", "</marked>"), lifetime = latest, absent = "gone")
    Once(role = user, unmarked = "for a test", lifetime = once)
    News(role = user, unmarked = "for a test", slot = turn, lifetime = once)
    NewsTop(role = user, unmarked = "for a test", slot = turn, lifetime = once, pin = top)
    NewsAlone(role = user, unmarked = "for a test", slot = turn, lifetime = once, standalone)
    Hint(role = developer, unmarked = "for a test", slot = turn, lifetime = once)
}

registry! {
    struct App {
        fragments: [
            System, SystemTop, SystemAlone, Developer, DeveloperEarly, DeveloperLate, DeveloperTop,
            DeveloperBottom, DeveloperAlone, DeveloperAloneTop, User, UserBottom, UserAlone, Skill, Advice, Goal,
            Marked, Once, News, NewsTop, NewsAlone, Hint,
        ],
    }
}

/// The messages: who speaks, and the blocks.
fn shown<'p>(messages: impl IntoIterator<Item = &'p Message>) -> Vec<String> {
    let message = |message: &Message| {
        let blocks: Vec<&str> = message.blocks().iter().filter_map(|block| block.text()).collect();
        format!("{}: {}", message.role(), blocks.join(" + "))
    };
    messages.into_iter().map(message).collect()
}

/// What all of this comes to, said before the first request.
fn arranged(layout: impl Layout, said: &[(Say, &str)]) -> Vec<String> {
    let mut session = Session::<App>::with_layout(layout);
    for (kind, text) in said {
        kind.to(text, &mut session).unwrap();
    }
    session.say("the goal").unwrap();
    shown(session.prompt().messages())
}

/// Turns of what is said and then a person's words.
type Turns<'t> = &'t [(Vec<(Say, String)>, String)];

/// Has all these turns, and returns what was sent.
async fn sent(layout: impl Layout, turns: Turns<'_>) -> (Vec<Prompt>, Run<App>) {
    let model = Scripted::by(|_| Reply::text("an answer"));
    let agent = Agent::<App>::builder(model.clone()).layout(layout).build().unwrap();
    let [(said, words), further @ ..] = turns else { panic!("there is a first turn") };
    let request = said.iter().fold(agent.on(()), |request, (kind, text)| kind.first(text, request));
    let mut run = request.goal(words.as_str()).await.unwrap();
    run.finish().await.unwrap();
    for (said, words) in further {
        let next = said.iter().fold(run.follow_up(), |next, (kind, text)| kind.later(text, next));
        next.goal(words.as_str()).await.unwrap();
        run.finish().await.unwrap();
    }
    (model.requests(), run)
}

/// What a second turn adds in which all of this is said.
async fn followed(layout: impl Layout, said: &[(Say, &str)]) -> Vec<String> {
    let said = said.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
    let turns = [(Vec::new(), "the goal".to_owned()), (said, "go on".to_owned())];
    let (prompts, _) = sent(layout, &turns).await;
    let [first, second] = &prompts[..] else { panic!("two requests") };
    shown(second.messages().skip(first.messages().len() + 1))
}
