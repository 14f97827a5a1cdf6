//! Cache lines that several cores want at a time: whose loads found them in another core's cache.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use numalens_replay::memory_samples::MemorySample;
use schemars::JsonSchema;
use serde::Serialize;

use super::loads::{LoadSource, Sum};

/// Bytes of a line, as of x86 and most of Arm.
const LINE: u64 = 64;
/// Lines that are followed, and what is kept of each: offsets and threads.
const MOST_LINES: usize = 1 << 16;
const MOST_OF_LINE: usize = 256;
/// Threads that are named.
const NAMED: usize = 8;
/// Start of the kernel's half of the addresses.
const KERNEL: u64 = 1 << 63;

/// Identity of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    /// By its physical address.
    Physical(u64),
    /// By its address in the kernel's half, which all share.
    Kernel(u64),
    /// By its address in a process, or in a thread whose process is not known.
    Process(i32, u64),
}

/// A cache line that was found in other cores' caches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CacheLine {
    /// Address, the first that was sampled, as hexadecimal digits.
    address: String,
    /// True if that is a physical address, which identifies the line.
    physical: bool,
    /// The process; `None` of the kernel's, by physical address, and where the process of the thread is not known.
    tgid: Option<i32>,
    /// Loads that found it modified in a cache of another core of the node.
    local_hitm: Sum,
    /// Loads that found it modified in another node's cache.
    remote_hitm: Sum,
    /// Loads that found it unmodified in a cache of another core.
    peer: Sum,
    /// All loads of the line.
    loads: u64,
    /// Stores to it.
    stores: u64,
    /// Threads that loaded from it or stored to it.
    threads: u64,
    /// The first of them, by pid.
    pids: Vec<i32>,
    /// Nodes of the CPUs that did.
    nids: Vec<u32>,
    /// Places in it, by 8 bytes.
    words: u64,
    /// Number of words used by more than one thread. None, with several threads: they share only the line (false sharing).
    shared_words: u64,
}

#[derive(Default)]
struct Line {
    address: u64,
    tgid: Option<i32>,
    local_hitm: Sum,
    remote_hitm: Sum,
    peer: Sum,
    loads: u64,
    stores: u64,
    nids: BTreeSet<u32>,
    /// Threads by word.
    words: BTreeMap<u64, BTreeSet<i32>>,
}

/// The lines of a window. Samples are given twice: which lines there are, then what was done to them.
#[derive(Default)]
pub(crate) struct CacheLines {
    lines: HashMap<Key, Line>,
    /// True if there were too many lines to follow.
    pub(crate) left_out: bool,
    /// True if a line was identified by a thread, because its process is not known.
    pub(crate) by_thread: bool,
}

impl CacheLines {
    /// Takes a sample in the first reading.
    pub(crate) fn find(&mut self, sample: &MemorySample, tgid: Option<i32>) {
        let shared = matches!(
            LoadSource::of(sample),
            Some(
                LoadSource::LocalHitm
                    | LoadSource::RemoteHitm
                    | LoadSource::LocalPeer
                    | LoadSource::RemoteCache
            )
        );
        let Some(key) = key(sample, tgid).filter(|_| shared) else {
            return;
        };
        if self.lines.len() >= MOST_LINES && !self.lines.contains_key(&key) {
            self.left_out = true;
            return;
        }
        let process = matches!(key, Key::Process(..));
        self.by_thread |= process && tgid.is_none();
        self.lines.entry(key).or_insert_with(|| Line {
            address: sample.addr & !(LINE - 1),
            tgid: tgid.filter(|_| process),
            ..Line::default()
        });
    }

    /// Takes a sample in the second reading.
    pub(crate) fn tally(&mut self, sample: &MemorySample, tgid: Option<i32>, nid: Option<u32>) {
        let Some(line) = key(sample, tgid).and_then(|key| self.lines.get_mut(&key)) else {
            return;
        };
        let source = LoadSource::of(sample);
        match source {
            Some(LoadSource::LocalHitm) => line.local_hitm.add(sample.weight),
            Some(LoadSource::RemoteHitm) => line.remote_hitm.add(sample.weight),
            Some(LoadSource::LocalPeer | LoadSource::RemoteCache) => line.peer.add(sample.weight),
            _ => {}
        }
        line.loads += u64::from(source.is_some());
        line.stores += u64::from(source.is_none());
        line.nids.extend(nid);
        let within = if sample.addr != 0 {
            sample.addr
        } else {
            sample.phys_addr
        };
        let threads = line.words.entry(within % LINE / 8).or_default();
        if threads.len() < MOST_OF_LINE {
            threads.insert(sample.pid);
        }
    }

    /// The lines that other cores had modified most often, then those that they had unmodified; and how many more there are.
    pub(crate) fn finish(self, most: usize) -> (Vec<CacheLine>, u64) {
        let mut all: Vec<(Key, Line)> = self.lines.into_iter().collect();
        let hitm = |line: &Line| line.local_hitm.loads() + line.remote_hitm.loads();
        all.sort_by_key(|(key, line)| (Reverse((hitm(line), line.peer.loads())), *key));
        let more = all.len().saturating_sub(most) as u64;
        all.truncate(most);
        (
            all.into_iter().map(|(key, line)| line.shown(key)).collect(),
            more,
        )
    }
}

