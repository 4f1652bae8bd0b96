//! The parameters: who fills them in, and whether their types can be filled in.

use syn::{Meta, Type};

use super::super::ast::{Argument, Kind, Parameter, Tool};
use super::super::tokens::{bare, borrows, find_word, spelled};
use super::key;
use crate::common::sink::Sink;

pub(super) fn check(tool: &Tool, sink: &Sink) {
    let mut has_call = false;
    for parameter in &tool.parameters {
        marks(parameter, sink);
        pattern(parameter, sink);
        match &parameter.kind {
            Kind::Argument(_) => argument(parameter, sink),
            Kind::State(_) => {
                borrowed(parameter, "state", &format!("&{}", spelled(bare(&parameter.ty))), sink);
            }
            Kind::Call(mark) => {
                borrowed(parameter, "call", "&CallContext", sink);
                if has_call {
                    sink.error(mark, "`#[call]` is given twice; one parameter is enough");
                }
                has_call = true;
            }
        }
    }
    flatten(tool, sink);
}

fn marks(parameter: &Parameter, sink: &Sink) {
    if let Some((conditional, word)) = &parameter.conditional {
        sink.error(
            conditional,
            format!(
                "`{word}` in `cfg_attr` cannot be read here; write the parameter once for each case, with \
                 `#[cfg(…)]` on it"
            ),
        );
    }
    let (Kind::State(mark) | Kind::Call(mark)) = &parameter.kind else {
        return;
    };
    let name = mark.path().get_ident().map(ToString::to_string).unwrap_or_default();
    if !matches!(mark.meta, Meta::Path(_)) {
        sink.error(mark, format!("`#[{name}]` takes no options; write it bare"));
    }
    for other in &parameter.contradicting {
        match other.path().get_ident() {
            Some(ident) if ident == "arg" => {
                sink.error(other, format!("the model does not fill in a `#[{name}]`; leave out `#[arg]`"));
            }
            Some(ident) if *ident == name => {
                sink.error(other, format!("`#[{name}]` is given twice; keep one of them"));
            }
            _ => sink.error(other, "a parameter is `#[state]` or `#[call]`; keep one of them"),
        }
    }
}

fn pattern(parameter: &Parameter, sink: &Sink) {
    if parameter.ident.is_some() {
        return;
    }
    match parameter.kind {
        Kind::Argument(_) => {
            sink.error(
                &parameter.pattern,
                "this argument has no name; give it one, because the model sees it",
            );
        }
        // Nobody sees the name of these, so any pattern will do.
        Kind::State(_) | Kind::Call(_) => {}
    }
}

fn argument(parameter: &Parameter, sink: &Sink) {
    let ty = &parameter.ty;
    if find_word(ty, "impl").is_some() {
        sink.error(ty, "an argument has one schema, so its type has a name; write it in place of `impl`");
    } else if matches!(bare(ty), Type::Reference(_)) {
        let remedy = "take an owned type such as `String`, or mark it `#[state]` or `#[call]`";
        sink.error(ty, format!("an argument owns its value; {remedy}"));
    } else if borrows(ty) {
        sink.error(ty, "an argument owns its value; take a type without references and lifetimes");
    } else if matches!(bare(ty), Type::Infer(_)) {
        sink.error(ty, "an argument's type cannot be left open; write it out");
    } else {
        key::check(ty, sink);
    }
}

fn borrowed(parameter: &Parameter, mark: &str, sample: &str, sink: &Sink) {
    let Type::Reference(reference) = bare(&parameter.ty) else {
        sink.error(
            &parameter.ty,
            format!("a `#[{mark}]` is lent for one call; take a reference such as `{sample}`"),
        );
        return;
    };
    if let Some(mutability) = &reference.mutability {
        sink.error(mutability, format!("a `#[{mark}]` is shared by all calls; leave out `mut`"));
    }
    if let Some(lifetime) = &reference.lifetime
        && lifetime.ident != "_"
    {
        sink.error(lifetime, format!("a `#[{mark}]` is lent for one call; leave out `{lifetime}`"));
    }
    if let Some(word) = find_word(&reference.elem, "impl") {
        sink.error(word, format!("a `#[{mark}]` is found by its type; write the type in place of `impl`"));
    }
}

/// The fields of a flattened struct are all that the model sees, so nothing can stand beside it.
fn flatten(tool: &Tool, sink: &Sink) {
    let arguments: Vec<_> = tool.parameters.iter().filter_map(Argument::of).collect();
    for (_, argument) in &arguments {
        let Some(flatten) = argument.options.flatten() else {
            continue;
        };
        if arguments.len() > 1 {
            sink.error(flatten, "`flatten` takes all arguments; move the others into its struct");
        }
        for other in argument.options.keys.iter().filter(|key| *key != flatten) {
            sink.error(
                other,
                format!("`{other}` has no place beside `flatten`; put it on a field of the struct"),
            );
        }
    }
}
