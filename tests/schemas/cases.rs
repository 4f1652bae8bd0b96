//! One test for each case that a reader is known to trip over.

use polyloop::{Dialect, LoweredTools, Registry, SchemaReader, ToolRefusal, lower, registry, tool};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::readers::complaints;

/// What a model writes for a tool in a dialect, from the canonical arguments; and what comes back.
fn there_and_back(tool: &str, dialect: Dialect, arguments: &Value) -> (Value, Value) {
    let lowered = lower(&canonical(tool), dialect).unwrap();
    let there = lowered.decoder().encode(arguments.clone());
    let back = lowered.decoder().decode(there.clone()).unwrap();
    (there, back)
}

/// The canonical schema of a tool.
fn canonical(tool: &str) -> Value {
    let tools = Arguments::tools().unwrap();
    serde_json::from_str(&tools.schema(tool, Dialect::Canonical).unwrap()).unwrap()
}

/// The lowered schema of a tool's argument.
fn value(tool: &str, dialect: Dialect) -> Value {
    lower(&canonical(tool), dialect).unwrap().schema()["properties"]["value"].clone()
}

/// Every node of a schema.
fn nodes(schema: &Value) -> Vec<&Value> {
    let mut all = Vec::new();
    match schema {
        Value::Object(node) => {
            all.push(schema);
            all.extend(node.values().flat_map(nodes));
        }
        Value::Array(list) => all.extend(list.iter().flat_map(nodes)),
        _ => {}
    }
    all
}

#[test]
fn case_1_a_documented_enum_field_is_no_reference_with_siblings() {
    let foreign = json!({
        "type": "object",
        "properties": { "level": { "$ref": "#/$defs/Level", "description": "How loud." } },
        "required": ["level"],
        "$defs": { "Level": { "oneOf": [
            { "type": "string", "enum": ["low"] }, { "const": "high", "type": "string", "description": "Alarm." },
        ] } },
    });
    for dialect in [Dialect::OpenAiStrict, Dialect::OpenAi] {
        let lowered = lower(&foreign, dialect).unwrap();
        assert_eq!(
            lowered.schema()["properties"]["level"],
            json!({ "type": "string", "description": "How loud.\n`high`: Alarm.", "enum": ["low", "high"] })
        );
        assert!(lowered.schema().get("$defs").is_none());
    }
}

#[test]
fn case_2_entries_of_a_map_can_be_sent_under_strict() {
    let map = value("map", Dialect::OpenAiStrict);
    assert_eq!(
        map["items"]["properties"]["value"],
        json!({ "type": "array", "items": { "type": "string" } })
    );
    let arguments = json!({ "value": { "a": ["b"], "$c": [] } });
    for dialect in [Dialect::OpenAiStrict, Dialect::AnthropicStrict, Dialect::GeminiOpenApi] {
        let (there, back) = there_and_back("map", dialect, &arguments);
        assert_eq!(there, json!({ "value": [{ "key": "a", "value": ["b"] }, { "key": "$c", "value": [] }] }));
        assert_eq!(back, arguments);
    }
    let lowered = lower(&canonical("map"), Dialect::OpenAiStrict).unwrap();
    let twice = r#"{"value":[{"key":"a","value":[]},{"key":"a","value":[]}]}"#;
    assert_eq!(lowered.decoder().decode_text(twice), twice, "of two entries none is dropped silently");
    assert!(lowered.decoder().decode(serde_json::from_str(twice).unwrap()).is_err());
}

#[test]
fn case_3_an_object_always_has_properties() {
    for (tool, dialect, schema) in all() {
        for node in
            nodes(&schema).into_iter().filter(|node| node.get("type").is_some_and(|kind| kind == "object"))
        {
            assert!(node.get("properties").is_some_and(Value::is_object), "{tool}, {dialect}: {node}");
        }
    }
}

