//! The second walk: all events in time order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use numalens_columns::{ByteSource, Tournament};

use crate::line::Layout;
use crate::records::{Event, Record, Records};
use crate::survey::{RELEASE_STEP, Section, WINDOW};

/// Lost events before an event: how many, where that is known.
pub(crate) type Lost = Option<Option<u64>>;

/// An event that waits in the window: time, offset, lines before it, lost events.
type Waiting = Reverse<(u64, usize, u64, Lost)>;

/// One section's events in time order.
pub(crate) struct Cursor<'a, 'l> {
    source: &'a dyn ByteSource,
    layout: &'l Layout,
    records: Records<'a, 'l>,
    end: usize,
    window: Option<BinaryHeap<Waiting>>,
    /// Marks of lost events whose CPU had no event since.
    lost: BTreeMap<u32, Option<u64>>,
    released: usize,
    current: Option<(Event<'a>, Lost)>,
}

impl<'a, 'l> Cursor<'a, 'l> {
    pub(crate) fn new(source: &'a dyn ByteSource, section: Section, layout: &'l Layout) -> Self {
        let mut cursor = Self {
            source,
            layout,
            records: Records::new(source.bytes(), section.start, section.before, layout),
            end: section.end,
            window: section.window.then(BinaryHeap::new),
            lost: BTreeMap::new(),
            released: section.start,
            current: None,
        };
        cursor.advance();
        cursor
    }

    /// Time of the current event, ns.
    #[inline]
    fn time(&self) -> Option<u64> {
        self.current.as_ref().map(|(event, _)| event.head.ts_ns)
    }

    /// Bytes of the text that are done.
    pub(crate) fn released(&self) -> usize {
        self.released
    }

    /// The next event in the order of the text.
    #[inline]
    fn read(&mut self) -> Option<(Event<'a>, Lost)> {
        while self.records.lines.at < self.end {
            match self.records.next()? {
                Record::Event(event) => {
                    let lost = if self.lost.is_empty() {
                        None
                    } else {
                        self.lost.remove(&event.head.cpu)
                    };
                    return Some((event, lost));
                }
                Record::Lost { cpu, count, .. } => {
                    let sum = self.lost.entry(cpu).or_insert(Some(0));
                    *sum = sum.zip(count).map(|(sum, count)| sum.saturating_add(count));
                }
                Record::Note(_) | Record::Unfit(_) => {}
            }
        }
        None
    }

    /// Moves to the next event in time.
    #[inline]
    pub(crate) fn advance(&mut self) {
        if self.window.is_some() {
            self.advance_window();
        } else {
            self.current = self.read();
        }
        let behind = self.records.lines.at;
        if behind - self.released >= RELEASE_STEP {
            self.source.release(self.released..behind);
            self.released = behind;
        }
    }

    fn advance_window(&mut self) {
        let mut window = self.window.take().unwrap_or_default();
        while window.len() <= WINDOW {
            let Some((event, lost)) = self.read() else {
                break;
            };
            window.push(Reverse((
                event.head.ts_ns,
                event.start,
                event.line - 1,
                lost,
            )));
        }
        self.current = window.pop().and_then(|Reverse((_, start, before, lost))| {
            let record = Records::new(self.source.bytes(), start, before, self.layout).next()?;
            if let Record::Event(event) = record {
                Some((event, lost))
            } else {
                None
            }
        });
        self.window = Some(window);
    }
}

/// All sections' events in time order; ties keep the order of the text.
pub(crate) struct Merge<'a, 'l> {
    cursors: Vec<Cursor<'a, 'l>>,
    next: Tournament,
}

impl<'a, 'l> Merge<'a, 'l> {
    pub(crate) fn new(
        source: &'a dyn ByteSource,
        sections: &[Section],
        layout: &'l Layout,
    ) -> Self {
        let cursors: Vec<_> = sections
            .iter()
            .map(|&section| Cursor::new(source, section, layout))
            .collect();
        Self {
            next: Tournament::new(cursors.iter().map(Cursor::time)),
            cursors,
        }
    }

    /// The next event in time.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Event<'a>, Lost)> {
        let (index, _) = self.next.first()?;
        let cursor = &mut self.cursors[index];
        let current = cursor.current;
        cursor.advance();
        self.next.advance(cursor.time());
        current
    }

    /// Marks of lost events after which their CPU has no event.
    pub(crate) fn unplaced(&self) -> usize {
        self.cursors.iter().map(|cursor| cursor.lost.len()).sum()
    }

    /// Bytes of the text that are done.
    pub(crate) fn done(&self, sections: &[Section]) -> u64 {
        let done = self
            .cursors
            .iter()
            .zip(sections)
            .map(|(cursor, section)| cursor.released() - section.start);
        done.sum::<usize>() as u64
    }
}
