//! A filter's text as words, each with its place.

use super::Wrong;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) kind: Kind,
    /// First character, from 1.
    pub(super) at: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, a number, a pattern.
    Bare(String),
    /// Text in quotes.
    Quoted(String),
    /// `&&`, `(`, `==` and so on.
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 15] = [
    "&&", "||", "==", "!=", "<=", ">=", "!~", "!", "(", ")", "<", ">", "=", "~", ",",
];

/// Length limit; keeps the cost of a request small.
const MOST_CHARS: usize = 2000;

pub(super) fn words(text: &str) -> Result<Vec<Word>, Wrong> {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > MOST_CHARS {
        return Err(Wrong::new(
            MOST_CHARS + 1,
            &format!("expected at most {MOST_CHARS} characters"),
        ));
    }
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(&first) = chars.get(place) {
        let at = place + 1;
        if first.is_whitespace() {
            place += 1;
        } else if first == '"' {
            let (text, past) = quoted(&chars, place)?;
            found.push(Word {
                kind: Kind::Quoted(text),
                at,
            });
            place = past;
        } else if let Some(sign) = SIGNS.iter().find(|sign| begins(&chars[place..], sign)) {
            found.push(Word {
                kind: Kind::Sign(sign),
                at,
            });
            place += sign.len();
        } else if is_bare(first) {
            let length = chars[place..]
                .iter()
                .take_while(|&&letter| is_bare(letter))
                .count();
            found.push(Word {
                kind: Kind::Bare(chars[place..place + length].iter().collect()),
                at,
            });
            place += length;
        } else {
            return Err(Wrong::new(at, &format!("{first:?} needs quotes around it")));
        }
    }
    found.push(Word {
        kind: Kind::End,
        at: chars.len() + 1,
    });
    Ok(found)
}

/// Characters in names of events, tasks, cgroups and files, and in patterns; all others need quotes.
fn is_bare(letter: char) -> bool {
    letter.is_alphanumeric() || "_.:/*?@%+-[]#".contains(letter)
}

fn begins(chars: &[char], sign: &str) -> bool {
    sign.chars()
        .enumerate()
        .all(|(i, letter)| chars.get(i) == Some(&letter))
}

/// From behind the quote to the next one; a backslash keeps what follows it.
fn quoted(chars: &[char], start: usize) -> Result<(String, usize), Wrong> {
    let mut text = String::new();
    let mut place = start + 1;
    while let Some(&letter) = chars.get(place) {
        match letter {
            '"' => return Ok((text, place + 1)),
            '\\' => {
                text.extend(chars.get(place + 1));
                place += 2;
            }
            _ => {
                text.push(letter);
                place += 1;
            }
        }
    }
    Err(Wrong::new(start + 1, "the quote is never closed"))
}
