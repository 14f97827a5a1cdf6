//! One CPU's events of one buffer, in the order they were recorded, page after page.

use std::ops::Range;

use numalens_columns::{ByteSource, InputError};
use numalens_event_format::Endian;

use crate::compression::Compression;
use crate::cursor::Cursor;
use crate::layout::{BufferLayout, CpuRegion, TraceDat};
use crate::metadata::PageHeader;
use crate::page::{self, Missed, PageEvent, PageFault, PageHead};
use crate::skips::{Skips, skipped};

/// Steps from one event of a CPU to the next that are looked at, ns: they are rare.
const LONG: u64 = 1 << 30;
const MINUTE: u64 = 60_000_000_000;
/// Consumed bytes are given back to the source in steps of this size.
const RELEASE_STEP: usize = 1 << 20;
/// Pages in a chunk at most; trace-cmd puts ten into one.
const CHUNK_PAGES: u32 = 64;
/// Largest chunk after decompression, bytes, whatever the page's size.
const MAX_CHUNK: u32 = 128 << 20;
/// Chunks of all CPUs that are inflated at the same time, bytes.
const MAX_INFLATED: usize = 256 << 20;

/// Shared state of a recording's streams.
pub(crate) struct Shared {
    pub(crate) skips: Skips,
    /// Bytes of inflated chunks.
    inflated: usize,
    /// By CPU, the stamps of its first and its last page, as far as they are known.
    pub(crate) ends: Vec<(u32, u64, u64)>,
    /// Stamps that were set right.
    pub(crate) redated: u64,
}

impl Shared {
    pub(crate) fn new(tolerant: bool) -> Self {
        Self {
            skips: Skips::new(tolerant),
            inflated: 0,
            ends: Vec::new(),
            redated: 0,
        }
    }
}

/// Source of a stream's pages.
enum Pages {
    /// Uncompressed pages in the file; the range is the unread rest.
    Raw(Range<usize>),
    /// Compressed chunks of pages: how many are left, where the next begins, and the current one inflated.
    Chunks {
        left: u32,
        rest: Range<usize>,
        inflated: Vec<u8>,
        at: usize,
        /// The current chunk in the file, and where its compressed bytes begin.
        chunk: Range<usize>,
        place: u64,
    },
}

/// The page under the cursor: its bytes in the file or in the inflated chunk, and its offset for messages.
struct Page {
    range: Range<usize>,
    place: u64,
    end: usize,
    next: usize,
}

/// One CPU's events of one buffer.
pub(crate) struct Stream<'s> {
    source: &'s dyn ByteSource,
    /// All bytes of the source.
    all: &'s [u8],
    pub(crate) cpu: u32,
    pub(crate) buffer: u8,
    page_size: usize,
    header: PageHeader,
    endian: Endian,
    compression: Compression,
    pages: Pages,
    page: Option<Page>,
    event: Option<PageEvent>,
    /// Raw time of the current event.
    stamp: u64,
    /// Lost events before the current event.
    missed: Option<Missed>,
    /// Damage cost events before the current one, so that no number counts them.
    damaged: bool,
    /// The file ends before the CPU's data does.
    cut: bool,
    /// Pages of zeros since the last page with events.
    hole: Range<usize>,
    released: usize,
    /// Bytes of the file that were consumed.
    pub(crate) consumed: u64,
}

impl<'s> Stream<'s> {
    /// Opens a stream at its first event.
    pub(crate) fn open(
        trace: &TraceDat<'s>,
        buffer: u8,
        layout: &BufferLayout,
        region: &CpuRegion,
        shared: &mut Shared,
    ) -> Result<Self, InputError> {
        let range = region.range.clone();
        let mut stream = Self {
            source: trace.source,
            all: trace.source.bytes(),
            cpu: region.cpu,
            buffer,
            page_size: layout.page_size as usize,
            header: trace.header,
            endian: trace.endian,
            compression: trace.compression,
            pages: Pages::Raw(range.clone()),
            page: None,
            event: None,
            stamp: 0,
            missed: None,
            damaged: false,
            cut: trace.is_cut(&range),
            hole: 0..0,
            released: range.start,
            consumed: 0,
        };
        if layout.compressed && !range.is_empty() {
            stream.pages = stream.chunks(&range, shared)?;
        }
        stream.advance(shared)?;
        Ok(stream)
    }

