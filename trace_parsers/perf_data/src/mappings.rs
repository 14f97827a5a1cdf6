//! Records about memory and threads of kernel and processes: `MMAP`, `MMAP2`, `FORK`, `COMM`, `EXIT`, and a sample's thread.

use std::collections::HashMap;

use linux_perf_event_reader::RecordType;
use numalens_columns::{KALLSYMS, Mapping, MappingChange, Mappings, build_id_text};
use numalens_event_format::Endian;

use crate::bytes::{Bytes, HEADER, text};

/// Flag of a mapping that is not executable (`PERF_RECORD_MISC_MMAP_DATA`), and of a name that an exec gave
/// (`PERF_RECORD_MISC_COMM_EXEC`).
const DATA_OR_EXEC: u16 = 1 << 13;
/// Bytes between a mapping's place and its file's name in `MMAP2`: device and inode or build id, protection and flags.
const BEFORE_NAME: u64 = 32;
/// Flags of a mapping that has its file's build id, and of a table of build ids that has their sizes
/// (`PERF_RECORD_MISC_MMAP_BUILD_ID`, `PERF_RECORD_MISC_BUILD_ID_SIZE`).
const MMAP_BUILD_ID: u16 = 1 << 14;
const BUILD_ID_SIZE: u16 = 1 << 15;
/// Bytes of a build id in a record; what it has less is zeros.
const BUILD_ID: usize = 20;
/// Changes that are kept, and bytes of files' names; a machine has some thousands of programs.
const MOST_CHANGES: usize = 1 << 20;
const MOST_BYTES: usize = 32 << 20;

/// Threads that are remembered as the last ones sampled, by their numbers.
const RECENT: usize = 1 << 10;

/// Mappings so far.
#[derive(Debug)]
pub(crate) struct MappingReader {
    found: Mappings,
    files: HashMap<(String, Option<String>), u32>,
    /// Build ids by file, as the recorder found them at its end.
    listed: HashMap<String, String>,
    bytes: usize,
    /// The last known process of each thread.
    threads: HashMap<u32, u32>,
    /// Process and thread of samples without news, which are most samples.
    recent: Vec<(u32, u32)>,
    /// Changes beyond what is kept.
    pub(crate) left_out: u64,
}

impl Default for MappingReader {
    fn default() -> Self {
        Self {
            found: Mappings::default(),
            files: HashMap::new(),
            listed: HashMap::new(),
            bytes: 0,
            threads: HashMap::new(),
            recent: vec![(0, 0); RECENT],
            left_out: 0,
        }
    }
}

impl MappingReader {
    /// Returns whether a record of this kind is about memory or threads.
    pub(crate) fn reads(kind: u32) -> bool {
        let kind = RecordType(kind);
        kind == RecordType::MMAP
            || kind == RecordType::MMAP2
            || kind == RecordType::FORK
            || kind == RecordType::COMM
            || kind == RecordType::EXIT
    }

    /// Takes a record of these kinds; one that is too short is ignored.
    pub(crate) fn take(&mut self, kind: u32, misc: u16, body: &[u8], endian: Endian, ts_ns: u64) {
        let mut data = Bytes::new(body, endian);
        let is = |record: RecordType| kind == record.0;
        if is(RecordType::MMAP) || is(RecordType::MMAP2) {
            if misc & DATA_OR_EXEC == 0 {
                let second = is(RecordType::MMAP2).then_some(misc & MMAP_BUILD_ID != 0);
                let _ = self.map(&mut data, second, ts_ns);
            }
        } else if is(RecordType::FORK) {
            let _ = self.fork(&mut data, ts_ns);
        } else if is(RecordType::EXIT) {
            let _ = self.exit(&mut data, ts_ns);
        } else if let (Some(pid), Some(tid)) = (data.u32(), data.u32()) {
            if misc & DATA_OR_EXEC != 0 {
                self.push(ts_ns, pid, MappingChange::Exec);
            }
            self.thread(ts_ns, pid, tid, false);
        }
    }

