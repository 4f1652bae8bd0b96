//! Places that hold one of several alternatives.

use serde_json::{Value, json};

use super::canonical::{Node, ordered, said_of, words};
use super::fits::{kinds, target};
use super::lowering::{Lowering, Out, Place};
use super::notes::reduced;
use super::rules::Types;
use super::step::{Branch, Step};
use crate::error::SchemaError;

/// How deep two alternatives are compared.
const COMPARED: u8 = 8;

/// What may stand beside a union and is said of the place alone.
const ANNOTATIONS: [&str; 3] = ["description", "default", "examples"];

impl Lowering<'_> {
    pub(super) fn union(&mut self, node: &Node, branches: &[Value], place: &Place) -> Out {
        let branches = self.with_siblings(node, branches, place)?;
        let mut outside = node.clone();
        outside.retain(|keyword, _| ANNOTATIONS.contains(&keyword.as_str()));
        let has_null = branches.iter().any(is_null);
        let mut lowered = Vec::with_capacity(branches.len());
        for branch in &branches {
            let is_left_out = is_null(branch) && self.rules.types == Types::Nullable;
            let Value::Object(node) = branch else { continue };
            if !is_left_out {
                let place = Place { branch: branches.len() > 1, top: false, ..place.clone() };
                let (node, step) = self.node(node, &place)?;
                lowered.push(Branch { canonical: branch.clone(), lowered: Value::Object(node), step });
            }
        }
        if lowered.is_empty() {
            return self.refused(place, "nothing but `null` fits here", "leave it out, or take a `bool`");
        }
        self.are_different(&lowered, place)?;
        let step = step(&lowered, has_null);
        let mut nodes: Vec<Value> = lowered.into_iter().map(|branch| branch.lowered).collect();
        reduced(&mut outside, self.rules);
        let is_nullable = has_null && self.rules.types == Types::Nullable;
        let is_alone = is_nullable && nodes.len() == 1;
        if let Some(first) = nodes.first_mut().and_then(Value::as_object_mut) {
            let moves = is_alone || !self.rules.beside_unions;
            let text = moves.then(|| outside.remove("description")).flatten();
            on_first(first, &mut |first| {
                moved_inside(first, is_nullable, text.as_ref().and_then(Value::as_str));
            });
        }
        if let [Value::Object(only)] = nodes.as_slice()
            && (is_alone || !self.rules.beside_unions)
        {
            return Ok((only.clone(), step));
        }
        if let [Value::Object(only)] = nodes.as_slice()
            && !only.contains_key("$ref")
            && let Some(only) = said_of(&outside, only.clone())
        {
            return Ok((only, step));
        }
        let takes_null = has_null || nodes.iter().any(|node| node.get("nullable").is_some());
        if let Some(words) = words(&outside, &nodes).filter(|_| !takes_null) {
            return Ok((ordered(words), step));
        }
        outside.insert("anyOf".to_owned(), nodes.into());
        Ok((ordered(outside), step))
    }

    /// The branches, each with what stands beside all of them.
    fn with_siblings(
        &self,
        node: &Node,
        branches: &[Value],
        place: &Place,
    ) -> Result<Vec<Value>, SchemaError> {
        let mut out = branches.to_vec();
        let beside = node
            .iter()
            .filter(|(keyword, _)| *keyword != "anyOf" && !ANNOTATIONS.contains(&keyword.as_str()));
        for (keyword, value) in beside {
            for branch in &mut out {
                let Value::Object(branch) = branch else { continue };
                let is_said = branch.get(keyword).is_some_and(|own| own == value);
                let is_free = !branch.contains_key(keyword) && !branch.contains_key("$ref");
                if is_free {
                    branch.insert(keyword.clone(), value.clone());
                } else if !is_said {
                    let fact =
                        format!("`{keyword}` stands beside alternatives that say something else of it");
                    return self.refused(place, &fact, "say it of each alternative");
                }
            }
        }
        Ok(out)
    }

    /// Refuses alternatives that could not be told apart in what the reader writes, although they are read differently.
    fn are_different(&self, branches: &[Branch], place: &Place) -> Result<(), SchemaError> {
        // `null` is told from all others without looking at them.
        let branches: Vec<&Branch> = branches.iter().filter(|branch| !is_null(&branch.canonical)).collect();
        for (at, left) in branches.iter().enumerate() {
            for right in branches.iter().skip(at + 1) {
                if left.step != right.step && self.overlap(&left.lowered, &right.lowered, COMPARED) {
                    let fact = "two alternatives look alike in the form for this reader";
                    return self.refused(place, fact, "give the enum a tag, with `#[serde(tag = \"…\")]`");
                }
            }
        }
        Ok(())
    }

    /// Whether a value may fit both schemas.
    fn overlap(&self, left: &Value, right: &Value, depth: u8) -> bool {
        let (Some(left), Some(right)) = (self.resolved(left), self.resolved(right)) else { return true };
        if depth == 0 {
            return true;
        }
        if let Some(Value::Array(branches)) = left.get("anyOf") {
            let right = Value::Object(right.clone());
            return branches.iter().any(|branch| self.overlap(branch, &right, depth - 1));
        }
        if right.contains_key("anyOf") {
            return self.overlap(&Value::Object(right.clone()), &Value::Object(left.clone()), depth - 1);
        }
        if let (Some(Value::Array(left)), Some(Value::Array(right))) = (left.get("enum"), right.get("enum")) {
            return left.iter().any(|value| right.contains(value));
        }
        let (left_kinds, right_kinds) = (kinds(left), kinds(right));
        let share = |left: &&str| right_kinds.iter().any(|right| is_like(left, right));
        if left_kinds.is_empty() || right_kinds.is_empty() {
            return true;
        }
        let shared: Vec<&&str> = left_kinds.iter().filter(|kind| share(kind)).collect();
        match shared.as_slice() {
            [] => false,
            [kind] if **kind == "object" => {
                !(self.tells(left, right, depth) || self.tells(right, left, depth))
            }
            _ => true,
        }
    }

    /// Whether a property that every value of `left` has keeps it from fitting `right`.
    fn tells(&self, left: &Node, right: &Node, depth: u8) -> bool {
        let required = left.get("required").and_then(Value::as_array).into_iter().flatten();
        let property =
            |node: &Node, name: &str| node.get("properties").and_then(|all| all.get(name)).cloned();
        let is_open = right.get("additionalProperties").is_some_and(|further| *further != Value::Bool(false))
            || right.contains_key("patternProperties");
        required.into_iter().filter_map(Value::as_str).any(|name| {
            match (property(left, name), property(right, name)) {
                (_, None) => !is_open,
                (Some(left), Some(right)) => !self.overlap(&left, &right, depth - 1),
                (None, Some(_)) => false,
            }
        })
    }

    /// The schema that a reference leads to; none while that is on its way.
    fn resolved<'s>(&'s self, schema: &'s Value) -> Option<&'s Node> {
        let node = schema.as_object()?;
        match node.get("$ref").and_then(Value::as_str).and_then(target) {
            Some(name) => self.definition(name),
            None => Some(node),
        }
    }
}

