//! Reason and mode of page migrations, as numbers that do not change between kernels.
//!
//! The recorded numbers are those of the kernel's `enum migrate_reason` and `enum migrate_mode`; the event's print format
//! names them (`__print_symbolic(REC->reason, { 5, "numa_misplaced" })`), so that format is read.

use numalens_core::listed;

listed! {
    /// Reason of a page migration. Numbers are those of Linux 6.12 (`enum migrate_reason`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Reason {
        /// `compaction`.
        Compaction = 0 => "compaction",
        /// `memory_failure`.
        MemoryFailure = 1 => "memory_failure",
        /// `memory_hotplug`.
        MemoryHotplug = 2 => "memory_hotplug",
        /// `syscall_or_cpuset`: `migrate_pages(2)`, `move_pages(2)`, or a cpuset's change.
        Syscall = 3 => "syscall_or_cpuset",
        /// `mempolicy_mbind`.
        Mbind = 4 => "mempolicy_mbind",
        /// `numa_misplaced`: the NUMA balancer, at a fault.
        NumaMisplaced = 5 => "numa_misplaced",
        /// `contig_range`; `cma` before 5.13.
        ContigRange = 6 => "contig_range",
        /// `longterm_pin`.
        LongtermPin = 7 => "longterm_pin",
        /// `demotion` to a slower node.
        Demotion = 8 => "demotion",
        /// `damon`.
        Damon = 9 => "damon",
        /// Another reason.
        Other = 255 => "other",
    }
}

impl Reason {
    /// The reason of a number in the log.
    #[must_use]
    pub fn of(number: u8) -> Self {
        Self::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or(Self::Other)
    }

    fn named(name: &str) -> Self {
        let same = Self::ALL.into_iter().find(|reason| reason.name() == name);
        same.unwrap_or(match name {
            "cma" => Self::ContigRange,
            "syscall" => Self::Syscall,
            _ => Self::Other,
        })
    }
}

listed! {
    /// Mode of a page migration (`enum migrate_mode`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u8)]
    pub enum Mode {
        /// `MIGRATE_ASYNC`: never waits.
        Async = 0 => "MIGRATE_ASYNC",
        /// `MIGRATE_SYNC_LIGHT`: waits, except for writeback.
        SyncLight = 1 => "MIGRATE_SYNC_LIGHT",
        /// `MIGRATE_SYNC`: waits.
        Sync = 2 => "MIGRATE_SYNC",
        /// Another mode.
        Other = 255 => "other",
    }
}

impl Mode {
    /// The mode of a number in the log.
    #[must_use]
    pub fn of(number: u8) -> Self {
        Self::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or(Self::Other)
    }

    fn named(name: &str) -> Self {
        let same = Self::ALL.into_iter().find(|mode| mode.name() == name);
        same.unwrap_or(Self::Other)
    }
}

/// Meaning of the numbers of a table's column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Meanings of the first numbers.
    small: [u8; SMALL],
    /// By recorded number; nothing where there is no print format.
    pairs: Vec<(i64, u8)>,
}

/// All kernels have fewer reasons and modes; a look-up by place is what a column of them takes.
const SMALL: usize = 16;

impl Numbers {
    /// Reasons by a print format.
    pub(super) fn reasons(print_fmt: &str) -> Self {
        Self::read(print_fmt, "reason", |name| Reason::named(name) as u8)
    }

    /// Modes by a print format.
    pub(super) fn modes(print_fmt: &str) -> Self {
        Self::read(print_fmt, "mode", |name| Mode::named(name) as u8)
    }

