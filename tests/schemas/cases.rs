//! One test for each case that a reader is known to trip over.

use polyloop::{Dialect, lower};
use serde_json::json;

#[test]
fn try_it() {
    let schema = json!({"type":"object","properties":{
        "$top": {"type":"integer","minimum":0,"description":"How many."},
        "map": {"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}},
        "pair": {"type":"array","prefixItems":[{"type":"string"},{"type":"number"}],"minItems":2,"maxItems":2},
        "opt": {"type":"string","description":"Perhaps.","default":"x"},
        "any": {"description":"any JSON value"},
        "tree": {"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["children"]},
        "shape": {"anyOf":[{"type":"object","properties":{"kind":{"type":"string","enum":["a"]},"r":{"type":"number"}},"required":["kind","r"]},{"type":"object","properties":{"kind":{"type":"string","enum":["b"]}},"required":["kind"]}]},
        "num": {"type":"integer","enum":[1,2]},
        "unit": {"type":"null"}
    },"required":["$top","map","pair","tree","shape","num","unit"],"additionalProperties":false,
      "$defs":{"Tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["children"]}}});
    for dialect in Dialect::ALL {
        match lower(&schema, dialect) {
            Ok(lowered) => {
                println!("{dialect}: {}", lowered.schema());
                let again = lower(lowered.schema(), dialect).unwrap();
                assert_eq!(again.schema(), lowered.schema());
                let x = json!({"$top":1,"map":{"a":["b"]},"pair":["a",1.5],"tree":{"children":[{"children":[]}]},"shape":{"kind":"b"},"num":2,"unit":null});
                let there = lowered.decoder().encode(x.clone());
                println!("   {there}");
                assert_eq!(lowered.decoder().decode(there).unwrap(), x);
            }
            Err(error) => println!("{dialect}: {error}"),
        }
    }
}
