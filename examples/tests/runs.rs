//! The examples `resume`, `approval` and `budget`.

use crate::support::run_example;

const RESUMED: &str = "\
The first process died: true.
  polyloop.input        Pay the rent.
  polyloop.reply        I pay it.
  polyloop.observation  It is not known whether this action took effect; check before repeating it.
  polyloop.reply        I look first.
  polyloop.observation  90000 to landlord
  polyloop.reply        The rent is paid, once.
The rent is paid, once.
The book says: 90000 to landlord
";

#[test]
fn a_run_whose_process_died_goes_on_in_another_one() {
    assert_eq!(run_example("resume", &[]), RESUMED);
}

/// Begins a run in a journal of its own, and gives the answer in another process.
fn answered(answer: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("runs.db");
    let journal = ["--journal", journal.to_str().unwrap()];
    let asked = run_example("approval", &journal);
    assert!(asked.starts_with("It wants to delete_branch {\"name\":\"draft\"}.\n"), "{asked}");
    let session = asked.trim_end().rsplit(' ').next().unwrap();
    let said = run_example("approval", &[journal[0], journal[1], answer, session]);
    // It has ended: whoever answers again changes nothing.
    assert_eq!(run_example("approval", &[journal[0], journal[1], "deny", session]), said);
    said
}

#[test]
fn a_person_answers_in_another_process() {
    assert_eq!(answered("approve"), "I deleted `draft`.\n");
    assert_eq!(answered("deny"), "Then I leave `draft` alone.\n");
}

const BUDGETS: &str = "\
three steps          all steps are used up
                     3 steps, 6 actions, 263 characters
four actions         all actions are used up
                     2 steps, 4 actions, 143 characters
five actions         all steps are used up
                     100 steps, 4 actions, 19175 characters
300 characters       the next prompt has 383 characters, over the budget; it was not sent
                     3 steps, 6 actions, 263 characters
a fifth of a second  all time is used up
                     some steps
";

#[test]
fn each_budget_ends_a_run_in_its_own_way() {
    assert_eq!(run_example("budget", &[]), BUDGETS);
}
