//! Undoes what lowering did to a value, and does it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::canonical::Node;
use super::fits::{How, fits};
use super::step::{Branch, Field, Object, PAIR, Rest, Step, WHOLE, position};
use super::tree::Tree;
use crate::error::DecodeError;

/// Brings the arguments of a reader back into the form of the canonical schema, and the other way round.
///
/// Cloning shares everything.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// None for the identity.
    steps: Option<Arc<Steps>>,
}

#[derive(Debug)]
pub(super) struct Steps {
    pub(super) root: Step,
    pub(super) definitions: Vec<Step>,
    pub(super) canonical: Node,
    pub(super) lowered: Node,
}

impl Decoder {
    pub(super) fn new(steps: Steps) -> Self {
        let is_identity = std::iter::once(&steps.root)
            .chain(&steps.definitions)
            .all(|step| step.only_looks(&mut Vec::new()));
        Self { steps: (!is_identity).then(|| Arc::new(steps)) }
    }

    /// Whether what the reader writes already has the form of the canonical schema.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_none()
    }

    /// Brings a value of the lowered schema into the form of the canonical one.
    ///
    /// # Errors
    ///
    /// When the value does not have the form of the lowered schema; the first such place is told.
    pub fn decode(&self, value: Value) -> Result<Value, DecodeError> {
        let Some(steps) = &self.steps else { return Ok(value) };
        let mut walk = Walk::new(steps, Direction::Decode);
        let tree = walk.step(&steps.root, Tree::from_value(value), "");
        walk.wrong.map_or_else(|| Ok(tree.into_value()), Err)
    }

    /// Brings a value of the canonical schema into the form of the lowered one. What does not have the form of the
    /// canonical schema stays as it is.
    #[must_use]
    pub fn encode(&self, value: Value) -> Value {
        let Some(steps) = &self.steps else { return value };
        Walk::new(steps, Direction::Encode).step(&steps.root, Tree::from_value(value), "").into_value()
    }

    /// Brings arguments, as JSON text, into the form of the canonical schema.
    ///
    /// What is no JSON stays as it is, and so does each part that does not have the form of the lowered schema: the
    /// tool's own check tells what is wrong. Numbers stay as they are written.
    #[must_use]
    pub fn decode_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.over_text(text, Direction::Decode)
    }

    /// Brings arguments, as JSON text, into the form of the lowered schema; the counterpart of
    /// [`decode_text`](Self::decode_text).
    #[must_use]
    pub fn encode_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.over_text(text, Direction::Encode)
    }

    fn over_text<'t>(&self, text: &'t str, direction: Direction) -> Cow<'t, str> {
        let Some(steps) = &self.steps else { return Cow::Borrowed(text) };
        let Ok(tree) = Tree::read(text) else { return Cow::Borrowed(text) };
        Cow::Owned(Walk::new(steps, direction).step(&steps.root, tree, "").text())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Decode,
    Encode,
}

struct Walk<'s> {
    steps: &'s Steps,
    direction: Direction,
    /// The first value without the form of the schema.
    wrong: Option<DecodeError>,
}

impl<'s> Walk<'s> {
    fn new(steps: &'s Steps, direction: Direction) -> Self {
        Self { steps, direction, wrong: None }
    }

    fn step<'t>(&mut self, step: &'s Step, tree: Tree<'t>, path: &str) -> Tree<'t> {
        let decode = self.direction == Direction::Decode;
        match (step, tree) {
            (Step::Same, tree) => tree,
            (Step::OrNull(_), Tree::Null) => Tree::Null,
            (Step::OrNull(inner), tree) => self.step(inner, tree, path),
            (Step::Definition(number), tree) => match self.steps.definitions.get(*number) {
                Some(step) => self.step(step, tree, path),
                None => tree,
            },
            (Step::List(item), Tree::List(items)) => {
                let items = items.into_iter().enumerate();
                Tree::List(
                    items.map(|(at, value)| self.step(item, value, &format!("{path}[{at}]"))).collect(),
                )
            }
            (Step::Items(steps), Tree::List(items)) => self.items(steps, items, path),
            (Step::Positions(length, step), tree) => self.positions(*length, step, tree, path),
            (Step::Object(object), Tree::Object(members)) if decode => self.decoded(object, members, path),
            (Step::Object(object), Tree::Object(members)) => self.encoded(object, members, path),
            (Step::Pairs(value), Tree::List(pairs)) if decode => match self.unpaired(value, pairs, path) {
                Ok(members) => Tree::Object(members),
                Err(pairs) => self.left(Tree::List(pairs), path, "is no list of pairs with different keys"),
            },
            (Step::Pairs(value), Tree::Object(members)) if !decode => self.paired(value, members, path),
            (Step::Union(branches), tree) => self.branch(branches, tree, path),
            (Step::Words(words), tree) => self.word(words, tree, path),
            (Step::Json, Tree::Text(text)) if decode => match Tree::read(&text).map(Tree::into_owned) {
                Ok(tree) => tree,
                Err(_) => self.left(Tree::Text(text), path, "is no JSON text"),
            },
            (Step::Json, tree) if !decode => Tree::Text(tree.text()),
            (Step::Wrapped(inner), tree) => self.whole(inner, tree, path),
            (_, tree) => self.left(tree, path, "has another type than it was asked for"),
        }
    }

