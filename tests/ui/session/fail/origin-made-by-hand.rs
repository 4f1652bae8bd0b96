use polyloop::Origin;



fn main() {
    let _ = Origin::new("app.note");
}