    /// Takes the process and the thread that a sample names (`PERF_SAMPLE_TID`); those of a task that is gone are -1.
    pub(crate) fn sampled(&mut self, ts_ns: u64, pid: u32, tid: u32) {
        let recent = &mut self.recent[tid as usize % RECENT];
        if *recent == (pid, tid) {
            return;
        }
        *recent = (pid, tid);
        let is_task = |id: u32| (1..=i32::MAX as u32).contains(&id);
        if is_task(pid) && is_task(tid) && self.threads.get(&tid) != Some(&pid) {
            self.thread(ts_ns, pid, tid, false);
        }
    }

    /// Takes a table of build IDs: the header's (`struct perf_record_header_build_id` of
    /// `tools/lib/perf/include/perf/event.h`, Linux 6.1), or a record with one entry, then without its head.
    pub(crate) fn build_ids(&mut self, mut table: &[u8], endian: Endian) {
        while table.len() >= HEADER {
            let size = usize::from(endian.u16(table, 6));
            let Some(entry) = table.get(HEADER..size) else {
                return;
            };
            self.listed(endian.u16(table, 4), entry);
            table = &table[size..];
        }
    }

    /// Takes an entry after its head: process, build id in 24 bytes, name.
    pub(crate) fn listed(&mut self, misc: u16, entry: &[u8]) {
        let Some((id, name)) = entry.get(4..).and_then(|rest| rest.split_at_checked(24)) else {
            return;
        };
        let size = (misc & BUILD_ID_SIZE != 0).then_some(id[BUILD_ID]);
        let (name, id) = (text(name), build_id(&id[..BUILD_ID], size));
        self.bytes += name.len();
        if let Some(id) = id
            && self.bytes <= MOST_BYTES
        {
            self.listed.insert(name, id);
        }
    }

    /// `second`: an `MMAP2`, and whether it has a build id.
    fn map(&mut self, data: &mut Bytes<'_>, second: Option<bool>, ts_ns: u64) -> Option<()> {
        let (pid, tid) = (data.u32()?, data.u32()?);
        let (start, len, offset) = (data.u64()?, data.u64()?, data.u64()?);
        let mut id = None;
        if let Some(has_id) = second {
            let file = data.take(BEFORE_NAME)?;
            // Its size, three bytes that are not used, and the build id.
            id = has_id.then(|| build_id(&file[4..4 + BUILD_ID], Some(file[0])));
        }
        let key = (text(data.rest()), id.flatten());
        let file = match self.files.get(&key) {
            Some(&file) => file,
            None if self.bytes + key.0.len() > MOST_BYTES => {
                self.left_out += 1;
                return None;
            }
            None => {
                let file = self.found.files.len() as u32;
                self.bytes += key.0.len();
                self.found.files.push(key.0.clone());
                self.found.build_ids.push(key.1.clone());
                self.files.insert(key, file);
                file
            }
        };
        let change = MappingChange::Map {
            start,
            len,
            offset,
            file,
        };
        self.push(ts_ns, pid, change);
        if pid != tid {
            self.thread(ts_ns, pid, tid, false);
        }
        Some(())
    }

    fn fork(&mut self, data: &mut Bytes<'_>, ts_ns: u64) -> Option<()> {
        let (pid, parent, tid) = (data.u32()?, data.u32()?, data.u32()?);
        if pid != parent {
            let parent = parent as i32;
            self.push(ts_ns, pid, MappingChange::Fork { parent });
        }
        // What perf makes up of tasks that were there before has no time.
        self.thread(ts_ns, pid, tid, ts_ns > 0);
        Some(())
    }