#[test]
fn case_4_a_union_at_the_root_is_wrapped() {
    let union = json!({ "oneOf": [
        { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
        { "type": "object", "properties": { "b": { "type": "integer" } }, "required": ["b"] },
    ] });
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Canonical) {
        let lowered = lower(&union, dialect).unwrap();
        assert_eq!(complaints(lowered.schema(), dialect), [""; 0], "{dialect}");
        let there = lowered.decoder().encode(json!({ "b": 1 }));
        assert_eq!(there, json!({ "value": { "b": 1 } }));
        assert_eq!(lowered.decoder().decode(there), Ok(json!({ "b": 1 })));
    }
}

#[test]
fn case_5_odd_keys_are_mapped_and_the_handler_sees_the_original() {
    let tools = Arguments::tools().unwrap();
    let long = "a_key_of_more_than_sixty_four_characters_which_not_every_reader_takes_as_it_is";
    let arguments = json!({ "value": { "$top": 1, "filter[id]": "a", "with space": "x", long: true } });
    for dialect in [Dialect::Gemini, Dialect::GeminiOpenApi] {
        let (there, back) = there_and_back("structure_with_odd_keys", dialect, &arguments);
        assert_eq!(
            there,
            json!({ "value": { "_top": 1, "filter_id_": "a", "with_space": "x", &long[..64]: true } })
        );
        assert_eq!(back, arguments);
        assert!(tools.validate("structure_with_odd_keys", &back.to_string()).is_ok());
    }
    let top =
        json!({ "type": "object", "properties": { "$top": { "type": "integer" } }, "required": ["$top"] });
    let lowered = lower(&top, Dialect::Anthropic).unwrap();
    assert_eq!(lowered.decoder().decode_text(r#"{"_top":1}"#), r#"{"$top":1}"#);
    let both = json!({ "type": "object", "properties": { "$top": {}, "_top": {} } });
    let refusal = lower(&both, Dialect::Anthropic).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "`_top`: its key becomes `_top` for Anthropic, as `$top` does; rename the field"
    );
}

#[test]
fn case_6_any_value_is_an_object_to_every_client() {
    for tool in ["any", "optional_any"] {
        let schema = lower(&canonical(tool), Dialect::Mcp).unwrap().schema().clone();
        assert_eq!(schema["type"], "object");
        assert!(schema["properties"].as_object().unwrap().values().all(Value::is_object), "{schema}");
    }
    assert_eq!(complaints(lower(&canonical("any"), Dialect::Mcp).unwrap().schema(), Dialect::Mcp), [""; 0]);
}

#[test]
fn case_7_null_reaches_the_handler_as_none_and_a_default_as_its_default() {
    let tools = Arguments::tools().unwrap();
    for tool in ["optional_text", "defaulted", "structure_with_defaults"] {
        let schema = value(tool, Dialect::OpenAiStrict);
        let lowered = lower(&canonical(tool), Dialect::OpenAiStrict).unwrap();
        assert_eq!(lowered.schema()["required"], json!(["value"]));
        let (sent, taken) = if tool == "structure_with_defaults" {
            (r#"{"value":{"depth":null,"recursive":null}}"#, r#"{"value":{}}"#)
        } else {
            assert_eq!(schema["anyOf"][1], json!({ "type": "null" }));
            (r#"{"value":null}"#, "{}")
        };
        assert_eq!(lowered.decoder().decode_text(sent), taken);
        assert!(tools.validate(tool, taken).is_ok());
    }
}

/// Declares tools with seven optional parameters.
macro_rules! with_seven_options {
    ($($name:ident)+) => { $(
        /// Takes much.
        #[tool]
        async fn $name(
            /** One. */ a: Option<u8>,
            /** One. */ b: Option<u8>,
            /** One. */ c: Option<u8>,
            /** One. */ d: Option<u8>,
            /** One. */ e: Option<u8>,
            /** One. */ f: Option<u8>,
            /** One. */ g: Option<u8>,
        ) -> String {
            format!("{a:?}{b:?}{c:?}{d:?}{e:?}{f:?}{g:?}")
        }
    )+ };
}

with_seven_options!(first second third fourth);

/// Takes nothing.
#[tool]
async fn last() -> String {
    String::new()
}

registry! { struct Many { tools: [first, second, third, fourth, last] } }

#[test]
fn case_8_what_is_over_the_budget_of_a_request_is_plain_with_the_reason() {
    let lowered = Many::tools().unwrap().lowered(SchemaReader::Anthropic).unwrap();
    let is_strict: Vec<bool> = lowered.iter().map(polyloop::LoweredTool::is_strict).collect();
    assert_eq!(is_strict, [true, true, true, false, true]);
    let fourth = lowered.get("fourth").unwrap();
    assert_eq!(fourth.dialect(), Dialect::Anthropic);
    assert_eq!(
        lowered.report().to_string(),
        "`first`: strict Anthropic\n`second`: strict Anthropic\n`third`: strict Anthropic\n\
         `fourth`: Anthropic; not strict, because the strict tools of the request would have 28 optional parameters, \
         and 24 are taken\n`last`: strict Anthropic"
    );
}

#[test]
fn case_10_a_numeric_enum_is_texts_for_gemini() {
    for dialect in [Dialect::Gemini, Dialect::GeminiOpenApi] {
        assert_eq!(value("numbers_by_name", dialect)["enum"], json!(["80", "443"]));
        assert_eq!(value("numbers_by_name", dialect)["type"], "string");
        let arguments = json!({ "value": 443 });
        let (there, back) = there_and_back("numbers_by_name", dialect, &arguments);
        assert_eq!((there, back), (json!({ "value": "443" }), arguments));
    }
}

#[test]
fn case_11_a_list_says_what_its_items_are() {
    let foreign = json!({ "type": "object", "properties": { "list": { "type": "array" } } });
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Canonical) {
        match lower(&foreign, dialect) {
            Ok(lowered) => assert!(lowered.schema()["properties"]["list"]["items"].is_object(), "{dialect}"),
            Err(refusal) => {
                assert!(dialect.is_strict(), "{refusal}");
                assert_eq!(refusal.path(), "list[]");
            }
        }
    }
    for (tool, dialect, schema) in all() {
        let wrong = complaints(&schema, dialect);
        assert!(wrong.is_empty(), "{tool}, {dialect}: {wrong:?}");
    }
}

#[test]
fn case_12_what_must_hold_itself_is_refused_by_path() {
    let refused = |reader| -> Vec<ToolRefusal> {
        let refused = Arguments::tools().unwrap().lowered(reader).err();
        refused.map(|refused| refused.tools().to_vec()).unwrap_or_default()
    };
    let gemini: Vec<String> = refused(SchemaReader::Gemini).iter().map(ToString::to_string).collect();
    assert_eq!(
        gemini,
        ["tool `expression` cannot be shown to Gemini: argument `value.Negative.Negative`, of type \
          `schemas::arguments::Expression`: `Expression` must hold itself, which Gemini does not take; take a flat \
          list whose entries name each other"]
    );
    let in_subset: Vec<String> =
        refused(SchemaReader::GeminiOpenApi).iter().map(|refusal| refusal.tool().to_owned()).collect();
    assert_eq!(in_subset, ["tree", "chain", "expression", "folder"]);
    for reader in [SchemaReader::OpenAi, SchemaReader::Anthropic, SchemaReader::LlamaCpp, SchemaReader::Mcp] {
        assert_eq!(refused(reader), []);
    }
}

/// Every schema of every argument type in every dialect that takes it.
fn all() -> Vec<(String, Dialect, Value)> {
    let tools = Arguments::tools().unwrap();
    let mut all = Vec::new();
    for (tool, _) in tools.tools() {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Canonical) {
            if let Ok(lowered) = lower(&canonical(tool), dialect) {
                all.push((tool.to_owned(), dialect, lowered.schema().clone()));
            }
        }
    }
    assert!(all.len() > 40 * 7);
    all
}

#[test]
fn a_set_is_lowered_from_its_definitions_alone_and_the_bytes_are_stable() {
    let tools = Arguments::tools().unwrap();
    let texts = |lowered: &LoweredTools| -> Vec<String> {
        lowered.iter().map(|tool| tool.schema().get().to_owned()).collect()
    };
    let once = tools.lowered(SchemaReader::OpenAi).unwrap();
    assert_eq!(texts(&once), texts(&tools.lowered(SchemaReader::OpenAi).unwrap()));
    let fallen: Vec<&str> =
        once.iter().filter(|tool| !tool.is_strict()).map(|tool| tool.definition().name()).collect();
    assert_eq!(fallen, ["any", "optional_any", "any_object"]);
    assert_eq!(
        once.get("any").unwrap().reason(),
        Some("`value`: any JSON value fits here, which strict OpenAI does not take; name its type")
    );
}

#[test]
fn numbers_stay_as_they_are_written() {
    let lowered = lower(&canonical("large"), Dialect::OpenAi).unwrap();
    assert!(lowered.decoder().is_identity());
    let schema = json!({
        "type": "object", "properties": { "$n": { "type": "integer" } }, "required": ["$n"],
    });
    let decoder = lower(&schema, Dialect::Gemini).unwrap().decoder().clone();
    let digits = "340282366920938463463374607431768211455";
    assert_eq!(decoder.decode_text(&format!("{{\"_n\": {digits}}}")), format!("{{\"$n\":{digits}}}"));
    assert_eq!(decoder.decode_text("{\"_n\":1.0}"), "{\"$n\":1.0}");
    assert_eq!(decoder.decode_text("no JSON"), "no JSON");
}

#[test]
fn a_form_that_was_not_asked_for_is_left_to_the_check_of_the_tool() {
    let tools = Arguments::tools().unwrap();
    let lowered = lower(&canonical("map"), Dialect::OpenAiStrict).unwrap();
    // Some models write a map as a map, whatever the schema says.
    let map = r#"{"value":{"a":["b"]}}"#;
    assert_eq!(lowered.decoder().decode_text(map), map);
    assert!(tools.validate("map", &lowered.decoder().decode_text(map)).is_ok());
    let error = lowered.decoder().decode(json!({ "value": 5 })).unwrap_err();
    assert_eq!(error.to_string(), "`value` has another type than it was asked for");
    assert!(tools.validate("map", &lowered.decoder().decode_text(r#"{"value":5}"#)).is_err());
}

#[test]
fn a_schema_that_grows_without_end_is_refused() {
    let definitions: serde_json::Map<String, Value> = (0..40)
        .map(|at: usize| {
            let next = json!({ "$ref": format!("#/$defs/D{}", at + 1) });
            (format!("D{at}"), json!({ "type": "object", "properties": { "a": next, "b": next } }))
        })
        .chain([("D40".to_owned(), json!({ "type": "string" }))])
        .collect();
    let schema = json!({
        "type": "object", "properties": { "a": { "$ref": "#/$defs/D0" } }, "$defs": definitions,
    });
    let refusal = lower(&schema, Dialect::Mcp).unwrap_err();
    assert_eq!(refusal.reason(), "it is too large when its definitions are put in place; simplify it");
}

#[test]
fn a_map_at_the_root_stays_an_object() {
    let map = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Canonical) {
        let lowered = lower(&map, dialect).unwrap();
        assert_eq!(complaints(lowered.schema(), dialect), [""; 0], "{dialect}");
        let there = lowered.decoder().encode(json!({ "a": 1 }));
        assert_eq!(lowered.decoder().decode(there), Ok(json!({ "a": 1 })));
    }
    let lowered = lower(&map, Dialect::OpenAiStrict).unwrap();
    assert_eq!(
        lowered.decoder().encode(json!({ "a": 1 })),
        json!({ "entries": [{ "key": "a", "value": 1 }] })
    );
}

#[test]
fn an_entry_of_a_flattened_map_takes_no_field_away() {
    let lowered = lower(&canonical("structure_with_a_flattened_map"), Dialect::OpenAiStrict).unwrap();
    let sent = json!({ "value": { "method": "GET", "entries": [{ "key": "method", "value": "PUT" }] } });
    let error = lowered.decoder().decode(sent.clone()).unwrap_err();
    assert_eq!(error.to_string(), "`value.entries` has a pair whose key is that of a field");
    assert!(lowered.decoder().decode_text(&sent.to_string()).contains(r#""method":"GET""#));
}
