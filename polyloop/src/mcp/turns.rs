//! Which calls wait for which.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::execute::has_timer;
use crate::tool::ToolSpec;

/// A lock that concurrent tools hold together and every other tool alone.
pub(super) type Order = Arc<RwLock<()>>;

/// The turns of all clients of a server.
///
/// Among the calls of one client, a tool that is not `concurrent` runs alone, as in an agent. It waits for another client only where
/// that one calls the same tool, or where both tools borrow from the state: what two handlers do to one state at the same time, only
/// their author knows.
#[derive(Default)]
pub(super) struct Turns {
    /// Of tools that borrow from the state.
    state: Order,
    /// Of tools that are neither `concurrent` nor borrow from the state, by name.
    own: HashMap<&'static str, Arc<Mutex<()>>>,
}

/// The right to run, until it is dropped: among the calls of one client, and among all.
#[expect(dead_code, reason = "a guard is held for its drop")]
pub(super) struct Turn(Guard, Guard);

#[expect(dead_code, reason = "a guard is held for its drop")]
enum Guard {
    Free,
    Own(OwnedMutexGuard<()>),
    Beside(OwnedRwLockReadGuard<()>),
    Alone(OwnedRwLockWriteGuard<()>),
}

impl Turns {
    pub(super) fn of<'t>(tools: impl Iterator<Item = &'t ToolSpec>) -> Self {
        let own = tools.filter(|tool| !tool.concurrent && tool.stateless);
        Self { state: Arc::default(), own: own.map(|tool| (tool.name, Arc::default())).collect() }
    }

    /// Waits for the turn of a call of the client with this order; none if it does not come in time.
    pub(super) async fn wait(&self, tool: &ToolSpec, order: &Order, limit: Duration) -> Option<Turn> {
        // Always the client's lock first, so that no two calls wait for each other.
        let turn = async { Turn(in_order(order, tool).await, self.among_all(tool).await) };
        if has_timer() { tokio::time::timeout(limit, turn).await.ok() } else { Some(turn.await) }
    }

    async fn among_all(&self, tool: &ToolSpec) -> Guard {
        match self.own.get(tool.name) {
            Some(own) => Guard::Own(own.clone().lock_owned().await),
            None if tool.stateless => Guard::Free,
            None => in_order(&self.state, tool).await,
        }
    }
}

async fn in_order(order: &Order, tool: &ToolSpec) -> Guard {
    let order = order.clone();
    if tool.concurrent {
        Guard::Beside(order.read_owned().await)
    } else {
        Guard::Alone(order.write_owned().await)
    }
}
