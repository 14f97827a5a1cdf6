//! Metadata of a text's recording, from comment lines and events.

use std::collections::BTreeMap;

use numalens_columns::{BufferInfo, ClockPair, InputError, RecordingInfo};

use crate::bytes::decimal;
use crate::line::Head;
use crate::records::{cpus, discarded};
use crate::stamp::{StampForm, stamp_at};

/// Longest value that is kept.
const MAX_VALUE: usize = 1024;

/// Collected while the text is walked.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    cpus: u32,
    kernel: Option<String>,
    clock: Option<String>,
    pair: Option<ClockPair>,
    resolution: Option<u64>,
    form: Option<StampForm>,
    /// Events, and the first and the last stamp, whatever they count.
    events: u64,
    stamps: Option<(u64, u64)>,
    kept: BTreeMap<String, String>,
    /// Events that were overwritten before the text was taken.
    overwritten: u64,
    /// Events that `LTTng` had no room for, as babeltrace2 says.
    discarded: u64,
}

impl Facts {
    #[inline]
    pub(crate) fn event(&mut self, head: &Head<'_>) {
        self.cpus = self.cpus.max(head.cpu + 1);
        self.events += 1;
        let stamps = self.stamps.get_or_insert((head.ts_ns, head.ts_ns));
        *stamps = (stamps.0.min(head.ts_ns), stamps.1.max(head.ts_ns));
        if self.form != Some(head.form) {
            self.form = Some(head.form);
            let step = head.form.resolution_ns();
            self.resolution = Some(self.resolution.map_or(step, |known| known.min(step)));
        }
    }

    /// Returns the error for timestamps that count events (`counter`) or ticks (`uptime`) instead of time. Both are integers,
    /// and more than one to a hundred ns on average.
    pub(crate) fn timeless(&self) -> Option<InputError> {
        const LEAST_NS: u64 = 100;
        let (first, last) = self.stamps?;
        let dense = last - first < (self.events - 1).saturating_mul(LEAST_NS);
        (self.form == Some(StampForm::Integer) && dense).then(|| {
            InputError::at_line(
                1,
                "stamps in seconds (record with trace_clock mono)",
                "numbers that do not count ns, as of the trace clocks counter and uptime",
            )
        })
    }

    /// Takes a line that is not an event.
    pub(crate) fn note(&mut self, line: &[u8]) {
        if let Some(count) = cpus(line) {
            self.cpus = self.cpus.max(count);
            return;
        }
        self.discarded = self.discarded.saturating_add(discarded(line).unwrap_or(0));
        if !line.starts_with(b"# ") {
            return;
        }
        let line = String::from_utf8_lossy(&line[2..line.len().min(MAX_VALUE)]).into_owned();
        self.tracefs(&line);
        self.perf(&line);
    }

    fn keep(&mut self, name: &str, value: &str) {
        self.kept
            .entry(name.to_owned())
            .or_insert_with(|| value.trim().to_owned());
    }

    fn tracefs(&mut self, line: &str) {
        if let Some(tracer) = line.strip_prefix("tracer: ") {
            self.keep("tracer", tracer);
        } else if let Some(rest) = line.strip_prefix("entries-in-buffer/entries-written: ") {
            let word = rest.split_whitespace().next().unwrap_or_default();
            self.keep("entries-in-buffer/entries-written", word);
            self.entries(word);
        } else if let Some((_, release)) = line
            .split_once(" latency trace v")
            .and_then(|(_, rest)| rest.split_once(" on "))
        {
            self.kernel = Some(release.trim().to_owned());
        } else if line.starts_with("latency: ")
            && let Some(word) = line.split(", ").nth(1)
        {
            self.keep(
                "entries-in-buffer/entries-written",
                word.trim_start_matches('#'),
            );
            self.entries(word.trim_start_matches('#'));
        }
        if let Some((_, count)) = line.split_once("#P:")
            && let Some((count, _)) = decimal(count.as_bytes(), 0)
        {
            self.cpus = self
                .cpus
                .max(u32::try_from(count).unwrap_or(0).min(1 << 16));
        }
    }

    fn entries(&mut self, word: &str) {
        if let Some((kept, written)) = word.split_once('/')
            && let (Ok(kept), Ok(written)) = (kept.parse::<u64>(), written.parse::<u64>())
        {
            self.overwritten = self
                .overwritten
                .saturating_add(written.saturating_sub(kept));
        }
    }

