//! Records that come out of the queue become rows and marks.

use linux_perf_event_reader::RecordType;
use linux_perf_event_reader::constants as bits;
use numalens_columns::{DecodeError, InputError};
use numalens_event_format::Endian;

use crate::attrs::{Attr, Attrs};
use crate::bytes::HEADER;
use crate::output::Output;
use crate::queue::{Entry, IN_FILE};
use crate::sample::{Layout, Parts};
use crate::session::{Session, kind};
use crate::tables::{MAX_CPU, Row, has_words_behind};
use crate::tracing::Formats;

/// Inputs for writing a sample besides its bytes.
struct Writer<'w, 'a> {
    endian: Endian,
    attrs: &'w Attrs,
    formats: &'w Formats,
    out: &'w mut Output<'a>,
    /// Columns of the sample that are not adjacent.
    scratch: &'w mut Vec<u8>,
}

/// A sample that could not be written: its CPU where that is known, and what was found.
type Damage = (Option<u32>, String);

impl Session<'_> {
    /// Writes entries that came out of the queue.
    pub(crate) fn flush(&mut self, entries: &[Entry]) -> Result<(), DecodeError> {
        entries.iter().try_for_each(|entry| self.emit(entry))
    }

    /// Writes one record that waited.
    #[inline]
    fn emit(&mut self, entry: &Entry) -> Result<(), DecodeError> {
        let file = self.bytes();
        let bytes = if entry.block == IN_FILE {
            file
        } else {
            self.blocks.get(entry.block)
        };
        let record = bytes.get(entry.at as usize..).unwrap_or_default();
        let size = usize::from(self.endian.u16(record, 6));
        let body = record.get(HEADER..size).unwrap_or_default();
        let Some(attr) = self.attrs.get(entry.attr) else {
            return Ok(());
        };
        let found = self.endian.u32(record, 0);
        let mut damage = None;
        if found == RecordType::SAMPLE.0 {
            self.without_cpu |= attr.layout.cpu.is_none();
            if let Some(at) = attr.layout.front_offset(bits::PERF_SAMPLE_TID) {
                let (pid, tid) = (self.endian.u32(body, at), self.endian.u32(body, at + 4));
                self.mappings.sampled(entry.ts_ns, pid, tid);
            }
            let mut writer = Writer {
                endian: self.endian,
                attrs: &self.attrs,
                formats: &self.formats,
                out: &mut self.out,
                scratch: &mut self.scratch,
            };
            damage = writer.sample(attr, entry, body)?;
        } else if found == kind::SWITCH || found == kind::SWITCH_CPU_WIDE {
            let misc = self.endian.u16(record, 4);
            let back = |bit| body.len().checked_sub(attr.layout.back_offset(bit)?);
            let places = back(bits::PERF_SAMPLE_TID).zip(back(bits::PERF_SAMPLE_CPU));
            if let Some((tid, cpu)) = places {
                let number = |at| self.endian.u32(body, at);
                let (task, cpu) = (number(tid + 4).cast_signed(), number(cpu));
                let other = (found == kind::SWITCH_CPU_WIDE).then(|| number(4).cast_signed());
                let sane = cpu < MAX_CPU && task >= 0 && other.is_none_or(|other| other >= 0);
                let switch = sane.then(|| self.switches.take(cpu, misc, task, other));
                if let Some(switch) = switch.flatten() {
                    self.switches.record(switch, self.endian, &mut self.scratch);
                    let row = Row {
                        ts_ns: entry.ts_ns,
                        cpu,
                        seq: 0,
                        record: &self.scratch,
                        callchain: &[],
                    };
                    self.out.switch(self.endian, row)?;
                }
            }
        } else {
            let count_at = if found == RecordType::LOST.0 { 8 } else { 0 };
            let count = self.endian.u64(body, count_at);
            let back = attr.layout.back_offset(bits::PERF_SAMPLE_CPU);
            let cpu = back.and_then(|back| body.len().checked_sub(back));
            match cpu.map(|at| self.endian.u32(body, at)) {
                Some(cpu) if cpu < MAX_CPU => self.out.lost(cpu, count),
                _ => self.lost_anywhere = self.lost_anywhere.saturating_add(count),
            }
        }
        let damage = damage.map(|damage| (damage, self.origin(entry, size)));
        self.queue.taken(entry, size.saturating_sub(HEADER));
        if entry.block != IN_FILE {
            self.blocks.taken(entry.block);
        }
        match damage {
            None => Ok(()),
            Some(((cpu, found), range)) => {
                let expected = "a sample whose parts fit into it";
                let error = InputError::at_byte(range.start, expected, found);
                self.damage(&error, range, cpu)
            }
        }
    }

    /// The bytes of the file that a record came from.
    fn origin(&self, entry: &Entry, size: usize) -> std::ops::Range<u64> {
        if entry.block == IN_FILE {
            entry.at..entry.at + size as u64
        } else {
            self.blocks.origin(entry.block)
        }
    }
}

impl Writer<'_, '_> {
    #[inline]
    fn sample(
        &mut self,
        attr: &Attr,
        entry: &Entry,
        body: &[u8],
    ) -> Result<Option<Damage>, DecodeError> {
        let layout = &attr.layout;
        let cpu = layout.cpu.map_or(0, |at| self.endian.u32(body, at));
        if cpu >= MAX_CPU {
            return Ok(Some((None, format!("one of CPU {cpu}"))));
        }
        let is_tracepoint = attr.tracepoint().is_some();
        let parts = if is_tracepoint {
            layout.chain_and_raw(body, self.endian)
        } else {
            layout.parts(body, self.endian)
        };
        let Some(parts) = parts else {
            return Ok(Some((
                Some(cpu),
                format!("one of {} bytes", body.len() + HEADER),
            )));
        };
        let row = Row {
            ts_ns: entry.ts_ns,
            cpu,
            seq: 0,
            record: if is_tracepoint {
                parts.raw
            } else {
                columns(layout, body, &parts, self.scratch)
            },
            callchain: parts.callchain,
        };
        self.out
            .event(entry.attr, self.attrs, self.formats, self.endian, row)?;
        Ok(None)
    }
}

/// The columns of an event that is not a tracepoint, in the layout of its table's format.
fn columns<'b>(
    layout: &Layout,
    body: &'b [u8],
    parts: &Parts<'_>,
    scratch: &'b mut Vec<u8>,
) -> &'b [u8] {
    let front = body.get(..layout.front).unwrap_or_default();
    if !has_words_behind(layout) {
        return front;
    }
    scratch.clear();
    scratch.extend_from_slice(front);
    for word in parts.words {
        scratch.extend_from_slice(word);
    }
    scratch
}