    /// The chunks of a region. Its size leaves out the four bytes of their number.
    fn chunks(&self, range: &Range<usize>, shared: &mut Shared) -> Result<Pages, InputError> {
        const COUNT: usize = 4;
        let end = range.end.saturating_add(COUNT).min(self.all.len());
        let bytes = self.all.get(range.start..end).unwrap_or_default();
        let mut data = Cursor::new(bytes, range.start as u64, self.endian);
        let left = match data.u32("the number of compressed chunks") {
            Ok(left) => left,
            Err(error) => {
                self.skip(error, range.start..end, shared)?;
                0
            }
        };
        Ok(Pages::Chunks {
            left,
            rest: (range.start + COUNT).min(end)..end,
            inflated: Vec::new(),
            at: 0,
            chunk: 0..0,
            place: 0,
        })
    }

    /// Damage in a part of this CPU's data: the end of a strict reading, reported by a tolerant one.
    fn skip(
        &self,
        error: InputError,
        range: Range<usize>,
        shared: &mut Shared,
    ) -> Result<(), InputError> {
        if !shared.skips.tolerant {
            return Err(error);
        }
        let length = self.all.len().max(1);
        let end = range.end.clamp(1, length);
        let range = range.start.min(end - 1) as u64..end as u64;
        shared.skips.push(skipped(&error, range, Some(self.cpu)));
        Ok(())
    }

    /// Marks an unknown number of missing events before the next one.
    fn lose(&mut self) {
        self.missed = Some(Missed::Uncounted);
        self.damaged = true;
    }

    /// Leaves out the current event, which is damaged.
    pub(crate) fn skip_event(
        &mut self,
        error: InputError,
        shared: &mut Shared,
    ) -> Result<(), InputError> {
        let (Some(page), Some(event)) = (&self.page, self.event) else {
            return Ok(());
        };
        let range = match &self.pages {
            Pages::Raw(_) => page.range.start + event.start..page.range.start + event.next,
            Pages::Chunks { chunk, .. } => chunk.clone(),
        };
        self.skip(error, range, shared)?;
        self.lose();
        Ok(())
    }

    /// Raw time of the current event; `None` at the end.
    pub(crate) fn stamp(&self) -> Option<u64> {
        self.event.map(|_| self.stamp)
    }

    /// Lost events before the current one; reported once.
    pub(crate) fn take_missed(&mut self) -> Option<Missed> {
        self.damaged = false;
        self.missed.take()
    }

    /// Events that are missing after the last one: the file ends, or is damaged, before the CPU's data does.
    pub(crate) fn take_missed_at_end(&mut self) -> Option<Missed> {
        let missed = self.take_missed();
        missed.or(self.cut.then_some(Missed::Uncounted))
    }

    /// The current event's record, from `common_type` on.
    #[inline]
    pub(crate) fn record(&self) -> &[u8] {
        let (Some(page), Some(event)) = (&self.page, self.event) else {
            return &[];
        };
        let bytes = self.page_bytes(page);
        bytes
            .get(event.start..event.start + event.len)
            .unwrap_or_default()
    }

    /// The current record's offset in the file (its chunk's, when it was compressed).
    pub(crate) fn place(&self) -> u64 {
        self.page.as_ref().map_or(0, |page| page.place)
    }

    #[inline]
    fn page_bytes(&self, page: &Page) -> &[u8] {
        let all = match &self.pages {
            Pages::Raw(_) => self.all,
            Pages::Chunks { inflated, .. } => inflated,
        };
        all.get(page.range.clone()).unwrap_or_default()
    }

    /// Moves to the next event.
    #[inline]
    pub(crate) fn advance(&mut self, shared: &mut Shared) -> Result<(), InputError> {
        loop {
            if let Some(page) = &self.page {
                let mut stamp = self.stamp;
                let bytes = self.page_bytes(page);
                match page::next_event(bytes, page.next, page.end, &mut stamp, self.endian) {
                    Ok(Some(event)) => {
                        #[cfg(target_arch = "x86_64")]
                        fetch(bytes, event.next);
                        if stamp.wrapping_sub(self.stamp) >= LONG {
                            stamp = self.possible(stamp, shared);
                        }
                        self.stamp = stamp;
                        self.event = Some(event);
                        if let Some(page) = &mut self.page {
                            page.next = event.next;
                        }
                        return Ok(());
                    }
                    Ok(None) => {}
                    Err(fault) => self.fault(&fault, shared)?,
                }
            }
            if !self.next_page(shared)? {
                self.event = None;
                return Ok(());
            }
        }
    }

