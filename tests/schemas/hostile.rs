//! Schemas of other programs, and argument texts that mean harm.

use polyloop::{Dialect, SchemaError, lower};
use serde_json::{Value, json};

/// An expression whose operands stand before its tag in what is sent.
fn expression() -> Value {
    let node = |tag: &str| {
        json!({
            "type": "object",
            "properties": { "type": { "const": tag }, "inner": { "$ref": "#/$defs/E" }, "note": { "type": "string" } },
            "required": ["type", "inner"],
        })
    };
    let leaf =
        json!({ "type": "object", "properties": { "type": { "const": "leaf" } }, "required": ["type"] });
    json!({
        "type": "object",
        "properties": { "value": { "$ref": "#/$defs/E" } },
        "required": ["value"],
        "$defs": { "E": { "anyOf": [node("not"), node("minus"), node("abs"), leaf] } },
    })
}

#[test]
fn arguments_nested_without_end_are_left_as_they_are() {
    let lowered = lower(&expression(), Dialect::OpenAiStrict).unwrap();
    assert!(!lowered.decoder().is_identity());
    for text in [
        format!("{}{}", "[".repeat(300_000), "]".repeat(300_000)),
        format!(r#"{{"value":{}1{}}}"#, r#"{"inner":"#.repeat(100_000), "}".repeat(100_000)),
    ] {
        assert_eq!(lowered.decoder().decode_text(&text), text);
        assert_eq!(lowered.decoder().encode_text(&text), text);
    }
}

#[test]
fn the_branch_of_a_nested_value_is_found_without_trying_every_way() {
    let lowered = lower(&expression(), Dialect::OpenAiStrict).unwrap();
    let depth = 50;
    let sent = format!(
        r#"{{"value":{}{{"type":"leaf"}}{}}}"#,
        r#"{"inner":"#.repeat(depth),
        r#","type":"abs","note":null}"#.repeat(depth)
    );
    let read: Value = serde_json::from_str(&lowered.decoder().decode_text(&sent)).unwrap();
    let expected = sent.replace(r#","note":null"#, "");
    assert_eq!(read, serde_json::from_str::<Value>(&expected).unwrap());
    let wrong = sent.replace("leaf", "leaves");
    assert!(lowered.decoder().decode(serde_json::from_str(&wrong).unwrap()).is_err());
}

/// The error of every dialect, or what became of the schema.
fn in_each(schema: &Value) -> Vec<Result<Value, SchemaError>> {
    Dialect::ALL.iter().map(|dialect| Ok(lower(schema, *dialect)?.schema().clone())).collect()
}

/// An object with one property.
fn holding(schema: &Value) -> Value {
    json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] })
}

#[test]
fn a_definition_that_is_nothing_but_itself_is_refused() {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    for definitions in [
        json!({ "A": reference("A") }),
        json!({ "A": reference("B"), "B": reference("A") }),
        json!({ "A": { "anyOf": [reference("A"), { "type": "string" }, reference("A")] } }),
        json!({ "A": { "not": reference("A") } }),
    ] {
        let mut schema = holding(&reference("A"));
        schema["$defs"] = definitions;
        for refused in in_each(&schema) {
            assert!(refused.unwrap_err().reason().contains("is nothing but itself"));
        }
    }
    assert!(in_each(&json!({ "$ref": "#" })).iter().all(Result::is_err));
}

#[test]
fn a_schema_that_nothing_fits_or_that_means_nothing_is_refused() {
    for schema in [
        json!(false),
        json!({ "enum": [] }),
        json!({ "anyOf": [] }),
        json!({ "oneOf": [] }),
        json!({ "type": [] }),
        json!({ "type": "text" }),
        json!({ "type": 7 }),
        json!({ "type": "integer", "minimum": 3, "exclusiveMinimum": true }),
        json!({ "type": "array", "items": [{ "type": "string" }] }),
        json!({ "type": "object", "properties": ["a"] }),
        json!({ "type": "object", "required": true }),
        json!({ "type": "string", "maxLength": -1 }),
        json!({ "$dynamicRef": "#node" }),
        json!({ "$ref": "https://example.org/schema" }),
    ] {
        assert!(in_each(&holding(&schema)).iter().all(Result::is_err), "{schema}");
    }
}

#[test]
fn definitions_that_are_put_in_place_for_one_reader_do_not_multiply() {
    let mut definitions = json!({ "L40": { "type": "string" } });
    for level in 0..40 {
        let next = format!("#/$defs/L{}", level + 1);
        let this = format!("L{level}");
        definitions[&this] = json!({
            "type": "object",
            "properties": {
                "left": { "$ref": next }, "right": { "$ref": next }, "up": { "$ref": format!("#/$defs/{this}") },
            },
            "required": ["left", "right"],
        });
    }
    let mut schema = holding(&json!({ "$ref": "#/$defs/L0" }));
    schema["$defs"] = definitions;
    for lowered in in_each(&schema).into_iter().flatten() {
        assert!(lowered.to_string().len() < 20_000);
    }
}