    /// Leaves a value as it is, and remembers why.
    fn left<'t>(&mut self, tree: Tree<'t>, path: &str, reason: &str) -> Tree<'t> {
        self.wrong.get_or_insert_with(|| DecodeError::new(path, reason));
        tree
    }

    fn items_of<'t>(&mut self, step: &'s Step, items: Vec<Tree<'t>>, path: &str) -> Vec<Tree<'t>> {
        let items = items.into_iter().enumerate();
        items.map(|(at, item)| self.step(step, item, &format!("{path}[{at}]"))).collect()
    }

    fn items<'t>(&mut self, steps: &'s [Step], items: Vec<Tree<'t>>, path: &str) -> Tree<'t> {
        let items = items.into_iter().enumerate();
        let item = |(at, item)| match steps.get(at) {
            Some(step) => self.step(step, item, &format!("{path}[{at}]")),
            None => item,
        };
        Tree::List(items.map(item).collect())
    }

    fn positions<'t>(&mut self, length: usize, step: &'s Step, tree: Tree<'t>, path: &str) -> Tree<'t> {
        const WRONG: &str = "has another number of items";
        match (self.direction, tree) {
            (Direction::Encode, Tree::List(items)) if items.len() == length => {
                let named = items.into_iter().enumerate().map(|(at, item)| (position(at), item));
                self.step(step, Tree::Object(named.collect()), path)
            }
            (Direction::Decode, tree @ Tree::Object(_)) => match self.step(step, tree, path) {
                Tree::Object(mut members) => {
                    members.sort_by_key(|(name, _)| (0..length).position(|at| *name == position(at)));
                    let is_whole = members.len() == length
                        && members.iter().enumerate().all(|(at, (name, _))| *name == position(at));
                    if is_whole {
                        return Tree::List(members.into_iter().map(|(_, item)| item).collect());
                    }
                    self.left(Tree::Object(members), path, WRONG)
                }
                tree => tree,
            },
            (_, tree) => self.left(tree, path, WRONG),
        }
    }

    fn decoded<'t>(&mut self, object: &'s Object, members: Vec<(String, Tree<'t>)>, path: &str) -> Tree<'t> {
        let keys: BTreeSet<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
        // Where one of two came to nothing, nobody would see that there were two.
        if keys.len() < members.len() {
            return self.left(Tree::Object(members), path, "has a key twice");
        }
        let mut out: Vec<(String, Tree<'t>)> = Vec::with_capacity(members.len());
        for (key, value) in members {
            if let Some(field) = object.fields.iter().find(|field| field.sent.as_ref() == Some(&key)) {
                if !(field.null_is_absent && value == Tree::Null) {
                    out.push((field.name.clone(), self.step(&field.step, value, &joined(path, &key))));
                }
                continue;
            }
            let below = joined(path, &key);
            match &object.rest {
                Rest::Kept(step) => out.push((key, self.step(step, value, &below))),
                Rest::Pairs(sent, step) if *sent == key => match self.step(step, value, &below) {
                    Tree::Object(members) if !members.iter().any(|(key, _)| object.has(key)) => {
                        out.extend(members);
                    }
                    other => {
                        out.push((key, self.left(other, &below, "has a pair whose key is that of a field")));
                    }
                },
                Rest::Pairs(..) => out.push((key, value)),
            }
        }
        for field in &object.fields {
            if let Some(value) = &field.when_absent
                && !out.iter().any(|(key, _)| *key == field.name)
            {
                out.push((field.name.clone(), Tree::from_value(value.clone())));
            }
        }
        Tree::Object(out)
    }

    fn encoded<'t>(
        &mut self,
        object: &'s Object,
        mut members: Vec<(String, Tree<'t>)>,
        path: &str,
    ) -> Tree<'t> {
        let mut out = Vec::with_capacity(members.len());
        for Field { name, sent, step, null_is_absent, .. } in &object.fields {
            let found = members.iter().position(|(key, _)| key == name).map(|at| members.remove(at));
            let Some(sent) = sent else { continue };
            match found {
                Some((_, value)) => out.push((sent.clone(), self.step(step, value, &joined(path, name)))),
                None if *null_is_absent => out.push((sent.clone(), Tree::Null)),
                None => {}
            }
        }
        match &object.rest {
            Rest::Kept(step) => {
                let kept = members.into_iter();
                let kept =
                    kept.map(|(key, value)| (key.clone(), self.step(step, value, &joined(path, &key))));
                out.extend(kept);
            }
            Rest::Pairs(sent, step) => out.push((sent.clone(), self.step(step, Tree::Object(members), path))),
        }
        Tree::Object(out)
    }

    /// The members that a list of pairs stands for; the list if it stands for none.
    fn unpaired<'t>(
        &mut self,
        step: &'s Step,
        pairs: Vec<Tree<'t>>,
        path: &str,
    ) -> Result<Vec<(String, Tree<'t>)>, Vec<Tree<'t>>> {
        let pairs = self.items_of(step, pairs, path);
        let mut keys: Vec<&str> = pairs.iter().filter_map(key_of).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.len() != pairs.len() {
            return Err(pairs);
        }
        let entry = |pair: Tree<'t>| {
            let Tree::Object(members) = pair else { return (String::new(), Tree::Null) };
            members.into_iter().fold((String::new(), Tree::Null), |entry, (name, part)| match part {
                Tree::Text(key) if name == PAIR.0 => (key, entry.1),
                value => (entry.0, value),
            })
        };
        Ok(pairs.into_iter().map(entry).collect())
    }

    fn paired<'t>(&mut self, step: &'s Step, members: Vec<(String, Tree<'t>)>, path: &str) -> Tree<'t> {
        let pair = |(key, value): (String, Tree<'t>)| {
            Tree::Object(vec![(PAIR.0.to_owned(), Tree::Text(key)), (PAIR.1.to_owned(), value)])
        };
        Tree::List(self.items_of(step, members.into_iter().map(pair).collect(), path))
    }

    fn branch<'t>(&mut self, branches: &'s [Branch], tree: Tree<'t>, path: &str) -> Tree<'t> {
        let steps = self.steps;
        let decode = self.direction == Direction::Decode;
        for how in [How::Exactly, How::Valid, How::Loosely] {
            let found = branches.iter().find(|branch| {
                let (schema, definitions) = if decode {
                    (&branch.lowered, &steps.lowered)
                } else {
                    (&branch.canonical, &steps.canonical)
                };
                fits(schema, definitions, &tree, how)
            });
            if let Some(branch) = found {
                return self.step(&branch.step, tree, path);
            }
        }
        self.left(tree, path, "is none of the alternatives")
    }

    fn word<'t>(&mut self, words: &[(String, Value)], tree: Tree<'t>, path: &str) -> Tree<'t> {
        if self.direction == Direction::Encode {
            let word = words.iter().find(|(_, value)| tree.is(value));
            return word.map_or(tree, |(word, _)| Tree::Text(word.clone()));
        }
        let value = match &tree {
            Tree::Text(text) => words.iter().find(|(word, _)| word == text).map(|(_, value)| value.clone()),
            _ => None,
        };
        match value {
            Some(value) => Tree::from_value(value),
            None => self.left(tree, path, "is none of the fixed values"),
        }
    }

    fn whole<'t>(&mut self, inner: &'s Step, tree: Tree<'t>, path: &str) -> Tree<'t> {
        if self.direction == Direction::Encode {
            return self.step(inner, Tree::Object(vec![(WHOLE.to_owned(), tree)]), path);
        }
        match self.step(inner, tree, path) {
            Tree::Object(mut members) if matches!(members.as_slice(), [(key, _)] if key == WHOLE) => {
                members.pop().map_or(Tree::Null, |(_, value)| value)
            }
            tree => self.left(tree, path, "is no object with the one key `value`"),
        }
    }
}

/// The key of a pair.
fn key_of<'p>(pair: &'p Tree<'_>) -> Option<&'p str> {
    let Tree::Object(members) = pair else { return None };
    match members.as_slice() {
        [(key, Tree::Text(text)), (value, _)] | [(value, _), (key, Tree::Text(text))]
            if key == PAIR.0 && value == PAIR.1 =>
        {
            Some(text.as_str())
        }
        _ => None,
    }
}

/// The path of a member.
fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
