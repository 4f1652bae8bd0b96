use polyloop::Prompt;



fn main() {
    let _: Prompt = Default::default();
}
