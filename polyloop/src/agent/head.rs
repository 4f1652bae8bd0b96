//! Where a run ends in its journal.

use super::run::Run;
use crate::journal::Head;
use crate::registry::Registry;

impl<R: Registry> Run<R> {
    /// Returns where its session ends in the journal: as of now while it rests, else as of the last update. A host that
    /// keeps it outside the store can require it with [`Resumption::expecting`](crate::Resumption::expecting) or
    /// [`Request::expecting`](crate::Request::expecting).
    ///
    /// ```
    /// # use polyloop::prelude::*;
    /// # use polyloop::MemoryJournal;
    /// # registry! { struct App {} }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = Scripted::replies(["Hello.", "Again."].map(Reply::text));
    /// let agent = Agent::<App>::builder(model).journal(MemoryJournal::new()).build()?;
    /// let mut run = agent.on(()).goal("Say hello.").await?;
    /// run.finish().await?;
    /// let head = run.head(); // kept in another place than the journal
    /// drop(run);
    ///
    /// let mut run = agent.on(()).expecting(head).goal("And again.").await?;
    /// assert_eq!(run.finish().await?.to_string(), "Again.");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn head(&self) -> Head {
        self.resting().map_or_else(|| self.seen().head.clone(), |driver| driver.writer.chain().head())
    }
}
