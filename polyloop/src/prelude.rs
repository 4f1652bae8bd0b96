//! What most programs need: `use polyloop::prelude::*;`

pub use crate::{
    Agent, Budget, CallContext, ContextFragment, Interpreter, Json, Message, Model, ModelError, Observation,
    ParseFragment, Prompt, Provide, Recognize, RecordError, Registry, Render, Reply, Role, RunError,
    Scripted, Session, State, ToolError, Update, registry, tool, toolbox,
};
