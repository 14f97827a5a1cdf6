//! Events that Perfetto has a message for and makes something of: states, slices, names, counters.
//!
//! `messages.txt` lists for each its field in `FtraceEvent` and its own fields from 1 on (Perfetto's `ftrace/*.proto`);
//! non-numeric ones end in `:text`.

use std::collections::HashMap;
use std::sync::LazyLock;

use arrow_schema::DataType;

/// A message.
#[derive(Debug)]
pub(crate) struct Message {
    /// Field in `FtraceEvent`.
    pub(crate) field: u32,
    /// Fields 1, 2, ...: their names, and whether they are texts.
    fields: Vec<(&'static str, bool)>,
}

impl Message {
    /// The number of a field; `None` where there is none of that name and type.
    pub(crate) fn number(&self, name: &str, ty: &DataType) -> Option<u32> {
        let is = |field: &(&str, bool)| *field == (name, !ty.is_integer());
        let at = self.fields.iter().position(is)?;
        Some(at as u32 + 1)
    }
}

static MESSAGES: LazyLock<HashMap<&'static str, Message>> = LazyLock::new(|| {
    include_str!("messages.txt")
        .lines()
        .filter_map(line)
        .collect()
});

/// The message of an event.
pub(crate) fn find(event: &str) -> Option<&'static Message> {
    MESSAGES.get(event)
}

fn line(line: &'static str) -> Option<(&'static str, Message)> {
    let mut words = line.split(' ');
    let (event, field) = (words.next()?, words.next()?.parse().ok()?);
    let fields = words.map(|word| match word.split_once(':') {
        Some((name, _text)) => (name, true),
        None => (word, false),
    });
    let fields = fields.collect();
    Some((event, Message { field, fields }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let lines = include_str!("messages.txt").lines().count();
        assert_eq!(MESSAGES.len(), lines);
        assert!(MESSAGES.values().all(|message| !message.fields.is_empty()));
        let switch = find("sched_switch").map(|message| {
            ["prev_comm", "prev_state"].map(|name| {
                let number = |ty| message.number(name, &ty);
                (number(DataType::Utf8), number(DataType::Int64))
            })
        });
        assert_eq!(switch, Some([(Some(1), None), (None, Some(4))]));
    }
}
