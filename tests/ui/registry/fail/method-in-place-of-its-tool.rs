use polyloop::{registry, toolbox};

struct Todo;

#[toolbox]
impl Todo {
    /// Reads the list.
    #[tool]
    async fn read(&self) -> String {
        String::new()
    }
}

registry! { struct App { state: Todo, tools: [Todo::read] } }

fn main() {}