    /// Process, its parent, thread (`struct perf_record_fork`, which both kinds have).
    fn exit(&mut self, data: &mut Bytes<'_>, ts_ns: u64) -> Option<()> {
        let (pid, _, tid) = (data.u32()?, data.u32()?, data.u32()?);
        self.threads.remove(&tid);
        self.recent[tid as usize % RECENT] = (0, 0);
        self.push(ts_ns, pid, MappingChange::Ended { tid: tid as i32 });
        Some(())
    }

    fn thread(&mut self, ts_ns: u64, pid: u32, tid: u32, new: bool) {
        self.threads.insert(tid, pid);
        self.recent[tid as usize % RECENT] = (pid, tid);
        let tid = tid as i32;
        self.push(ts_ns, pid, MappingChange::Thread { tid, new });
    }

    fn push(&mut self, ts_ns: u64, pid: u32, change: MappingChange) {
        if self.found.changes.len() >= MOST_CHANGES {
            self.left_out += 1;
            return;
        }
        self.found.changes.push(Mapping {
            ts_ns,
            pid: pid as i32,
            change,
        });
    }

    /// Returns all mappings, ascending in time; those of the same time stay in the order of the recording.
    pub(crate) fn finish(mut self) -> Mappings {
        self.found.changes.sort_by_key(|change| change.ts_ns);
        for (file, id) in self.found.files.iter().zip(&mut self.found.build_ids) {
            // The kernel's mapping is named after its first symbol, the kernel is not.
            let name = if file.starts_with(KALLSYMS) {
                KALLSYMS
            } else {
                file
            };
            if id.is_none() {
                *id = self.listed.get(name).cloned();
            }
        }
        self.found
    }
}

