//! A filter for the events of one table: what its name and its system decide is decided before any row is read.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use arrow_schema::{DataType, Schema};

use super::{Condition, Filter, Item, Node, Pattern, Piece, Relation, Test};

/// Fields that every event has, besides those that were recorded with it.
pub const COMMON_FIELDS: [&str; 4] = ["event", "system", "cpu", "ts_ns"];

/// A filter for one table.
#[derive(Debug, Clone)]
pub struct TableFilter {
    pub(super) root: Step,
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    Known(bool),
    All(Vec<Step>),
    Either(Vec<Step>),
    Not(Box<Step>),
    Column(Test, String),
}

impl Filter {
    /// Returns the filter for a table of `system:event` with these columns; `None` when none of its events can match.
    #[must_use]
    pub fn of_table(&self, system: &str, event: &str, schema: &Schema) -> Option<TableFilter> {
        let root = step(&self.root, system, event, schema);
        (!matches!(root, Step::Known(false))).then_some(TableFilter { root })
    }
}

impl TableFilter {
    /// Returns whether every event of the table matches.
    #[must_use]
    pub fn means_all(&self) -> bool {
        matches!(self.root, Step::Known(true))
    }

    /// The columns that [`TableFilter::mask`] needs.
    #[must_use]
    pub fn columns(&self) -> BTreeSet<&str> {
        let mut columns = BTreeSet::new();
        gather(&self.root, &mut columns);
        columns
    }
}

fn gather<'a>(step: &'a Step, columns: &mut BTreeSet<&'a str>) {
    match step {
        Step::Known(_) => {}
        Step::All(steps) | Step::Either(steps) => {
            for step in steps {
                gather(step, columns);
            }
        }
        Step::Not(step) => gather(step, columns),
        Step::Column(_, name) => {
            columns.insert(name);
        }
    }
}

fn step(node: &Node, system: &str, event: &str, schema: &Schema) -> Step {
    let of = |node: &Node| step(node, system, event, schema);
    match node {
        Node::Any => Step::Known(true),
        Node::All(nodes) => joined(nodes.iter().map(of), false, Step::All),
        Node::Either(nodes) => joined(nodes.iter().map(of), true, Step::Either),
        Node::Not(node) => match of(node) {
            Step::Known(known) => Step::Known(!known),
            other => Step::Not(Box::new(other)),
        },
        Node::Holds(condition) => holds(condition, system, event, schema),
    }
}

/// Steps of which one that is known to be `decides` decides all.
fn joined(steps: impl Iterator<Item = Step>, decides: bool, join: fn(Vec<Step>) -> Step) -> Step {
    let mut open = Vec::new();
    for step in steps {
        match step {
            Step::Known(known) if known == decides => return Step::Known(decides),
            Step::Known(_) => {}
            other => open.push(other),
        }
    }
    match open.pop() {
        None => Step::Known(!decides),
        Some(only) if open.is_empty() => only,
        Some(last) => {
            open.push(last);
            join(open)
        }
    }
}

fn holds(condition: &Condition, system: &str, event: &str, schema: &Schema) -> Step {
    let Condition { field, test, .. } = condition;
    match field.as_str() {
        "event" => Step::Known(text_holds(test, event)),
        "system" => Step::Known(text_holds(test, system)),
        _ => match schema.field_with_name(field) {
            Ok(column) if is_comparable(column.data_type()) => {
                Step::Column(test.clone(), field.clone())
            }
            _ => Step::Known(false),
        },
    }
}

/// Lists and bytes are shown, but not compared.
fn is_comparable(kind: &DataType) -> bool {
    kind.is_integer() || kind == &DataType::Utf8
}

pub(super) fn text_holds(test: &Test, actual: &str) -> bool {
    match test {
        Test::Compared(relation, value) => relates(*relation, actual.cmp(value.text.as_str())),
        Test::Like(pattern, wanted) => is_like(pattern, actual) == *wanted,
        Test::In(items) => items.iter().any(|item| match item {
            Item::One(value) => value.text == actual,
            Item::Between(..) => false,
        }),
    }
}

pub(super) fn number_holds(test: &Test, number: i128) -> bool {
    match test {
        Test::Compared(relation, value) => value
            .number
            .is_some_and(|wanted| relates(*relation, number.cmp(&wanted))),
        Test::Like(..) => false,
        Test::In(items) => items.iter().any(|item| match item {
            Item::One(value) => value.number == Some(number),
            Item::Between(from, to) => (*from..=*to).contains(&number),
        }),
    }
}

fn relates(relation: Relation, order: Ordering) -> bool {
    match relation {
        Relation::Is => order.is_eq(),
        Relation::IsNot => order.is_ne(),
        Relation::Below => order.is_lt(),
        Relation::AtMost => order.is_le(),
        Relation::Above => order.is_gt(),
        Relation::AtLeast => order.is_ge(),
    }
}

fn is_like(pattern: &Pattern, text: &str) -> bool {
    match pattern {
        Pattern::Inside(part) => text.contains(part.as_str()),
        Pattern::Whole(pieces) => fits(pieces, text),
    }
}

/// Goes back to the last `*` only, so that it takes at most pieces times letters.
fn fits(pieces: &[Piece], text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let (mut piece, mut letter) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while letter < letters.len() {
        match pieces.get(piece) {
            Some(Piece::Many) => {
                star = Some((piece, letter));
                piece += 1;
            }
            Some(Piece::Any) => (piece, letter) = (piece + 1, letter + 1),
            Some(Piece::Letter(wanted)) if *wanted == letters[letter] => {
                (piece, letter) = (piece + 1, letter + 1);
            }
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (piece, letter) = (place + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pieces[piece..].iter().all(|piece| *piece == Piece::Many)
}
