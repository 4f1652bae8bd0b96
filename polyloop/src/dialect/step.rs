//! What lowering did at each place, and how it is undone.

use serde_json::Value;

/// What lowering did to the values of one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Step {
    /// Nothing, here and below.
    #[default]
    Same,
    /// Nothing to `null`, else what is below.
    OrNull(Box<Step>),
    /// What is said of the definition with this number.
    Definition(usize),
    /// The same at each item.
    List(Box<Step>),
    /// One for each position.
    Items(Vec<Step>),
    /// A list of this length became an object with a name for each position, to which more was done.
    Positions(usize, Box<Step>),
    Object(Object),
    /// A map became a list of pairs, to each of which more was done.
    Pairs(Box<Step>),
    /// The first branch that fits.
    Union(Vec<Branch>),
    /// Fixed values became the texts of the same position.
    Words(Vec<(String, Value)>),
    /// Any value became its JSON text.
    Json,
    /// The whole became the only property of an object.
    Wrapped(Box<Step>),
}

/// What lowering did to an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object {
    pub(super) fields: Vec<Field>,
    pub(super) rest: Rest,
}

impl Object {
    /// Whether it has a field with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }
}

/// What lowering did to a property.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    /// The key that the reader sees; none if it sees nothing of the property.
    pub(super) sent: Option<String>,
    pub(super) step: Step,
    /// Whether `null` stands for absence.
    pub(super) null_is_absent: bool,
    /// What an absent property is.
    pub(super) when_absent: Option<Value>,
}

impl Field {
    fn is_same(&self) -> bool {
        self.sent.as_deref() == Some(self.name.as_str())
            && self.step == Step::Same
            && !self.null_is_absent
            && self.when_absent.is_none()
    }
}

/// What became of the keys that are not listed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rest {
    /// They stay.
    Kept(Box<Step>),
    /// They are pairs, made by the step, under a key of their own.
    Pairs(String, Box<Step>),
}

/// A branch of a union, before and after.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub(super) canonical: Value,
    pub(super) lowered: Value,
    pub(super) step: Step,
}

/// The names of the positions of a list of fixed length, from the first.
pub(super) fn position(at: usize) -> String {
    format!("item_{}", at + 1)
}

/// The keys of a pair.
pub(super) const PAIR: (&str, &str) = ("key", "value");

/// The key of a whole that is no object.
pub(super) const WHOLE: &str = "value";

impl Step {
    /// Drops what comes to nothing.
    pub(super) fn simplified(self) -> Self {
        let is_same = match &self {
            Self::OrNull(inner) | Self::List(inner) => **inner == Self::Same,
            Self::Object(Object { fields, rest }) => {
                fields.iter().all(Field::is_same) && *rest == Rest::Kept(Box::new(Self::Same))
            }
            Self::Union(branches) => branches.iter().all(|branch| branch.step == Self::Same),
            Self::Items(items) => items.iter().all(|item| *item == Self::Same),
            Self::Words(words) => words.iter().all(|(word, value)| value == word),
            _ => false,
        };
        if is_same { Self::Same } else { self }
    }

    /// Whether all that is done is to look into definitions; collects their numbers.
    pub(super) fn only_looks(&self, numbers: &mut Vec<usize>) -> bool {
        match self {
            Self::Same => true,
            Self::Definition(number) => {
                numbers.push(*number);
                true
            }
            Self::OrNull(inner) | Self::List(inner) => inner.only_looks(numbers),
            Self::Object(Object { fields, rest: Rest::Kept(rest) }) => {
                let mut is_same = |field: &Field| {
                    Field { step: Self::Same, ..field.clone() }.is_same() && field.step.only_looks(numbers)
                };
                fields.iter().all(&mut is_same) && rest.only_looks(numbers)
            }
            Self::Union(branches) => branches.iter().all(|branch| branch.step.only_looks(numbers)),
            Self::Items(items) => items.iter().all(|item| item.only_looks(numbers)),
            _ => false,
        }
    }
}
