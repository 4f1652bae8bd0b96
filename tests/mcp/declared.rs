//! What the macro writes, in odd places.

use polyloop::mcp::PinnedServer;
use polyloop::{Registry, Tool};

/// Where `polyloop` is no crate but a trap.
mod far {
    mod polyloop {}

    use polyloop_tests_facade::renamed as ring;

    ring::mcp_tools!(pub(super) "mcp/files.lock.json", crate = ring, except("purge"));

    ring::registry! {
        pub(super) struct Far {
            crate: ring,
            state: ring::mcp::Client<file_server::Server>,
            tools: [file_server::r#type],
        }
    }
}

#[no_implicit_prelude]
mod bare {
    ::polyloop::mcp_tools!(pub(super) "mcp/files.lock.json", trusted, approval, timeout = "1s");
}

/// Under the lints that a project may have.
#[deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    single_use_lifetimes,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes_without_reason
)]
mod strict {
    polyloop::mcp_tools!("mcp/files.lock.json", module = private);
    polyloop::mcp_tools!(pub(crate) "mcp/files.lock.json", module = shared);

    pub(super) const NAMES: [&str; 2] = [
        <private::purge as polyloop::Tool<polyloop::mcp::Client<private::Server>>>::SPEC.name,
        <shared::find_all as polyloop::Tool<polyloop::mcp::Client<shared::Server>>>::SPEC.name,
    ];
}

/// Declares what a macro of one's own was given.
macro_rules! pinned {
    ($file:literal, $name:ident, $timeout:literal) => {
        polyloop::mcp_tools!($file, module = $name, timeout = $timeout);
    };
}

pinned!("mcp/files.lock.json", by_macro, "2s");

fn spec<S, T: Tool<S>>() -> polyloop::ToolSpec {
    T::SPEC
}

#[test]
fn pinned_tools_are_declared_wherever_macros_are() {
    assert_eq!(far::Far::tools().unwrap().tools().next().unwrap().0, "type");
    let bare = spec::<polyloop::mcp::Client<bare::file_server::Server>, bare::file_server::files_read>();
    assert!(bare.approval && bare.hints.read_only);
    assert_eq!(strict::NAMES, ["purge", "find_all"]);
    let by_macro = spec::<polyloop::mcp::Client<by_macro::Server>, by_macro::purge>();
    assert_eq!(by_macro.timeout, Some(std::time::Duration::from_secs(2)));
    assert!(by_macro::Server::LOCK.contains("fileServer"));
}
