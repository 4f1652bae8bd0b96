use polyloop::toolbox;

struct Workspace;

#[toolbox]
impl Workspace {
    fn root(&self) -> &str {
        "/srv"
    }
}

fn main() {}
