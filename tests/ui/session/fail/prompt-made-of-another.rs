use polyloop::Prompt;

fn forged(prompt: Prompt) -> Prompt {
    Prompt { ..prompt }
}

fn main() {}
