//! Names from Linux itself: events with their fields, functions, and words in texts. `kernel.txt` lists them; a copy with
//! pseudonyms keeps only these.
//!
//! ```text
//! @sched                            a system of events
//! sched_switch prev_comm$ prev_pid  an event with its fields; `$` marks a string
//! %functions                        words, many in a line
//! ```
//! Sources: `events/*/*/format` of Linux 6.1 to 7.2, for older kernels the text reader's `catalogue.txt`, stacks of recordings of
//! these kernels, `/proc/vmstat`, `/proc/PID/sched`, cgroup files, and `perf list`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

const FILE: &str = include_str!("kernel.txt");
static KERNEL: LazyLock<Kernel> = LazyLock::new(|| Kernel::read(FILE));

/// System of events whose system a text does not name.
const UNKNOWN: &str = "unknown";
/// Longest hexadecimal number, in digits.
const MOST_DIGITS: usize = 16;
/// Shortest hexadecimal number without `0x`, in digits: the kernel prints addresses so.
const BARE_DIGITS: usize = 8;

/// Fields of an event: whether each is a string.
pub(super) type EventFields = HashMap<&'static str, bool>;

/// Names and words of the kernel.
pub(super) struct Kernel {
    events: HashMap<&'static str, HashMap<&'static str, EventFields>>,
    words: HashSet<&'static str>,
}

impl Kernel {
    /// The list of `kernel.txt`.
    pub(super) fn get() -> &'static Self {
        &KERNEL
    }

    fn read(file: &'static str) -> Self {
        let mut kernel = Self {
            events: HashMap::new(),
            words: HashSet::new(),
        };
        let mut system = None;
        for line in file.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('@') {
                system = Some(name);
                kernel.words.insert(name);
            } else if line.starts_with('%') {
                system = None;
            } else if let Some(system) = system {
                let mut words = line.split(' ');
                let event = words.next().unwrap_or_default();
                let fields = words.map(|field| match field.strip_suffix('$') {
                    Some(field) => (field, true),
                    None => (field, false),
                });
                let fields: EventFields = fields.collect();
                kernel.words.insert(event);
                kernel.words.extend(fields.keys());
                kernel
                    .events
                    .entry(system)
                    .or_default()
                    .insert(event, fields);
            } else {
                kernel.words.extend(line.split(' '));
            }
        }
        kernel
    }

    /// Fields of an event of the kernel; `None` for an event that is not its own.
    pub(super) fn event(&self, system: &str, event: &str) -> Option<&EventFields> {
        if system == UNKNOWN {
            return self.events.values().find_map(|events| events.get(event));
        }
        self.events.get(system)?.get(event)
    }

    /// Returns whether a text consists of numbers and words of the kernel.
    pub(super) fn says(&self, text: &str) -> bool {
        tokens(text).all(|(token, word)| !word || self.knows(token))
    }

    /// Returns whether a word is a number or a word of the kernel.
    pub(super) fn knows(&self, word: &str) -> bool {
        let word = word.trim_end_matches('.');
        word.len() <= 1 && word.is_ascii()
            || is_number(word)
            || self.words.contains(word)
            || self.is_function(word)
    }

    /// Returns whether a word is a listed function as compilers name its copies (`name.isra.0`), or the function of a system
    /// call.
    fn is_function(&self, word: &str) -> bool {
        let mut parts = word.split('.');
        let name = parts.next().unwrap_or_default();
        let of_compiler = |part: &str| {
            matches!(part, "isra" | "constprop" | "part" | "cold")
                || part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !parts.all(of_compiler) {
            return false;
        }
        let call = [
            "__x64_sys_",
            "__arm64_sys_",
            "__se_sys_",
            "__do_sys_",
            "ksys_",
        ]
        .iter()
        .find_map(|begin| name.strip_prefix(begin));
        self.words.contains(name)
            || call.is_some_and(|call| {
                self.event("syscalls", &format!("sys_enter_{call}"))
                    .is_some()
            })
    }
}

/// Returns whether a word is a decimal number, or a hexadecimal one as the kernel prints them.
fn is_number(word: &str) -> bool {
    if word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return true;
    }
    let hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match word.strip_prefix("0x") {
        Some(digits) => digits.len() <= MOST_DIGITS && hex(digits),
        None => {
            (BARE_DIGITS..=MOST_DIGITS).contains(&word.len())
                && hex(word)
                && word.bytes().any(|byte| byte.is_ascii_digit())
        }
    }
}

/// Splits a text into words and the text between them. A character outside of ASCII belongs to a word.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || !c.is_ascii();
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = in_word(rest.chars().next()?);
        let end = rest.find(|c| in_word(c) != word).unwrap_or(rest.len());
        let token;
        (token, rest) = rest.split_at(end);
        Some((token, word))
    })
}

#[cfg(test)]
mod tests {
    use super::{Kernel, tokens};

    #[test]
    fn tokens_make_up_the_text() {
        for text in [
            "",
            "a",
            "a b",
            "=> try_to_wake_up+0x1f/0x20",
            "äcmé: x",
            "  ",
        ] {
            let parts: Vec<&str> = tokens(text).map(|(token, _)| token).collect();
            assert_eq!(parts.concat(), text);
        }
        let words = tokens("naïve, käse-1.5").filter(|token| token.1);
        let words: Vec<&str> = words.map(|token| token.0).collect();
        assert_eq!(words, ["naïve", "käse", "1.5"]);
    }

    #[test]
    fn the_kernel_names_its_events_and_fields() {
        let kernel = Kernel::get();
        let switch = kernel.event("sched", "sched_switch").unwrap();
        assert!(switch["prev_comm"]);
        assert!(!switch["prev_state"]);
        assert!(kernel.event("unknown", "sched_switch").is_some());
        assert!(kernel.event("acme", "sched_switch").is_none());
        assert!(kernel.event("sched", "acme").is_none());
    }

    #[test]
    fn only_numbers_and_the_kernels_words_are_known() {
        let kernel = Kernel::get();
        for text in [
            "S|K",
            "R+",
            "GFP_KERNEL|__GFP_ZERO",
            "ffffffff81234567",
            "0x1f -3 4.5",
            "try_to_wake_up+0x10",
            "try_to_wake_up.part.0",
            "__x64_sys_openat",
        ] {
            assert!(kernel.says(text), "{text}");
        }
        for text in [
            "acme",
            "GFP_KERNEL|acme",
            "deadbeef",
            "é",
            "4f3a9c",
            "acme_try_to_wake_up",
        ] {
            assert!(!kernel.says(text), "{text}");
        }
    }
}
