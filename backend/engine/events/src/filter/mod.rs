//! A small language for selecting events: `event == sched_switch && prev_comm ~ stress && cpu in 0-3`.
//!
//! ```text
//! filter    := all ( ("||" | "or") all )*
//! all       := one ( ("&&" | "and") one )*
//! one       := ("!" | "not") one | "(" filter ")" | condition
//! condition := field ("==" | "=" | "!=" | "<" | "<=" | ">" | ">=") value
//!            | field ("~" | "!~") pattern
//!            | field "in" item ( "," item )*          item := value | number "-" number
//! ```
//!
//! A field is one of `event`, `system`, `cpu`, `ts_ns`, or a field of the events as recorded. Numbers are decimal or `0x`
//! hexadecimal and may end in `ns`, `us`, `ms` or `s`; text of several words needs double quotes. A pattern with `*` or `?`
//! must match the whole text, as in the kernel's own filters; any other pattern matches a part. A condition on a field that
//! an event lacks does not hold.
//!
//! [`Filter::parse`] reports errors in one sentence with the place. [`Filter::of_table`] prepares a filter for one table; it
//! returns nothing if no event of the table can match. [`TableFilter::mask`] works on columns, not on rows.

mod mask;
mod parse;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use self::table::{COMMON_FIELDS, TableFilter};

/// Error in a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct Wrong {
    /// Position of the character, from 1; one past the last if something is missing at the end.
    pub at: usize,
    /// One sentence that names the place.
    pub sentence: String,
}

impl Wrong {
    fn new(at: usize, what: &str) -> Self {
        Self {
            at,
            sentence: format!("The filter is wrong at character {at}: {what}."),
        }
    }
}

/// A filter that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    root: Node,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// Everything: the empty filter.
    Any,
    All(Vec<Node>),
    Either(Vec<Node>),
    Not(Box<Node>),
    Holds(Condition),
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    field: String,
    /// Place of the field and of what it is compared with, from 1.
    at: usize,
    value_at: usize,
    test: Test,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Compared(Relation, Value),
    /// Match of a text; `false` negates it.
    Like(Pattern, bool),
    In(Vec<Item>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Is,
    IsNot,
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// A word may be meant as text although it looks like a number: `comm == 7`.
#[derive(Debug, Clone, PartialEq)]
struct Value {
    text: String,
    number: Option<i128>,
}

#[derive(Debug, Clone, PartialEq)]
enum Item {
    One(Value),
    Between(i128, i128),
}

#[derive(Debug, Clone, PartialEq)]
enum Pattern {
    Inside(String),
    Whole(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Letter(char),
    /// `?`
    Any,
    /// `*`
    Many,
}

impl Filter {
    /// Understands a filter; an empty one means every event.
    ///
    /// # Errors
    /// The text is not a filter.
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        parse::parse(text).map(|root| Self { root })
    }

    /// Checks that every field is known in some table, and is compared with what it can be compared with there.
    ///
    /// `has` returns for a field whether a table has it as a number, and whether a table has it as text.
    ///
    /// # Errors
    /// The first condition that could never hold.
    pub fn check(&self, has: &dyn Fn(&str) -> (bool, bool)) -> Result<(), Wrong> {
        check(&self.root, has)
    }
}

fn check(node: &Node, has: &dyn Fn(&str) -> (bool, bool)) -> Result<(), Wrong> {
    match node {
        Node::Any => Ok(()),
        Node::All(nodes) | Node::Either(nodes) => {
            nodes.iter().try_for_each(|node| check(node, has))
        }
        Node::Not(node) => check(node, has),
        Node::Holds(condition) => check_condition(condition, has),
    }
}

fn check_condition(condition: &Condition, has: &dyn Fn(&str) -> (bool, bool)) -> Result<(), Wrong> {
    let Condition {
        field,
        at,
        value_at,
        test,
    } = condition;
    let (number, text) = has(field);
    if !number && !text {
        return Err(Wrong::new(
            *at,
            &format!("no event of this recording has a field {field}"),
        ));
    }
    let numeric = |value: &Value| {
        if text || value.number.is_some() {
            return Ok(());
        }
        let what = format!("{field} is a number, found {}", value.text);
        Err(Wrong::new(*value_at, &what))
    };
    match test {
        Test::Compared(_, value) => numeric(value),
        Test::In(items) => items.iter().try_for_each(|item| match item {
            Item::One(value) => numeric(value),
            Item::Between(..) if !number => Err(Wrong::new(
                *value_at,
                &format!("{field} is text and has no ranges"),
            )),
            Item::Between(..) => Ok(()),
        }),
        Test::Like(..) if !text => {
            let what = format!("{field} is a number, and patterns are for text");
            Err(Wrong::new(*value_at, &what))
        }
        Test::Like(..) => Ok(()),
    }
}
