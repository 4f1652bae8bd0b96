//! A key is shown to the server, and to nobody else.

use polyloop::{Model, OpenAi};

use crate::server::{Answer, Server};
use crate::support::{client, prompt, told};

const KEY: &str = "sk-proj-0123456789";
const HEADER: &str = "other-secret-42";

#[test]
fn no_debug_holds_a_key() {
    let builder = OpenAi::builder("http://localhost/v1?api-key=sk-proj-0123456789", "m")
        .key(KEY)
        .header("api-key", HEADER);
    let shown = [format!("{builder:?}"), format!("{:?}", builder.build().unwrap())];
    for shown in shown {
        assert!(!shown.contains(KEY) && !shown.contains(HEADER), "{shown}");
    }
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_bring_it_into_an_error() {
    for answer in [
        Answer::Echo(401),
        Answer::Echo(500),
        Answer::Whole { status: 200, headers: Vec::new(), body: format!(r#"{{"error":"{KEY}"}}"#).into() },
        Answer::Stream(vec![format!("data: {{\"error\":{{\"message\":\"{KEY}\"}}}}\n\n").into()]),
    ] {
        let server = Server::answering([answer]).await;
        let client = client(&server).key(KEY).header("x-secret", HEADER).build().unwrap();
        let error = told(&client).await.0.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(KEY) && !shown.contains(HEADER), "{shown}");
        assert!(error.message().contains("[hidden]"), "{error}");
        let received = &server.received()[0];
        assert!(received.head.contains(KEY) && received.head.contains(HEADER), "the server did get them");
        assert!(!String::from_utf8_lossy(&received.body).contains(KEY));
    }
}

#[tokio::test]
async fn a_server_that_repeats_a_part_of_what_it_got_brings_no_key_into_an_error() {
    let body = format!(r#"{{"error":{{"message":"wrong key {KEY} at ?key={HEADER}"}}}}"#);
    let answer = || Answer::Whole { status: 401, headers: Vec::new(), body: body.clone().into() };
    for (key, header) in [("", format!("Bearer {KEY}")), (" sk-proj-0123456789 ", String::new())] {
        let server = Server::answering([answer()]).await;
        let builder = OpenAi::builder(format!("{}?key={HEADER}", server.url()), "m").key(key);
        let client = builder.header("x-authorization", header).build().unwrap();
        let error = told(&client).await.0.unwrap_err();
        assert_eq!(error.message(), "status 401: wrong key [hidden] at ?key=[hidden]");
    }
}

#[tokio::test]
async fn an_error_of_the_connection_does_not_hold_the_url() {
    let server = Server::answering([]).await;
    let url = format!("{}?key={KEY}", server.url());
    let error = OpenAi::new(url, "m").unwrap().ask(&prompt()).await.unwrap_err();
    assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    assert!(server.received()[0].line.contains(KEY));
}

#[test]
fn an_error_of_the_setup_does_not_hold_the_key() {
    let broken = format!("{KEY}\n");
    for error in [
        OpenAi::builder("http://localhost", "m").key(&broken).build().unwrap_err(),
        OpenAi::builder("http://localhost", "m").header("a", &broken).build().unwrap_err(),
        OpenAi::builder(format!("http://{KEY}@localhost"), "m").build().unwrap_err(),
        OpenAi::builder(format!("::{KEY}"), "m").build().unwrap_err(),
    ] {
        assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    }
}
