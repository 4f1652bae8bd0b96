//! The seam that looks whether something took effect.

use std::future::Future;

use crate::event::{Call, Verdict};
use crate::tool::{BoxFuture, CallContext};

/// A project's own way to find out whether a call took effect, where the process ended before its outcome was recorded.
///
/// It is asked when a run is taken up, of each call that may not be repeated, was begun and has no outcome. It looks and
/// changes nothing: it may be asked twice of one call. Where it panics, nobody can say.
///
/// ```
/// use std::sync::Mutex;
///
/// use polyloop::prelude::*;
/// use polyloop::{Call, Verdict, Verifier};
///
/// /// The letters that were sent, each under the key of its call.
/// struct Outbox(Mutex<Vec<String>>);
///
/// /// Looks into the outbox.
/// struct LooksThere;
///
/// impl Verifier<Outbox> for LooksThere {
///     async fn verify(&self, _call: &Call, context: &CallContext, outbox: &Outbox) -> Verdict {
///         match outbox.0.lock() {
///             Ok(sent) if sent.contains(&context.idempotency_key()) => Verdict::Happened("sent".into()),
///             Ok(_) => Verdict::DidNotHappen,
///             Err(_) => Verdict::Unknown,
///         }
///     }
/// }
///
/// registry! { struct App { state: Outbox } }
///
/// let agent = Agent::<App>::builder(Scripted::replies([])).verifier(LooksThere).build();
/// # assert!(agent.is_ok());
/// ```
pub trait Verifier<S>: Send + Sync + 'static {
    /// Says what became of a call. The context is what the handler had: the idempotency key, and the attempt that is in doubt;
    /// the state is the one with which the run is taken up.
    fn verify(&self, call: &Call, context: &CallContext, state: &S) -> impl Future<Output = Verdict> + Send;
}

/// A verifier behind `dyn`.
pub(crate) trait DynVerifier<S>: Send + Sync {
    fn verify_boxed<'a>(
        &'a self,
        call: &'a Call,
        context: &'a CallContext,
        state: &'a S,
    ) -> BoxFuture<'a, Verdict>;
}

impl<S, V: Verifier<S>> DynVerifier<S> for V {
    fn verify_boxed<'a>(
        &'a self,
        call: &'a Call,
        context: &'a CallContext,
        state: &'a S,
    ) -> BoxFuture<'a, Verdict> {
        Box::pin(self.verify(call, context, state))
    }
}
