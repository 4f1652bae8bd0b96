//! Tests of the area `language`: what the macros write holds in every corner of the language.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that goes wrong should end at once"
)]

mod by_macro;
mod conditional;
mod decided_by_type;
mod described;
mod lints;
mod names;
mod places;
mod renamed;
mod shadowed;
mod without_prelude;

use polyloop::{Agent, Dialect, ItemKind, Registry, Reply, Scripted};
use serde_json::Value;

/// What the model reads after it called a tool of the registry.
fn observed<R: Registry>(state: R::State, tool: &str, arguments: &str) -> String {
    let model = Scripted::replies([Reply::tool(tool, arguments), Reply::text("Done.")]);
    let agent = Agent::<R>::builder(model).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let mut run = agent.on(state).goal("Call it.").await.unwrap();
        run.finish().await.unwrap();
        let observation = run.items().iter().rfind(|item| item.kind() == ItemKind::Observation);
        observation.expect("the call was observed").text().into_owned()
    })
}

/// What the model is shown of a tool's arguments.
fn schema<R: Registry>(tool: &str) -> Value {
    let tools = R::tools().unwrap();
    serde_json::from_str(&tools.schema(tool, Dialect::Canonical).unwrap()).unwrap()
}

/// The names of a tool's arguments, in order.
fn arguments<R: Registry>(tool: &str) -> Vec<String> {
    schema::<R>(tool)["properties"].as_object().unwrap().keys().cloned().collect()
}

/// What the model reads about a tool.
fn description<R: Registry>(tool: &str) -> &'static str {
    R::tools().unwrap().get(tool).unwrap().description
}
