//! Runs the built examples.

use std::path::PathBuf;
use std::process::Command;

/// Returns the built example of this name: cargo puts examples into a folder beside the one of the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it is");
    let profile =
        test.parent().and_then(|deps| deps.parent()).expect("tests stand in `deps`, below the profile");
    let built = profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(built.is_file(), "`{name}` is not built; run `cargo build -p polyloop-examples --examples`");
    built
}

/// Prepares a run of an example, without colours.
pub(crate) fn command(name: &str) -> Command {
    let mut command = Command::new(example(name));
    command.env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    // No test asks a model that the environment happens to name.
    command.env_remove("PROVIDER");
    for provider in ["OPENAI", "ANTHROPIC", "GEMINI"] {
        for variable in ["API_KEY", "BASE_URL", "MODEL"] {
            command.env_remove(format!("{provider}_{variable}"));
        }
    }
    command
}

/// Runs an example to its end and returns what it printed; it must succeed.
pub(crate) fn run_example(name: &str, args: &[&str]) -> String {
    let output = command(name).args(args).output().expect("a built example starts");
    assert!(output.status.success(), "`{name}` failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("examples print UTF-8")
}
