//! Damage on its way to the report: the end of a strict reading, reported by a tolerant one.

use std::ops::Range;

use numalens_columns::{DecodeError, EventSink, InputError, Skipped};

/// Parts reported one by one; further ones are summed up.
const MOST: usize = 10_000;

/// Parts that could not be read while the file was opened.
#[derive(Debug)]
pub(crate) struct Damage {
    tolerant: bool,
    length: u64,
    pub(crate) skipped: Vec<Skipped>,
    first: Option<InputError>,
}

impl Damage {
    /// For a file of `length` bytes.
    pub(crate) fn new(tolerant: bool, length: usize) -> Self {
        Self {
            tolerant,
            length: length as u64,
            skipped: Vec::new(),
            first: None,
        }
    }

    /// Passes a strict reading's error on; a tolerant one keeps it and has nothing.
    pub(crate) fn pass<T>(
        &mut self,
        result: Result<T, InputError>,
    ) -> Result<Option<T>, InputError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.tell(error, None).map(|()| None),
        }
    }

    /// One error, which costs events of `cpu`.
    pub(crate) fn tell(&mut self, error: InputError, cpu: Option<u32>) -> Result<(), InputError> {
        if !self.tolerant {
            return Err(error);
        }
        let end = (error.place.number() + 1).clamp(1, self.length.max(1));
        self.skipped.push(skipped(&error, end - 1..end, cpu));
        self.first.get_or_insert(error);
        Ok(())
    }

    /// The first error reported.
    pub(crate) fn first(&self) -> Option<&InputError> {
        self.first.as_ref()
    }
}

/// An error as a part that was left out.
pub(crate) fn skipped(error: &InputError, range: Range<u64>, cpu: Option<u32>) -> Skipped {
    Skipped {
        range,
        unit: "byte",
        cpu,
        why: format!("expected {}, found {}", error.expected, error.found),
    }
}

/// Damage met while events are decoded, on its way to the sink.
#[derive(Debug)]
pub(crate) struct Skips {
    pub(crate) tolerant: bool,
    queue: Vec<Skipped>,
    reported: usize,
    rest: Option<Range<u64>>,
    more: u64,
}

impl Skips {
    pub(crate) fn new(tolerant: bool) -> Self {
        Self {
            tolerant,
            queue: Vec::new(),
            reported: 0,
            rest: None,
            more: 0,
        }
    }

    /// Queues a part; one that continues the last one of its CPU makes it longer.
    pub(crate) fn push(&mut self, part: Skipped) {
        if let Some(last) = self.queue.last_mut()
            && last.cpu == part.cpu
            && last.range.end == part.range.start
        {
            last.range.end = part.range.end;
        } else if self.reported + self.queue.len() < MOST {
            self.queue.push(part);
        } else {
            let rest = self.rest.get_or_insert(part.range.clone());
            rest.start = rest.start.min(part.range.start);
            rest.end = rest.end.max(part.range.end);
            self.more += 1;
        }
    }

    /// Reports the queued parts to the sink.
    #[inline]
    pub(crate) fn drain(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        if self.queue.is_empty() {
            return Ok(());
        }
        self.reported += self.queue.len();
        for part in self.queue.drain(..) {
            sink.skipped(part)?;
        }
        Ok(())
    }

    /// Reports the rest.
    pub(crate) fn finish(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        self.drain(sink)?;
        if let Some(range) = self.rest.take() {
            sink.skipped(Skipped {
                range,
                unit: "byte",
                cpu: None,
                why: format!("{} more parts of this range were left out", self.more),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numalens_columns::{LostEvents, SinkError, TableId, TableSpec};

    #[derive(Default)]
    struct Collected(Vec<Skipped>);

    impl EventSink for Collected {
        fn open_table(&mut self, _spec: &TableSpec) -> Result<TableId, SinkError> {
            Ok(0)
        }
        fn write(
            &mut self,
            _table: TableId,
            _batch: &arrow_array::RecordBatch,
        ) -> Result<(), SinkError> {
            Ok(())
        }
        fn lost(&mut self, _lost: LostEvents) -> Result<(), SinkError> {
            Ok(())
        }
        fn skipped(&mut self, skipped: Skipped) -> Result<(), SinkError> {
            self.0.push(skipped);
            Ok(())
        }
    }

    #[test]
    fn neighbours_are_joined_and_very_many_parts_summed_up() {
        let error = InputError::at_byte(0, "this", "that");
        let mut skips = Skips::new(true);
        let mut collected = Collected::default();
        skips.push(skipped(&error, 0..10, Some(1)));
        skips.push(skipped(&error, 10..20, Some(1)));
        skips.push(skipped(&error, 20..30, Some(2)));
        skips.drain(&mut collected).unwrap();
        let ranges: Vec<_> = collected.0.iter().map(|part| part.range.clone()).collect();
        assert_eq!(ranges, [0..20, 20..30]);
        for at in 0..MOST as u64 {
            skips.push(skipped(&error, at * 2..at * 2 + 1, Some(1)));
        }
        skips.finish(&mut collected).unwrap();
        assert_eq!(collected.0.len(), MOST + 1);
        let last = &collected.0[MOST];
        assert_eq!(last.why, "2 more parts of this range were left out");
        assert_eq!(last.range, 19_996..19_999);
    }
}
