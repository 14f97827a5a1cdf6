//! Many tables, one order.

use super::table::Key;
use super::{Event, EventTable};
use crate::EngineError;

/// The events of several tables in ascending time; events of one time in the order of their inputs, then of their rank.
///
/// Each table is ascending by itself. Should one not be (a damaged bundle), its events come late, in a time that never
/// goes back, and are counted.
pub struct Merge<'a> {
    tables: Vec<Head<'a>>,
    /// Table whose row was given last and has not been left yet.
    given: Option<usize>,
    /// The smallest key among the other tables: until then, the current table goes on.
    limit: Option<Key>,
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

struct Head<'a> {
    table: EventTable<'a>,
    key: Key,
}

impl<'a> Merge<'a> {
    /// Starts at the first events of the tables.
    ///
    /// # Errors
    /// A table could not be read.
    pub fn new(tables: Vec<EventTable<'a>>) -> Result<Self, EngineError> {
        let mut heads = Vec::with_capacity(tables.len());
        for mut table in tables {
            if let Some(key) = table.advance()? {
                heads.push(Head { table, key });
            }
        }
        Ok(Self {
            tables: heads,
            given: None,
            limit: None,
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
    pub fn next_event(&mut self) -> Result<Option<(u64, u32, Event<'_>)>, EngineError> {
        let Some(at) = self.step()? else {
            return Ok(None);
        };
        self.given = Some(at);
        let head = &mut self.tables[at];
        self.order.events += 1;
        if head.key.0 < self.order.now_ns {
            self.order.backwards += 1;
        }
        self.order.now_ns = self.order.now_ns.max(head.key.0);
        let now = self.order.now_ns;
        Ok(head.table.event().map(|(cpu, event)| (now, cpu, event)))
    }

    /// Leaves the row given last and finds the table with the next one.
    fn step(&mut self) -> Result<Option<usize>, EngineError> {
        if let Some(at) = self.given.take() {
            let head = &mut self.tables[at];
            head.table.consume();
            match head.table.advance()? {
                Some(key) => {
                    head.key = key;
                    if self.limit.is_none_or(|limit| key <= limit) {
                        return Ok(Some(at));
                    }
                }
                None => drop(self.tables.swap_remove(at)),
            }
        }
        let mut best: Option<(Key, usize)> = None;
        let mut second: Option<Key> = None;
        for (at, head) in self.tables.iter().enumerate() {
            match best {
                Some((key, _)) if key <= head.key => {
                    second = Some(second.map_or(head.key, |second| second.min(head.key)));
                }
                _ => {
                    second = best.map(|(key, _)| key).or(second);
                    best = Some((head.key, at));
                }
            }
        }
        self.limit = second;
        Ok(best.map(|(_, at)| at))
    }
}