    fn perf(&mut self, line: &str) {
        let Some((name, value)) = line.split_once(':') else {
            return;
        };
        let (name, value) = (name.trim(), value.trim());
        match name {
            "os release" => self.kernel = Some(value.to_owned()),
            "perf version" | "cmdline" | "arch" | "captured on" => self.keep(name, value),
            "nrcpus online" | "nrcpus avail" => {
                self.cpus = self.cpus.max(value.parse().unwrap_or(0).min(1 << 16));
            }
            "clockid" => {
                let clock = value.split(' ').next().unwrap_or_default();
                self.clock = Some(match clock {
                    "monotonic" => "mono".to_owned(),
                    "monotonic_raw" => "mono_raw".to_owned(),
                    "boottime" => "boot".to_owned(),
                    other => other.to_owned(),
                });
            }
            "reference time" => self.pair = reference(value),
            _ => {}
        }
    }

    /// The recording's facts. `instances` are the buffers' names.
    pub(crate) fn into_info(self, instances: &[Vec<u8>]) -> RecordingInfo {
        let mut facts = self.kept;
        let mut notes = Vec::new();
        if self.overwritten > 0 {
            notes.push(format!(
                "{} events were overwritten before the trace was read.",
                self.overwritten
            ));
        }
        if self.discarded > 0 {
            notes.push(format!(
                "LTTng discarded {} events (CPU unknown).",
                self.discarded
            ));
        }
        match self.form {
            Some(StampForm::OfDay) => {
                facts.insert("stamps".to_owned(), "time of the day".to_owned());
            }
            Some(StampForm::Relative) => {
                facts.insert(
                    "stamps".to_owned(),
                    "since the tracing buffer was reset".to_owned(),
                );
                notes.push("Timestamps of the latency format count from the reset of the tracing buffer, not from a clock's zero.".to_owned());
            }
            Some(StampForm::Integer) => {
                facts.insert("stamps".to_owned(), "integers".to_owned());
                notes.push(
                    "Timestamps are integers without a unit; they are read as nanoseconds."
                        .to_owned(),
                );
            }
            _ => {}
        }
        let buffer = |(index, name): (usize, &Vec<u8>)| BufferInfo {
            index: index as u8,
            name: String::from_utf8_lossy(name).into_owned(),
            clock: self.clock.clone(),
        };
        RecordingInfo {
            clock: self.clock.clone(),
            kernel: self.kernel,
            cpus: self.cpus,
            resolution_ns: self.resolution.unwrap_or(1000),
            buffers: instances.iter().enumerate().map(buffer).collect(),
            clock_pairs: self.pair.into_iter().collect(),
            overwritten: self.overwritten > 0,
            facts,
            notes,
            ..RecordingInfo::default()
        }
    }
}

/// `2026-11-21 01:27:25.940277 = 1795224445.940277 (TOD) = 1182.565337872 (monotonic)`
fn reference(value: &str) -> Option<ClockPair> {
    let mut parts = value.split(" = ").skip(1);
    let real = stamp_at(parts.next()?.as_bytes(), 0)?.0;
    let trace = stamp_at(parts.next()?.as_bytes(), 0)?.0;
    Some(ClockPair {
        trace_ns: i64::try_from(trace).ok()?,
        real_ns: i64::try_from(real).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_times_are_refused() {
        let of = |step: u64, form: StampForm| {
            let facts = Facts {
                form: Some(form),
                events: 9,
                stamps: Some((1000, 1000 + 8 * step)),
                ..Facts::default()
            };
            facts.timeless().is_some()
        };
        assert!(of(10, StampForm::Integer));
        assert!(of(0, StampForm::Integer));
        assert!(!of(5000, StampForm::Integer));
        assert!(!of(10, StampForm::Nano));
        assert!(Facts::default().timeless().is_none());
    }

    #[test]
    fn facts_of_the_comment_lines() {
        let mut facts = Facts::default();
        for line in [
            "# tracer: nop",
            "# entries-in-buffer/entries-written: 100/130   #P:8",
            "# nop latency trace v1.1.5 on 6.18.44-fc-v669",
            "# clockid: monotonic (1)",
            "# reference time: 2026-11-21 01:27:25.940277 = 1795224445.940277 (TOD) = 1182.565337872 (monotonic)",
        ] {
            facts.note(line.as_bytes());
        }
        let info = facts.into_info(&[Vec::new()]);
        assert_eq!(
            (info.cpus, info.kernel.as_deref(), info.clock.as_deref()),
            (8, Some("6.18.44-fc-v669"), Some("mono"))
        );
        assert_eq!(
            info.notes,
            ["30 events were overwritten before the trace was read."]
        );
        assert_eq!(info.facts["tracer"], "nop");
        let pair = ClockPair {
            trace_ns: 1_182_565_337_872,
            real_ns: 1_795_224_445_940_277_000,
        };
        assert_eq!(info.clock_pairs, [pair]);
    }
}
