//! What most programs need: `use polyloop::prelude::*;`

pub use crate::{
    Action, ActionOutcome, Agent, Budget, CallContext, ContextFragment, Decision, Ending, Executor,
    Interpreter, Json, Key, Message, Model, ModelError, Observation, ParseFragment, Prompt, Provide,
    Recognize, RecordError, Registry, Render, Reply, Role, RunError, Scripted, Session, State, ToolError,
    Update, registry, tool, toolbox,
};
