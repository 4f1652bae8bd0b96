//! What holds for every schema and every value of it, over random types.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use jsonschema::Validator;
use polyloop::{Dialect, Lowered, lower};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::readers::complaints;
use crate::types::{Tape, Type};

/// How many types are tried with each dialect.
const CASES: u32 = 10_000;

fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(schema)
        .expect("the schema is valid")
}

/// `nullable` is no word of JSON Schema.
fn without_nullable(schema: &Value) -> Value {
    match schema {
        Value::Object(node) => {
            let mut node: serde_json::Map<String, Value> =
                node.iter().map(|(keyword, value)| (keyword.clone(), without_nullable(value))).collect();
            match node.remove("nullable") {
                Some(Value::Bool(true)) => json!({ "anyOf": [node, { "type": "null" }] }),
                Some(other) => {
                    node.insert("nullable".to_owned(), other);
                    Value::Object(node)
                }
                None => Value::Object(node),
            }
        }
        Value::Array(list) => list.iter().map(without_nullable).collect(),
        other => other.clone(),
    }
}

/// Everything that must hold of one type in one dialect; whether the dialect takes it.
fn holds(root: &Value, values: &[Value], dialect: Dialect) -> Result<bool, TestCaseError> {
    let lowered: Lowered = match lower(root, dialect) {
        Ok(lowered) => lowered,
        Err(error) => {
            prop_assert!(!error.reason().is_empty());
            return Ok(false);
        }
    };
    let schema = lowered.schema();
    let again = lower(schema, dialect)
        .map_err(|error| TestCaseError::fail(format!("{dialect} refuses its own: {error}\n{schema}")))?;
    prop_assert_eq!(schema.to_string(), again.schema().to_string(), "lowering again changes it: {}", dialect);
    let wrong = complaints(schema, dialect);
    prop_assert!(wrong.is_empty(), "{dialect}: {wrong:?}\n{schema}");
    let validator =
        validator(&if dialect == Dialect::GeminiOpenApi { without_nullable(schema) } else { schema.clone() });
    let decoder = lowered.decoder();
    for value in values {
        let there = decoder.encode(value.clone());
        prop_assert!(
            validator.is_valid(&there),
            "{dialect}: {there} is not valid for {schema}, it was {value}"
        );
        let back = decoder.decode(there.clone());
        prop_assert_eq!(back.as_ref(), Ok(value), "{}: by way of {}, {}", dialect, there, schema);
        let text = value.to_string();
        let there = decoder.encode_text(&text).into_owned();
        let back: Value = serde_json::from_str(&decoder.decode_text(&there)).unwrap();
        prop_assert_eq!(&back, value, "{}: as text, by way of {}", dialect, there);
    }
    Ok(true)
}

/// Tries each type with one of the dialects, by turns; with all of them if asked for by an environment variable.
fn run(dialects: &[Dialect]) {
    let tries_all = std::env::var_os("POLYLOOP_EVERY_DIALECT").is_some();
    let taken = RefCell::new(BTreeMap::<Dialect, (u32, u32)>::new());
    let turns = Cell::new(0);
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&vec(any::<u8>(), 0..120), |bytes| {
        let mut tape = Tape::new(&bytes);
        let arguments = Type::arguments(&mut tape);
        let root = arguments.root();
        let values = [arguments.value(&mut tape), arguments.value(&mut tape)];
        let canonical =
            lower(&root, Dialect::Canonical).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let canonical = canonical.schema();
        turns.set(turns.get() + 1);
        for (at, dialect) in dialects.iter().enumerate() {
            if tries_all || at == turns.get() % dialects.len() {
                let is_taken = holds(canonical, &values, *dialect)?;
                let mut taken = taken.borrow_mut();
                let (count, tried) = taken.entry(*dialect).or_default();
                *count += u32::from(is_taken);
                *tried += 1;
            }
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    for (dialect, (count, tried)) in taken.into_inner() {
        println!("{dialect} takes {count} of {tried}");
        // Otherwise nothing would be shown of it.
        assert!(count > tried / 3, "{dialect} takes {count} of {tried} types only");
    }
}

#[test]
fn every_value_is_one_of_the_canonical_schema() {
    let config = Config { cases: 1_000, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&vec(any::<u8>(), 0..120), |bytes| {
        let mut tape = Tape::new(&bytes);
        let arguments = Type::arguments(&mut tape);
        let canonical = lower(&arguments.root(), Dialect::Canonical)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let value = arguments.value(&mut tape);
        let schema = canonical.schema();
        prop_assert!(validator(schema).is_valid(&value), "{value} is no value of {schema}");
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn plain_schemas_hold_every_value_and_give_it_back() {
    run(&[Dialect::OpenAi, Dialect::Anthropic, Dialect::LlamaCpp, Dialect::Mcp]);
}

#[test]
fn strict_schemas_and_those_of_gemini_hold_every_value_and_give_it_back() {
    run(&[Dialect::OpenAiStrict, Dialect::AnthropicStrict, Dialect::Gemini, Dialect::GeminiOpenApi]);
}
