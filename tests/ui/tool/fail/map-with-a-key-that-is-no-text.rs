use std::collections::BTreeMap;

use polyloop::{registry, tool};

/// Draws.
#[tool]
async fn draw(
    /// Colours by point, on each page.
    pages: Vec<BTreeMap<(u32, u32), String>>,
) -> String {
    let _ = (pages,);
    String::new()
}

registry! { struct App { tools: [draw] } }

fn main() {}
