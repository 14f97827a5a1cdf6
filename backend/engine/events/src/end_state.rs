//! `prev_state` of `sched_switch`: in which state a task left its CPU.
//!
//! The numbers changed between kernels; the event's print format names the ones of the kernel that recorded, so that
//! format is read and no table of versions is needed: `REC->prev_state & MASK ? __print_flags(..., { 0x1, "S" }, ...)
//! : "R", REC->prev_state & MARK ? "+" : ""`.

/// The state in which a task left its CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndState {
    /// True if it sleeps or exited; otherwise it stays runnable and waits.
    pub leaves: bool,
    /// True if it sleeps uninterruptibly (`D`), and not like an idle kernel thread (`TASK_NOLOAD`: `I`, before Linux 4.14
    /// `N`).
    pub blocked: bool,
    /// As the kernel prints it: `S`, `D`, `R`, `R+` (preempted), `S|K`, ...
    pub label: String,
}

/// Reads the states of one table.
#[derive(Debug)]
pub struct EndStates {
    /// Bit and its letter.
    letters: Vec<(u64, String)>,
    /// Bits of which any means that the task leaves.
    mask: u64,
    /// The bit that says "preempted".
    preempted: u64,
    /// States met so far, by their bits in `mask` and `preempted`.
    met: Vec<(u64, EndState)>,
}

/// Letters since Linux 4.14 (`include/trace/events/sched.h`), for a table that came without a print format.
const LETTERS: [(u64, &str); 8] = [
    (1, "S"),
    (2, "D"),
    (4, "T"),
    (8, "t"),
    (0x10, "X"),
    (0x20, "Z"),
    (0x40, "P"),
    (0x80, "I"),
];

/// More different states than any kernel has; they are few enough to be looked through.
const MOST_STATES: usize = 64;

impl EndStates {
    /// Takes the letters and masks from a print format; without them, those of Linux 4.14 and later hold.
    #[must_use]
    pub fn from_print_fmt(print_fmt: &str) -> Self {
        let mut letters = letters(print_fmt);
        if letters.is_empty() {
            letters = LETTERS
                .iter()
                .map(|&(bit, letter)| (bit, letter.to_owned()))
                .collect();
        }
        let mut masks = masks(print_fmt);
        let listed = letters.iter().fold(0, |all, &(bit, _)| all | bit);
        let preempted = masks
            .pop()
            .filter(|mark| mark.is_power_of_two())
            .unwrap_or_else(|| {
                listed
                    .checked_add(1)
                    .and_then(u64::checked_next_power_of_two)
                    .unwrap_or(0)
            });
        let mask = masks.first().copied().unwrap_or(0) | listed;
        Self {
            letters,
            mask: mask & !preempted,
            preempted,
            met: Vec::new(),
        }
    }

    /// The state of a raw `prev_state`.
    #[inline]
    pub fn get(&mut self, raw: i64) -> &EndState {
        let bits = raw as u64 & (self.mask | self.preempted);
        let at = self
            .met
            .iter()
            .position(|(met, _)| *met == bits)
            .unwrap_or_else(|| {
                if self.met.len() >= MOST_STATES {
                    self.met.clear();
                }
                self.met.push((bits, self.read(bits)));
                self.met.len() - 1
            });
        &self.met[at].1
    }

    fn read(&self, bits: u64) -> EndState {
        let leaves = bits & self.mask != 0;
        let letters = self.letters.iter().filter(|&&(bit, _)| bits & bit != 0);
        let has = |wanted| letters.clone().any(|(_, letter)| letter == wanted);
        let blocked = has("D") && !has("N") && !has("I");
        let mut label = letters
            .clone()
            .map(|(_, letter)| letter.as_str())
            .collect::<Vec<_>>()
            .join("|");
        if label.is_empty() {
            label = if leaves {
                format!("{:#x}", bits & self.mask)
            } else {
                "R".to_owned()
            };
        }
        if bits & self.preempted != 0 {
            label.push('+');
        }
        EndState {
            leaves,
            blocked,
            label,
        }
    }
}

/// The pairs `{ 0x1, "S" }`.
fn letters(print_fmt: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    for pair in print_fmt.split('{').skip(1) {
        let Some((pair, _)) = pair.split_once('}') else {
            continue;
        };
        let Some((bit, letter)) = pair.split_once(',') else {
            continue;
        };
        let letter = letter.trim().trim_matches('"');
        let is_letter =
            letter.len() <= 4 && letter.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if let Some(bit) = constant(bit).filter(|bit| bit.is_power_of_two() && is_letter) {
            found.push((bit, letter.to_owned()));
        }
    }
    found
}

/// The constants of `REC->prev_state & CONSTANT ?`, in order: the mask of the states, then the mark of preemption.
fn masks(print_fmt: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for rest in print_fmt.split("REC->prev_state &").skip(1) {
        if let Some((expression, _)) = rest.split_once('?') {
            // The mask is in brackets with the variable, `(REC->prev_state & (...)) ?`, the mark is not.
            let expression = expression.trim();
            let value = constant(expression).or_else(|| constant(expression.strip_suffix(')')?));
            found.extend(value);
        }
    }
    found
}

