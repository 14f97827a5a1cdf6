//! What records tell of the memory of kernel and processes: `MMAP`, `MMAP2`, `FORK`, `COMM`.

use std::collections::HashMap;

use linux_perf_event_reader::RecordType;
use numalens_columns::{Mapping, MappingChange, Mappings};
use numalens_event_format::Endian;

use crate::bytes::{Bytes, text};

/// Flag of a mapping that is not executable (`PERF_RECORD_MISC_MMAP_DATA`), and of a name that an exec gave
/// (`PERF_RECORD_MISC_COMM_EXEC`).
const DATA_OR_EXEC: u16 = 1 << 13;
/// Bytes between a mapping's place and its file's name in `MMAP2`: device and inode or build id, protection and flags.
const BEFORE_NAME: u64 = 32;
/// Changes that are kept, and bytes of files' names; a machine has some thousands of programs.
const MOST_CHANGES: usize = 1 << 20;
const MOST_BYTES: usize = 32 << 20;

/// What was told so far.
#[derive(Debug, Default)]
pub(crate) struct MappingReader {
    found: Mappings,
    files: HashMap<String, u32>,
    bytes: usize,
    /// Changes beyond what is kept.
    pub(crate) left_out: u64,
}

impl MappingReader {
    /// Takes a record of these four kinds; what is too short tells nothing.
    pub(crate) fn take(&mut self, kind: u32, misc: u16, body: &[u8], endian: Endian, ts_ns: u64) {
        let mut data = Bytes::new(body, endian);
        let is = |record: RecordType| kind == record.0;
        if is(RecordType::MMAP) || is(RecordType::MMAP2) {
            if misc & DATA_OR_EXEC == 0 {
                let _ = self.map(&mut data, is(RecordType::MMAP2), ts_ns);
            }
        } else if is(RecordType::FORK) {
            let _ = self.fork(&mut data, ts_ns);
        } else if let (Some(pid), Some(tid)) = (data.u32(), data.u32()) {
            if misc & DATA_OR_EXEC != 0 {
                self.push(ts_ns, pid, MappingChange::Exec);
            }
            self.push(ts_ns, pid, MappingChange::Thread { tid: tid as i32 });
        }
    }

    fn map(&mut self, data: &mut Bytes<'_>, second: bool, ts_ns: u64) -> Option<()> {
        let (pid, tid) = (data.u32()?, data.u32()?);
        let (start, len, offset) = (data.u64()?, data.u64()?, data.u64()?);
        if second {
            data.take(BEFORE_NAME)?;
        }
        let name = text(data.rest());
        let file = match self.files.get(&name) {
            Some(&file) => file,
            None if self.bytes + name.len() > MOST_BYTES => {
                self.left_out += 1;
                return None;
            }
            None => {
                let file = self.found.files.len() as u32;
                self.bytes += name.len();
                self.found.files.push(name.clone());
                self.files.insert(name, file);
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
            self.push(ts_ns, pid, MappingChange::Thread { tid: tid as i32 });
        }
        Some(())
    }

    fn fork(&mut self, data: &mut Bytes<'_>, ts_ns: u64) -> Option<()> {
        let (pid, parent, tid) = (data.u32()?, data.u32()?, data.u32()?);
        if pid != parent {
            let parent = parent as i32;
            self.push(ts_ns, pid, MappingChange::Fork { parent });
        }
        self.push(ts_ns, pid, MappingChange::Thread { tid: tid as i32 });
        Some(())
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

    /// All of it, ascending in time; what is of one time stays in the order of the recording.
    pub(crate) fn finish(mut self) -> Mappings {
        self.found.changes.sort_by_key(|change| change.ts_ns);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(words: &[u32], rest: &[u8]) -> Vec<u8> {
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        words.chain(rest.iter().copied()).collect()
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
                (20, 9, MappingChange::Thread { tid: 9 }),
                (20, 9, MappingChange::Exec),
                (20, 9, MappingChange::Thread { tid: 10 }),
                (30, 7, map),
            ]
        );
    }
}
