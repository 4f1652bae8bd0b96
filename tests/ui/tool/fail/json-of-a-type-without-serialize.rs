use polyloop::{Json, registry, tool};

struct Answer;

/// Reads a file.
#[tool]
async fn read_file() -> Json<Answer> {
    Json(Answer)
}

registry! { struct App { tools: [read_file] } }

fn main() {}
