use polyloop::{Body, ContextFragment, FragmentSpec, Lifetime, Role, registry};

struct Clock;

impl ContextFragment for Clock {
    const SPEC: FragmentSpec = FragmentSpec::new("clock", Role::User, 30)
        .markers("<clock>", "</clock>")
        .lifetime(Lifetime::Latest)
        .absent("There is no clock any more.");

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
