//! What is repeated after a crash: blocks of code by their policy, and calls with the arguments with which they were begun.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use polyloop::{
    Action, ActionOutcome, Agent, Call, CallContext, CodeFence, Decision, Executor, Interpreter,
    MemoryJournal, Replay, Reply, Scripted, StopAtAction, Verdict, Verifier, registry, tool,
};

registry! { struct Bare {} }

/// Runs code; the first block never comes back.
#[derive(Clone, Default)]
struct Shell(Arc<AtomicU32>);

impl<S: Send + Sync> Executor<S> for Shell {
    async fn execute(&self, _: &Action, call: &CallContext, _: &S) -> ActionOutcome {
        if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
            std::future::pending::<()>().await;
        }
        ActionOutcome::executed(format!("{} attempt {}", call.id(), call.attempt()))
    }
}

/// Lets a process die in a block of code; how often the block was begun in all, and what the model was told.
async fn interrupted(interpreter: impl Interpreter + Clone) -> (u32, String) {
    let (journal, shell) = (MemoryJournal::new(), Shell::default());
    let code = Reply::text("```sh\nls\n```");
    let agent = |replies: Vec<Reply>| {
        Agent::<Bare>::builder(Scripted::replies(replies))
            .interpreter(interpreter.clone())
            .executor(shell.clone())
            .journal(journal.clone())
            .build()
            .unwrap()
    };
    let mut run = agent(vec![code]).on(()).session("s").goal("go").await.unwrap();
    assert!(run.finish().now_or_never().is_none());
    drop(run);
    let mut run = agent(vec![Reply::text("done")]).resume((), "s").await.unwrap();
    run.finish().await.unwrap();
    (shell.0.load(Ordering::Relaxed), run.items()[2].text().into_owned())
}

/// Says for each block whether it only reads.
#[derive(Clone)]
struct Reading;

impl Interpreter for Reading {
    fn interpret(&self, reply: &Reply) -> Decision {
        CodeFence::any().interpret(reply)
    }

    fn replay_of_code(&self, language: &str, source: &str) -> Replay {
        if language == "sh" && source.starts_with("ls") { Replay::Safe } else { Replay::Never }
    }
}

#[tokio::test]
async fn a_block_of_code_is_repeated_only_where_its_interpreter_says_that_it_may_be() {
    let unknown = "It is not known whether this action took effect; check before repeating it.";
    assert_eq!(interrupted(CodeFence::any()).await, (1, unknown.to_owned()));
    let again = (2, "call_1 attempt 2".to_owned());
    assert_eq!(interrupted(CodeFence::any().replay(Replay::Safe)).await, again);
    assert_eq!(interrupted(StopAtAction(CodeFence::of("sh").replay(Replay::Safe))).await, again);
    assert_eq!(interrupted(Reading).await, again);
}

/// What arrived, and whether the first call comes back.
#[derive(Default)]
struct Bank(Mutex<Vec<String>>);

impl Bank {
    async fn take(&self, line: String) -> String {
        let is_first = {
            let mut lines = self.0.lock().unwrap();
            lines.push(line);
            lines.len() == 1
        };
        if is_first {
            std::future::pending::<()>().await;
        }
        "done".to_owned()
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

mod before {
    use super::{Bank, registry, tool};

    /// Looks up prices.
    #[tool(replay = safe)]
    pub(super) async fn price(
        #[state] bank: &Bank,
        #[arg(default = 5)]
        /** How many. */
        pieces: u32,
    ) -> String {
        bank.take(format!("price of {pieces}")).await
    }

    /// Pays.
    #[tool]
    pub(super) async fn pay(
        #[state] bank: &Bank,
        #[arg(default = 5)]
        /** How much. */
        amount: u32,
    ) -> String {
        bank.take(format!("paid {amount}")).await
    }

    registry! { pub(super) struct App { state: Bank, tools: [price, pay] } }
}

mod after {
    use super::{Bank, registry, tool};

    /// Looks up prices.
    #[tool(replay = safe)]
    pub(super) async fn price(
        #[state] bank: &Bank,
        #[arg(default = 9)]
        /** How many. */
        pieces: u32,
    ) -> String {
        bank.take(format!("price of {pieces}")).await
    }

    /// Pays.
    #[tool]
    pub(super) async fn pay(
        #[state] bank: &Bank,
        #[arg(default = 9)]
        /** How much. */
        amount: u32,
    ) -> String {
        bank.take(format!("paid {amount}")).await
    }

    registry! { pub(super) struct App { state: Bank, tools: [price, pay] } }
}

/// Knows that nothing was paid, and with which arguments it was asked.
#[derive(Clone, Default)]
struct Looks(Arc<Mutex<Vec<String>>>);

impl Verifier<Bank> for Looks {
    async fn verify(&self, call: &Call, _: &CallContext, _: &Bank) -> Verdict {
        self.0.lock().unwrap().push(call.action().payload().to_owned());
        Verdict::DidNotHappen
    }
}

#[tokio::test]
async fn a_call_is_repeated_with_the_arguments_with_which_it_was_begun_also_where_a_default_changed_since() {
    for (tool, said, asked) in [("price", "price of 5", vec![]), ("pay", "paid 5", vec![r#"{"amount":5}"#])] {
        let (journal, bank, looks) = (MemoryJournal::new(), Arc::new(Bank::default()), Looks::default());
        let agent = Agent::<before::App>::builder(Scripted::replies([Reply::tool(tool, "{}")]))
            .journal(journal.clone())
            .build()
            .unwrap();
        let mut run = agent.on(bank.clone()).session("s").goal("go").await.unwrap();
        assert!(run.finish().now_or_never().is_none());
        drop(run);
        let agent = Agent::<after::App>::builder(Scripted::replies([Reply::text("done")]))
            .journal(journal)
            .verifier(looks.clone())
            .build()
            .unwrap();
        let mut run = agent.resume(bank.clone(), "s").accept_changes().await.unwrap();
        run.finish().await.unwrap();
        assert_eq!(bank.lines(), [said, said]);
        assert_eq!(*looks.0.lock().unwrap(), asked, "somebody who looks is told what was begun");
    }
}
