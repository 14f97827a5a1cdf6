//! The table of auto-migration statistics: three groups of columns with bars between them, heads optional.

use crate::SampleTableId;
use crate::number::{Odd, number};
use crate::rows::{Cell, Rows};
use crate::stamp::{self, StampLine};

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    /// The stamp before the first column, if there is one.
    pub(crate) stamp: Option<StampLine>,
    values: [u64; 11],
}

/// Columns of each group.
const GROUPS: [usize; 3] = [3, 4, 4];

/// The heads of the table as it is printed.
pub(crate) fn is_head(line: &str) -> bool {
    let pairs = [("pgs", "tasks"), ("checked", "migrated")];
    line.contains('|')
        && pairs
            .iter()
            .any(|(first, second)| line.contains(first) && line.contains(second))
}

/// Reads a row; `None` for other lines, an error for numbers that are too large.
pub(crate) fn parse(line: &str) -> Result<Option<Row>, Odd> {
    let groups: Vec<Vec<&str>> = line
        .split('|')
        .take(GROUPS.len() + 1)
        .map(|group| group.split_whitespace().collect())
        .collect();
    if groups.len() != GROUPS.len() {
        return Ok(None);
    }
    let stamped = groups[0].len() > GROUPS[0];
    let (stamp, first) = if stamped {
        let at = groups[0].len() - GROUPS[0];
        let Some(stamp) = leading(&groups[0][..at]) else {
            return Ok(None);
        };
        (Some(stamp), &groups[0][at..])
    } else {
        (None, &groups[0][..])
    };
    let words = [first, &groups[1], &groups[2]];
    let fits = words.iter().zip(GROUPS).all(|(group, count)| {
        group.len() == count
            && group
                .iter()
                .all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if !fits {
        return Ok(None);
    }
    let mut values = [0; 11];
    for (place, word) in values.iter_mut().zip(words.into_iter().flatten()) {
        *place = number(word, "a count below 2^64")?;
    }
    Ok(Some(Row { stamp, values }))
}

/// The stamp column: any stamp, or seconds since boot.
fn leading(words: &[&str]) -> Option<StampLine> {
    if words.len() > 6 {
        return None;
    }
    let text = words.join(" ");
    stamp::parse(&text).or_else(|| stamp::since_boot(&text))
}

impl Row {
    pub(crate) fn push(&self, rows: &mut Rows) {
        rows.sampled(SampleTableId::Automig, "");
        rows.push(SampleTableId::Automig, &self.values.map(Cell::from));
    }
}
