//! What can be wrong with the lists as tokens. What only the specs know is checked by constants.

use quote::ToTokens;

use super::ast::{Entry, Registry};
use crate::common::sink::Sink;
use crate::tool::spelled;

pub(super) fn check(registry: &Registry, sink: &Sink) {
    let repeated = |entries: &[Entry]| {
        for (place, entry) in entries.iter().enumerate() {
            let mut earlier = entries.iter().take(place);
            if earlier.any(|other| other.is_same(entry) && !other.excludes(entry)) {
                let ty = &entry.text;
                sink.error(&entry.ty, format!("`{ty}` is registered twice; keep one of them"));
            }
        }
    };
    repeated(&registry.fragments.entries);
    for (place, entry) in registry.retired.entries.iter().enumerate() {
        let mut earlier = registry.retired.entries.iter().take(place);
        if earlier.any(|other| other.is_same(entry) && !other.excludes(entry)) {
            sink.error(
                &entry.ty,
                format!("`{}` is retired twice; keep one of them", entry.text.trim_matches('"')),
            );
        }
    }
    repeated(&registry.tools.entries);
    names(&registry.fragments.entries, sink);
    for entry in &registry.tools.entries {
        if let Some(path) = entry.as_method() {
            let remedy = format!("write `{}`", spelled(path));
            sink.error(&entry.ty, format!("methods stand in a module of their own; {remedy}"));
        }
    }
}

/// Every fragment needs a name of its own among the kinds.
fn names(entries: &[Entry], sink: &Sink) {
    for (place, entry) in entries.iter().enumerate() {
        let ty = &entry.text;
        let Some(name) = &entry.name else {
            sink.error(&entry.ty, format!("no kind can be named after `{ty}`; write `{ty} as Name`"));
            continue;
        };
        let earlier = || entries.iter().take(place).filter(|other| !other.excludes(entry));
        // The same type twice has been reported already.
        if earlier().any(|other| other.is_same(entry)) {
            continue;
        }
        if earlier().any(|other| other.name.as_ref() == Some(name)) {
            let underlined =
                entry.renamed.as_ref().map_or_else(|| entry.ty.to_token_stream(), ToTokens::to_token_stream);
            sink.error(underlined, format!("two fragments are called `{name}`; write `{ty} as OtherName`"));
        }
    }
}
