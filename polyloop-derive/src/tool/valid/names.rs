//! What the tool and its parameters are called, and what is said about them.

use proc_macro2::Ident;
use syn::Type;
use syn::ext::IdentExt;

use super::super::ast::{Argument, Home, Parameter, Tool};
use super::super::tokens::bare;
use crate::common::sink::Sink;

/// The longest name that every provider takes.
const LONGEST: usize = 64;

/// A type of one of these names would hide the primitive in its whole module.
const PRIMITIVES: [&str; 19] = [
    "bool", "char", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8",
    "u16", "u32", "u64", "u128", "usize",
];

pub(super) fn check(tool: &Tool, sink: &Sink) {
    tool_name(tool, sink);
    tool_description(tool, sink);
    let type_name = &tool.type_name;
    if matches!(tool.home, Home::Module) && PRIMITIVES.iter().any(|primitive| type_name.unraw() == primitive)
    {
        let remedy = "give the tool's type another name with `#[tool(type = …)]`";
        sink.error(type_name, format!("`{type_name}` is a primitive type, which this would hide; {remedy}"));
    }
    arguments(tool, sink);
}

fn tool_name(tool: &Tool, sink: &Sink) {
    let name = tool.name.value();
    if !is_tool_name(&name) {
        let place = if tool.options.name.is_some() { "" } else { " in `#[tool(name = \"…\")]`" };
        let remedy = format!("use 1 to 64 letters, digits, `_` or `-`, and a letter or `_` first{place}");
        sink.error(&tool.name, format!("`{name}` is no name that every provider takes; {remedy}"));
    }
}

/// Whether every provider takes the name.
pub(crate) fn is_tool_name(name: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && fits(name, "_-")
}

/// A name goes into the request as it is, so it must be short and plain.
fn fits(name: &str, marks: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || marks.contains(letter);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(plain)
}

fn tool_description(tool: &Tool, sink: &Sink) {
    if !tool.description.is_blank() {
        return;
    }
    match &tool.options.description {
        Some(empty) => sink.error(empty, "the description is empty; say what the tool does"),
        None if !tool.options.lacks_description => {}
        None => sink.error(
            &tool.signature.ident,
            format!("the tool `{}` has no description; write a doc comment above it", tool.signature.ident),
        ),
    }
}

fn arguments(tool: &Tool, sink: &Sink) {
    let mut seen: Vec<(String, &Parameter)> = Vec::new();
    for parameter in &tool.parameters {
        let Some((ident, argument)) = Argument::of(parameter) else {
            continue;
        };
        if argument.options.flatten().is_some() {
            continue;
        }
        let name = argument.name.value();
        if !fits(&name, "_.-") {
            let place = if argument.options.rename.is_some() { "" } else { " in `#[arg(rename = \"…\")]`" };
            let remedy = format!("use 1 to 64 letters, digits, `_`, `.` or `-`{place}");
            sink.error(&argument.name, format!("`{name}` is no name that every provider takes; {remedy}"));
        } else if seen.iter().any(|(other, earlier)| *other == name && !excludes(earlier, parameter)) {
            sink.error(&argument.name, format!("two arguments are called `{name}`; rename one of them"));
        }
        seen.push((name, parameter));
        // A reference is no argument; most often `#[state]` was forgotten, which needs no description.
        if !matches!(bare(&parameter.ty), Type::Reference(_)) && parameter.conditional.is_none() {
            argument_description(ident, argument, sink);
        }
    }
}

/// Whether the two may be meant never to be there together; only the compiler knows, so both must say so.
fn excludes(one: &Parameter, other: &Parameter) -> bool {
    !one.cfgs.is_empty() && !other.cfgs.is_empty()
}

fn argument_description(ident: &Ident, argument: &Argument, sink: &Sink) {
    if !argument.description.is_blank() {
        return;
    }
    match &argument.options.description {
        Some(empty) => sink.error(empty, format!("the description is empty; say what `{ident}` is")),
        None if !argument.options.lacks_description => {}
        None => sink
            .error(ident, format!("the argument `{ident}` has no description; write a doc comment above it")),
    }
}
