//! What pinned servers answer, or send unasked: nothing waits or grows without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use polyloop::prelude::*;
use polyloop::{Registry, Status};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::hostile_server::{App, Files, Wire, called_once, executor, honest, text};
use super::support::LONG;

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_answered_within_the_limit_is_unknown() {
    for (limit, said) in
        [(None, "no answer within 60s"), (Some(Duration::from_millis(1_500)), "no answer within 1.5s")]
    {
        let (here, mut wire) = Wire::new();
        let server = tokio::spawn(async move {
            wire.call(&mut honest).await.unwrap();
            // It is told that no one waits any more.
            wire.line().await.unwrap()
        });
        let mut client = Files::connect(here).await.unwrap();
        if let Some(limit) = limit {
            client = client.call_timeout(limit);
        }
        let executor = App::tools().unwrap().executor(client).unwrap();
        let expected = format!("{said}; nobody knows whether it took effect");
        assert_eq!(called_once(&executor).await, (Status::Unknown, expected));
        assert!(server.await.unwrap().contains("notifications/cancelled"));
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_ends_the_call_and_nothing_else() {
    let (here, mut wire) = Wire::new();
    tokio::spawn(async move {
        let mut list = honest;
        for answer in [
            format!(r#""result":{{"content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(17 << 20)),
            format!(r#""result":{{"structuredContent":{}1{}}}"#, "[".repeat(1_000), "]".repeat(1_000)),
            r#""result":{"content":[{"type":"text","text":"\ud800"}]}"#.to_owned(),
        ] {
            let (id, _) = wire.call(&mut list).await.unwrap();
            wire.send("A line of a log.").await;
            wire.send(&format!(r#"{{{answer},"jsonrpc":"2.0","id":{id}}}"#)).await;
        }
        while let Some((id, _)) = wire.call(&mut list).await {
            wire.answer(&id, &text("read")).await;
        }
    });
    let executor = executor(here).await;
    for why in ["it has more than 16777216 bytes", "recursion limit exceeded", "unexpected end of hex escape"]
    {
        let (status, said) = timeout(LONG, called_once(&executor)).await.unwrap();
        assert_eq!(status, Status::Executed);
        assert!(said.starts_with("error: the server answered, and the answer cannot be read: "), "{said}");
        assert!(said.contains(why) && said.ends_with("may have taken effect"), "{said}");
    }
    assert_eq!(called_once(&executor).await, (Status::Executed, "read".to_owned()));
}

fn sampling(id: usize) -> String {
    let params = json!({"messages": [], "maxTokens": 1, "metadata": {"text": "x".repeat(1_000)}});
    json!({"jsonrpc": "2.0", "id": id, "method": "sampling/createMessage", "params": params}).to_string()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_sends_requests_and_reads_no_answers_loses_the_connection() {
    let (here, mut wire) = Wire::new();
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    tokio::spawn(async move {
        wire.call(&mut honest).await.unwrap();
        for id in 0..400_000 {
            if !wire.send(&sampling(id)).await {
                return;
            }
            sent.fetch_add(1, Ordering::SeqCst);
        }
    });
    let executor = executor(here).await;
    let (status, said) = timeout(Duration::from_secs(30), called_once(&executor)).await.unwrap();
    assert_eq!(status, Status::Unknown);
    assert!(said.contains("the server has 16 requests open and reads no answers"), "{said}");
    // Those that are open, and what is in the buffers of the stream.
    assert!(count.load(Ordering::SeqCst) < 200, "{count:?} were taken");
    let (status, said) = called_once(&executor).await;
    assert_eq!(status, Status::EnvironmentError);
    assert!(said.contains("reads no answers"), "{said}");
}

#[tokio::test]
async fn requests_and_notifications_in_any_number_are_answered_or_dropped() {
    let (here, mut wire) = Wire::new();
    tokio::spawn(async move {
        let (id, _) = wire.call(&mut honest).await.unwrap();
        let Wire { mut reader, mut writer, .. } = wire;
        let sending = async {
            for at in 0..5_000 {
                for line in [
                    sampling(at),
                    format!(r#"{{"jsonrpc":"2.0","id":"p{at}","method":"ping"}}"#),
                    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#.to_owned(),
                    r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}"#.to_owned(),
                ] {
                    writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
                }
            }
        };
        let reading = async {
            let mut answers = [0, 0];
            while answers != [5_000, 5_000] {
                let mut line = String::new();
                reader.read_line(&mut line).await.unwrap();
                let answer: Value = serde_json::from_str(&line).unwrap();
                match answer["error"]["code"].as_i64() {
                    Some(-32_601) => answers[0] += 1,
                    None if answer["result"] == json!({}) => answers[1] += 1,
                    _ => panic!("{line}"),
                }
            }
        };
        tokio::join!(sending, reading);
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": text("still there")});
        writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        reader.read_to_end(&mut Vec::new()).await.unwrap();
    });
    let executor = executor(here).await;
    assert_eq!(timeout(LONG, called_once(&executor)).await.unwrap().1, "still there");
}

#[tokio::test]
async fn progress_is_passed_on_within_limits() {
    let (here, mut wire) = Wire::new();
    tokio::spawn(async move {
        let (id, line) = wire.call(&mut honest).await.unwrap();
        let request: Value = serde_json::from_str(&line).unwrap();
        let token = &request["params"]["_meta"]["progressToken"];
        for at in 0..3_000 {
            let params = json!({"progressToken": token, "progress": at, "message": "é".repeat(3_000)});
            let report = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            wire.send(&report.to_string()).await;
        }
        wire.answer(&id, &text("done")).await;
        wire.line().await;
    });
    let client = Files::connect(here).await.unwrap();
    let model = Scripted::replies([Reply::tool("purge", ""), Reply::text("done")]);
    let agent = Agent::<App>::builder(model).build().unwrap();
    let mut run = agent.on(client).goal("Purge.").await.unwrap();
    let mut reports = Vec::new();
    while let Some(update) = run.next().await {
        if let Update::Progress { text, .. } = update.unwrap() {
            reports.push(text.chars().count());
        }
    }
    assert_eq!(reports, [2_000; 1_000]);
}
