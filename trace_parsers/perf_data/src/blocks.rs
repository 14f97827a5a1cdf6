//! Compressed records, and finding the next record after a damage.

use linux_perf_event_reader::RecordType;
use numalens_columns::InputError;

use crate::bytes::HEADER;
use crate::queue::Base;
use crate::session::{Session, Trouble, kind};

impl Session<'_> {
    /// Inflates one compressed record at `at..next`, and walks its content.
    pub(crate) fn compressed(
        &mut self,
        data: &[u8],
        at: usize,
        next: usize,
        base: Base,
    ) -> Result<(), Trouble> {
        if base != Base::File {
            let found = "a compressed record in another";
            return Err(Trouble::Record(
                Self::error(base, at, "an event", found),
                next,
            ));
        }
        let mut bytes = std::mem::take(&mut self.rest);
        let place = at as u64;
        if let Err(found) = self.inflater.inflate(data, &mut bytes) {
            self.lost_sync = true;
            let error = InputError::at_byte(place, "zstd data", found);
            return Err(Trouble::Record(error, next));
        }
        let number = self.blocks.next();
        let base = Base::Block(number, place);
        let mut at = 0;
        if std::mem::take(&mut self.lost_sync) {
            at = self.next_record(&bytes, 0);
            self.lost_sync = at == bytes.len();
        }
        self.in_block = 0;
        while at < bytes.len() {
            at = match self.record(&bytes, at, base) {
                Ok(next) => next,
                Err(Trouble::Cut(_)) => break,
                Err(trouble) => {
                    let next = self.step_over(trouble, &bytes, at, base)?;
                    self.lost_sync |= next == bytes.len();
                    next
                }
            };
        }
        self.rest = bytes.get(at..).unwrap_or_default().to_vec();
        self.blocks.keep(bytes, self.in_block, place..next as u64);
        let ready = std::mem::take(&mut self.ready);
        self.flush(&ready)?;
        while self.queue.is_full(self.blocks.bytes()) {
            let half = self.queue.half();
            self.flush(&half)?;
        }
        Ok(())
    }

    /// Returns the start of the next trustworthy record: a sample of a known event, a compressed record or the end of a
    /// round, followed by another record or the end.
    pub(crate) fn next_record(&mut self, bytes: &[u8], from: usize) -> usize {
        (from..bytes.len())
            .find(|&at| self.is_record(bytes, at))
            .unwrap_or(bytes.len())
    }

    fn is_record(&mut self, bytes: &[u8], at: usize) -> bool {
        let Some((kind, _, size)) = self.header(bytes, at) else {
            return false;
        };
        let next = at + size;
        let trusted = match kind {
            kind::FINISHED_ROUND => size == HEADER,
            kind::COMPRESSED | kind::COMPRESSED2 => size > HEADER,
            _ if kind == RecordType::SAMPLE.0 => {
                let body = bytes.get(at + HEADER..next).unwrap_or_default();
                !body.is_empty() && self.attrs.of_sample(body, self.endian).is_ok()
            }
            _ => false,
        };
        trusted
            && match self.header(bytes, next) {
                Some((kind, _, size)) => size >= HEADER && (1..128).contains(&kind),
                None => next == bytes.len(),
            }
    }
}
