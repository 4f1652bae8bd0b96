//! A session as JSON Lines: nothing is lost, and nothing is taken in that is not what was written.

use polyloop::{
    Durability, Ending, ImportError, Journal, JournalError, LineError, MemoryJournal, Record, SessionId,
    SqliteJournal, export_session, import_session,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Hang, World, builder, rules, script};
use futures_util::FutureExt;

/// A run that was interrupted twice: its records have three epochs. Its world is healed.
async fn interrupted() -> (MemoryJournal, SessionId, World) {
    let (journal, world) = (MemoryJournal::new(), World::default());
    let agent = builder(&world, script()).journal(journal.clone()).build().unwrap();
    world.hang(Hang::Asked(0));
    let mut run = agent.on(world.clone()).inject(rules()).goal("go \u{2028} on\n").await.unwrap();
    let session = run.session_id().clone();
    assert!(run.finish().now_or_never().is_none());
    for place in 1..3 {
        world.hang(Hang::Asked(place));
        let mut run = agent.resume(world.clone(), session.clone()).await.unwrap();
        assert!(run.finish().now_or_never().is_none());
    }
    world.heal();
    (journal, session, world)
}

/// Two stores that have nothing.
fn targets() -> (MemoryJournal, SqliteJournal, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteJournal::open(folder.path().join("runs.db")).unwrap();
    (MemoryJournal::new(), file, folder)
}

async fn goes_through(records: &[Record], lines: &str, world: &World, target: impl Journal + Clone) {
    let session = import_session(&target, lines).await.unwrap();
    assert_eq!(target.read(&session, 0).await.unwrap(), records);
    assert_eq!(target.watermark(&session).await.unwrap(), records.len() as u64);
    assert_eq!(export_session(&target, &session).await.unwrap(), lines);
    let again = import_session(&target, lines).await.unwrap_err();
    let reason = LineError::SessionExists { session: session.to_string() };
    assert_eq!(again, ImportError::Line { line: 1, reason });

    let agent = builder(world, script()).journal(target.clone()).build().unwrap();
    let report = agent.resume(world.clone(), session.clone()).await.unwrap().finish().await.unwrap();
    assert_eq!(report.ending, Ending::FinalAnswer);
    let epochs: Vec<u64> =
        target.read(&session, 0).await.unwrap().iter().map(|record| record.epoch).collect();
    assert_eq!(epochs[..records.len()], records.iter().map(|record| record.epoch).collect::<Vec<_>>());
    assert_eq!(epochs.last(), Some(&4), "whoever goes on has a lease behind those of the records");
}

#[tokio::test]
async fn a_session_goes_through_json_lines_unchanged_and_goes_on_elsewhere() {
    let (journal, session, world) = interrupted().await;
    let records = journal.read(&session, 0).await.unwrap();
    let lines = export_session(&journal, &session).await.unwrap();
    assert_eq!(lines.lines().count(), records.len());
    let (memory, file, _folder) = targets();
    goes_through(&records, &lines, &world, memory).await;
    goes_through(&records, &lines, &world, file).await;
}

#[tokio::test]
async fn a_line_holds_every_field_of_its_record() {
    let (journal, session, _) = interrupted().await;
    let record = journal.read(&session, 0).await.unwrap().remove(2);
    let lines = export_session(&journal, &session).await.unwrap();
    let mut line: Value = serde_json::from_str(lines.lines().nth(2).unwrap()).unwrap();
    let hash = line.as_object_mut().unwrap().remove("hash").unwrap();
    assert_eq!(hash, record.hash());
    assert_eq!(line, serde_json::to_value(&record).unwrap());
}

