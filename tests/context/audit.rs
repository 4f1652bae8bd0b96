//! Every character that a model was sent leads back to one recorded item, its event and its type.

use std::sync::atomic::{AtomicUsize, Ordering};

use polyloop::{
    Agent, Audit, AuditedRequest, ContextFragment, Item, ItemId, JournalError, Layout, MemoryJournal,
    Message, Reply, RunError, Scripted, Staged, Summarizer, Traced, serde_json,
};
use proptest::prelude::*;

use crate::support::{
    App, Environment, Log, Note, Rules, approved, builder, environment, news, note, permissions, records,
    rules,
};

/// The requests of a session with fragments, calls, a remark and two turns.
async fn audited() -> (Agent<App>, MemoryJournal, Audit) {
    let journal = MemoryJournal::new();
    let script = [
        Reply::text("Ich schreibe »x«.").call("tally", r#"{"line": "日本"}"#).call("peek", "{}"),
        Reply::tool("nowhere", "{}"),
        Reply::text("done"),
        Reply::text("again"),
    ];
    let (agent, _) = builder(script);
    let agent = agent.journal(journal.clone()).build().unwrap();
    let opening = agent.on(Log::default()).session("s").inject(rules()).inject(note("one"));
    let mut run = opening.sync(environment("/a")).inject(news("now")).goal("Write x.").await.unwrap();
    run.step().await.unwrap();
    run.say("quickly").unwrap();
    run.sync(environment("/b")).unwrap();
    run.finish().await.unwrap();
    run.follow_up().sync(approved(&["ls"])).goal("Once more.").await.unwrap();
    run.finish().await.unwrap();
    let audit = agent.audit("s").await.unwrap();
    (agent, journal, audit)
}

/// The text of what was traced.
fn text(request: &AuditedRequest, traced: &Traced) -> String {
    let message = request.prompt().messages().nth(traced.message).unwrap();
    message.written()[traced.bytes.clone()].to_owned()
}

/// Where a text that stands in the request once comes from.
fn source_of(request: &AuditedRequest, wanted: &str) -> Traced {
    let found = request.prompt().messages().map(Message::written).enumerate();
    let mut found = found.filter_map(|(message, written)| Some((message, written.find(wanted)?)));
    let (message, start) = found.next().unwrap();
    let mut traced = request.trace(message, start..start + wanted.len());
    assert_eq!(traced.len(), 1, "{wanted}: {traced:?}");
    let traced = traced.pop().unwrap();
    assert_eq!(text(request, &traced), wanted);
    traced
}

#[tokio::test]
async fn a_text_leads_to_its_item_its_event_and_the_line_that_declares_its_type() {
    let (_, journal, audit) = audited().await;
    let records = records(&journal, &"s".into()).await;
    let last = audit.requests().last().unwrap();
    assert_eq!((audit.requests().len(), last.step(), last.attempt()), (4, 1, 1));
    let record = |seq: u64| records.iter().find(|record| record.seq == seq).unwrap();
    assert_eq!(record(last.seq()).kind, "prompt.sealed");
    for (wanted, kind, event, tool) in [
        ("be brief", "rules", "fragment.recorded", None),
        ("/b", "environment", "fragment.recorded", None),
        ("Write x", "polyloop.input", "input.recorded", None),
        ("quickly", "polyloop.input", "input.recorded", None),
        ("schreibe »x«", "polyloop.reply", "decision", None),
        (r#"tally{"line""#, "polyloop.reply", "decision", Some("tally")),
        ("wrote 日本", "polyloop.observation", "action.outcome", Some("tally")),
        ("nothing new", "polyloop.observation", "action.outcome", Some("peek")),
        ("nowhere{}", "polyloop.reply", "decision", Some("nowhere")),
    ] {
        let source = source_of(last, wanted).source;
        assert_eq!((&*source.kind, &*source.event, source.tool.as_deref()), (kind, event, tool), "{wanted}");
        let record = record(source.seq);
        assert_eq!(record.kind, event);
        let item = serde_json::to_string(&source.item).unwrap();
        assert!(record.payload.contains(&format!(r#""item":{item}"#)), "{wanted}: {}", record.payload);
        assert_eq!(source.declared.is_some(), !kind.starts_with("polyloop."));
    }
    let declared = source_of(last, "be brief").source.declared.unwrap();
    assert_eq!((declared.type_name, declared.line), ("Rules", Rules::SPEC.line));
    assert!(declared.file.ends_with("context/support.rs") && declared.line > 0, "{declared:?}");
    let environment = source_of(last, "/a").source;
    let expected = format!(
        "`environment`, {}, recorded by event {} `fragment.recorded` of `s`, declared as `Environment` in {}:{}",
        environment.item,
        environment.seq,
        Environment::SPEC.file,
        Environment::SPEC.line
    );
    assert_eq!(environment.to_string(), expected);
}

#[tokio::test]
async fn a_refused_call_leads_to_the_event_that_refused_it() {
    let (_, _, audit) = audited().await;
    let source = source_of(audit.requests().last().unwrap(), "no tool").source;
    assert_eq!((&*source.event, source.tool.as_deref()), ("action.refused", Some("nowhere")));
}

/// Whether these follow one another without a gap, and cover so many bytes and characters from a place on.
fn covers(traced: &[Traced], bytes: std::ops::Range<usize>, chars: std::ops::Range<usize>) {
    let (mut byte, mut char) = (bytes.start, chars.start);
    for part in traced {
        assert_eq!((part.bytes.start, part.chars.start), (byte, char), "{traced:?}");
        assert!(part.bytes.end > byte && part.chars.end > char, "{traced:?}");
        (byte, char) = (part.bytes.end, part.chars.end);
    }
    assert_eq!((byte, char), (bytes.end, chars.end), "{traced:?}");
}

#[tokio::test]
async fn every_character_of_every_request_belongs_to_exactly_one_item() {
    let (_, _, audit) = audited().await;
    let mut seen = 0;
    for request in audit.requests() {
        assert!(request.comes_out_again());
        for (at, message) in request.prompt().messages().enumerate() {
            let written = message.written();
            assert_eq!(written.chars().count(), message.chars());
            covers(&request.trace(at, 0..written.len()), 0..written.len(), 0..message.chars());
            for (char, (byte, letter)) in written.char_indices().enumerate() {
                let end = byte + letter.len_utf8();
                let traced = request.trace(at, byte..end);
                covers(&traced, byte..end, char..char + 1);
                assert_eq!(traced, request.trace_chars(at, char..char + 1));
                seen += 1;
            }
        }
        let sum: usize = request.sources().iter().map(|traced| traced.chars.len()).sum();
        assert_eq!(sum, request.prompt().chars());
    }
    assert_eq!(seen, audit.requests().iter().map(|request| request.prompt().chars()).sum::<usize>());
}

#[tokio::test]
async fn a_range_may_cut_characters_and_end_anywhere() {
    let (_, _, audit) = audited().await;
    let last = audit.requests().last().unwrap();
    let written = last.prompt().messages().map(Message::written);
    let (message, written) = written.enumerate().find(|(_, written)| written.contains('»')).unwrap();
    let at = written.find('»').unwrap();
    assert_eq!(text(last, &last.trace(message, at + 1..at + 2)[0]), "»", "a character is whole");
    assert!(last.trace(message, at..at).is_empty());
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is tried")]
    let reversed = last.trace(message, 9..3);
    assert!(reversed.is_empty());
    assert!(last.trace(message, written.len()..usize::MAX).is_empty());
    assert!(last.trace(99, 0..9).is_empty());
    let across = last.trace(message, at..usize::MAX);
    let tools: Vec<_> = across.iter().map(|traced| traced.source.tool.as_deref()).collect();
    assert_eq!(tools, [None, Some("tally"), Some("peek")], "the text of a reply, and its calls");
}

/// What happens in a session at random.
#[derive(Clone, Debug)]
enum Happens {
    Words(String),
    Environment(String),
    Permissions(String),
    News(String),
    Call(String),
    Compact,
}

fn happens() -> impl Strategy<Value = Happens> {
    let words = "[a-zäß日<>/ ]{1,12}[a-z]";
    prop_oneof![
        words.prop_map(Happens::Words),
        words.prop_map(Happens::Environment),
        words.prop_map(Happens::Permissions),
        words.prop_map(Happens::News),
        words.prop_map(Happens::Call),
        Just(Happens::Compact),
    ]
}

/// The audit of a session in which each of these happened in a turn of its own.
async fn lived(life: &[Happens]) -> (Audit, Vec<Vec<String>>) {
    let journal = MemoryJournal::new();
    let mut script = Vec::new();
    for happens in life {
        if let Happens::Call(text) = happens {
            script.push(Reply::text(text).call("tally", serde_json::json!({ "line": text }).to_string()));
        }
        script.push(Reply::text("a reply that is long enough to be worth replacing ".repeat(3)));
    }
    // Whatever is asked: in the end there is an answer.
    script.extend((0..=life.len()).map(|_| Reply::text("short")));
    let (agent, sent) = builder(script);
    let agent = agent.compactor(Summarizer::new().keep_exchanges(0)).journal(journal).build().unwrap();
    let mut run = agent.on(Log::default()).session("s").inject(rules()).goal("go").await.unwrap();
    run.finish().await.unwrap();
    for happens in life {
        let next = run.follow_up();
        let next = match happens {
            Happens::Environment(text) => next.sync(environment(text)),
            Happens::Permissions(text) => next.sync(permissions(text)),
            Happens::News(text) => next.inject(news(text)),
            Happens::Words(_) | Happens::Call(_) | Happens::Compact => next,
        };
        let words = if let Happens::Words(text) = happens { text } else { "go on" };
        next.goal(words).await.unwrap();
        if matches!(happens, Happens::Compact) {
            run.handle().compact().unwrap();
        }
        run.finish().await.unwrap();
    }
    (agent.audit("s").await.unwrap(), sent.texts())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happened_an_audit_yields_what_was_sent_and_an_origin_for_all_of_it(
        life in prop::collection::vec(happens(), 0..8),
        from in 0_usize..80,
        length in 0_usize..80,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (audit, sent) = runtime.block_on(lived(&life));
        let yielded: Vec<_> = audit.requests().iter().map(|request| crate::support::texts(request.prompt())).collect();
        prop_assert_eq!(yielded, sent);
        for request in audit.requests() {
            prop_assert!(request.comes_out_again());
            for (at, message) in request.prompt().messages().enumerate() {
                let written = message.written();
                covers(&request.trace(at, 0..usize::MAX), 0..written.len(), 0..message.chars());
                let (start, end) = (from.min(message.chars()), (from + length).min(message.chars()));
                let byte = |char| written.char_indices().nth(char).map_or(written.len(), |(at, _)| at);
                let traced = request.trace_chars(at, from..from + length);
                if start < end {
                    covers(&traced, byte(start)..byte(end), start..end);
                } else {
                    prop_assert!(traced.is_empty());
                }
            }
        }
        for pair in audit.requests().windows(2) {
            let whole = pair[1].shared_chars() == pair[0].prompt().chars();
            let broken = audit.breaks().iter().any(|found| found.seq == pair[1].seq());
            prop_assert_eq!(whole, !broken);
        }
    }
}

#[tokio::test]
async fn a_break_of_the_prefix_names_the_item_that_is_its_cause() {
    let (agent, _) = builder([&*"one ".repeat(100), "short", "two", "three"].map(Reply::text));
    let agent = agent.compactor(Summarizer::new().keep_exchanges(0)).journal(MemoryJournal::new());
    let agent = agent.build().unwrap();
    let opening = agent.on(Log::default()).session("s").inject(rules()).sync(environment("/a"));
    let mut run = opening.goal("older").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("latest").await.unwrap();
    run.handle().compact().unwrap();
    run.finish().await.unwrap();
    run.follow_up().goal("last").await.unwrap();
    run.finish().await.unwrap();
    let audit = agent.audit("s").await.unwrap();
    let asks: Vec<bool> = audit.requests().iter().map(AuditedRequest::asks_for_a_summary).collect();
    assert_eq!(asks, [false, true, false, false]);
    let breaks = audit.breaks();
    let [broken] = &breaks[..] else { panic!("{breaks:?}") };
    let [_, summary, next, _] = audit.requests() else { unreachable!() };
    assert_eq!((broken.seq, broken.chars_before), (next.seq(), summary.prompt().chars()));
    assert_eq!(broken.shared_chars, "be brief".len());
    // The rules stand where they stood; behind them stood the environment, and now the first words do.
    assert_eq!((&*broken.source.kind, &*broken.source.event), ("polyloop.input", "input.recorded"));
    let told_anew = source_of(next, "/a").source;
    assert_eq!((&*told_anew.kind, &*told_anew.event), ("environment", "compaction.applied"));
    assert_eq!(&*source_of(next, "as a summary").source.kind, "polyloop.summary");
}

/// Orders as it likes from a moment on.
struct Moody(AtomicUsize, usize);

impl Layout for Moody {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        Staged.arrange(items)
    }

    fn follow(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        let mut groups = Staged.follow(items);
        if self.0.fetch_add(1, Ordering::SeqCst) >= self.1 {
            groups.reverse();
        }
        groups
    }
}

fn moody(journal: &MemoryJournal, calm: usize) -> Agent<App> {
    let model = Scripted::replies(["one", "two"].map(Reply::text));
    let layout = Moody(AtomicUsize::new(0), calm);
    Agent::<App>::builder(model).layout(layout).journal(journal.clone()).build().unwrap()
}

#[tokio::test]
async fn a_session_that_a_fault_stopped_is_audited_up_to_the_fault() {
    let journal = MemoryJournal::new();
    // The second time that it orders what follows it does so otherwise.
    let agent = moody(&journal, 1);
    let mut run = agent.on(Log::default()).session("s").goal("a").await.unwrap();
    run.finish().await.unwrap();
    run.follow_up().inject(note("n")).goal("b").await.unwrap();
    let fault = run.finish().await.unwrap_err();
    assert!(matches!(fault, RunError::PromptDiffers { .. }), "{fault}");
    assert!(matches!(agent.resume(Log::default(), "s").await.unwrap_err(), RunError::Faulted { .. }));
    let audit = moody(&journal, 1).audit("s").await.unwrap();
    let [first, second] = audit.requests() else { panic!("{audit:?}") };
    assert!(first.comes_out_again() && second.comes_out_again(), "this one is in the first mood still");
    assert_eq!(source_of(second, "<note>n").source.declared.unwrap().line, Note::SPEC.line);
    let audit = moody(&journal, 0).audit("s").await.unwrap();
    let agree: Vec<bool> = audit.requests().iter().map(AuditedRequest::comes_out_again).collect();
    assert_eq!(agree, [true, false]);
    let sum: usize = audit.requests()[1].sources().iter().map(|traced| traced.chars.len()).sum();
    assert_eq!(sum, audit.requests()[1].prompt().chars(), "it is traced all the same");
}

/// Orders what comes first the other way round.
struct Backwards;

impl Layout for Backwards {
    fn arrange(&self, items: &[Item]) -> Vec<Vec<ItemId>> {
        items.iter().rev().map(|item| vec![item.id()]).collect()
    }
}

#[tokio::test]
async fn an_agent_with_another_layout_is_told_that_its_prompts_are_not_those_that_were_sent() {
    let (_, journal, _) = audited().await;
    let (other, _) = builder([]);
    let audit = other.layout(Backwards).journal(journal).build().unwrap().audit("s").await.unwrap();
    assert!(audit.requests().iter().all(|request| !request.comes_out_again()));
}

#[tokio::test]
async fn what_no_journal_holds_is_not_audited() {
    let (agent, journal, _) = audited().await;
    let refused = agent.audit("elsewhere").await.unwrap_err();
    assert!(matches!(refused, RunError::Journal(JournalError::NoSuchSession { .. })), "{refused}");
    let (without, _) = builder([]);
    let refused = without.build().unwrap().audit("s").await.unwrap_err();
    assert!(matches!(refused, RunError::NoJournal { .. }), "{refused}");
    assert!(!records(&journal, &"s".into()).await.is_empty());
}
