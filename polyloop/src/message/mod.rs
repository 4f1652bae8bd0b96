//! What a model is shown: roles, blocks, messages and the sealed prompt.
//!
//! Nothing here can be built from a string outside this crate. A text becomes a block through one of the typed
//! doors (a registered fragment, the user's words and images, a reply, an observation, a fixed text of the definition), and
//! each block keeps its [`Origin`].

mod block;
mod image;
mod prompt;
mod provider_state;
mod running_hash;
mod shares;
mod trace;

pub use block::{Block, Content, ItemId, Message, Origin, Role};
pub use image::{Image, ImageSource};
pub use prompt::{Prompt, ToolDefinition};
pub use provider_state::ProviderState;
pub use shares::Share;
pub use trace::Stretch;

pub(crate) use running_hash::{RunningHash, first_difference};