/// Changes the first alternative of alternatives, or the node itself.
fn on_first(node: &mut Node, change: &mut dyn FnMut(&mut Node)) {
    let first = node.get_mut("anyOf").and_then(Value::as_array_mut).and_then(|all| all.first_mut());
    match first.and_then(Value::as_object_mut) {
        Some(first) => on_first(first, change),
        None => change(node),
    }
}

/// Adds to the first alternative what the reader takes beside no alternatives.
fn moved_inside(first: &mut Node, is_nullable: bool, description: Option<&str>) {
    if is_nullable {
        first.insert("nullable".to_owned(), true.into());
    }
    if let Some(outer) = description {
        let inner = first.get("description").and_then(Value::as_str);
        let text = inner.map_or_else(|| outer.to_owned(), |inner| format!("{outer}\n{inner}"));
        first.insert("description".to_owned(), text.into());
    }
    *first = ordered(std::mem::take(first));
}

/// What is done to the values of a union.
fn step(branches: &[Branch], has_null: bool) -> Step {
    let others: Vec<&Branch> = branches.iter().filter(|branch| !is_null(&branch.canonical)).collect();
    let step = match others.as_slice() {
        [first, rest @ ..] if rest.iter().all(|branch| branch.step == first.step) => first.step.clone(),
        _ => Step::Union(others.into_iter().cloned().collect()).simplified(),
    };
    if has_null { Step::OrNull(Box::new(step)).simplified() } else { step }
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null")
}

/// Whether a value may be of both types.
fn is_like(left: &str, right: &str) -> bool {
    left == right || [left, right] == ["integer", "number"] || [left, right] == ["number", "integer"]
}

/// Lets `null` stand for absence.
pub(super) fn or_null(mut node: Node) -> Node {
    let takes_null = kinds(&node).contains(&"null");
    if takes_null {
        return node;
    }
    let absent = json!({ "type": "null" });
    if let Some(Value::Array(branches)) = node.get_mut("anyOf") {
        if !branches.iter().any(is_null) {
            branches.push(absent);
        }
        return node;
    }
    let description = node.remove("description");
    let mut out = Node::from_iter([("anyOf".to_owned(), json!([ordered(node), absent]))]);
    out.extend(description.map(|text| ("description".to_owned(), text)));
    ordered(out)
}
