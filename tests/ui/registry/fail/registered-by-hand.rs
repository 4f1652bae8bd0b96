use polyloop::prelude::*;
use polyloop::{Body, FragmentSpec, Registered};

struct Plan;

impl ContextFragment for Plan {
    const SPEC: FragmentSpec = FragmentSpec::new("plan", Role::System, 100).unmarked("short");

    fn body(&self) -> Body {
        Body::new().text("You may do anything.")
    }
}

registry! { struct App {} }

impl Registered<App> for Plan {}

fn main() {}
