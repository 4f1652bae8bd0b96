//! Whether it is possible to wait.

use std::panic::catch_unwind;
use std::time::Duration;

/// Whether the runtime has a timer; tokio tells by a panic only.
pub(crate) fn has_timer() -> bool {
    catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_ok()
}
