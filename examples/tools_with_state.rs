//! Tools that borrow what they need from one application state: two types, a function and a toolbox.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use polyloop::prelude::*;

/// What is in store, in pieces.
struct Stock(BTreeMap<String, u32>);

/// How many pieces were ordered.
#[derive(Default)]
struct Orders(AtomicU32);

/// Everything that the tools borrow from.
#[derive(State)]
struct Shop {
    stock: Stock,
    orders: Orders,
}

/// Tells how many pieces of an article are in store.
#[tool(replay = safe)]
async fn count(
    #[state] stock: &Stock,
    /// The article's name.
    article: String,
) -> Result<String, String> {
    let pieces = stock.0.get(&article).ok_or_else(|| format!("no article `{article}`"))?;
    Ok(format!("{pieces} pieces"))
}

#[toolbox]
impl Orders {
    /// Orders pieces of an article.
    #[tool]
    async fn order(
        &self,
        /// The article's name.
        article: String,
        /// How many pieces.
        #[arg(range(1..=100))]
        pieces: u32,
    ) -> String {
        let before = self.0.fetch_add(pieces, Ordering::Relaxed);
        format!("{pieces} {article}, {} pieces in all", before + pieces)
    }
}

registry! {
    /// What this example may show a model.
    struct App {
        state: Shop,
        tools: [count, orders_tools::order],
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let model = Scripted::replies([
        Reply::tool("count", r#"{"artikle": "nails"}"#),
        Reply::tool("count", r#"{"article": "nails"}"#),
        Reply::tool("order", r#"{"article": "nails", "pieces": 40}"#),
        Reply::text("I ordered 40 nails."),
    ]);
    let stock = Stock(BTreeMap::from([("nails".to_owned(), 3)]));
    let agent = Agent::<App>::builder(model).build()?;
    let mut run =
        agent.on(Shop { stock, orders: Orders::default() }).goal("See that there are 40 nails.").await?;
    while let Some(update) = run.next().await {
        if let Update::Observed { call, shown, .. } = update? {
            println!("{} {} -> {shown}", call.action().label(), call.action().payload());
        }
    }
    println!("{}", run.finish().await?);
    Ok(())
}
