//! Lines that a sampler wrote into the trace through `trace_marker`.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use numalens_columns::TS_NS;
use numalens_samples::{Marker, MarkerReader, marker};

/// Marks that are kept at most: an hour of samples every 10 ms.
const MOST_MARKS: usize = 360_000;
/// Lines about the rate of jiffies that are kept.
const MOST_RATES: usize = 8;

/// Content of a recording's lines.
#[derive(Default)]
pub(super) struct Lines {
    /// Marks of samples, with their time on the trace clock, ns.
    pub(super) marks: Vec<(i64, Marker)>,
    /// Pressure that was written into the trace itself.
    pub(super) pressure: MarkerReader,
    /// Lines with the number of jiffies per second.
    pub(super) rates: Vec<String>,
}

impl Lines {
    /// Reads the lines of a batch, if its event carries lines.
    pub(super) fn observe(&mut self, system: &str, event: &str, batch: &RecordBatch) {
        if system != "ftrace" || !matches!(event, "print" | "bputs") {
            return;
        }
        let times = batch
            .column_by_name(TS_NS)
            .and_then(|array| array.as_primitive_opt::<UInt64Type>());
        let texts = ["buf", "str"]
            .iter()
            .find_map(|name| batch.column_by_name(name))
            .and_then(|array| array.as_string_opt::<i32>());
        let (Some(times), Some(texts)) = (times, texts) else {
            return;
        };
        for (&ts, text) in times.values().iter().zip(texts.iter().flatten()) {
            match marker(text) {
                Some(mark) if self.marks.len() < MOST_MARKS => self.marks.push((ts as i64, mark)),
                Some(_) => {}
                None => {
                    self.pressure.line(ts, text);
                    if self.rates.len() < MOST_RATES
                        && (text.contains(" hz=") || text.contains("CONFIG_HZ="))
                    {
                        self.rates.push(text.to_owned());
                    }
                }
            }
        }
    }
}
