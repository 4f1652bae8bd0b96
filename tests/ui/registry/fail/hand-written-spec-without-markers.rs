use polyloop::{Body, ContextFragment, FragmentSpec, Role, registry};

struct Clock;

impl ContextFragment for Clock {
    const SPEC: FragmentSpec = FragmentSpec::new("clock", Role::User, 60);

    fn body(&self) -> Body {
        Body::new().text("noon")
    }
}

registry! {
    struct App {
        fragments: [Clock],
    }
}

fn main() {}
