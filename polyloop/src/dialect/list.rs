//! Lists: of any length, and of a fixed one.

use serde_json::{Value, json};

use super::canonical::{Node, ordered};
use super::lowering::{Lowering, Names, Out, Place};
use super::notes::reduced;
use super::rules::Tuples;
use super::step::{Step, position};

impl Lowering<'_> {
    pub(super) fn list(&mut self, node: &Node, place: &Place) -> Out {
        if let Some(Value::Array(positions)) = node.get("prefixItems") {
            return self.tuple(node, positions, place);
        }
        let mut out = node.clone();
        let any = Node::from_iter([("description".to_owned(), "any JSON value".into())]);
        let items = node.get("items").and_then(Value::as_object).unwrap_or(&any);
        let (items, step) = self.node(items, &place.below("[]"))?;
        out.insert("items".to_owned(), Value::Object(items));
        reduced(&mut out, self.rules);
        Ok((ordered(out), Step::List(Box::new(step)).simplified()))
    }

    fn tuple(&mut self, node: &Node, positions: &[Value], place: &Place) -> Out {
        let length = positions.len();
        let bound = |keyword: &str| node.get(keyword).and_then(Value::as_u64);
        let is_fixed = [bound("minItems"), bound("maxItems")] == [u64::try_from(length).ok(); 2];
        if self.rules.tuples == Tuples::Named {
            if !is_fixed {
                let fact = "it is a list whose first items differ from the others";
                return self.refused(place, fact, "take a struct");
            }
            return self.named(node, positions, place);
        }
        let mut out = node.clone();
        let mut nodes = Vec::with_capacity(length);
        let mut steps = Vec::with_capacity(length);
        for (at, schema) in positions.iter().filter_map(Value::as_object).enumerate() {
            let (node, step) = self.node(schema, &place.below(&format!("[{at}]")))?;
            nodes.push(Value::Object(node));
            steps.push(step);
        }
        match node.get("items").and_then(Value::as_object) {
            Some(items) if !is_fixed => {
                let (items, step) = self.node(items, &place.below("[]"))?;
                if step != Step::Same {
                    return self.refused(place, "its further items have another form there", "take a struct");
                }
                out.insert("items".to_owned(), Value::Object(items));
            }
            _ if self.rules.tuples == Tuples::KeptWithItems => {
                out.insert("items".to_owned(), any_of(&nodes));
            }
            _ => drop(out.remove("items")),
        }
        out.insert("prefixItems".to_owned(), nodes.into());
        reduced(&mut out, self.rules);
        Ok((ordered(out), Step::Items(steps).simplified()))
    }

    /// A list of fixed length as an object with a name for each position.
    fn named(&mut self, node: &Node, positions: &[Value], place: &Place) -> Out {
        let mut object = node.clone();
        for keyword in ["prefixItems", "items", "minItems", "maxItems"] {
            object.remove(keyword);
        }
        let names: Vec<String> = (0..positions.len()).map(position).collect();
        let properties = names.iter().cloned().zip(positions.iter().cloned());
        object.insert("type".to_owned(), "object".into());
        object.insert("properties".to_owned(), Value::Object(properties.collect()));
        object.insert("required".to_owned(), names.into());
        object.insert("additionalProperties".to_owned(), false.into());
        let place = Place { names: Names::Positions, top: false, branch: false, ..place.clone() };
        let (node, step) = self.object(&object, &place)?;
        Ok((node, Step::Positions(positions.len(), Box::new(step))))
    }
}

/// A schema for what fits one of those.
fn any_of(nodes: &[Value]) -> Value {
    let mut different: Vec<&Value> = Vec::new();
    for node in nodes {
        if !different.contains(&node) {
            different.push(node);
        }
    }
    match different.as_slice() {
        [one] => (*one).clone(),
        several => json!({ "anyOf": several }),
    }
}
