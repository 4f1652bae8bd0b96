//! How large a lowered schema is, in what readers count.

use serde_json::Value;

use super::canonical::Node;

/// What readers count in the schemas of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measure {
    pub(super) tools: usize,
    pub(super) properties: usize,
    /// Properties that are not required.
    pub(super) optional: usize,
    /// Places with several types.
    pub(super) unions: usize,
    pub(super) enum_values: usize,
    /// Characters of the names of properties and definitions, and of the values of enums.
    pub(super) chars: usize,
    /// How deep objects and lists are nested; the most, not the sum.
    pub(super) levels: usize,
}

impl Measure {
    pub(super) fn of(schema: &Value) -> Self {
        let mut measure = Self { tools: 1, ..Self::default() };
        measure.node(schema, 0);
        measure
    }

    /// The two together.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            tools: self.tools + other.tools,
            properties: self.properties + other.properties,
            optional: self.optional + other.optional,
            unions: self.unions + other.unions,
            enum_values: self.enum_values + other.enum_values,
            chars: self.chars + other.chars,
            levels: self.levels.max(other.levels),
        }
    }

    fn node(&mut self, schema: &Value, level: usize) {
        let Value::Object(node) = schema else { return };
        self.levels = self.levels.max(level);
        let several = node.get("type").and_then(Value::as_array).is_some_and(|kinds| kinds.len() > 1);
        if several || node.contains_key("anyOf") {
            self.unions += 1;
        }
        if let Some(Value::Array(values)) = node.get("enum") {
            self.enum_values += values.len();
            self.chars += values.iter().map(chars_of).sum::<usize>();
        }
        self.named(node, level);
        for keyword in ["items", "additionalProperties"] {
            if let Some(schema) = node.get(keyword) {
                self.node(schema, level + 1);
            }
        }
        for keyword in ["anyOf", "prefixItems"] {
            let branches = node.get(keyword).and_then(Value::as_array).into_iter().flatten();
            branches.for_each(|branch| self.node(branch, level));
        }
    }

    fn named(&mut self, node: &Node, level: usize) {
        let required = node.get("required").and_then(Value::as_array);
        if let Some(Value::Object(properties)) = node.get("properties") {
            for (name, schema) in properties {
                self.properties += 1;
                self.chars += name.chars().count();
                let is_required = required.is_some_and(|required| required.iter().any(|other| other == name));
                self.optional += usize::from(!is_required);
                self.node(schema, level + 1);
            }
        }
        if let Some(Value::Object(definitions)) = node.get("$defs") {
            for (name, schema) in definitions {
                self.chars += name.chars().count();
                self.node(schema, 0);
            }
        }
    }
}

fn chars_of(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().chars().count(), |text| text.chars().count())
}