#[tokio::test]
async fn nothing_is_exported_that_could_not_be_imported() {
    let (journal, session, _) = interrupted().await;
    let none = JournalError::NoSuchSession { session: "nobody".to_owned() };
    assert_eq!(export_session(&journal, &SessionId::from("nobody")).await, Err(none));
    let mut records = journal.read(&session, 0).await.unwrap();
    records[3].at += 1;
    let broken = MemoryJournal::new();
    let lease = broken.lease(&session).await.unwrap();
    broken.append(&lease, 0, records, Durability::Barrier).await.unwrap();
    let error = export_session(&broken, &session).await.unwrap_err();
    assert!(matches!(error, JournalError::Broken { seq: 3, .. }), "{error}");
}

/// What is wrong with lines that were changed, told by both stores; neither has anything of the session afterwards.
async fn refusal(targets: &(MemoryJournal, SqliteJournal, TempDir), lines: &[String]) -> (usize, LineError) {
    let (memory, file, _) = targets;
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    let error = import_session(memory, &text).await.unwrap_err();
    assert_eq!(import_session(file, &text).await.unwrap_err(), error);
    assert!(memory.list().await.unwrap().is_empty() && file.list().await.unwrap().is_empty());
    let ImportError::Line { line, reason } = error else { panic!("{error}") };
    (line, reason)
}

/// The lines again, after a record was changed by somebody who makes the hashes anew from there on.
fn forged(lines: &[String], at: usize, change: impl Fn(&mut Value)) -> Vec<String> {
    let mut forged = lines.to_vec();
    let mut before: Option<String> = None;
    for (number, line) in forged.iter_mut().enumerate().skip(at) {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if let Some(before) = before {
            value["prev_hash"] = before.into();
        }
        if number == at {
            change(&mut value);
        }
        value.as_object_mut().unwrap().remove("hash");
        let record: Record = serde_json::from_value(value.clone()).unwrap();
        value["hash"] = record.hash().into();
        before = Some(record.hash());
        *line = value.to_string();
    }
    forged
}

