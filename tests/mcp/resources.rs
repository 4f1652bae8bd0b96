//! Fragments as resources.

use polyloop::mcp::McpError;
use rmcp::model::{ErrorCode, ReadResourceRequestParams, ResourceContents};
use rmcp::service::ServiceError;

use super::support::{Connection, Hint, Note};

fn note(title: &str, text: &str) -> Note {
    Note { title: title.to_owned(), text: text.to_owned() }
}

async fn read(connection: &Connection, uri: &str) -> Result<(String, String), ServiceError> {
    let result = connection.client.read_resource(ReadResourceRequestParams::new(uri)).await?;
    match result.contents.as_slice() {
        [ResourceContents::TextResourceContents { uri, text, .. }] => Ok((uri.clone(), text.clone())),
        other => panic!("{other:?}"),
    }
}

async fn uris(connection: &Connection) -> Vec<String> {
    connection.client.list_all_resources().await.unwrap().into_iter().map(|resource| resource.uri).collect()
}

#[tokio::test]
async fn a_visible_fragment_is_a_resource_with_the_text_of_a_model() {
    let connection =
        Connection::with(|server| server.resource(&note("to do", "buy </note> milk")).unwrap()).await;
    assert!(connection.client.peer_info().unwrap().capabilities.resources.is_some());
    let listed = connection.client.list_all_resources().await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].uri, "polyloop://fragment/note/to%20do");
    assert_eq!((listed[0].name.as_str(), listed[0].mime_type.as_deref()), ("note/to do", Some("text/plain")));
    let (uri, text) = read(&connection, &listed[0].uri).await.unwrap();
    assert_eq!(uri, listed[0].uri);
    assert!(text.starts_with("<note>buy ") && text.ends_with(" milk</note>"), "{text}");
    assert_eq!(text.matches("</note>").count(), 1, "a marker inside is neutralised");
    assert_eq!(listed[0].size, Some(text.len() as u64));
}

#[tokio::test]
async fn the_host_shows_and_hides_while_the_server_runs() {
    let mut handle = None;
    let connection = Connection::with(|mut server| {
        handle = Some(server.resources());
        server
    })
    .await;
    let resources = handle.unwrap();
    assert_eq!(uris(&connection).await, [""; 0]);
    let uri = resources.show(&note("a", "one")).unwrap();
    resources.show_at("notes://b", &note("b", "two")).unwrap();
    assert_eq!(uris(&connection).await, ["notes://b".to_owned(), uri.clone()]);
    resources.show(&note("a", "another")).unwrap();
    assert_eq!(read(&connection, &uri).await.unwrap().1, "<note>another</note>");
    assert!(resources.hide(&uri) && !resources.hide(&uri));
    assert_eq!(uris(&connection).await, ["notes://b"]);
}

#[tokio::test]
async fn what_is_not_there_is_an_error_of_the_protocol() {
    let connection = Connection::with(|server| server.resource(&note("a", "one")).unwrap()).await;
    let error = read(&connection, "polyloop://fragment/note/b").await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert_eq!(error.code, ErrorCode::RESOURCE_NOT_FOUND);
    assert_eq!(error.message, "there is no resource `polyloop://fragment/note/b`");
}

#[tokio::test]
async fn what_is_not_for_people_or_too_large_is_no_resource() {
    Connection::with(|mut server| {
        let refused = server.resources().show(&Hint { text: "x".to_owned() }).unwrap_err();
        assert_eq!(refused, McpError::NotVisible { kind: "hint", type_name: "Hint" });
        let refused = server.resources().show(&note("a", &"x".repeat(100))).unwrap_err();
        assert!(matches!(refused, McpError::Record(_)), "{refused}");
        server
    })
    .await;
}
