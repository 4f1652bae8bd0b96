//! What a tool borrows: state, its call, and the receiver of a toolbox.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{Agent, CallContext, Reply, Scripted, State, Update, registry, tool, toolbox};

use crate::support::{Called, call_with, property, schema};

struct Db(AtomicUsize);

struct Mail(Mutex<Vec<String>>);

#[derive(State)]
struct AppState {
    db: Db,
    mail: Mail,
    #[state(skip)]
    started: u32,
    workspace: Workspace,
}

/// Where a project is.
struct Workspace {
    root: String,
}

fn state() -> AppState {
    AppState {
        db: Db(AtomicUsize::new(7)),
        mail: Mail(Mutex::default()),
        started: 1,
        workspace: Workspace { root: "/srv".to_owned() },
    }
}

/// Counts up.
#[tool]
async fn count(
    #[state] db: &Db,
    /// By how much.
    by: usize,
) -> String {
    (db.0.fetch_add(by, Ordering::SeqCst) + by).to_string()
}

/// Sends a mail about the count, and a receipt.
#[tool]
async fn send(
    #[state] mail: &Mail,
    /// What it says.
    text: String,
    #[call] call: &CallContext,
    #[state] db: &Db,
) -> String {
    call.progress("sending");
    let line = format!("{} {text} {}", call.id(), db.0.load(Ordering::SeqCst));
    mail.0.lock().unwrap().push(line.clone());
    call.progress(format!("sent {line}"));
    line
}

/// Tells of its call.
#[tool]
async fn introspect(#[call] call: &CallContext) -> String {
    format!("{} {} {}", call.id(), call.attempt(), call.is_cancelled())
}

/// Takes the whole state.
#[tool]
async fn whole(#[state] state: &AppState) -> String {
    state.started.to_string()
}

#[toolbox]
impl Workspace {
    /// Not a tool.
    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    /// Says where a file is.
    #[tool(replay = safe)]
    async fn locate(
        &self,
        /// The file's name.
        name: String,
    ) -> String {
        self.path(&name)
    }

    /// Says where a file is, and counts.
    #[tool(name = "locate_and_count")]
    async fn counted(
        &self,
        #[state] db: &Db,
        #[call] call: &CallContext,
        /// The file's name.
        name: String,
    ) -> String {
        format!("{} {} {}", self.path(&name), db.0.fetch_add(1, Ordering::SeqCst), call.attempt())
    }
}

registry! {
    struct App {
        state: AppState,
        tools: [count, send, introspect, whole, workspace_tools::locate, workspace_tools::counted],
    }
}

registry! { struct OnlyWorkspace { state: Workspace, tools: [workspace_tools::locate] } }

async fn told(name: &str, arguments: &str) -> String {
    call_with::<App>(state(), name, arguments).await.shown
}

#[tokio::test]
async fn state_is_borrowed_and_not_in_the_schema() {
    assert_eq!(told("count", r#"{"by":3}"#).await, "10");
    assert_eq!(
        property::<App>("count", "by"),
        r#"{"type":"integer","description":"By how much.","minimum":0}"#
    );
    assert!(!schema::<App>("count").contains("db"));
    assert_eq!(
        schema::<App>("introspect"),
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
    );
    assert_eq!(told("whole", "").await, "1");
}

#[tokio::test]
async fn a_model_cannot_send_what_is_borrowed() {
    let shown = told("count", r#"{"by":3,"db":1}"#).await;
    assert!(shown.contains("unknown argument `db`"), "{shown}");
}

#[tokio::test]
async fn several_states_and_the_call_stand_in_any_order() {
    let Called { shown, progress, .. } = call_with::<App>(state(), "send", r#"{"text":"hello"}"#).await;
    let id = shown.split(' ').next().unwrap().to_owned();
    assert!(!id.is_empty());
    assert_eq!(shown, format!("{id} hello 7"));
    assert_eq!(progress, ["sending".to_owned(), format!("sent {id} hello 7")]);
}

#[tokio::test]
async fn each_call_has_an_id_of_its_own_and_counts_its_attempts_from_1() {
    let replies = [
        Reply::default().call_with_id("", "introspect", "").call_with_id("", "introspect", ""),
        Reply::default().call_with_id("a", "introspect", "").call_with_id("a", "introspect", ""),
        Reply::text("done"),
    ];
    let agent = Agent::<App>::builder(Scripted::replies(replies)).build().unwrap();
    let mut run = agent.on(state()).goal("go").await.unwrap();
    let mut seen = BTreeSet::new();
    while let Some(update) = run.next().await {
        if let Update::Observed { call, shown, .. } = update.unwrap() {
            assert_eq!(
                shown,
                format!("{} 1 false", call.id()),
                "the handler knows the id that the host knows"
            );
            seen.insert(call.id().to_string());
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[tokio::test]
async fn the_receiver_of_a_toolbox_is_the_state() {
    assert_eq!(told("locate", r#"{"name":"a"}"#).await, "/srv/a");
    assert_eq!(told("locate_and_count", r#"{"name":"a"}"#).await, "/srv/a 7 1");
    let workspace = Workspace { root: "/here".to_owned() };
    let called = call_with::<OnlyWorkspace>(workspace, "locate", r#"{"name":"a"}"#).await;
    assert_eq!(called.shown, "/here/a", "one type is a state by itself");
}

#[tokio::test]
async fn a_method_of_a_toolbox_stays_a_method() {
    let workspace = Workspace { root: "/srv".to_owned() };
    assert_eq!(workspace.locate("b".to_owned()).await, "/srv/b");
    assert_eq!(count(&Db(AtomicUsize::new(1)), 2).await, "3", "a tool stays a function");
}
