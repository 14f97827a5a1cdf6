//! Samples that wait until no earlier one can come.
//!
//! perf copies the ring buffer of one CPU after the other and ends each round with a record. Records of a round may be
//! earlier than those of another CPU in the same round, but not earlier than the latest timestamp of the round before the
//! last. The end of a round releases the queue up to there.

use std::collections::VecDeque;
use std::ops::Range;

/// Bytes that may wait: records and their places. A recording without rounds is sorted within this window.
const MOST: usize = 256 << 20;

/// Position of a record's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// Directly in the file.
    File,
    /// In an inflated block: its number, and the place of its compressed record in the file.
    Block(u32, u64),
}

/// One record that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) ts_ns: u64,
    /// Offset in the file or in the block.
    pub(crate) at: u64,
    /// [`IN_FILE`], or the block's number.
    pub(crate) block: u32,
    /// Number of the event's attribute.
    pub(crate) attr: u32,
}

/// [`Entry::block`] of a record directly in the file.
pub(crate) const IN_FILE: u32 = u32::MAX;

/// The entries that wait, and the stamps of the last rounds.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: Vec<Entry>,
    /// Bytes of the records in the file that wait.
    in_file: usize,
    /// Latest stamp so far, and as it was at the end of the last round.
    latest: u64,
    safe: Option<u64>,
}

impl Queue {
    pub(crate) fn push(&mut self, entry: Entry, len: usize) {
        self.latest = self.latest.max(entry.ts_ns);
        if entry.block == IN_FILE {
            self.in_file += len;
        }
        self.entries.push(entry);
    }

    /// Returns whether more is waiting than memory should hold; `blocks` are the bytes of inflated blocks.
    pub(crate) fn is_full(&self, blocks: usize) -> bool {
        self.in_file + blocks + self.entries.len() * size_of::<Entry>() > MOST
    }

    /// The end of a round: gives the entries that nothing can come before any more.
    pub(crate) fn end_round(&mut self) -> Vec<Entry> {
        let ready = match self.safe {
            Some(safe) => self.sorted().partition_point(|entry| entry.ts_ns <= safe),
            None => 0,
        };
        self.safe = Some(self.latest);
        self.hand_out(ready)
    }

    /// Gives the earlier half, ready or not.
    pub(crate) fn half(&mut self) -> Vec<Entry> {
        let half = self.sorted().len().div_ceil(2);
        self.hand_out(half)
    }

    /// Gives everything.
    pub(crate) fn all(&mut self) -> Vec<Entry> {
        let all = self.sorted().len();
        self.hand_out(all)
    }

    /// The sort is stable and takes runs as they are: the entries are a sorted rest and a few CPUs' buffers.
    fn sorted(&mut self) -> &[Entry] {
        self.entries.sort_by_key(|entry| entry.ts_ns);
        &self.entries
    }

    fn hand_out(&mut self, count: usize) -> Vec<Entry> {
        let rest = self.entries.split_off(count);
        std::mem::replace(&mut self.entries, rest)
    }

    /// An entry was taken; `len` is its record's length.
    pub(crate) fn taken(&mut self, entry: &Entry, len: usize) {
        if entry.block == IN_FILE {
            self.in_file = self.in_file.saturating_sub(len);
        }
    }

    /// First byte of the file that a waiting entry needs.
    pub(crate) fn first_byte(&self) -> Option<u64> {
        let in_file = self.entries.iter().filter(|entry| entry.block == IN_FILE);
        in_file.map(|entry| entry.at).min()
    }
}

/// Inflated blocks, as long as an entry needs them.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    kept: VecDeque<Block>,
    /// Number of the first block there is.
    first: u32,
    bytes: usize,
}

#[derive(Debug)]
struct Block {
    bytes: Vec<u8>,
    waiting: u32,
    /// Position of its compressed record in the file.
    origin: Range<u64>,
}

impl Blocks {
    /// Number that the next block gets.
    pub(crate) fn next(&self) -> u32 {
        self.first.wrapping_add(self.kept.len() as u32)
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps a block that `waiting` entries need.
    pub(crate) fn keep(&mut self, mut bytes: Vec<u8>, waiting: u32, origin: Range<u64>) {
        if waiting == 0 {
            bytes = Vec::new();
        } else if bytes.len() < bytes.capacity() / 2 {
            bytes.shrink_to_fit();
        }
        self.bytes += bytes.capacity();
        self.kept.push_back(Block {
            bytes,
            waiting,
            origin,
        });
        self.drop_empty();
    }

    fn at(&self, number: u32) -> usize {
        number.wrapping_sub(self.first) as usize
    }

    /// The bytes of a block.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let block = self.kept.get(self.at(number));
        block.map_or(&[], |block| &block.bytes)
    }

    /// The bytes of the file that a block was compressed in.
    pub(crate) fn origin(&self, number: u32) -> Range<u64> {
        let block = self.kept.get(self.at(number));
        block.map_or(0..0, |block| block.origin.clone())
    }

    /// One entry of the block was taken.
    #[inline]
    pub(crate) fn taken(&mut self, number: u32) {
        let at = self.at(number);
        if let Some(block) = self.kept.get_mut(at) {
            block.waiting = block.waiting.saturating_sub(1);
            if block.waiting == 0 {
                self.bytes -= std::mem::take(&mut block.bytes).capacity();
                self.drop_empty();
            }
        }
    }

    fn drop_empty(&mut self) {
        while self.kept.front().is_some_and(|block| block.waiting == 0) {
            self.kept.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(ts_ns: u64, at: u64) -> Entry {
        Entry {
            ts_ns,
            at,
            block: IN_FILE,
            attr: 0,
        }
    }

    fn stamps(entries: &[Entry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.ts_ns).collect()
    }

    #[test]
    fn a_round_hands_out_what_the_round_before_the_last_had_passed() {
        let mut queue = Queue::default();
        for ts in [10, 20, 5, 15] {
            queue.push(entry(ts, ts), 8);
        }
        assert!(queue.end_round().is_empty());
        for ts in [25, 30, 18, 40] {
            queue.push(entry(ts, ts), 8);
        }
        assert_eq!(queue.first_byte(), Some(5));
        assert_eq!(stamps(&queue.end_round()), [5, 10, 15, 18, 20]);
        queue.push(entry(50, 50), 8);
        assert_eq!(stamps(&queue.end_round()), [25, 30, 40]);
        assert_eq!(stamps(&queue.all()), [50]);
    }

    #[test]
    fn equal_stamps_keep_the_order_of_the_recording() {
        let mut queue = Queue::default();
        for at in 0..100 {
            queue.push(entry(7 - at % 2, at), 8);
        }
        let places: Vec<u64> = queue.all().iter().map(|entry| entry.at).collect();
        assert!(places[..50].is_sorted() && places[50..].is_sorted());
    }

    #[test]
    fn blocks_live_as_long_as_their_entries() {
        let mut blocks = Blocks::default();
        for number in 0..3 {
            assert_eq!(blocks.next(), number);
            blocks.keep(vec![number as u8; 100], 2, 0..10);
        }
        blocks.taken(1);
        blocks.taken(1);
        assert_eq!((blocks.bytes(), blocks.get(1).len()), (200, 0));
        assert_eq!((blocks.get(2)[0], blocks.next()), (2, 3));
        for number in [0, 0, 2, 2] {
            blocks.taken(number);
        }
        assert_eq!(
            (blocks.bytes(), blocks.kept.len(), blocks.next()),
            (0, 0, 3)
        );
    }
}