/// In hexadecimal digits. Recorders of before Linux 5.11 gave no size: one of 16 bytes or less ends in zeros there.
fn build_id(bytes: &[u8], size: Option<u8>) -> Option<String> {
    let known = size.map(usize::from).filter(|&size| size > 0);
    let len = bytes.iter().rposition(|&byte| byte != 0)? + 1;
    let id = &bytes[..known
        .unwrap_or(if len > 16 { BUILD_ID } else { len })
        .min(bytes.len())];
    Some(build_id_text(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(words: &[u32], rest: &[u8]) -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        words.chain(rest.iter().copied()).collect()
    }

    /// An entry of a table of build ids with its head.
    fn listed(misc: u16, id: &[u8], name: &[u8]) -> Vec<u8> {
        let size = (HEADER + 4 + 24 + name.len()) as u16;
        let mut entry = [&[67, 0, 0, 0][..], &misc.to_le_bytes(), &size.to_le_bytes()].concat();
        entry.extend([0xff; 4]);
        entry.extend(id);
        entry.resize(HEADER + 4 + 24, 0);
        entry.extend(name);
        entry
    }

    #[test]
    fn a_mapping_has_the_build_id_of_its_record_else_that_of_the_header() {
        let mut reader = MappingReader::default();
        let place = [7, 7, 0x1000, 0, 0x200, 0, 0, 0];
        let mut second = place.to_vec();
        // A build id of 3 bytes, of which one is a zero.
        second.extend([3, 0x0000_bbaa, 0, 0, 0, 0, 0, 0]);
        let mut take = |kind: RecordType, misc, words: &[u32], name: &[u8]| {
            let body = body(words, name);
            reader.take(kind.0, misc, &body, Endian::Little, 0);
        };
        take(RecordType::MMAP2, MMAP_BUILD_ID, &second, b"/bin/a\0");
        take(RecordType::MMAP, 0, &place, b"/bin/a\0");
        take(RecordType::MMAP2, 0, &second, b"/bin/b\0");
        take(RecordType::MMAP, 0, &place, b"[kernel.kallsyms]_text\0");
        let mut table = listed(0, &[0x11; 20], b"/bin/a\0\0");
        let sized: Vec<u8> = [&[0x22; 16][..], &[0; 4], &[16]].concat();
        table.extend(listed(BUILD_ID_SIZE, &sized, b"[kernel.kallsyms]\0"));
        table.extend(listed(0, &[0x33; 20], b"/bin/unseen\0"));
        for cut in 0..table.len() {
            MappingReader::default().build_ids(&table[..cut], Endian::Little);
        }
        reader.build_ids(&table, Endian::Little);
        let found = reader.finish();
        assert_eq!(
            found.files,
            ["/bin/a", "/bin/a", "/bin/b", "[kernel.kallsyms]_text"]
        );
        let ids = (0..5).map(|file| found.build_id(file));
        assert_eq!(
            ids.collect::<Vec<_>>(),
            [
                Some("aabb00"),
                Some("1111111111111111111111111111111111111111"),
                None,
                Some("22222222222222222222222222222222"),
                None
            ]
        );
    }

    #[test]
    fn records_become_changes_in_the_order_of_their_times() {
        let mut reader = MappingReader::default();
        let mut take = |kind: RecordType, misc, words: &[u32], name: &[u8], ts_ns| {
            let body = body(words, name);
            reader.take(kind.0, misc, &body, Endian::Little, ts_ns);
            for cut in 0..body.len().min(24) {
                reader.take(RecordType::MMAP.0, 0, &body[..cut], Endian::Little, ts_ns);
            }
        };
        let place = [7, 7, 0x1000, 0, 0x200, 0, 0x40, 0];
        let mut second = place.to_vec();
        second.extend([0; 8]);
        take(RecordType::MMAP2, 0, &second, b"/bin/a\0\0", 30);
        take(RecordType::MMAP, 0, &place, b"/bin/a\0", 10);
        take(RecordType::MMAP, DATA_OR_EXEC, &place, b"/data\0", 10);
        take(RecordType::FORK, 0, &[9, 7, 9, 7, 0, 0], b"", 20);
        take(RecordType::COMM, DATA_OR_EXEC, &[9, 10], b"name\0", 20);
        let found = reader.finish();
        assert_eq!(found.files, ["/bin/a"]);
        let map = MappingChange::Map {
            start: 0x1000,
            len: 0x200,
            offset: 0x40,
            file: 0,
        };
        let seen: Vec<(u64, i32, MappingChange)> = found
            .changes
            .into_iter()
            .map(|it| (it.ts_ns, it.pid, it.change))
            .collect();
        assert_eq!(
            seen,
            [
                (10, 7, map.clone()),
                (20, 9, MappingChange::Fork { parent: 7 }),
                (20, 9, MappingChange::Thread { tid: 9, new: true }),
                (20, 9, MappingChange::Exec),
                (
                    20,
                    9,
                    MappingChange::Thread {
                        tid: 10,
                        new: false
                    }
                ),
                (30, 7, map),
            ]
        );
    }

    #[test]
    fn a_sample_tells_a_thread_once_and_again_when_it_is_anothers() {
        let mut reader = MappingReader::default();
        let exit = [7_u32, 1, 11, 1].map(u32::to_le_bytes).concat();
        for ts_ns in [10, 20] {
            reader.sampled(ts_ns, 7, 11);
            // Another one in the same place of those that were sampled last, and a task that is gone.
            reader.sampled(ts_ns, 8, 11 + RECENT as u32);
            reader.sampled(ts_ns, u32::MAX, u32::MAX);
        }
        reader.sampled(30, 9, 11);
        reader.take(RecordType::EXIT.0, 0, &exit, Endian::Little, 40);
        reader.sampled(50, 9, 11);
        let thread = |ts_ns, pid, tid| (ts_ns, pid, MappingChange::Thread { tid, new: false });
        let seen = reader.finish().changes.into_iter();
        let seen: Vec<_> = seen.map(|it| (it.ts_ns, it.pid, it.change)).collect();
        assert_eq!(
            seen,
            [
                thread(10, 7, 11),
                thread(10, 8, 11 + RECENT as i32),
                thread(30, 9, 11),
                (40, 7, MappingChange::Ended { tid: 11 }),
                thread(50, 9, 11),
            ]
        );
    }
}