#[tokio::test]
async fn a_line_that_is_no_record_is_refused_with_its_number() {
    let targets = targets();
    let (journal, session, _) = interrupted().await;
    let lines = export_session(&journal, &session).await.unwrap();
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    for number in [0, 4, lines.len() - 1] {
        let with = |line: String| {
            let mut lines = lines.clone();
            lines[number] = line;
            lines
        };
        let whole: Value = serde_json::from_str(&lines[number]).unwrap();
        let mut unreadable = vec![
            String::new(),
            "no JSON".to_owned(),
            "[]".to_owned(),
            lines[number][..lines[number].len() - 1].to_owned(),
            format!("{} {{}}", lines[number]),
            lines[number].replacen('{', "{\"more\":1,", 1),
            lines[number].replacen('{', "{\"seq\":1,", 1),
        ];
        for field in whole.as_object().unwrap().keys() {
            let mut without = whole.clone();
            without.as_object_mut().unwrap().remove(field);
            unreadable.push(without.to_string());
            let mut null = whole.clone();
            null[field] = Value::Null;
            unreadable.push(null.to_string());
        }
        for line in unreadable {
            let refused = refusal(&targets, &with(line.clone())).await;
            assert!(
                matches!(refused, (at, LineError::Unreadable { .. }) if at == number + 1),
                "{line}: {refused:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_line_that_was_changed_is_refused_with_its_number_also_the_last_one() {
    let targets = targets();
    let (journal, session, _) = interrupted().await;
    let lines = export_session(&journal, &session).await.unwrap();
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    for number in 0..lines.len() {
        let whole: Value = serde_json::from_str(&lines[number]).unwrap();
        for (field, value) in whole.as_object().unwrap() {
            let mut changed = whole.clone();
            changed[field] = match value {
                Value::Number(number) => (number.as_u64().unwrap() + 1).into(),
                Value::Bool(value) => (!value).into(),
                value => format!("{}.", value.as_str().unwrap()).into(),
            };
            let mut lines = lines.clone();
            lines[number] = changed.to_string();
            assert_eq!(refusal(&targets, &lines).await, (number + 1, LineError::Changed), "{field}");
        }
    }
}

#[tokio::test]
async fn lines_that_do_not_belong_together_are_refused_with_their_number() {
    let targets = targets();
    let (journal, session, _) = interrupted().await;
    let lines = export_session(&journal, &session).await.unwrap();
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    assert_eq!(refusal(&targets, &[]).await, (1, LineError::Missing));
    for gap in 0..lines.len() - 1 {
        let mut lines = lines.clone();
        lines.remove(gap);
        let (seq, next) = (gap as u64 + 1, gap as u64);
        assert_eq!(refusal(&targets, &lines).await, (gap + 1, LineError::OutOfOrder { seq, next }));
    }
    let mut twice = lines.clone();
    twice.insert(3, twice[2].clone());
    assert_eq!(refusal(&targets, &twice).await, (4, LineError::OutOfOrder { seq: 2, next: 3 }));
    let other = forged(&lines, 3, |record| record["session"] = "other".into());
    let (session, expected) = ("other".to_owned(), session.to_string());
    assert_eq!(refusal(&targets, &other).await, (4, LineError::OtherSession { session, expected }));
    let unchained = forged(&lines, 3, |record| record["prev_hash"] = "0".repeat(64).into());
    assert_eq!(refusal(&targets, &unchained).await, (4, LineError::Unchained));
    let begins = forged(&lines, 0, |record| record["prev_hash"] = "1".repeat(64).into());
    assert_eq!(refusal(&targets, &begins).await, (1, LineError::Unchained));
    let falls = forged(&lines, lines.len() - 1, |record| record["epoch"] = 2.into());
    assert_eq!(refusal(&targets, &falls).await, (lines.len(), LineError::Epoch { epoch: 2, least: 3 }));
    let none = forged(&lines, 0, |record| record["epoch"] = 0.into());
    assert_eq!(refusal(&targets, &none).await, (1, LineError::Epoch { epoch: 0, least: 1 }));
}

#[tokio::test]
async fn a_refusal_names_the_line_and_says_that_nothing_was_imported() {
    let error = import_session(&MemoryJournal::new(), "{}").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1: it is no record: missing field `session`, column 2; nothing was imported"
    );
}

async fn fenced(journal: impl Journal, session: &SessionId, lines: &str, records: &[Record]) {
    let mut lease = journal.lease(session).await.unwrap();
    for _ in 0..4 {
        lease = journal.lease(session).await.unwrap();
    }
    import_session(&journal, lines).await.unwrap();
    let append = journal.append(&lease, 0, records.to_vec(), Durability::Barrier).await;
    assert_eq!(append, Err(JournalError::Fenced { held: 5, current: 6 }));
    assert_eq!(journal.read(session, 0).await.unwrap(), records);
}

#[tokio::test]
async fn whoever_holds_a_lease_and_wrote_nothing_is_fenced_by_an_import() {
    let (journal, session, _) = interrupted().await;
    let lines = export_session(&journal, &session).await.unwrap();
    let records = journal.read(&session, 0).await.unwrap();
    let (memory, file, _folder) = targets();
    fenced(memory, &session, &lines, &records).await;
    fenced(file, &session, &lines, &records).await;
}

#[tokio::test]
async fn a_number_that_a_file_cannot_hold_is_refused_and_nothing_is_imported() {
    let (journal, session, _) = interrupted().await;
    let lines = export_session(&journal, &session).await.unwrap();
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let (memory, file, _folder) = targets();
    let text = forged(&lines, 5, |record| record["at"] = u64::MAX.into()).join("\n");
    let error = import_session(&file, &text).await.unwrap_err();
    assert!(matches!(error, ImportError::Journal(JournalError::Store { .. })), "{error}");
    assert!(file.read(&session, 0).await.unwrap().is_empty());
    import_session(&memory, &text).await.unwrap();
    import_session(&file, &lines.join("\n")).await.unwrap();
}