    /// The pairs `{ 5, "numa_misplaced" }` of `__print_symbolic(REC->field, ...)`.
    fn read(print_fmt: &str, field: &str, number: impl Fn(&str) -> u8) -> Self {
        let symbolic = print_fmt.split("__print_symbolic(").skip(1);
        let mut of_field = symbolic.filter_map(|text| {
            let rest = text.trim_start().strip_prefix("REC->")?;
            let rest = rest.strip_prefix(field)?.trim_start();
            rest.strip_prefix(',')
        });
        let mut pairs = Vec::new();
        let mut rest = of_field.next().unwrap_or_default();
        while let Some(pair) = rest.trim_start_matches([' ', ',']).strip_prefix('{') {
            let Some((pair, after)) = pair.split_once('}') else {
                break;
            };
            rest = after;
            if let Some((raw, name)) = pair.split_once(',')
                && let Ok(raw) = raw.trim().parse()
            {
                pairs.push((raw, number(name.trim().trim_matches('"'))));
            }
        }
        Self::of(pairs)
    }

    fn of(pairs: Vec<(i64, u8)>) -> Self {
        let mut numbers = Self {
            small: [0; SMALL],
            pairs,
        };
        numbers.small = std::array::from_fn(|raw| numbers.any(raw as i64));
        numbers
    }

    /// Our number for a recorded one; without a print format, numbers mean what they do in Linux 6.12.
    #[inline]
    pub(super) fn get(&self, raw: i64) -> u8 {
        let small = usize::try_from(raw)
            .ok()
            .and_then(|raw| self.small.get(raw));
        small.copied().unwrap_or_else(|| self.any(raw))
    }

    fn any(&self, raw: i64) -> u8 {
        if self.pairs.is_empty() {
            return u8::try_from(raw).unwrap_or(u8::MAX);
        }
        let pair = self.pairs.iter().find(|pair| pair.0 == raw);
        pair.map_or(u8::MAX, |pair| pair.1)
    }
}

/// The number of a reason's name, where a recording has names.
pub(super) fn reason_number(name: &[u8]) -> u8 {
    str::from_utf8(name).map_or(u8::MAX, |name| Reason::named(name.trim()) as u8)
}

/// The number of a mode's name.
pub(super) fn mode_number(name: &[u8]) -> u8 {
    str::from_utf8(name).map_or(u8::MAX, |name| Mode::named(name.trim()) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux 6.1's.
    const PRINT_FMT: &str = concat!(
        r#""nr_succeeded=%lu nr_failed=%lu mode=%s reason=%s", REC->succeeded, REC->failed, __print_symbolic(REC->mode,"#,
        r#" { 0, "MIGRATE_ASYNC" }, { 1, "MIGRATE_SYNC_LIGHT" }, { 2, "MIGRATE_SYNC" }), __print_symbolic(REC->reason,"#,
        r#" { 0, "compaction" }, {1,"memory_failure"}, { 4, "cma" }, { 5, "numa_misplaced" }, { 6, "new_in_9_9" })"#,
    );

    #[test]
    fn numbers_mean_what_the_print_format_says() {
        let reasons = Numbers::reasons(PRINT_FMT);
        let got = [0, 1, 4, 5, 6, 7, -1].map(|raw| Reason::of(reasons.get(raw)));
        let want = [
            Reason::Compaction,
            Reason::MemoryFailure,
            Reason::ContigRange,
            Reason::NumaMisplaced,
            Reason::Other,
            Reason::Other,
            Reason::Other,
        ];
        assert_eq!(got, want);
        let modes = Numbers::modes(PRINT_FMT);
        assert_eq!(Mode::of(modes.get(2)), Mode::Sync);
        assert_eq!(Mode::of(modes.get(3)), Mode::Other);
    }

    #[test]
    fn without_names_numbers_are_those_of_6_12() {
        for text in ["", "REC->reason {", "__print_symbolic(REC->reason, { 5 "] {
            let reasons = Numbers::reasons(text);
            assert_eq!(Reason::of(reasons.get(5)), Reason::NumaMisplaced, "{text}");
            assert_eq!(Reason::of(reasons.get(1 << 40)), Reason::Other, "{text}");
        }
        assert_eq!(reason_number(b"demotion"), Reason::Demotion as u8);
        assert_eq!(mode_number(b"MIGRATE_SYNC_LIGHT"), Mode::SyncLight as u8);
        assert_eq!(reason_number(b"\xff"), Reason::Other as u8);
    }
}
