//! Many tables, one order.

use numalens_core::EngineError;

/// A table that is read in order, one row after the other.
pub trait Rows {
    /// Content of a row, which may be empty.
    type Row<'r>
    where
        Self: 'r;

    /// Goes to the next row (the first one at the first call) and returns its time, ns; `None` after the last.
    ///
    /// # Errors
    /// The table could not be read.
    fn advance(&mut self) -> Result<Option<u64>, EngineError>;

    /// The place among the rows of its time of the row that [`Rows::advance`] went to: its input, and its rank there.
    fn rank(&self) -> (u32, u64);

    /// Returns the content of that row.
    fn row(&mut self) -> Self::Row<'_>;

    /// Leaves that row.
    fn consume(&mut self);
}

/// The rows of several tables in ascending time; those of one time in the order of their inputs, then of their rank.
///
/// Each table is ascending by itself. If one is not (in a damaged bundle), its rows come late, and times go back.
pub struct Merge<T> {
    /// Tables that have rows left, by the keys of their next ones. A few tables hold most rows and the others' next rows
    /// are far away, so moving the first table back to its place takes a step or two.
    heads: Vec<Head>,
    tables: Vec<T>,
    /// True if the first table's row was returned and has not been left yet.
    given: bool,
}

#[derive(Clone, Copy)]
struct Head {
    time: u64,
    /// Place in `tables`.
    table: u32,
}

impl<T: Rows> Merge<T> {
    /// Starts at the first rows of the tables.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn new(mut tables: Vec<T>) -> Result<Self, EngineError> {
        let mut heads = Vec::with_capacity(tables.len());
        for (table, at) in tables.iter_mut().zip(0..) {
            if let Some(time) = table.advance()? {
                heads.push(Head { time, table: at });
            }
        }
        heads.sort_by_key(|head| (head.time, tables[head.table as usize].rank()));
        Ok(Self {
            heads,
            tables,
            given: false,
        })
    }

    /// The next row with its time, ns.
    ///
    /// # Errors
    /// A table could not be read.
    #[inline]
    pub fn next_row(&mut self) -> Result<Option<(u64, T::Row<'_>)>, EngineError> {
        if self.given {
            self.given = false;
            self.step()?;
        }
        let Some(head) = self.heads.first() else {
            return Ok(None);
        };
        self.given = true;
        Ok(Some((head.time, self.tables[head.table as usize].row())))
    }

    /// Leaves the row given last and puts its table in its new place.
    #[inline]
    fn step(&mut self) -> Result<(), EngineError> {
        let Some(mut head) = self.heads.first().copied() else {
            return Ok(());
        };
        let table = &mut self.tables[head.table as usize];
        table.consume();
        let Some(time) = table.advance()? else {
            self.heads.remove(0);
            return Ok(());
        };
        head.time = time;
        let mut at = 0;
        while let Some(&next) = self.heads.get(at + 1) {
            if next.time > time || (next.time == time && !self.ranks_before(next, head)) {
                break;
            }
            self.heads[at] = next;
            at += 1;
        }
        self.heads[at] = head;
        Ok(())
    }

    /// Returns which of two rows of one time comes first; ranks are compared only then.
    #[cold]
    fn ranks_before(&self, one: Head, other: Head) -> bool {
        let rank = |head: Head| self.tables[head.table as usize].rank();
        rank(one) < rank(other)
    }
}

/// Statistics of the order of rows in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// Time of the latest row, ns.
    pub now_ns: u64,
    /// Rows whose time lay before `now_ns`.
    pub backwards: u64,
    /// Rows.
    pub events: u64,
}

impl Order {
    /// Adds the time of the next row, ns; gives the time at which the row counts, which never goes back.
    #[inline]
    pub fn take(&mut self, time: u64) -> u64 {
        self.events += 1;
        self.backwards += u64::from(time < self.now_ns);
        self.now_ns = self.now_ns.max(time);
        self.now_ns
    }
}