    /// The stamp after a long step, set right where it cannot be: later pages of the CPU lie before it, or the recording is
    /// over for long. Some recorders add an absolute stamp to the time before it; then the step itself is the stamp.
    #[cold]
    fn possible(&self, stamp: u64, shared: &mut Shared) -> u64 {
        let before = self.stamp;
        let step = stamp.wrapping_sub(before);
        let others = || shared.ends.iter().filter(|ends| ends.0 != self.cpu);
        let first = others().map(|ends| ends.1).min();
        let last = others().map(|ends| ends.2).max();
        let right = match self.next_stamp() {
            Some(next) if stamp <= next => return stamp,
            Some(next) => (step >= before && step <= next).then_some(step),
            None => {
                let (Some(first), Some(last)) = (first, last) else {
                    return stamp;
                };
                let long = last.saturating_sub(first).saturating_mul(4);
                let over = stamp.saturating_sub(last) > long.max(MINUTE);
                if !over || before < MINUTE || step < before || step > last {
                    return stamp;
                }
                Some(step)
            }
        };
        shared.redated += 1;
        right.unwrap_or(before)
    }

    /// The earliest stamp of the next pages, as far as they are at hand.
    fn next_stamp(&self) -> Option<u64> {
        const PAGES: usize = 8;
        let (bytes, range) = match &self.pages {
            Pages::Raw(left) => (self.all, left.clone()),
            Pages::Chunks { inflated, at, .. } => (&inflated[..], *at..inflated.len()),
        };
        let pages = range.step_by(self.page_size.max(1)).take(PAGES);
        let stamps = pages.filter_map(|page| {
            let at = page + self.header.timestamp;
            let stamp = self.endian.u64(bytes.get(at..at + 8)?, 0);
            (stamp != 0).then_some(stamp)
        });
        stamps.min()
    }

    /// Handles an event that does not fit its page: the rest of the page cannot be found.
    #[cold]
    fn fault(&mut self, fault: &PageFault, shared: &mut Shared) -> Result<(), InputError> {
        let Some(page) = self.page.take() else {
            return Ok(());
        };
        let (place, range) = match &self.pages {
            Pages::Raw(_) => {
                let at = page.range.start + fault.at;
                (at as u64, at..page.range.end)
            }
            Pages::Chunks { chunk, .. } => (page.place, chunk.clone()),
        };
        let expected = format!(
            "an event of CPU {} within its page of {} bytes",
            self.cpu, page.end
        );
        let found = format!(
            "one of {} bytes at byte {} of the page",
            fault.claimed, fault.at
        );
        self.skip(InputError::at_byte(place, expected, found), range, shared)?;
        self.lose();
        Ok(())
    }

    /// Moves to the next page with events.
    fn next_page(&mut self, shared: &mut Shared) -> Result<bool, InputError> {
        loop {
            self.page = None;
            let Some((range, place)) = self.next_range(shared)? else {
                return Ok(false);
            };
            let page = Page {
                range,
                place,
                end: 0,
                next: 0,
            };
            let bytes = self.page_bytes(&page);
            let head = match page::head(bytes, self.header, self.endian, place) {
                Ok(head) => head,
                Err(error) => {
                    if let Some(head) = self.cut_head(bytes).filter(|_| shared.skips.tolerant) {
                        head
                    } else {
                        let range = match &self.pages {
                            Pages::Raw(_) => page.range,
                            Pages::Chunks { chunk, .. } => chunk.clone(),
                        };
                        self.skip(error, range, shared)?;
                        self.lose();
                        continue;
                    }
                }
            };
            self.zeros(&page.range, head, shared)?;
            if head.missed.is_some() && !self.damaged {
                self.missed = head.missed;
            }
            let mut stamp = head.stamp;
            if self.stamp != 0 && stamp.wrapping_sub(self.stamp) >= LONG {
                stamp = self.possible(stamp, shared);
            }
            self.stamp = stamp;
            self.page = Some(Page {
                end: head.end,
                next: head.start,
                ..page
            });
            return Ok(true);
        }
    }

    /// The head of a page that the end of the file cut: its events go as far as the file.
    fn cut_head(&self, bytes: &[u8]) -> Option<PageHead> {
        if bytes.len() >= self.page_size {
            return None;
        }
        let mut whole = bytes.to_vec();
        whole.resize(self.page_size, 0);
        let head = page::head(&whole, self.header, self.endian, 0).ok()?;
        let end = head.end.min(bytes.len());
        (head.start <= end).then_some(PageHead { end, ..head })
    }

    /// Recorders pad the last page of a CPU, so a page of zeros has no timestamp and no events. If pages with events follow,
    /// it represents pages that were never written.
    fn zeros(
        &mut self,
        page: &Range<usize>,
        head: PageHead,
        shared: &mut Shared,
    ) -> Result<(), InputError> {
        if !shared.skips.tolerant || !matches!(self.pages, Pages::Raw(_)) {
            return Ok(());
        }
        if head.stamp == 0 && head.start == head.end {
            if self.hole.is_empty() {
                self.hole.start = page.start;
            }
            self.hole.end = page.end;
        } else if !self.hole.is_empty() {
            let hole = std::mem::take(&mut self.hole);
            let expected = format!("pages of CPU {}", self.cpu);
            let error = InputError::at_byte(hole.start as u64, expected, "zeros");
            self.skip(error, hole, shared)?;
            self.lose();
        }
        Ok(())
    }

