use polyloop::Prompt;



fn main() {
    let _ = Prompt::new();
}
