//! What the planner gets to know: all of it from the prompt.

use polyloop::{Content, Message, ModelError, ModelErrorClass, Prompt, Registry, Role, ToolDefinition};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::context::{App, AppKind, Rules};

/// Is a call with what was observed of it.
pub(crate) struct Seen<'p> {
    pub(crate) tool: &'p str,
    pub(crate) arguments: Value,
    /// None while the call is not answered.
    pub(crate) observation: Option<String>,
}

/// Holds what a prompt says.
pub(crate) struct Memory<'p> {
    /// The words in the goal that are all capitals: what to look for.
    pub(crate) words: Vec<String>,
    pub(crate) rules: Rules,
    /// The calls so far, in order.
    pub(crate) calls: Vec<Seen<'p>>,
    /// The names of the tools that may be called.
    pub(crate) tools: Vec<&'p str>,
    /// The size of the prompt, in characters.
    pub(crate) chars: usize,
}

impl<'p> Memory<'p> {
    /// Reads a prompt.
    pub(crate) fn of(prompt: &'p Prompt) -> Result<Self, ModelError> {
        let unusable = |what: &str| ModelError::new(ModelErrorClass::BadRequest, what);
        let mut rules = None;
        let mut words = Vec::new();
        for message in prompt.messages().filter(|message| message.role() != Role::Assistant) {
            let text = message.text();
            match App::recognize(&text).map(|known| known.kind) {
                // The definition that rendered the text reads it again.
                Some(AppKind::Rules) => rules = App::parse(&text).ok(),
                None if message.role() == Role::User => words = capitals(&text),
                Some(AppKind::Environment) | None => {}
            }
        }
        if words.is_empty() {
            return Err(unusable("the goal names no word in capitals; say what to look for"));
        }
        Ok(Self {
            words,
            rules: rules.ok_or_else(|| unusable("there are no rules in the prompt"))?,
            calls: calls(prompt),
            tools: prompt.tools().iter().map(ToolDefinition::name).collect(),
            chars: prompt.chars(),
        })
    }

    /// Returns what a tool told so far; what cannot be read as `T` is an error of the tool, and passed over.
    pub(crate) fn told<T: DeserializeOwned>(&self, tool: &str) -> Vec<T> {
        let observations = self.of_tool(tool).filter_map(|call| call.observation.as_deref());
        observations.filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    /// Returns the calls of a tool.
    pub(crate) fn of_tool<'m>(&'m self, tool: &'m str) -> impl Iterator<Item = &'m Seen<'p>> {
        self.calls.iter().filter(move |call| call.tool == tool)
    }

    /// Whether the rules allow to look at more.
    pub(crate) fn has_room(&self) -> bool {
        self.chars < self.rules.most_chars
    }

    /// Whether a tool may be called.
    pub(crate) fn may(&self, tool: &str) -> bool {
        self.tools.contains(&tool)
    }
}

/// Pairs the calls with their observations, by id.
fn calls(prompt: &Prompt) -> Vec<Seen<'_>> {
    let mut ids = Vec::new();
    let mut calls: Vec<Seen<'_>> = Vec::new();
    for block in prompt.messages().flat_map(Message::blocks) {
        match block.content() {
            Content::ToolCall { id, name, arguments } => {
                ids.push(id);
                let arguments = serde_json::from_str(arguments).unwrap_or_default();
                calls.push(Seen { tool: name, arguments, observation: None });
            }
            Content::ToolResult { call, parts } => {
                let place = ids.iter().position(|id| *id == call);
                if let Some(seen) = place.and_then(|place| calls.get_mut(place)) {
                    seen.observation = Some(parts.concat());
                }
            }
            _ => {}
        }
    }
    calls
}

fn capitals(goal: &str) -> Vec<String> {
    let words = goal.split(|character: char| !character.is_alphanumeric());
    let loud = |word: &&str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_uppercase());
    words.filter(loud).map(str::to_owned).collect()
}
