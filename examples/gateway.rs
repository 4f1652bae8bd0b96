//! A chat gateway: messages from several channels, notes that ride with them, an image, and a system part that never changes.
//!
//! Every message may be served by another process: all that there is to know is in the journal.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use polyloop::prelude::*;
use polyloop::serde::{Deserialize, Serialize};
use polyloop::{Body, Content, Image, JournalError, MemoryJournal, Turn, UserInput};

/// Who speaks for the hotel. It stands first, the same in every request of every guest.
#[derive(ContextFragment)]
#[fragment(role = system, unmarked = "the system message", max_chars = 500, body = "{text}")]
#[fragment(on_rollback = keep)]
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

/// By which channel the guest writes. Only the news is told: where the model knows the channel, nothing is.
#[derive(ContextFragment, Serialize, Deserialize)]
#[serde(crate = "polyloop::serde")]
#[fragment(role = user, markers("<channel>", "</channel>"), slot = turn, max_chars = 200, state, body = "{name}")]
#[fragment(lifetime = latest, never_retracted = "every message comes by one", change = moved)]
struct Channel {
    name: String,
}

#[expect(clippy::unnecessary_wraps, reason = "a `change` may also ask for the full form, by `None`")]
fn moved(before: &Channel, now: &Channel) -> Option<Body> {
    let body = Body::new().text("the guest went from the ").value(&before.name);
    Some(body.text(" to the ").value(&now.name))
}

registry! {
    /// What this example may show a model.
    struct Hotel { fragments: [Desk, Notice, Channel] }
}

const DESK: &str = "You answer for a small hotel by the sea. Breakfast is from seven to ten. Be short, and never promise a room.";
/// One white pixel.
const PHOTO: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
/// As how many characters a photo counts: about what 85 tokens cost.
const PHOTO_CHARS: usize = 340;

/// Takes a guest's words from a channel; none where the guest emptied the screen there.
async fn serve(
    agent: &Agent<Hotel>,
    guest: &str,
    channel: &str,
    words: Option<UserInput>,
) -> anyhow::Result<()> {
    let Some(words) = words else {
        // It waits in the journal until the guest says something.
        let text = format!("the guest emptied the screen of the {channel}");
        return Ok(agent.queue(guest, Notice { text }).await?);
    };
    let mut request = agent.on(()).session(guest).sync(Channel { name: channel.to_owned() });
    match agent.read(guest).await {
        Ok(_) => {}
        Err(RunError::Journal(JournalError::NoSuchSession { .. })) => {
            let text = "the first message of this guest; say welcome".to_owned();
            request = request.inject(Desk { text: DESK }).inject(Notice { text });
        }
        Err(error) => return Err(error.into()),
    }
    request.goal(words).await?.finish().await?;
    Ok(())
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
    let photo = Image::new("image/gif", PHOTO, PHOTO_CHARS)?;
    for (channel, words) in [
        ("web page", Some("Is the beach far?".into())),
        ("phone", Some(UserInput::from("Is this your house?").image(photo))),
        ("phone", None),
        ("phone", Some("And breakfast?".into())),
        ("phone", Some("Thank you!".into())),
    ] {
        serve(&agent, "guest-7", channel, words).await?;
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
