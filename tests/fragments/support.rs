//! The fragments that most tests share, and their registry.

use polyloop::Key;
use polyloop::prelude::*;

/// Where the agent works.
#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<environment_context>", "</environment_context>"), max_chars = 4_000)]
#[fragment(body = "\n  <cwd>{cwd}</cwd>\n  <sandbox>{sandbox}</sandbox>\n")]
pub(crate) struct Environment {
    pub(crate) cwd: String,
    pub(crate) sandbox: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<skill>", "</skill>"), max_chars = 4_000, body = "{content}")]
pub(crate) struct Skill {
    pub(crate) content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = developer, markers("<subagent_notification>", "</subagent_notification>"))]
#[fragment(max_chars = 4_000, body = "{0}")]
pub(crate) struct Notification(pub(crate) String);

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("# AGENTS.md instructions", "</INSTRUCTIONS>"), max_chars = 4_000)]
#[fragment(body = " for {folder}\n\n<INSTRUCTIONS>\n{content}\n")]
pub(crate) struct Instructions {
    pub(crate) folder: String,
    pub(crate) content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<external_{source}>", "</external_{source}>"), max_chars = 4_000)]
#[fragment(body = "{content}")]
pub(crate) struct External {
    pub(crate) source: Key,
    pub(crate) content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = developer, markers("<internal source=\"{key}\">", "</internal>"), max_chars = 4_000)]
#[fragment(body = "{content}")]
pub(crate) struct Internal {
    pub(crate) key: Key,
    pub(crate) content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = developer, markers("<permissions instructions>", "</permissions instructions>"))]
#[fragment(max_chars = 4_000, body = "{content}")]
pub(crate) struct Permissions {
    pub(crate) content: String,
}

/// Was written in two other ways before.
#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = system, markers("<rules>", "</rules>"), max_chars = 4_000, body = "- {first}\n- {second}")]
#[fragment(legacy("<house_rules for=\"{key}\">", "</house_rules>"), legacy_prefix = "# House rules:")]
pub(crate) struct Rules {
    pub(crate) first: String,
    pub(crate) second: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = user, markers("<a>", "</a>"), max_chars = 4_000, body = "{content}")]
pub(crate) struct Short {
    pub(crate) content: String,
}

#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = developer, unmarked = "news of one turn", slot = turn, lifetime = once)]
#[fragment(max_chars = 4_000, body = "{content}")]
pub(crate) struct Reminder {
    pub(crate) content: String,
}

/// Each variant has a body of its own.
#[derive(ContextFragment, Clone, Debug, PartialEq)]
#[fragment(role = developer, markers("<process>", "</process>"), max_chars = 4_000)]
pub(crate) enum Process {
    #[fragment(body = "started {name} as {id}")]
    Started { name: String, id: u32 },
    #[fragment(body = "said: {0}")]
    Said(String),
    #[fragment(body = "gone")]
    Gone,
}

registry! {
    pub(crate) struct App {
        fragments: [
            Environment, Skill, Notification, Instructions, External, Internal, Permissions, Rules, Short, Reminder,
            Process,
        ],
    }
}

/// A key that is known to be one.
pub(crate) fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

/// One value of each kind, with this text inside, as the registry renders it.
pub(crate) fn each_rendered(
    text: &str,
    key_text: &str,
) -> Vec<(AppKind, Result<polyloop::Rendered, RecordError>)> {
    let content = || text.to_owned();
    let key = key(key_text);
    vec![
        (AppKind::Environment, App::render(&Environment { cwd: content(), sandbox: content() })),
        (AppKind::Skill, App::render(&Skill { content: content() })),
        (AppKind::Notification, App::render(&Notification(content()))),
        (AppKind::Instructions, App::render(&Instructions { folder: content(), content: content() })),
        (AppKind::External, App::render(&External { source: key.clone(), content: content() })),
        (AppKind::Internal, App::render(&Internal { key, content: content() })),
        (AppKind::Permissions, App::render(&Permissions { content: content() })),
        (AppKind::Rules, App::render(&Rules { first: content(), second: content() })),
        (AppKind::Short, App::render(&Short { content: content() })),
        (AppKind::Process, App::render(&Process::Started { name: content(), id: 7 })),
        (AppKind::Process, App::render(&Process::Said(content()))),
        (AppKind::Process, App::render(&Process::Gone)),
    ]
}

/// The texts of a session's items.
pub(crate) fn texts<R: Registry>(session: &Session<R>) -> Vec<String> {
    session.items().iter().map(|item| item.text().into_owned()).collect()
}
