//! Every check of a state.

use quote::ToTokens;

use super::ast::{Form, State};
use crate::common::sink::Sink;

pub(crate) fn check(state: &State, sink: &Sink) {
    match state.form {
        Form::Struct => {}
        Form::Enum => {
            sink.error(
                &state.ident,
                "an enum does not always have the same parts; derive `State` for a struct",
            );
            return;
        }
        Form::Union => {
            sink.error(&state.ident, "a union does not know its parts; derive `State` for a struct");
            return;
        }
    }
    if state.provided.is_empty() {
        let message = "the state provides nothing; add a field without `#[state(skip)]`";
        sink.error(&state.ident, message);
    }
    for field in &state.repeated {
        let ty = field.ty.to_token_stream();
        let message = format!("`{ty}` is provided twice; wrap one in a newtype or mark it `#[state(skip)]`");
        sink.error(&field.ty, message);
    }
}