impl Line {
    fn shown(self, key: Key) -> CacheLine {
        let threads: BTreeSet<i32> = self.words.values().flatten().copied().collect();
        let (physical, address) = match key {
            Key::Physical(line) => (true, line * LINE),
            _ => (false, self.address),
        };
        CacheLine {
            address: format!("{address:x}"),
            physical,
            tgid: self.tgid,
            local_hitm: self.local_hitm,
            remote_hitm: self.remote_hitm,
            peer: self.peer,
            loads: self.loads,
            stores: self.stores,
            threads: threads.len() as u64,
            pids: threads.into_iter().take(NAMED).collect(),
            nids: self.nids.into_iter().collect(),
            words: self.words.len() as u64,
            shared_words: self
                .words
                .values()
                .filter(|threads| threads.len() > 1)
                .count() as u64,
        }
    }
}

/// The line that a load or store was of; `None` where neither address is known, or it is neither.
fn key(sample: &MemorySample, tgid: Option<i32>) -> Option<Key> {
    /// `PERF_MEM_OP_LOAD`, `PERF_MEM_OP_STORE`.
    const LOAD_OR_STORE: u64 = 0x6;
    if sample.op() & LOAD_OR_STORE == 0 {
        return None;
    }
    match (sample.phys_addr, sample.addr) {
        (0, 0) => None,
        (0, addr) if addr >= KERNEL => Some(Key::Kernel(addr / LINE)),
        (0, addr) => Some(Key::Process(tgid.unwrap_or(sample.pid), addr / LINE)),
        (phys, _) => Some(Key::Physical(phys / LINE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: u64 = 0x2 | 0x42 << 5 | 3 << 33;
    const HITM: u64 = LOAD | 0x10 << 19;
    const STORE: u64 = 0x4 | 0xa << 5 | 1 << 33;

    /// Samples of data source, thread, its process, address and physical address.
    fn lines(samples: &[(u64, i32, Option<i32>, u64, u64)]) -> (Vec<CacheLine>, bool) {
        let mut found = CacheLines::default();
        let sample = |&(data_src, pid, tgid, addr, phys_addr)| {
            let sample = MemorySample {
                ts_ns: 0,
                cpu: 0,
                pid,
                data_src,
                weight: 100,
                addr,
                phys_addr,
                page_size: 0,
            };
            (sample, tgid)
        };
        for (sample, tgid) in samples.iter().map(sample) {
            found.find(&sample, tgid);
        }
        for (sample, tgid) in samples.iter().map(sample) {
            found.tally(&sample, tgid, Some(sample.pid as u32 % 2));
        }
        let by_thread = found.by_thread;
        (found.finish(10).0, by_thread)
    }

    #[test]
    fn threads_of_a_process_that_share_a_line_and_no_word() {
        let of = Some(10);
        let (found, by_thread) = lines(&[
            (HITM, 11, of, 0x1008, 0),
            (STORE, 12, of, 0x1030, 0),
            (LOAD, 12, of, 0x1030, 0),
            (LOAD, 12, of, 0x2000, 0),
            // The same address of another process is another line.
            (HITM, 21, Some(20), 0x1008, 0),
        ]);
        assert_eq!(found.len(), 2);
        let line = &found[0];
        assert_eq!(
            (line.address.as_str(), line.tgid, line.physical),
            ("1000", of, false)
        );
        assert_eq!(
            (line.local_hitm.loads(), line.loads, line.stores),
            (1, 2, 1)
        );
        assert_eq!(
            (line.threads, &*line.pids, &*line.nids),
            (2, &[11, 12][..], &[0, 1][..])
        );
        assert_eq!((line.words, line.shared_words), (2, 0));
        assert_eq!((found[1].tgid, found[1].threads), (Some(20), 1));
        assert!(!by_thread);
    }

    #[test]
    fn threads_that_share_a_word_look_alike() {
        let of = Some(10);
        let (found, _) = lines(&[(HITM, 11, of, 0x1008, 0), (STORE, 12, of, 0x100c, 0)]);
        assert_eq!((found[0].words, found[0].shared_words), (1, 1));
    }

    #[test]
    fn lines_are_one_by_physical_address_and_in_the_kernel() {
        let kernel = KERNEL | 0x40;
        let (found, _) = lines(&[
            (HITM, 11, Some(10), 0x1000, 0x77040),
            (STORE, 21, Some(20), 0x5000, 0x77044),
            (HITM, 11, Some(10), kernel, 0),
            (STORE, 21, Some(20), kernel, 0),
        ]);
        let shown: Vec<_> = found
            .iter()
            .map(|line| (&*line.address, line.physical, line.tgid, line.threads))
            .collect();
        assert_eq!(
            shown,
            [
                ("77040", true, None, 2),
                ("8000000000000040", false, None, 2)
            ]
        );
        // Threads whose process is not known are not known to share it.
        let (found, by_thread) =
            lines(&[(HITM, 11, None, 0x1000, 0), (STORE, 12, None, 0x1000, 0)]);
        assert_eq!((found[0].threads, by_thread), (1, true));
    }

    #[test]
    fn a_line_that_nobody_else_had_is_none() {
        assert!(
            lines(&[
                (LOAD, 11, Some(10), 0x1000, 0),
                (STORE, 12, Some(10), 0x1000, 0)
            ])
            .0
            .is_empty()
        );
        assert!(lines(&[(HITM, 11, Some(10), 0, 0)]).0.is_empty());
    }
}
