//! The chain as the page `docs/20-chain.md` states it, checked by a program that is not written in Rust.

use std::fs;
use std::path::Path;
use std::process::Command;

use polyloop::{
    ChainKey, Journal, MemoryJournal, Redaction, Reply, export_session, import_session, redact_session,
};

use crate::support::{World, builder, rules, tally_reply};

/// What the verifier prints, or why it refuses.
fn verified(folder: &Path, lines: &str, arguments: &[&str]) -> Result<String, String> {
    let (file, script) =
        (folder.join("session.jsonl"), concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_export.py"));
    fs::write(&file, lines).unwrap();
    let run = Command::new("python3").arg("-B").arg(script).arg(&file).args(arguments).output();
    let output = run.expect("python3 is there; set `POLYLOOP_SKIP_PEERS=1` to do without it");
    let said = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(said(output.stdout)) } else { Err(said(output.stderr)) }
}

#[tokio::test]
async fn a_verifier_in_python_accepts_an_export_and_refuses_one_that_was_changed() {
    if std::env::var_os("POLYLOOP_SKIP_PEERS").is_some() {
        return;
    }
    let (journal, world, folder) = (MemoryJournal::new(), World::default(), tempfile::tempdir().unwrap());
    let key = ChainKey::new([7; 32]);
    let script = vec![tally_reply(&"a long line, ".repeat(300)), Reply::text("done\u{2028}\u{e4}")];
    let agent = builder(&world, script).journal(journal.clone()).chain_key(key.clone()).build().unwrap();
    let mut run = agent.on(world).inject(rules()).goal("My name is Ada.").await.unwrap();
    run.finish().await.unwrap();
    let (session, head) = (run.session_id().clone(), run.head());
    let whole = export_session(&journal, &session).await.unwrap();
    let redaction = Redaction::new().item(run.items()[1].id()).chain_key(key);
    redact_session(&journal, &session, redaction).await.unwrap();
    let lines = export_session(&journal, &session).await.unwrap();
    assert!(whole.contains("Ada") && !lines.contains("Ada"));

    let (secret, earlier) = ("07".repeat(32), format!("{}:{}", head.records, head.hash));
    let trusted = ["--key", &secret, "--head", &earlier];
    for export in [&whole, &lines] {
        let said = verified(folder.path(), export, &trusted).unwrap();
        let records = export.lines().count();
        assert!(said.starts_with(&format!("{records} records, head {records}:")), "{said}");
    }
    let told = verified(folder.path(), &lines, &[]).unwrap();
    assert!(told.contains("redacted [") && !told.contains("redacted []"), "{told}");

    let cut = whole.lines().take(5).collect::<Vec<_>>().join("\n");
    let stated = journal.read(&session, 0).await.unwrap().pop().unwrap();
    let unstated =
        lines.lines().take(usize::try_from(stated.seq).unwrap() - 1).collect::<Vec<_>>().join("\n");
    let other = "08".repeat(32);
    for (lines, arguments, reason) in [
        (whole.replace("Ada", "Eve"), &[][..], "was changed"),
        (lines.replacen("[redacted]", "[removed]", 1), &[], "lost its text"),
        (unstated, &[], "lost its text"),
        (whole.lines().skip(1).collect::<Vec<_>>().join("\n"), &[], "is missing"),
        (cut, &trusted[2..], "the head is not in the session"),
        (whole.clone(), &["--key", &other], "the code of the last record is wrong"),
    ] {
        let refused = verified(folder.path(), &lines, arguments).unwrap_err();
        assert!(refused.starts_with("refused: ") && refused.contains(reason), "{reason}: {refused}");
    }

    // An earlier version wrote these.
    let golden = include_str!("../golden/v1/conversation.jsonl");
    import_session(&MemoryJournal::new(), golden).await.unwrap();
    verified(folder.path(), golden, &[]).unwrap();
}
