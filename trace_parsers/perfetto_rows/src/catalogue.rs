//! Events whose fields are known: their system, and the fields' order and C types.
//!
//! The trace processor's tables have no event system, and each number has 64 bits. `events.txt` lists the fields of scheduler
//! and memory events as the kernel's `events/<system>/<event>/format` declares them on 64-bit machines (Linux 6.1, 6.18 and
//! 7.2 together). So a Perfetto trace has the same columns as a trace.dat.

use std::collections::HashMap;
use std::sync::LazyLock;

use numalens_columns::ColumnType;

/// An event of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownEvent {
    pub(crate) system: &'static str,
    pub(crate) fields: Vec<Field>,
}

/// A field of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The declaration without the name.
    pub(crate) declared: &'static str,
    pub(crate) ty: ColumnType,
}

static EVENTS: LazyLock<HashMap<&'static str, KnownEvent>> = LazyLock::new(|| {
    include_str!("events.txt")
        .lines()
        .filter_map(line)
        .collect()
});

/// The event's fields, if it is in the list.
pub(crate) fn find(event: &str) -> Option<&'static KnownEvent> {
    EVENTS.get(event)
}

/// `system event: declaration name; declaration name`
fn line(line: &'static str) -> Option<(&'static str, KnownEvent)> {
    let (names, fields) = line.split_once(": ")?;
    let (system, event) = names.split_once(' ')?;
    let fields = fields.split("; ").filter_map(|field| {
        let (declared, name) = field.rsplit_once(' ')?;
        Some(Field {
            name,
            declared,
            ty: column_type(declared)?,
        })
    });
    let fields = fields.collect();
    Some((event, KnownEvent { system, fields }))
}

/// The type of a C declaration on a 64-bit machine.
fn column_type(declared: &str) -> Option<ColumnType> {
    Some(match declared {
        "char[]" => ColumnType::Text,
        "int" | "pid_t" => ColumnType::Int(4),
        "long" => ColumnType::Int(8),
        "bool" => ColumnType::UInt(1),
        "unsigned int" | "u32" => ColumnType::UInt(4),
        "u64" | "unsigned long" | "unsigned long long" => ColumnType::UInt(8),
        other if other.ends_with('*') => ColumnType::UInt(8),
        other if other.starts_with("enum ") => ColumnType::UInt(4),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_whole() {
        for text in include_str!("events.txt").lines() {
            let (event, known) = line(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(known.fields.len(), text.split("; ").count(), "{event}");
            assert_eq!(find(event), Some(&known));
        }
    }
}
