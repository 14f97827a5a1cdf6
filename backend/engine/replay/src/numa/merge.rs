//! Many tables of NUMA events, one order.

use numalens_core::EngineError;
use numalens_events::NumaKind;

use super::NumaEvent;
use super::pages::{PageMerge, PageSink};
use super::table::NumaTable;

/// The events of several tables in ascending time; events of one time in the order of their inputs, then of their rank.
/// Those about pages come by themselves: they are many, and nothing that the others tell depends on them.
///
/// Each table is ascending by itself. Should one not be (a damaged bundle), its events come late, in a time that never
/// goes back, and are counted.
pub struct NumaMerge<'a> {
    others: Heads<'a>,
    pages: PageMerge<'a>,
    kinds: Vec<NumaKind>,
}

/// Tables in the order of their next rows.
#[derive(Default)]
struct Heads<'a> {
    /// Tables that have rows left, by the keys of their next ones, the first one last. A few tables hold most rows, so a table
    /// goes back to a place near the end.
    next: Vec<Head>,
    tables: Vec<NumaTable<'a>>,
    now_ns: u64,
    backwards: u64,
}

#[derive(Clone, Copy)]
struct Head {
    ts_ns: u64,
    /// Place in `tables`.
    table: usize,
}

impl<'a> NumaMerge<'a> {
    /// Starts at the first events of the tables.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn new(tables: Vec<NumaTable<'a>>) -> Result<Self, EngineError> {
        let mut merge = Self {
            others: Heads::default(),
            pages: PageMerge::default(),
            kinds: Vec::new(),
        };
        for table in tables {
            merge.kinds.extend(table.kind());
            if table.pages() {
                merge.pages.begin(table.into_pages())?;
                continue;
            }
            if let Some(marks) = table.same_marks() {
                merge.pages.begin(marks.into_pages())?;
            }
            merge.others.begin(table)?;
        }
        Ok(merge)
    }

    /// Whether a table of the kind was given, be it an empty one.
    #[must_use]
    pub fn has(&self, kind: NumaKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Events that were older than the one before them, so far.
    pub(super) fn backwards(&self) -> u64 {
        self.others.backwards + self.pages.backwards
    }

    /// The next event with its time (ns, never going back) and the CPU that recorded it.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn next_event(&mut self) -> Result<Option<(u64, u32, NumaEvent)>, EngineError> {
        self.others.take()
    }

    /// Tells the next event about pages, and maybe more. Says whether there was one.
    ///
    /// # Errors
    /// A table could not be read.
    pub(super) fn next_pages(&mut self, sink: &mut impl PageSink) -> Result<bool, EngineError> {
        self.pages.next(sink)
    }
}

impl<'a> Heads<'a> {
    fn begin(&mut self, mut table: NumaTable<'a>) -> Result<(), EngineError> {
        let first = table.advance()?;
        self.tables.push(table);
        if let Some(ts_ns) = first {
            let table = self.tables.len() - 1;
            self.put(Head { ts_ns, table });
        }
        Ok(())
    }

    /// Puts a table where its next row belongs.
    #[inline]
    fn put(&mut self, head: Head) {
        let mut at = self.next.len();
        while at > 0 && self.before(self.next[at - 1], head) {
            at -= 1;
        }
        self.next.insert(at, head);
    }

    #[inline]
    fn before(&self, one: Head, other: Head) -> bool {
        if one.ts_ns != other.ts_ns {
            return one.ts_ns < other.ts_ns;
        }
        self.tables[one.table].rank() < self.tables[other.table].rank()
    }

    #[inline]
    fn take(&mut self) -> Result<Option<(u64, u32, NumaEvent)>, EngineError> {
        while let Some(&Head { ts_ns, table }) = self.next.last() {
            let taken = self.tables[table].take();
            let next = self.tables[table].advance()?;
            // Most rows follow one of their own table.
            let second = self.next.len().checked_sub(2).map(|at| self.next[at].ts_ns);
            match (next, self.next.last_mut()) {
                (Some(next), Some(head)) if second.is_none_or(|second| next < second) => {
                    head.ts_ns = next;
                }
                _ => {
                    self.next.pop();
                    if let Some(ts_ns) = next {
                        self.put(Head { ts_ns, table });
                    }
                }
            }
            // A line that is not of the cling kernel tells nothing.
            let Some((cpu, event)) = taken else {
                continue;
            };
            if ts_ns < self.now_ns {
                self.backwards += 1;
            }
            self.now_ns = self.now_ns.max(ts_ns);
            return Ok(Some((self.now_ns, cpu, event)));
        }
        Ok(None)
    }
}
