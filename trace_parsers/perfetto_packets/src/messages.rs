//! Events that Perfetto has a message for and makes something of: states, slices, names, counters.
//!
//! `messages.txt` lists for each its field in `FtraceEvent` and its own fields from 1 on (Perfetto's `ftrace/*.proto`).

use std::collections::HashMap;
use std::sync::LazyLock;

/// A message.
#[derive(Debug)]
pub(crate) struct Message {
    /// Its field in `FtraceEvent`.
    pub(crate) field: u32,
    /// The names of its fields 1, 2, ...
    pub(crate) fields: Vec<&'static str>,
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
    let fields = words.collect();
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
    }
}
