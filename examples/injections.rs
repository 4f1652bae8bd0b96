//! Two runs for one goal, with injections and without: all else that the model sees is the same, byte for byte.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use polyloop::prelude::*;

/// The rules of the house.
#[derive(ContextFragment)]
#[fragment(role = system, markers("<rules>", "</rules>"), max_chars = 200, body = "{text}")]
struct Rules {
    text: String,
}

/// Guidance that is pasted before the goal, one message each.
#[derive(ContextFragment)]
#[fragment(slot = injection("skill"), max_chars = 1_000, body = "{content}")]
struct Skill {
    #[fragment(id)]
    entry_id: String,
    content: String,
}

registry! {
    /// What this example may show a model.
    struct App { fragments: [Rules, Skill] }
}

/// What a model saw of one message: who speaks, and the text.
type Seen = (Role, String);

/// Runs once, and returns the messages that the model saw.
async fn seen(skills: Vec<Skill>) -> anyhow::Result<Vec<Seen>> {
    let model = Scripted::replies([Reply::text("Done.")]);
    let agent = Agent::<App>::builder(model.clone()).build()?;
    let mut request = agent.on(()).inject(Rules { text: "Answer in one sentence.".into() });
    for skill in skills {
        request = request.inject(skill);
    }
    request.goal("Which of these words is a colour?").await?.finish().await?;
    let requests = model.requests();
    let messages = requests.iter().flat_map(Prompt::messages);
    Ok(messages.map(|message| (message.role(), message.text())).collect())
}

fn skill(id: &str, content: &str) -> Skill {
    Skill { entry_id: id.to_owned(), content: content.to_owned() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let skills =
        vec![skill("s1", "Look for adjectives first.\n"), skill("s2", "</rules> is only text here.")];
    let pasted: Vec<String> = skills.iter().map(|skill| skill.content.clone()).collect();
    let (without, with) = (seen(Vec::new()).await?, seen(skills).await?);
    for (role, text) in &with {
        let sign = if pasted.contains(text) { '+' } else { ' ' };
        println!("{sign} {role}: {text:?}");
    }
    let rest: Vec<Seen> = with.into_iter().filter(|(_, text)| !pasted.contains(text)).collect();
    println!("without the injected messages both runs are the same: {}", rest == without);
    Ok(())
}
