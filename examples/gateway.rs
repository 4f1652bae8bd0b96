//! A chat gateway: messages from several channels, notes that ride with them, an image, and a system part that never changes.
//!
//! Every message may be served by another process: all that there is to know is in the journal.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use polyloop::prelude::*;
use polyloop::{Content, Image, MemoryJournal, Turn, UserInput};

/// Who speaks for the hotel. It stands first, the same in every request of every guest.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", max_chars = 500, body = "{text}")]
struct Desk {
    text: &'static str,
}

/// What the gateway notices. It is told once, as a block behind the guest's own words.
#[derive(ContextFragment)]
#[fragment(role = user, markers("<notice>", "</notice>"), slot = turn, lifetime = once, max_chars = 200)]
#[fragment(body = "{text}")]
struct Notice {
    text: String,
}

registry! {
    /// What this example may show a model.
    struct Hotel { fragments: [Desk, Notice] }
}

const DESK: &str = "You answer for a small hotel by the sea. Breakfast is from seven to ten. Be short, and never promise a room.";
/// One white pixel.
const PHOTO: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
/// As how many characters a photo counts: about what 85 tokens cost.
const PHOTO_CHARS: usize = 340;

struct Gateway {
    agent: Agent<Hotel>,
    /// The channel of the guest's last message.
    channel: Option<&'static str>,
}

impl Gateway {
    /// Takes a guest's words from a channel; none where the guest emptied the screen there.
    async fn serve(
        &mut self,
        guest: &str,
        channel: &'static str,
        words: Option<UserInput>,
    ) -> anyhow::Result<()> {
        let notice = |text: String| Notice { text };
        let Some(words) = words else {
            // It waits in the journal until the guest says something.
            let text = format!("the guest emptied the screen of the {channel}");
            return Ok(self.agent.queue(guest, notice(text)).await?);
        };
        let mut request = self.agent.on(()).session(guest);
        match self.channel.replace(channel) {
            None => {
                let text = format!("the first message of this guest, by {channel}; say welcome");
                request = request.inject(Desk { text: DESK }).inject(notice(text));
            }
            Some(before) if before != channel => {
                let text = format!("the guest went from the {before} to the {channel}");
                self.agent.queue(guest, notice(text)).await?;
            }
            Some(_) => {}
        }
        request.goal(words).await?.finish().await?;
        Ok(())
    }
}

/// How many characters of a request stand in the one before, message by message.
fn shared(before: &Prompt, now: &Prompt) -> usize {
    let same = before.messages().zip(now.messages()).take_while(|(before, now)| before == now);
    same.map(|(_, now)| now.chars()).sum()
}

/// A message on one line, block by block.
fn line(message: &Message) -> String {
    let block = |content: &Content| match content {
        Content::Text { text } => text.to_string(),
        Content::Image { image } => format!("[image of {} characters]", image.chars()),
        other => format!("{other:?}"),
    };
    message.blocks().iter().map(|part| block(part.content())).collect::<Vec<_>>().join(" | ")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let model = Scripted::by(|prompt| Reply::text(format!("Answer {}.", prompt.messages().len() / 2)));
    let agent = Agent::<Hotel>::builder(model.clone()).layout(Turn).journal(MemoryJournal::new()).build()?;
    let mut gateway = Gateway { agent, channel: None };
    let photo = Image::new("image/gif", PHOTO, PHOTO_CHARS)?;
    for (channel, words) in [
        ("web page", Some("Is the beach far?".into())),
        ("phone", Some(UserInput::from("Is this your house?").image(photo))),
        ("phone", None),
        ("phone", Some("And breakfast?".into())),
        ("phone", Some("Thank you!".into())),
    ] {
        gateway.serve("guest-7", channel, words).await?;
    }
    let requests = model.requests();
    let mut before: Option<&Prompt> = None;
    for (number, request) in (1..).zip(&requests) {
        let same = before.map_or(0, |before| shared(before, request));
        let share = 100 * same / request.chars();
        println!("request {number}: {} characters, {share} % as in the one before", request.chars());
        let known = before.map_or(0, |before| before.messages().len());
        for message in request.messages().skip(known) {
            println!("  {:<9} {}", message.role().as_str(), line(message));
        }
        before = Some(request);
    }
    let mut system = requests.iter().filter_map(|request| request.messages().next());
    println!("the system part is always the same: {}", system.all(|message| message.text() == DESK));
    Ok(())
}
