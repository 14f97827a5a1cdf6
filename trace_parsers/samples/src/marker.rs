//! Lines that a recorder writes into the trace itself: marks that relate samples to the trace's clock, and pressure text.

use numalens_columns::DecodeError;

use crate::machine::Machine;
use crate::read::summary;
use crate::{SampleKind, SampleSink, SampleSummary};

/// Limit of rows that are kept until the end of the read.
const MOST_ROWS: u64 = 1 << 20;

/// A mark that a recorder put into the trace right before it took a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// Number of the sample.
    pub idx: i64,
    /// ns of `CLOCK_MONOTONIC`.
    pub mono_ns: i64,
    /// ns of `CLOCK_REALTIME`, if it was written.
    pub real_ns: Option<i64>,
}

/// Reads the text of a mark: `psi_sample idx=4 mono_ns=1003360238181 real_ns=1795224266735179870`.
///
/// `None` for other text, or when `idx` or `mono_ns` are missing or invalid.
#[must_use]
pub fn marker(text: &str) -> Option<Marker> {
    let rest = text.trim().strip_prefix("psi_sample ")?;
    let (mut idx, mut mono_ns, mut real_ns) = (None, None, None);
    for word in rest.split_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            continue;
        };
        let place = match key {
            "idx" => &mut idx,
            "mono_ns" => &mut mono_ns,
            "real_ns" => &mut real_ns,
            _ => continue,
        };
        *place = Some(value.parse().ok()?);
    }
    Some(Marker {
        idx: idx?,
        mono_ns: mono_ns?,
        real_ns,
    })
}

/// Reads pressure text out of the lines of a trace, each with the trace's own stamp.
///
/// Reads `psi cpu some avg10=...` and `/proc/pressure/cpu:some avg10=...` (also with the path of a cgroup's file), and
/// skips all other lines. The sample's number is that of the last mark ([`marker`]) before the line.
pub struct MarkerReader {
    machine: Machine,
    idx: Option<i64>,
    dropped: u64,
}

impl Default for MarkerReader {
    fn default() -> Self {
        Self::new()
    }
}

impl MarkerReader {
    /// A reader without input so far.
    #[must_use]
    pub fn new() -> Self {
        let mut machine = Machine::new("");
        machine.rows.count_by_first();
        Self {
            machine,
            idx: None,
            dropped: 0,
        }
    }

    /// Takes one event's text, which may have several lines. `true` if there was pressure in it.
    pub fn line(&mut self, ts_ns: u64, text: &str) -> bool {
        if let Some(marker) = marker(text) {
            self.idx = Some(marker.idx);
            return false;
        }
        let mut taken = false;
        for line in text.lines() {
            if Machine::is_pressure(line) {
                taken |= self.pressure(ts_ns, line);
            }
        }
        taken
    }

    fn pressure(&mut self, ts_ns: u64, line: &str) -> bool {
        if self.machine.rows.waiting() >= MOST_ROWS {
            self.dropped += 1;
            return false;
        }
        self.machine.in_trace(self.idx, i64::try_from(ts_ns).ok());
        self.machine.resolution(1);
        self.machine.text_line(line).is_ok()
    }

    /// Hands over what has been read so far, so that it need not be kept until the end.
    ///
    /// # Errors
    /// The sink refused.
    pub fn drain(&mut self, sink: &mut dyn SampleSink) -> Result<(), DecodeError> {
        self.machine.rows.write_full(sink)
    }

    /// Hands over the rest and says what was found.
    ///
    /// # Errors
    /// The sink refused.
    pub fn finish(mut self, sink: &mut dyn SampleSink) -> Result<SampleSummary, DecodeError> {
        self.machine.settle();
        self.machine.rows.write_all(sink)?;
        let mut summary = summary(SampleKind::Psi, &self.machine);
        if self.dropped > 0 {
            let note = format!(
                "{} lines of pressure in the trace were left out.",
                self.dropped
            );
            summary.notes.push(note);
        }
        Ok(summary)
    }
}