/// The value of a constant expression of numbers, `|`, `<<`, `+`, `-` and brackets, by C's precedence.
fn constant(text: &str) -> Option<u64> {
    const DEEPEST: u32 = 64;
    let mut parser = Parser {
        rest: text,
        depth: DEEPEST,
    };
    let value = parser.or()?;
    parser.rest.trim().is_empty().then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn or(&mut self) -> Option<u64> {
        let mut value = self.shift()?;
        while self.take("|") {
            value |= self.shift()?;
        }
        Some(value)
    }

    fn shift(&mut self) -> Option<u64> {
        let mut value = self.sum()?;
        while self.take("<<") {
            value = value.checked_shl(u32::try_from(self.sum()?).ok()?)?;
        }
        Some(value)
    }

    fn sum(&mut self) -> Option<u64> {
        let mut value = self.atom()?;
        loop {
            if self.take("+") {
                value = value.wrapping_add(self.atom()?);
            } else if self.take("-") {
                value = value.wrapping_sub(self.atom()?);
            } else {
                return Some(value);
            }
        }
    }

    fn atom(&mut self) -> Option<u64> {
        if self.take("(") {
            self.depth = self.depth.checked_sub(1)?;
            let value = self.or()?;
            self.depth += 1;
            return self.take(")").then_some(value);
        }
        let text = self.rest.trim_start();
        let end = text
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        self.rest = rest;
        match number.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => number.parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINCE_4_14: &str = concat!(
        r#""prev_state=%s%s", REC->prev_pid, (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004"#,
        r#" | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state &"#,
        r#" ((((0x00000000 | 0x00000040) + 1) << 1) - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D" },"#,
        r#" { 0x00000004, "T" }, { 0x00000008, "t" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, { 0x00000040, "P" },"#,
        r#" { 0x00000080, "I" }) : "R", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 |"#,
        r#" 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? "+" : "", REC->next_comm"#,
    );
    const LINUX_4_4: &str = concat!(
        r#""prev_state=%s%s", REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & (2048-1), "|", { 1, "S"} ,"#,
        r#" { 2, "D" }, { 4, "T" }, { 8, "t" }, { 16, "Z" }, { 32, "X" }, { 64, "x" }, { 128, "K" }, { 256, "W" },"#,
        r#" { 512, "P" }, { 1024, "N" }) : "R", REC->prev_state & 2048 ? "+" : "", REC->next_comm"#,
    );
    const LINUX_3_1: &str = concat!(
        r#""prev_state=%s", REC->prev_state ? __print_flags(REC->prev_state, "|", { 1, "S"} , { 2, "D" },"#,
        r#" { 4, "T" }, { 8, "t" }, { 16, "Z" }, { 32, "X" }, { 64, "x" }, { 128, "W" }) : "R", REC->next_comm"#,
    );

    fn check(print_fmt: &str, states: &[(i64, bool, &str)]) {
        let mut table = EndStates::from_print_fmt(print_fmt);
        for &(raw, leaves, label) in states {
            assert_eq!(
                table.get(raw),
                &EndState {
                    leaves,
                    blocked: label.starts_with('D') && !label.contains('N'),
                    label: label.to_owned()
                },
                "{raw:#x}"
            );
        }
    }

    #[test]
    fn since_4_14() {
        let states = [
            (0, false, "R"),
            (0x100, false, "R+"),
            (1, true, "S"),
            (2, true, "D"),
            (0x80, true, "I"),
            (0x20, true, "Z"),
            (0x200, false, "R"),
        ];
        check(SINCE_4_14, &states);
        check("", &states);
    }

    #[test]
    fn before_4_14() {
        check(
            LINUX_4_4,
            &[
                (0, false, "R"),
                (2048, false, "R+"),
                (130, true, "D|K"),
                (512, true, "P"),
                (1026, true, "D|N"),
                (64, true, "x"),
            ],
        );
        check(
            LINUX_3_1,
            &[
                (0, false, "R"),
                (1, true, "S"),
                (16, true, "Z"),
                (64, true, "x"),
            ],
        );
    }

    #[test]
    fn odd_formats_fall_back() {
        for text in [
            "REC->prev_state & ((((((",
            "{ 1, \"S\" } REC->prev_state & 18446744073709551615 ?",
            "{ x, y }{",
        ] {
            let mut states = EndStates::from_print_fmt(text);
            assert!(states.get(1).leaves, "{text}");
            assert!(!states.get(0).leaves, "{text}");
        }
        let deep = format!("REC->prev_state & {} ?", "(".repeat(100_000));
        assert!(EndStates::from_print_fmt(&deep).get(1).leaves);
    }
}
