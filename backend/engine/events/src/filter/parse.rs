//! Words as conditions.

use super::words::{Kind, Word, words};
use super::{Condition, Item, Node, Pattern, Piece, Relation, Test, Value, Wrong};

/// Limit of nesting; keeps the stack small.
const MOST_DEPTH: usize = 64;

pub(super) fn parse(text: &str) -> Result<Node, Wrong> {
    let words = words(text)?;
    let mut reader = Reader {
        words: &words,
        next: 0,
        depth: 0,
    };
    if reader.peek() == &Kind::End {
        return Ok(Node::Any);
    }
    let root = reader.either()?;
    match reader.peek() {
        Kind::End => Ok(root),
        _ => Err(reader.expected("&&, || or the end")),
    }
}

struct Reader<'a> {
    words: &'a [Word],
    next: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> &Kind {
        self.words
            .get(self.next)
            .map_or(&Kind::End, |word| &word.kind)
    }

    fn at(&self) -> usize {
        self.words.get(self.next).map_or(1, |word| word.at)
    }

    fn expected(&self, what: &str) -> Wrong {
        let found = match self.peek() {
            Kind::Bare(text) | Kind::Quoted(text) => text.as_str(),
            Kind::Sign(sign) => sign,
            Kind::End => "the end",
        };
        Wrong::new(self.at(), &format!("expected {what}, found {found}"))
    }

    /// Takes a sign, or the word that means the same.
    fn take(&mut self, sign: &str, word: &str) -> bool {
        let there = match self.peek() {
            Kind::Sign(found) => *found == sign,
            Kind::Bare(found) => found.eq_ignore_ascii_case(word),
            _ => false,
        };
        self.next += usize::from(there);
        there
    }

    fn either(&mut self) -> Result<Node, Wrong> {
        let mut nodes = vec![self.all()?];
        while self.take("||", "or") {
            nodes.push(self.all()?);
        }
        Ok(single(nodes, Node::Either))
    }

    fn all(&mut self) -> Result<Node, Wrong> {
        let mut nodes = vec![self.one()?];
        while self.take("&&", "and") {
            nodes.push(self.one()?);
        }
        Ok(single(nodes, Node::All))
    }

    fn one(&mut self) -> Result<Node, Wrong> {
        if self.depth >= MOST_DEPTH {
            return Err(Wrong::new(self.at(), "it is nested too deeply"));
        }
        self.depth += 1;
        let node = if self.take("!", "not") {
            Node::Not(Box::new(self.one()?))
        } else if self.take("(", "") {
            let inner = self.either()?;
            if !self.take(")", "") {
                return Err(self.expected("a closing parenthesis"));
            }
            inner
        } else {
            Node::Holds(self.condition()?)
        };
        self.depth -= 1;
        Ok(node)
    }

    fn condition(&mut self) -> Result<Condition, Wrong> {
        let at = self.at();
        let Kind::Bare(field) = self.peek().clone() else {
            return Err(self.expected("a field"));
        };
        self.next += 1;
        let relation = match self.peek() {
            Kind::Sign("==" | "=") => Some(Relation::Is),
            Kind::Sign("!=") => Some(Relation::IsNot),
            Kind::Sign("<") => Some(Relation::Below),
            Kind::Sign("<=") => Some(Relation::AtMost),
            Kind::Sign(">") => Some(Relation::Above),
            Kind::Sign(">=") => Some(Relation::AtLeast),
            _ => None,
        };
        let like = match self.peek() {
            Kind::Sign("~") => Some(true),
            Kind::Sign("!~") => Some(false),
            _ => None,
        };
        let (value_at, test) = if let Some(relation) = relation {
            self.next += 1;
            (self.at(), Test::Compared(relation, self.value()?))
        } else if let Some(wanted) = like {
            self.next += 1;
            let value_at = self.at();
            (value_at, Test::Like(pattern(&self.value()?.text), wanted))
        } else if self.take("in", "in") {
            (self.at(), Test::In(self.items()?))
        } else {
            return Err(self.expected("==, !=, <, <=, >, >=, ~, !~ or in"));
        };
        Ok(Condition {
            field,
            at,
            value_at,
            test,
        })
    }

    fn value(&mut self) -> Result<Value, Wrong> {
        let value = match self.peek() {
            Kind::Bare(text) => Value {
                text: text.clone(),
                number: number(text),
            },
            Kind::Quoted(text) => Value {
                text: text.clone(),
                number: None,
            },
            _ => return Err(self.expected("a value")),
        };
        self.next += 1;
        Ok(value)
    }

    fn items(&mut self) -> Result<Vec<Item>, Wrong> {
        let mut items = Vec::new();
        loop {
            let at = self.at();
            let value = self.value()?;
            items.push(match range(&value) {
                Some((from, to)) if from > to => {
                    return Err(Wrong::new(at, "the range ends before it begins"));
                }
                Some((from, to)) => Item::Between(from, to),
                None => Item::One(value),
            });
            if !self.take(",", ",") {
                return Ok(items);
            }
        }
    }
}

fn single(mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            many(nodes)
        }
        None => Node::Any,
    }
}

/// `0-3`; text in quotes and negative numbers are not ranges.
fn range(value: &Value) -> Option<(i128, i128)> {
    if value.number.is_some() {
        return None;
    }
    let (from, to) = value.text.split_once('-')?;
    Some((number(from)?, number(to)?))
}

/// Units of time and how many zeros they are of ns; longer names first.
const UNITS: [(&str, u32); 4] = [("ns", 0), ("us", 3), ("ms", 6), ("s", 9)];

/// Decimal or hexadecimal, with a unit of time as ns. Numbers of more than 64 bits are invalid.
fn number(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    if let Some(hex) = digits.strip_prefix("0x") {
        return (hex.len() <= 16)
            .then(|| i128::from_str_radix(hex, 16).ok())?
            .map(|n| sign * n);
    }
    let (digits, zeros) = UNITS
        .iter()
        .find_map(|&(unit, zeros)| Some((digits.strip_suffix(unit)?, zeros)))
        .unwrap_or((digits, 0));
    let (whole, part) = digits
        .split_once('.')
        .map_or((digits, ""), |(whole, part)| (whole, part));
    let plain = |text: &str| text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit());
    // A part of a nanosecond, or of anything that is counted, is no number here.
    let fits = !whole.is_empty() && plain(whole) && plain(part) && part.len() <= zeros as usize;
    if !fits || (digits.contains('.') && part.is_empty()) {
        return None;
    }
    let missing = zeros as usize - part.len();
    let all = format!("{whole}{part}{}", "0".repeat(missing));
    all.parse::<i128>().ok().map(|n| sign * n)
}

fn pattern(text: &str) -> Pattern {
    if !text.contains(['*', '?']) {
        return Pattern::Inside(text.to_owned());
    }
    Pattern::Whole(
        text.chars()
            .map(|letter| match letter {
                '*' => Piece::Many,
                '?' => Piece::Any,
                _ => Piece::Letter(letter),
            })
            .collect(),
    )
}
