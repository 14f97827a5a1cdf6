//! Many tables, one order.

use numalens_core::EngineError;

use super::{Event, EventTable};

/// The events of several tables in ascending time; events of one time in the order of their inputs, then of their rank.
///
/// Each table is ascending by itself. Should one not be (a damaged bundle), its events come late, in a time that never
/// goes back, and are counted.
pub struct Merge<'a> {
    /// Tables that have rows left, by the keys of their next ones. A few tables hold most rows and the others' next rows
    /// are far away, so moving the first table back to its place takes a step or two.
    heads: Vec<Head>,
    tables: Vec<EventTable<'a>>,
    /// Whether the first table's row was given and has not been left yet.
    given: bool,
    order: Order,
}

/// What the merge saw of the order in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// Time of the latest event given, ns.
    pub now_ns: u64,
    /// Events whose time lay before `now_ns`.
    pub backwards: u64,
    /// Events given.
    pub events: u64,
}

#[derive(Clone, Copy)]
struct Head {
    time: u64,
    /// Place in `tables`.
    table: u32,
}

impl<'a> Merge<'a> {
    /// Starts at the first events of the tables.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn new(mut tables: Vec<EventTable<'a>>) -> Result<Self, EngineError> {
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
            order: Order::default(),
        })
    }

    /// What has been seen of the order so far.
    #[must_use]
    pub fn order(&self) -> Order {
        self.order
    }

    /// The next event with its time (ns, never going back) and the CPU that recorded it.
    ///
    /// # Errors
    /// A table could not be read.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<(u64, u32, Event<'_>)>, EngineError> {
        if self.given {
            self.given = false;
            self.step()?;
        }
        let Some(head) = self.heads.first() else {
            return Ok(None);
        };
        self.given = true;
        self.order.events += 1;
        if head.time < self.order.now_ns {
            self.order.backwards += 1;
        }
        self.order.now_ns = self.order.now_ns.max(head.time);
        let now = self.order.now_ns;
        let event = self.tables[head.table as usize].event();
        Ok(event.map(|(cpu, event)| (now, cpu, event)))
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

    /// Which of two events of one time comes first; ranks are looked at only then.
    #[cold]
    fn ranks_before(&self, one: Head, other: Head) -> bool {
        let rank = |head: Head| self.tables[head.table as usize].rank();
        rank(one) < rank(other)
    }
}
