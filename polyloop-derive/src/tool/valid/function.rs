//! The function itself: its qualifiers, generics, receiver and result, and options that do not go together.

use syn::spanned::Spanned;
use syn::{GenericParam, ReceiverKind, Safety, Type};

use super::super::ast::{Home, Kind, Tool};
use super::super::attr::Replay;
use super::super::tokens::{bare, find_word};
use crate::common::sink::Sink;

pub(super) fn check(tool: &Tool, sink: &Sink) {
    if let Some(repeated) = &tool.repeated {
        sink.error(repeated, "`#[tool]` stands on this function twice; keep one of them");
    }
    receiver(tool, sink);
    qualifiers(tool, sink);
    generics(tool, sink);
    result(tool, sink);
    body(tool, sink);
    run_inside(tool, sink);
    if let (Some(_), Some(destructive)) = (tool.options.flag("read_only"), tool.options.flag("destructive")) {
        sink.error(destructive, "`read_only` and `destructive` contradict each other; keep one of them");
    }
}

/// The call names the session of the run inside; without it each attempt would begin anew.
fn run_inside(tool: &Tool, sink: &Sink) {
    let takes_call = tool.parameters.iter().any(|parameter| matches!(parameter.kind, Kind::Call(_)));
    if let (Some(Replay::Child), Some(word)) = (tool.options.replay, &tool.options.replay_word)
        && !takes_call
        && tool.schema_only().is_none()
    {
        sink.error(
            word,
            "`replay = child` finds its run again through the call; add a parameter `#[call] call: &CallContext`",
        );
    }
}

fn receiver(tool: &Tool, sink: &Sink) {
    match (&tool.home, tool.receiver()) {
        (Home::Module, Some(receiver)) => {
            sink.error(receiver, "a tool with `self` is a method; put `#[toolbox]` on its `impl`");
        }
        (Home::Module, None) => {
            if let Some(word) = &tool.self_word {
                sink.error(word, "a tool with `Self` is a method; put `#[toolbox]` on its `impl`");
            }
        }
        (Home::Toolbox(_), None) => {
            let ident = &tool.signature.ident;
            sink.error(
                ident,
                format!("the tool `{ident}` has no receiver; take `&self`, or make it a function"),
            );
        }
        (Home::Toolbox(_), Some(receiver)) => match &receiver.kind {
            ReceiverKind::Reference(_, None, None) => {}
            ReceiverKind::Reference(_, Some(lifetime), None) => {
                sink.error(lifetime, "the receiver is borrowed for one call; take `&self`");
            }
            _ => sink.error(receiver, "the receiver is the state, which is shared; take `&self`"),
        },
    }
}

fn qualifiers(tool: &Tool, sink: &Sink) {
    let signature = &tool.signature;
    if signature.asyncness.is_none() {
        sink.error(signature.fn_token, "a tool is an `async fn`; write `async` in front");
    }
    if let Some(constness) = &signature.constness {
        sink.error(constness, "a tool is a plain `async fn`; leave out `const`");
    }
    if !matches!(signature.safety, Safety::Default) {
        sink.error(&signature.safety, "a model cannot keep to a safety contract; leave out `unsafe`");
    }
    if let Some(abi) = &signature.abi {
        sink.error(abi, "a tool is a plain `async fn`; leave out `extern`");
    }
    if let Some(variadic) = &signature.variadic {
        sink.error(variadic.dots, "a tool's arguments are named one by one; leave out `...`");
    }
}

fn generics(tool: &Tool, sink: &Sink) {
    for parameter in &tool.signature.generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => sink.error(
                lifetime,
                format!(
                    "a tool takes no lifetimes; leave out `{}` and return an owned value",
                    lifetime.lifetime
                ),
            ),
            GenericParam::Type(ty) => sink.error(
                ty,
                format!(
                    "a tool has one schema, so it cannot be generic; write a type in place of `{}`",
                    ty.ident
                ),
            ),
            GenericParam::Const(constant) => sink.error(
                constant,
                format!(
                    "a tool has one schema, so it cannot be generic; write a value in place of `{}`",
                    constant.ident
                ),
            ),
        }
    }
    if let Some(clause) = &tool.signature.generics.where_clause {
        sink.error(clause, "a tool is not generic, so there is nothing to bound; leave out the `where`");
    }
}

fn result(tool: &Tool, sink: &Sink) {
    let nothing = "a tool tells the model something; return `String`, `Json(value)` or `Observation`";
    match tool.returns() {
        None => sink.error(&tool.signature.ident, nothing),
        Some(ty) if matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty()) => {
            sink.error(ty, nothing);
        }
        Some(ty) if find_word(ty, "impl").is_some() => {
            sink.error(ty, "what a tool returns has a name; write the type in place of `impl`");
        }
        Some(_) => {}
    }
}

fn body(tool: &Tool, sink: &Sink) {
    match (tool.schema_only(), tool.has_body) {
        (Some(flag), true) => {
            sink.error(flag, "`schema_only` is for a function without a body; end it with `;` or leave the option out");
        }
        (None, false) => sink.error_at(
            tool.signature.span(),
            "the tool has no body; write one, or `#[tool(schema_only)]` if an executor of yours carries it out",
        ),
        _ => {}
    }
}
