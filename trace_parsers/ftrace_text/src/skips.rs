//! Lines that a tolerant reading leaves out.

use numalens_columns::{DecodeError, EventSink, InputError, Skipped};

/// After this many, the rest is reported as one.
const MOST: u64 = 10_000;

/// Handles damage: as an error in a strict read, otherwise as a report.
#[derive(Debug)]
pub(crate) struct Skips {
    tolerant: bool,
    reported: u64,
    /// Lines that follow on each other are reported together.
    open: Option<Skipped>,
    /// Everything after [`MOST`].
    rest: Option<(Skipped, u64)>,
}

impl Skips {
    pub(crate) fn new(tolerant: bool) -> Self {
        Self {
            tolerant,
            reported: 0,
            open: None,
            rest: None,
        }
    }

    /// A line cannot be used.
    pub(crate) fn line(
        &mut self,
        error: InputError,
        cpu: Option<u32>,
        sink: &mut dyn EventSink,
    ) -> Result<(), DecodeError> {
        if !self.tolerant {
            return Err(error.into());
        }
        let line = error.place.number();
        if let Some(open) = &mut self.open
            && open.range.end == line
            && open.cpu == cpu
        {
            open.range.end += 1;
            return Ok(());
        }
        self.close(sink)?;
        let why = format!("expected {}, found {}", error.expected, error.found);
        self.open = Some(Skipped {
            range: line..line + 1,
            unit: "line",
            cpu,
            why,
        });
        Ok(())
    }

    fn close(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        let Some(skipped) = self.open.take() else {
            return Ok(());
        };
        self.reported += 1;
        if self.reported <= MOST {
            return Ok(sink.skipped(skipped)?);
        }
        match &mut self.rest {
            Some((rest, count)) => {
                rest.range = rest.range.start.min(skipped.range.start)
                    ..rest.range.end.max(skipped.range.end);
                *count += 1;
            }
            None => self.rest = Some((skipped, 1)),
        }
        Ok(())
    }

    /// Reports the rest.
    pub(crate) fn finish(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        self.close(sink)?;
        if let Some((mut rest, count)) = self.rest.take() {
            rest.cpu = None;
            rest.why = format!(
                "{count} more places in these lines; the first: {}",
                rest.why
            );
            sink.skipped(rest)?;
        }
        Ok(())
    }
}
