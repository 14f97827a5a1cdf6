//! Handling of records: samples and losses go into the queue, others are handled at once.

use linux_perf_event_reader::RecordType;
use linux_perf_event_reader::constants as bits;
use numalens_columns::{DecodeError, InputError};

use crate::attrs::Attr;
use crate::bytes::{Bytes, HEADER, text};
use crate::queue::{Base, Entry, IN_FILE};
use crate::session::{Session, Trouble, kind};
use crate::tables::MAX_CPU;

/// Flag of a record of lost samples: a filter left them out on purpose.
const FILTERED: u16 = 1 << 15;
/// Most ids whose CPU is kept.
const MOST_IDS: usize = 1 << 20;
/// Kind of an event update that carries the event's name.
const UPDATE_NAME: u64 = 2;

impl Session<'_> {
    /// Puts a sample into the queue.
    #[inline]
    pub(crate) fn sample(&mut self, body: &[u8], at: usize, base: Base) -> Result<(), Trouble> {
        let next = at + HEADER + body.len();
        let index = match self.attrs.of_sample(body, self.endian) {
            Ok(index) => index,
            Err(stranger) => {
                let (expected, found) = stranger.clause();
                let error = Self::error(base, at, expected, &found);
                return Err(Trouble::Record(error, next));
            }
        };
        let layout = self.attrs.get(index).map(|attr| &attr.layout);
        let Some((front, time)) = layout.and_then(|layout| Some((layout.front, layout.time?)))
        else {
            return Err(Trouble::Record(self.without_time(index, base, at), next));
        };
        if body.len() < front {
            let wanted = format!("a sample of at least {} bytes", front + HEADER);
            let found = format!("one of {}", body.len() + HEADER);
            return Err(Trouble::Record(
                Self::error(base, at, &wanted, &found),
                next,
            ));
        }
        let ts_ns = self.endian.u64(body, time);
        self.wait(ts_ns, index, at, body.len(), base)?;
        Ok(())
    }

    #[cold]
    fn without_time(&self, index: u32, base: Base, at: usize) -> InputError {
        let name = self.attrs.get(index).map(Attr::name).unwrap_or_default();
        let found = format!("event {name:?} without (perf record -T adds them)");
        Self::error(base, at, "samples with their times", &found)
    }

    #[inline]
    fn wait(
        &mut self,
        ts_ns: u64,
        attr: u32,
        at: usize,
        len: usize,
        base: Base,
    ) -> Result<(), DecodeError> {
        let block = match base {
            Base::File => IN_FILE,
            Base::Block(number, _) => {
                self.in_block += 1;
                number
            }
        };
        let entry = Entry {
            ts_ns,
            at: at as u64,
            block,
            attr,
        };
        self.queue.push(entry, len);
        if base == Base::File && self.queue.is_full(self.blocks.bytes()) {
            let half = self.queue.half();
            self.flush(&half)?;
        }
        Ok(())
    }

    /// Handles a record that is not a sample; returns the start of the next one.
    pub(crate) fn other(
        &mut self,
        kind: u32,
        misc: u16,
        bytes: &[u8],
        at: usize,
        body: &[u8],
        base: Base,
    ) -> Result<usize, Trouble> {
        let next = at + HEADER + body.len();
        let short = || {
            let found = format!("one of {} bytes", body.len() + HEADER);
            Trouble::Record(Self::error(base, at, "a longer record", &found), next)
        };
        let mut data = Bytes::new(body, self.endian);
        match kind {
            kind::FINISHED_ROUND => {
                let ready = self.queue.end_round();
                if base == Base::File {
                    self.flush(&ready)?;
                } else {
                    // The block that is being walked is not among the blocks yet.
                    self.ready.extend(ready);
                }
            }
            kind::COMPRESSED | kind::COMPRESSED2 => {
                let data = if kind == kind::COMPRESSED {
                    Some(body)
                } else {
                    // The size without the padding comes first.
                    data.u64().and_then(|size| data.take(size))
                };
                let data = data.ok_or_else(short)?;
                self.compressed(data, at, next, base)?;
            }
            kind::HEADER_ATTR => {
                let size = self.endian.u32(body, 4) as usize;
                let attr = Attr::read(body, self.endian).ok_or_else(short)?;
                let ids = body.get(size.max(64)..).unwrap_or_default();
                if let Err(expected) = self.add_attr(attr, ids) {
                    let error = Self::error(base, at, &expected, "one more");
                    return Err(Trouble::Record(error, next));
                }
            }
            kind::TRACING_DATA => {
                let size = data.u32().ok_or_else(short)? as usize;
                let Some(section) = bytes.get(next..next.saturating_add(size)) else {
                    let wanted = format!("{size} bytes of event formats");
                    return Err(Trouble::Cut(Self::error(base, next, &wanted, "the end")));
                };
                self.formats(section, next as u64)?;
                return Ok(next + size.next_multiple_of(8));
            }
            kind::AUXTRACE => {
                let size = data.u64().ok_or_else(short)?;
                let end = (next as u64).checked_add(size);
                let Some(end) = end.filter(|&end| end <= bytes.len() as u64) else {
                    let wanted = format!("{size} bytes of processor trace");
                    return Err(Trouble::Cut(Self::error(base, next, &wanted, "the end")));
                };
                self.count_other(kind);
                return Ok(end as usize);
            }
            kind::HEADER_FEATURE => {
                let feature = data.u64().ok_or_else(short)?;
                self.feature(u32::try_from(feature).unwrap_or(u32::MAX), data.rest());
            }
            kind::EVENT_UPDATE => {
                if data.u64() == Some(UPDATE_NAME)
                    && let Some(id) = data.u64()
                {
                    self.attrs.name_by_id(id, &text(data.rest()));
                }
            }
            kind::SWITCH | kind::SWITCH_CPU_WIDE => {
                self.count_other(kind);
                if !self.has_switch_events() {
                    self.switch(body, at, base)?;
                }
            }
            kind::THREAD_MAP => {
                // Their number, then each with its name; -1 stands for all.
                data.u64();
                let first = data.u64().map_or(-1, u64::cast_signed);
                self.info.some_tasks |= first > 0;
            }
            kind::ID_INDEX => self.id_index(&mut data),
            kind::HEADER_BUILD_ID => self.mappings.listed(misc, body),
            _ if kind == RecordType::LOST.0 => self.lost(body, 8, at, base)?,
            _ if kind == RecordType::LOST_SAMPLES.0 => {
                if misc & FILTERED == 0 {
                    self.lost(body, 0, at, base)?;
                }
            }
            _ => {
                if kind == kind::COMM && body.len() > 8 {
                    let name = body[8..].split(|&byte| byte == 0).next();
                    let tid = self.endian.u32(body, 4).cast_signed();
                    self.switches.name(tid, name.unwrap_or_default());
                }
                if crate::mappings::MappingReader::reads(kind) {
                    let time = self.time_of(body);
                    self.mappings.take(kind, misc, body, self.endian, time);
                }
                self.count_other(kind);
            }
        }
        Ok(next)
    }

    /// Returns whether the switches are recorded as events: then the records add nothing.
    fn has_switch_events(&self) -> bool {
        let ids = self.attrs.list().iter().filter_map(Attr::tracepoint);
        let mut formats = ids.filter_map(|id| self.formats.by_id.get(&id));
        formats.any(|(system, format)| system == "sched" && format.name == "sched_switch")
    }

    /// A record of a switch waits for its time.
    fn switch(&mut self, body: &[u8], at: usize, base: Base) -> Result<(), Trouble> {
        let index = self.attrs.of_other(body, self.endian);
        let time = self.time_of(body);
        if time != 0 {
            self.wait(time, index, at, body.len(), base)?;
        }
        Ok(())
    }

    /// The time of a record that is not a sample; 0 if it has none.
    fn time_of(&self, body: &[u8]) -> u64 {
        let index = self.attrs.of_other(body, self.endian);
        let layout = self.attrs.get(index).map(|attr| attr.layout);
        let back = layout.and_then(|layout| layout.back_offset(bits::PERF_SAMPLE_TIME));
        let at = back.and_then(|back| body.len().checked_sub(back));
        at.map_or(0, |at| self.endian.u64(body, at))
    }

    /// Reads the CPU of each id.
    fn id_index(&mut self, data: &mut Bytes<'_>) {
        data.u64();
        while let (Some(id), Some(_), Some(cpu), Some(_)) =
            (data.u64(), data.u64(), data.u64(), data.u64())
        {
            if cpu < u64::from(MAX_CPU) && self.cpu_of_id.len() < MOST_IDS {
                self.cpu_of_id.insert(id, cpu as u32);
            }
        }
    }

    /// Lost events: the kernel's records wait for their time; perf's own count at the end has none.
    fn lost(&mut self, body: &[u8], count_at: usize, at: usize, base: Base) -> Result<(), Trouble> {
        let index = self.attrs.of_other(body, self.endian);
        let Some(layout) = self.attrs.get(index).map(|attr| attr.layout) else {
            return Ok(());
        };
        let back = |bit| {
            let at = body.len().checked_sub(layout.back_offset(bit)?)?;
            Some(self.endian.u64(body, at))
        };
        let time = back(bits::PERF_SAMPLE_TIME).unwrap_or(0);
        if time == 0 {
            let count = self.endian.u64(body, count_at);
            let id = back(bits::PERF_SAMPLE_IDENTIFIER).or_else(|| back(bits::PERF_SAMPLE_ID));
            match id.and_then(|id| self.cpu_of_id.get(&id)) {
                Some(&cpu) => self.out.counted(cpu, count),
                None => self.lost_anywhere = self.lost_anywhere.saturating_add(count),
            }
            return Ok(());
        }
        self.wait(time, index, at, body.len(), base)?;
        Ok(())
    }
}
