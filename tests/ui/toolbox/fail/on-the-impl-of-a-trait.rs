use polyloop::toolbox;

struct Workspace;

#[toolbox]
impl Default for Workspace {
    fn default() -> Self {
        Self
    }
}

fn main() {}
