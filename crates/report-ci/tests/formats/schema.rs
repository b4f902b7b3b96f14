//! JSON Schema, as much of it as the schema of SARIF uses; a word that is not known here is a failure of the test. Patterns
//! and formats of strings are not looked at.

use serde_json::Value;

pub struct Schema {
    root: Value,
}

const IGNORED: [&str; 8] = ["$schema", "$id", "title", "description", "default", "definitions", "pattern", "format"];

impl Schema {
    pub fn new(root: Value) -> Schema {
        Schema { root }
    }

    /// What is wrong with a document, with the way there.
    pub fn complaints(&self, document: &Value) -> Vec<String> {
        let mut complaints = Vec::new();
        self.check(&self.root, document, "", &mut complaints);
        complaints
    }

    fn check(&self, schema: &Value, value: &Value, way: &str, out: &mut Vec<String>) {
        let mut complain = |what: String| out.push(format!("{way}: {what}"));
        for (word, rule) in schema.as_object().expect("a schema is an object") {
            match word.as_str() {
                "$ref" => {
                    let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a reference within");
                    let target = self.root.pointer(path).expect("a reference leads somewhere");
                    return self.check(target, value, way, out);
                }
                "type" => {
                    if !names(rule).iter().any(|name| is_a(value, name)) {
                        complain(format!("{value} is no {rule}"));
                    }
                }
                "enum" => {
                    if !rule.as_array().expect("a list").contains(value) {
                        complain(format!("{value} is none of {rule}"));
                    }
                }
                "required" => {
                    let missing = names(rule).into_iter().filter(|name| value.is_object() && value.get(name).is_none());
                    missing.for_each(|name| complain(format!("`{name}` is missing")));
                }
                "minimum" | "maximum" => {
                    let (bound, number) = (rule.as_f64().expect("a bound"), value.as_f64());
                    let fits = number.is_none_or(|n| if word == "minimum" { n >= bound } else { n <= bound });
                    if !fits {
                        complain(format!("{value} breaks {word} {bound}"));
                    }
                }
                "minItems" => {
                    if value.as_array().is_some_and(|items| (items.len() as u64) < rule.as_u64().expect("a number")) {
                        complain("there are too few".to_string());
                    }
                }
                "uniqueItems" => {
                    let items = value.as_array().map_or(&[][..], Vec::as_slice);
                    let twice = (0..items.len()).any(|at| items[..at].contains(&items[at]));
                    if rule == &Value::Bool(true) && twice {
                        complain("some are there twice".to_string());
                    }
                }
                "anyOf" | "oneOf" => {
                    let fits = |schema: &&Value| {
                        let mut found = Vec::new();
                        self.check(schema, value, way, &mut found);
                        found.is_empty()
                    };
                    let count = rule.as_array().expect("a list").iter().filter(fits).count();
                    if count == 0 || word == "oneOf" && count > 1 {
                        complain(format!("{count} of the choices of {word} fit"));
                    }
                }
                "properties" | "additionalProperties" | "items" => {}
                word => assert!(IGNORED.contains(&word), "the schema uses `{word}`, which is not known here"),
            }
        }
        self.check_parts(schema, value, way, out);
    }

    fn check_parts(&self, schema: &Value, value: &Value, way: &str, out: &mut Vec<String>) {
        for (name, part) in value.as_object().into_iter().flatten() {
            let way = format!("{way}/{name}");
            match (schema["properties"].get(name), &schema["additionalProperties"]) {
                (Some(schema), _) => self.check(schema, part, &way, out),
                (None, Value::Bool(false)) => out.push(format!("{way}: there is no such property")),
                (None, Value::Object(_)) => self.check(&schema["additionalProperties"], part, &way, out),
                (None, _) => {}
            }
        }
        for (item, index) in value.as_array().into_iter().flatten().zip(0..) {
            if schema["items"].is_object() {
                self.check(&schema["items"], item, &format!("{way}/{index}"), out);
            }
        }
    }
}

/// One name or several.
fn names(rule: &Value) -> Vec<&str> {
    match rule {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("no type: {other}"),
    }
}
