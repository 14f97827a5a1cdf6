//! `lscpu -J`: the same facts, and with `-e` the same table, as JSON.

use std::fmt::Write as _;

use numalens_columns::InputError;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Format;

/// Either of the two documents.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Document {
    Lscpu(Vec<Fact>),
    Cpus(Vec<Map<String, Value>>),
}

#[derive(Deserialize)]
struct Fact {
    field: String,
    data: Option<String>,
    #[serde(default)]
    children: Vec<Fact>,
}

/// Returns which of the documents the bytes begin like, if any.
pub(crate) fn recognises(head: &[u8]) -> Option<Format> {
    let inside = head
        .trim_ascii_start()
        .strip_prefix(b"{")?
        .trim_ascii_start();
    if inside.starts_with(b"\"lscpu\"") {
        Some(Format::LscpuSummary)
    } else if inside.starts_with(b"\"cpus\"") {
        Some(Format::Lscpu)
    } else {
        None
    }
}

/// The text that `lscpu` prints for the same machine; `None` for text other than JSON.
pub(crate) fn text(bytes: &[u8]) -> Result<Option<String>, InputError> {
    if recognises(bytes).is_none() {
        return Ok(None);
    }
    let document = serde_json::from_slice(bytes).map_err(|error| {
        let line = error.line() as u64;
        InputError::at_line(line, "the JSON of lscpu", error.to_string())
    })?;
    let mut text = String::new();
    match document {
        Document::Lscpu(facts) => facts.iter().for_each(|fact| line(fact, &mut text)),
        Document::Cpus(rows) => table(&rows, &mut text),
    }
    Ok(Some(text))
}

fn line(fact: &Fact, text: &mut String) {
    let _ = writeln!(
        text,
        "{} {}",
        fact.field,
        fact.data.as_deref().unwrap_or_default()
    );
    fact.children.iter().for_each(|child| line(child, text));
}

fn table(rows: &[Map<String, Value>], text: &mut String) {
    let Some(first) = rows.first() else {
        return;
    };
    // `lscpu -e` begins with the CPU.
    let mut names: Vec<&String> = first.keys().collect();
    names.sort_by_key(|name| *name != "cpu");
    for name in &names {
        let _ = write!(text, "{} ", name.to_ascii_uppercase());
    }
    text.push('\n');
    for row in rows {
        for name in &names {
            let cell = match row.get(*name) {
                Some(Value::String(cell)) if !cell.trim().is_empty() => {
                    cell.replace(char::is_whitespace, "")
                }
                Some(Value::Number(cell)) => cell.to_string(),
                Some(Value::Bool(online)) => if *online { "yes" } else { "no" }.to_owned(),
                _ => "-".to_owned(),
            };
            let _ = write!(text, "{cell} ");
        }
        text.push('\n');
    }
}