#[test]
fn what_two_schemas_say_of_one_value_is_said_once_or_refused() {
    let definitions = json!({
        "Named": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
        "Short": { "type": "string", "maxLength": 4 },
        "Tree": { "type": "object", "properties": { "below": { "$ref": "#/$defs/Tree" } } },
    });
    let both = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } },
    });
    let own = json!({ "age": { "type": "integer" } });
    for (schema, names) in [
        (json!({ "properties": own, "allOf": [{ "$ref": "#/$defs/Named" }] }), ["name"]),
        (json!({ "$ref": "#/$defs/Named", "properties": own, "required": ["age"] }), ["age"]),
        (json!({ "type": "object", "properties": own, "allOf": [{ "$ref": "#/$defs/Named" }] }), ["name"]),
    ] {
        let mut root = holding(&schema);
        root["$defs"] = definitions.clone();
        let lowered = lower(&root, Dialect::Canonical).unwrap().schema()["properties"]["a"].clone();
        for (name, property) in both["properties"].as_object().unwrap() {
            assert_eq!(&lowered["properties"][name], property, "{schema}");
        }
        assert!(lowered["required"].as_array().unwrap().contains(&names[0].into()));
    }
    for schema in [
        json!({ "$ref": "#/$defs/Short", "maxLength": 9 }),
        json!({ "allOf": [{ "$ref": "#/$defs/Short" }], "maxLength": 9 }),
        json!({ "allOf": [{ "$ref": "#/$defs/Named" }], "properties": { "name": { "type": "integer" } } }),
        json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }], "anyOf": [{ "type": "null" }] }),
        json!({ "$ref": "#/$defs/Tree", "minProperties": 1 }),
        json!({
            "properties": { "name": { "type": "string" } },
            "anyOf": [{ "properties": { "name": { "type": "integer" } } }, { "type": "object" }],
        }),
    ] {
        let mut root = holding(&schema);
        root["$defs"] = definitions.clone();
        assert!(in_each(&root).iter().all(Result::is_err), "{schema}");
    }
}

#[test]
fn what_is_required_beside_alternatives_is_required_in_each() {
    let schema = json!({
        "type": "object",
        "required": ["x"],
        "anyOf": [
            { "properties": { "x": { "type": "string" } } },
            { "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } } },
        ],
    });
    let lowered = lower(&holding(&schema), Dialect::OpenAi).unwrap();
    for branch in lowered.schema()["properties"]["a"]["anyOf"].as_array().unwrap() {
        assert_eq!(branch["required"], json!(["x"]));
    }
}

#[test]
fn what_is_required_can_be_sent() {
    let schema =
        json!({ "type": "object", "required": ["x"], "additionalProperties": { "type": "integer" } });
    let lowered = lower(&schema, Dialect::OpenAi).unwrap();
    assert_eq!(lowered.schema()["properties"], json!({ "x": { "type": "integer" } }));
    let any = json!({ "type": "object", "required": ["x"] });
    assert_eq!(lower(&any, Dialect::OpenAiStrict).unwrap_err().path(), "x");
    assert!(
        lower(
            &json!({ "type": "object", "required": ["x"], "additionalProperties": false }),
            Dialect::OpenAi
        )
        .is_err()
    );
}

#[test]
fn json_inside_a_text_is_read_as_it_is_written() {
    let lowered = lower(&holding(&json!({})), Dialect::GeminiOpenApi).unwrap();
    for inside in ["123456789012345678901234567890", "1.10", "[1e400]", r#"{"x":1,"x":2}"#] {
        let sent = json!({ "a": inside }).to_string();
        assert_eq!(lowered.decoder().decode_text(&sent), format!(r#"{{"a":{inside}}}"#));
    }
    let deep = json!({ "a": "[".repeat(100_000) + &"]".repeat(100_000) }).to_string();
    assert_eq!(lowered.decoder().decode_text(&deep), deep);
}

#[test]
fn a_schema_nested_a_thousand_levels_is_refused() {
    for keyword in ["items", "not", "additionalProperties"] {
        let schema = (0..1_000).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "type": if keyword == "items" { "array" } else { "object" }, keyword: inner }),
        );
        assert!(in_each(&holding(&schema)).iter().all(Result::is_err), "{keyword}");
    }
}

#[test]
fn a_key_that_comes_twice_is_left_to_the_check_of_the_tool() {
    let schema =
        json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } } });
    let lowered = lower(&schema, Dialect::OpenAiStrict).unwrap();
    for text in [r#"{"a":null,"b":null,"a":1}"#, r#"{"a":1,"a":null,"b":null}"#, r#"{"a":null,"a":null}"#] {
        assert_eq!(lowered.decoder().decode_text(text), text);
    }
}