    /// Position of the next page in the file or in the inflated chunk, and its position for messages.
    fn next_range(
        &mut self,
        shared: &mut Shared,
    ) -> Result<Option<(Range<usize>, u64)>, InputError> {
        if let Pages::Raw(left) = &mut self.pages {
            if left.start >= left.end {
                self.give_back(usize::MAX);
                return Ok(None);
            }
            let end = left.start.saturating_add(self.page_size).min(left.end);
            let range = left.start..end;
            left.start = end;
            self.consumed += range.len() as u64;
            let start = range.start;
            self.give_back(start);
            return Ok(Some((range, start as u64)));
        }
        if !self.next_chunk(shared)? {
            return Ok(None);
        }
        let Pages::Chunks {
            inflated,
            at,
            place,
            ..
        } = &mut self.pages
        else {
            return Ok(None);
        };
        let end = at.saturating_add(self.page_size).min(inflated.len());
        let range = *at..end;
        *at = end;
        Ok(Some((range, *place)))
    }

    /// Makes sure that an inflated chunk has a page left.
    fn next_chunk(&mut self, shared: &mut Shared) -> Result<bool, InputError> {
        loop {
            let Pages::Chunks {
                left,
                rest,
                inflated,
                at,
                chunk,
                place,
            } = &mut self.pages
            else {
                return Ok(false);
            };
            if *at < inflated.len() {
                return Ok(true);
            }
            if *left == 0 {
                shared.inflated -= inflated.capacity();
                *inflated = Vec::new();
                *at = 0;
                return Ok(false);
            }
            *left -= 1;
            *at = 0;
            let before = inflated.capacity();
            inflated.clear();
            let bytes = self.all.get(rest.clone()).unwrap_or_default();
            let mut data = Cursor::new(bytes, rest.start as u64, self.endian);
            let (size, packed) = match chunk_head(&mut data) {
                Ok(head) => head,
                Err(error) => {
                    // Without its size nothing behind a chunk can be found.
                    *left = 0;
                    let lost = std::mem::replace(rest, rest.end..rest.end);
                    self.skip(error, lost, shared)?;
                    self.lose();
                    continue;
                }
            };
            let end = rest.end - data.left();
            *place = (end - packed.len()) as u64;
            *chunk = rest.start..end;
            rest.start = end;
            self.consumed += chunk.len() as u64;
            let most = (self.page_size as u32)
                .saturating_mul(CHUNK_PAGES)
                .clamp(1 << 20, MAX_CHUNK);
            let result = self
                .compression
                .inflate(packed, (size, most), *place, inflated);
            if result.is_err() {
                inflated.clear();
            }
            shared.inflated = shared.inflated + inflated.capacity() - before;
            if shared.inflated > MAX_INFLATED {
                return Err(InputError::at_byte(
                    *place,
                    format!("chunks of all CPUs of at most {MAX_INFLATED} bytes at the same time"),
                    "more",
                ));
            }
            let chunk = chunk.clone();
            self.source.release(chunk.clone());
            if let Err(error) = result {
                self.skip(error, chunk, shared)?;
                self.lose();
            }
        }
    }

    /// Releases the bytes before `until`, a megabyte at a time; all the rest at the end.
    fn give_back(&mut self, until: usize) {
        let Pages::Raw(left) = &self.pages else {
            return;
        };
        let until = until.min(left.end);
        if until >= self.released + RELEASE_STEP
            || (left.start >= left.end && until > self.released)
        {
            self.source.release(self.released..until);
            self.released = until;
        }
    }
}

/// Has the processor bring what follows in a page into its cache. Events of hundreds of CPUs come from as many pages in turn,
/// a line of each, which it cannot foresee: it would wait for every one.
#[cfg(target_arch = "x86_64")]
#[inline]
fn fetch(page: &[u8], at: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    const LINE: usize = 64;
    for at in [at, at + LINE] {
        if let Some(byte) = page.get(at) {
            // SAFETY: a hint that changes nothing, for a byte that is there.
            #[allow(unsafe_code)]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast());
            }
        }
    }
}

/// A chunk's size after decompression and its compressed bytes.
fn chunk_head<'a>(data: &mut Cursor<'a>) -> Result<(u32, &'a [u8]), InputError> {
    let compressed = data.u32("a chunk's compressed size")?;
    let size = data.u32("a chunk's size after decompression")?;
    let packed = data.take(u64::from(compressed), "a compressed chunk")?;
    Ok((size, packed))
}
