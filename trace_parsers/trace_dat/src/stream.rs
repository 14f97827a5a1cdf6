//! One CPU's events of one buffer, in the order they were recorded, page after page.

use std::ops::Range;

use numalens_columns::{ByteSource, InputError};
use numalens_event_format::Endian;

use crate::compression::Compression;
use crate::cursor::Cursor;
use crate::layout::{BufferLayout, CpuRegion, TraceDat};
use crate::metadata::PageHeader;
use crate::page::{self, Missed, PageEvent};

/// Consumed bytes are given back to the source in steps of this size.
const RELEASE_STEP: usize = 1 << 20;

/// Where a stream's pages come from.
enum Pages {
    /// Pages as they stand in the file; the range is what is left.
    Raw(Range<usize>),
    /// Compressed chunks of pages: how many are left, where the next begins, and the current one inflated.
    Chunks {
        left: u32,
        rest: Range<usize>,
        inflated: Vec<u8>,
        at: usize,
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
    released: usize,
    /// Bytes of the file that were consumed.
    pub(crate) consumed: u64,
}

impl<'s> Stream<'s> {
    /// A stream that stands at its first event.
    pub(crate) fn open(
        trace: &TraceDat<'s>,
        buffer: u8,
        layout: &BufferLayout,
        region: &CpuRegion,
    ) -> Result<Self, InputError> {
        let range = region.range.clone();
        let pages = if layout.compressed && !range.is_empty() {
            // The size in the option leaves out the chunk count's own four bytes, so the chunks' sizes tell the end.
            let file_end = trace.source.bytes().len();
            let bytes = trace.source.bytes().get(range.start..).unwrap_or_default();
            let mut data = Cursor::new(bytes, range.start as u64, trace.endian);
            let left = data.u32("the number of compressed chunks")?;
            Pages::Chunks {
                left,
                rest: range.start + 4..file_end,
                inflated: Vec::new(),
                at: 0,
                place: 0,
            }
        } else {
            Pages::Raw(range.clone())
        };
        let mut stream = Self {
            source: trace.source,
            cpu: region.cpu,
            buffer,
            page_size: layout.page_size as usize,
            header: trace.header,
            endian: trace.endian,
            compression: trace.compression,
            pages,
            page: None,
            event: None,
            stamp: 0,
            missed: None,
            released: range.start,
            consumed: 0,
        };
        stream.advance()?;
        Ok(stream)
    }

    /// Raw time of the current event; `None` at the end.
    pub(crate) fn stamp(&self) -> Option<u64> {
        self.event.map(|_| self.stamp)
    }

    /// Lost events before the current one; told once.
    pub(crate) fn take_missed(&mut self) -> Option<Missed> {
        self.missed.take()
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
            Pages::Raw(_) => self.source.bytes(),
            Pages::Chunks { inflated, .. } => inflated,
        };
        all.get(page.range.clone()).unwrap_or_default()
    }

    /// Moves to the next event.
    #[inline]
    pub(crate) fn advance(&mut self) -> Result<(), InputError> {
        loop {
            if let Some(page) = &self.page {
                let mut stamp = self.stamp;
                let bytes = self.page_bytes(page);
                match page::next_event(bytes, page.next, page.end, &mut stamp, self.endian) {
                    Ok(Some(event)) => {
                        self.stamp = stamp;
                        self.event = Some(event);
                        if let Some(page) = &mut self.page {
                            page.next = event.next;
                        }
                        return Ok(());
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        let place = if matches!(self.pages, Pages::Raw(_)) {
                            page.place + fault.at as u64
                        } else {
                            page.place
                        };
                        return Err(InputError::at_byte(
                            place,
                            format!(
                                "an event of CPU {} within its page of {} bytes",
                                self.cpu, page.end
                            ),
                            format!(
                                "one of {} bytes at byte {} of the page",
                                fault.claimed, fault.at
                            ),
                        ));
                    }
                }
            }
            if !self.next_page()? {
                self.event = None;
                return Ok(());
            }
        }
    }

    /// Moves to the next page with events.
    fn next_page(&mut self) -> Result<bool, InputError> {
        self.page = None;
        let (range, place) = match &mut self.pages {
            Pages::Raw(left) => {
                if left.start >= left.end {
                    self.give_back(usize::MAX);
                    return Ok(false);
                }
                let end = left.start.saturating_add(self.page_size).min(left.end);
                let range = left.start..end;
                left.start = end;
                self.consumed += range.len() as u64;
                let start = range.start;
                self.give_back(start);
                (range, start as u64)
            }
            Pages::Chunks { .. } => {
                if !self.next_chunk()? {
                    return Ok(false);
                }
                let Pages::Chunks {
                    inflated,
                    at,
                    place,
                    ..
                } = &mut self.pages
                else {
                    return Ok(false);
                };
                let end = at.saturating_add(self.page_size).min(inflated.len());
                let range = *at..end;
                *at = end;
                (range, *place)
            }
        };
        let page = Page {
            range,
            place,
            end: 0,
            next: 0,
        };
        let bytes = self.page_bytes(&page);
        // Recorders pad the last page of a CPU; a page of zeros has no stamp and no events.
        let head = page::head(bytes, self.header, self.endian, place)?;
        if head.missed.is_some() {
            self.missed = head.missed;
        }
        self.stamp = head.stamp;
        self.page = Some(Page {
            end: head.end,
            next: head.start,
            ..page
        });
        Ok(true)
    }

    /// Makes sure that an inflated chunk has a page left.
    fn next_chunk(&mut self) -> Result<bool, InputError> {
        let Pages::Chunks {
            left,
            rest,
            inflated,
            at,
            place,
        } = &mut self.pages
        else {
            return Ok(false);
        };
        while *at >= inflated.len() {
            if *left == 0 {
                return Ok(false);
            }
            *left -= 1;
            let bytes = self.source.bytes().get(rest.clone()).unwrap_or_default();
            let mut data = Cursor::new(bytes, rest.start as u64, self.endian);
            let compressed = data.u32("a chunk's compressed size")?;
            let size = data.u32("a chunk's size after decompression")?;
            *place = data.place();
            self.compression.inflate(
                data.take(u64::from(compressed), "a compressed chunk")?,
                size,
                *place,
                inflated,
            )?;
            *at = 0;
            let end = rest.end - data.left();
            self.consumed += (end - rest.start) as u64;
            self.source.release(rest.start..end);
            rest.start = end;
        }
        Ok(true)
    }

    /// Gives back what stands before `until`, a megabyte at a time; all that is left at the end.
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
