//! Logs of requests, which are kept line by line: what their numbers mean depends on the recording that they come with.

use numalens_columns::{ByteSource, DecodeError, InputError, ReadOptions};

use crate::machine::Machine;
use crate::read::summary;
use crate::{SampleKind, SampleSink, SampleSummary, SampleTableId};

/// Reads a log of requests into the table of its lines.
///
/// # Errors
/// One sentence with the line: what was expected there, or the sink refused.
pub fn read_requests(
    source: &dyn ByteSource,
    name: &str,
    _options: &ReadOptions,
    sink: &mut dyn SampleSink,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SampleSummary, DecodeError> {
    let bytes = source.bytes();
    let total = bytes.len() as u64;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        InputError::at_line(line as u64, "UTF-8 text", "other bytes")
    })?;
    let requests = numalens_requests::read(text, (0, u64::MAX)).map_err(|why| located(&why))?;
    let mut machine = Machine::new(name);
    for line in text.lines() {
        machine.rows.push(SampleTableId::Requests, cells![line]);
        machine.rows.write_full(sink)?;
    }
    machine.rows.write_all(sink)?;
    progress(total, total);
    Ok(SampleSummary {
        samples: requests.len() as u64,
        ..summary(SampleKind::Requests, &machine)
    })
}

/// The error with its line as its place: "line 7: expected this, found that".
fn located(why: &str) -> InputError {
    let (line, why) = why
        .strip_prefix("line ")
        .and_then(|it| it.split_once(": "))
        .unwrap_or(("", why));
    let why = why.strip_prefix("expected ").unwrap_or(why);
    let (expected, found) = why.split_once(", found ").unwrap_or((why, "other text"));
    InputError::at_line(line.parse().unwrap_or(1), expected, found)
}
