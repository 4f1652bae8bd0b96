//! The keys of maps: in JSON they are texts.

use syn::{GenericArgument, PathArguments, Type};

use super::super::tokens::{bare, spelled};
use crate::common::sink::Sink;

/// Maps by the name of their type.
const MAPS: [&str; 3] = ["BTreeMap", "HashMap", "IndexMap"];

/// Types by name that are written as no text.
const NO_TEXTS: [&str; 12] = [
    "BTreeMap",
    "BTreeSet",
    "HashMap",
    "HashSet",
    "IndexMap",
    "IndexSet",
    "LinkedList",
    "Option",
    "Vec",
    "VecDeque",
    "f32",
    "f64",
];

/// Refuses every map, at any depth of a type, whose keys cannot be texts.
pub(super) fn check(ty: &Type, sink: &Sink) {
    match bare(ty) {
        Type::Path(path) => {
            for segment in &path.path.segments {
                let PathArguments::AngleBracketed(arguments) = &segment.arguments else { continue };
                let types: Vec<&Type> = arguments.args.iter().filter_map(of_type).collect();
                if let [key, _, ..] = types.as_slice()
                    && MAPS.iter().any(|map| segment.ident == map)
                    && !is_text(key)
                {
                    let remedy = "take a `Vec` of a struct with a field for it";
                    sink.error(
                        key,
                        format!("a key in JSON is a text, and a `{}` is none; {remedy}", spelled(key)),
                    );
                }
                for ty in types {
                    check(ty, sink);
                }
            }
        }
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| check(ty, sink)),
        Type::Array(array) => check(&array.elem, sink),
        _ => {}
    }
}

fn of_type(argument: &GenericArgument) -> Option<&Type> {
    if let GenericArgument::Type(ty) = argument { Some(ty) } else { None }
}

/// Whether a value of the type may be a text; a type of the project's own may be.
fn is_text(ty: &Type) -> bool {
    match bare(ty) {
        Type::Tuple(_) | Type::Array(_) => false,
        Type::Path(path) => {
            path.path.segments.last().is_none_or(|last| !NO_TEXTS.iter().any(|name| last.ident == name))
        }
        _ => true,
    }
}
