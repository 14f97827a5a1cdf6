//! Memory layout of kernel and processes over time, as recorded.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use numalens_columns::{
    FileFunctions, FilePlace, Functions, KALLSYMS, KERNEL_PID, Mapping, MappingChange, Mappings,
};

use super::written::placed;
use super::{Context, FrameName, Frames};

/// Mappings that a process may have (`vm.max_map_count` is 65,530), and mappings that all copies of processes' memory may have
/// together: beyond, a copy knows nothing.
const MOST_MAPS: usize = 1 << 16;
const MOST_COPIED: usize = 1 << 21;
/// No function of a kernel is longer; an address farther after the last known function belongs to something different.
const LONGEST_FUNCTION: u64 = 256 << 10;

/// A part of a process's memory. Its key is its first address.
#[derive(Debug, Clone, Copy)]
struct Map {
    /// Behind its last address.
    end: u64,
    /// Address minus place in the file.
    base: u64,
    file: u32,
}

type Space = Rc<BTreeMap<u64, Map>>;

/// Names addresses.
#[derive(Debug, Default)]
pub struct Memory {
    functions: Functions,
    files: Vec<String>,
    build_ids: Vec<Option<String>>,
    /// Functions by file, where the file came along.
    programs: Vec<Option<Rc<dyn FileFunctions>>>,
    /// Files that did not come along, with the places in them that were met.
    unnamed: RefCell<BTreeSet<(u32, u64)>>,
    changes: std::vec::IntoIter<Mapping>,
    spaces: HashMap<i32, Space>,
    process_of: HashMap<i32, i32>,
    copied: usize,
    /// Frames by address: of the kernel, and of files by place.
    kernel: HashMap<u64, Option<u32>>,
    user: HashMap<(u32, u64), Option<u32>>,
}

impl Memory {
    /// Takes the kernel's functions, the recorded mappings, and the functions of its files, by file.
    #[must_use]
    pub fn new(
        functions: Functions,
        mappings: Mappings,
        programs: Vec<Option<Rc<dyn FileFunctions>>>,
    ) -> Self {
        Self {
            functions,
            files: mappings.files,
            build_ids: mappings.build_ids,
            programs,
            changes: mappings.changes.into_iter(),
            ..Self::default()
        }
    }

    /// Advances to a time, ns of the clock of the mappings; times never go back.
    pub fn advance(&mut self, ts_ns: u64) {
        while let Some(next) = self.changes.as_slice().first()
            && next.ts_ns <= ts_ns
        {
            if let Some(mapping) = self.changes.next() {
                self.apply(&mapping);
            }
        }
    }

    fn apply(&mut self, mapping: &Mapping) {
        let pid = mapping.pid;
        match mapping.change {
            MappingChange::Map {
                start,
                len,
                offset,
                file,
            } => {
                let Some(end) = start.checked_add(len).filter(|&end| end > start) else {
                    return;
                };
                if pid == KERNEL_PID {
                    // Names and places of the kernel change with it; its modules come and go.
                    self.kernel.clear();
                }
                let space = self.spaces.entry(pid).or_default();
                if Rc::strong_count(space) > 1 {
                    self.copied += space.len();
                    if self.copied > MOST_COPIED {
                        *space = Space::default();
                    }
                }
                let map = Map {
                    end,
                    base: start.wrapping_sub(offset),
                    file,
                };
                insert(Rc::make_mut(space), start, map);
            }
            MappingChange::Fork { parent } => {
                let space = self.spaces.get(&parent).cloned();
                self.spaces.insert(pid, space.unwrap_or_default());
            }
            MappingChange::Exec => {
                self.spaces.remove(&pid);
            }
            MappingChange::Thread { tid, .. } => {
                self.process_of.insert(tid, pid);
            }
            // Its number is named again before it is anything else's.
            MappingChange::Ended { .. } => {}
        }
    }

    /// The frame of an address of a thread, whose process is looked up unless it is given; `None` when there is no room for
    /// another frame.
    pub fn frame(
        &mut self,
        frames: &mut Frames,
        (context, address): (Context, u64),
        tid: i32,
        process: Option<i32>,
    ) -> Option<u32> {
        match context {
            Context::Kernel => {
                if let Some(&known) = self.kernel.get(&address) {
                    return known;
                }
                let frame = self.kernel_frame(frames, address);
                self.kernel.insert(address, frame);
                frame
            }
            Context::User => {
                let process = process.or_else(|| self.process_of.get(&tid).copied());
                let space = self.spaces.get(&process.unwrap_or(tid));
                let map = space.and_then(|space| find(space, address));
                let Some(map) = map else {
                    return bare(frames, address);
                };
                let offset = address.wrapping_sub(map.base);
                if let Some(&known) = self.user.get(&(map.file, offset)) {
                    return known;
                }
                let module = self.file(map.file);
                let place = FilePlace::Offset(offset);
                // Memory that is no file's has no place in one.
                let frame = if module.is_empty() || module.starts_with("//anon") {
                    bare(frames, address)
                } else {
                    self.file_frame(frames, map.file, module, place, offset)
                };
                self.user.insert((map.file, offset), frame);
                frame
            }
            Context::Other => bare(frames, address),
        }
    }

    fn file(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |file| file)
    }

    /// The frame of a place in a file: its function, else the place itself.
    fn file_frame(
        &self,
        frames: &mut Frames,
        file: u32,
        module: &str,
        place: FilePlace<'_>,
        offset: u64,
    ) -> Option<u32> {
        let program = self.programs.get(file as usize).and_then(Option::as_ref);
        if let Some(name) = program.and_then(|program| program.name(place)) {
            return frames.number(FrameName {
                name: &name,
                module,
            });
        }
        if program.is_none() {
            self.unnamed.borrow_mut().insert((file, offset));
        }
        let name = &placed(module, offset);
        frames.number(FrameName { name, module })
    }

    /// Calls `visit` with file and build id of each place that was met in a file that did not come along.
    pub fn unnamed<'a>(&'a self, mut visit: impl FnMut(&'a str, Option<&'a str>)) {
        for &(file, _) in &*self.unnamed.borrow() {
            let build_id = self.build_ids.get(file as usize);
            // Behind the kernel's name is the symbol that its mapping is named after.
            let name = match self.file(file) {
                name if name.starts_with(KALLSYMS) => KALLSYMS,
                name => name,
            };
            visit(name, build_id.and_then(Option::as_deref));
        }
    }

    fn kernel_frame(&self, frames: &mut Frames, address: u64) -> Option<u32> {
        let place = self.functions.place(address);
        if let Some(place) = place.filter(|place| place.offset < LONGEST_FUNCTION) {
            let module = place.module.map(|module| format!("[{module}]"));
            return frames.number(FrameName {
                name: place.name,
                module: module.as_deref().unwrap_or(KALLSYMS),
            });
        }
        let space = self.spaces.get(&KERNEL_PID);
        let Some((start, map)) = space.and_then(|space| entry(space, address)) else {
            return bare(frames, address);
        };
        let (file, offset) = (self.file(map.file), address - start);
        let (module, place) = match file.strip_prefix(KALLSYMS) {
            // The address of the symbol that the mapping is named after replaces an offset.
            Some(symbol) => (
                KALLSYMS,
                FilePlace::Behind {
                    symbol,
                    bytes: address.wrapping_sub(start.wrapping_sub(map.base)),
                },
            ),
            None => (file, FilePlace::Code(offset)),
        };
        self.file_frame(frames, map.file, module, place, offset)
    }
}

/// A frame that is only an address.
fn bare(frames: &mut Frames, address: u64) -> Option<u32> {
    let name = &format!("{address:#x}");
    frames.number(FrameName { name, module: "" })
}

fn entry(space: &BTreeMap<u64, Map>, address: u64) -> Option<(u64, Map)> {
    let (&start, &map) = space.range(..=address).next_back()?;
    (address < map.end).then_some((start, map))
}

fn find(space: &BTreeMap<u64, Map>, address: u64) -> Option<Map> {
    entry(space, address).map(|entry| entry.1)
}

/// Maps over what was there.
fn insert(space: &mut BTreeMap<u64, Map>, start: u64, map: Map) {
    let overlapped = space.range(..map.end).rev();
    let overlapped: Vec<(u64, Map)> = overlapped
        .map(|(&start, &old)| (start, old))
        .take_while(|(_, old)| old.end > start)
        .collect();
    for (old_start, old) in overlapped {
        space.remove(&old_start);
        if old_start < start {
            space.insert(old_start, Map { end: start, ..old });
        }
        if old.end > map.end {
            space.insert(map.end, old);
        }
    }
    if space.len() < MOST_MAPS {
        space.insert(start, map);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use numalens_columns::Symbols;

    use super::*;

    fn map(ts_ns: u64, pid: i32, start: u64, len: u64, offset: u64, file: u32) -> Mapping {
        let change = MappingChange::Map {
            start,
            len,
            offset,
            file,
        };
        Mapping { ts_ns, pid, change }
    }

    struct Named {
        memory: Memory,
        frames: Frames,
    }

    impl Named {
        fn new(functions: &str, changes: Vec<Mapping>) -> Self {
            let files = [
                "/lib/a.so",
                "/bin/b",
                "[kernel.kallsyms]_text",
                "[nf]",
                "//anon",
            ];
            let mappings = Mappings {
                files: files.map(str::to_owned).to_vec(),
                changes,
                ..Mappings::default()
            };
            let functions = Symbols::new(functions.into()).into_functions();
            Self {
                memory: Memory::new(functions, mappings, Vec::new()),
                frames: Frames::default(),
            }
        }

        fn of(&mut self, context: Context, address: u64, tid: i32, process: Option<i32>) -> String {
            let place = (context, address);
            let frame = self.memory.frame(&mut self.frames, place, tid, process);
            let frame = self.frames.get(frame.unwrap());
            format!("{} {}", frame.name, frame.module)
        }

        fn user(&mut self, address: u64, pid: i32) -> String {
            self.of(Context::User, address, pid, None)
        }
    }

    #[test]
    fn a_later_mapping_lies_over_an_earlier_one() {
        let changes = vec![
            map(0, 7, 0x1000, 0x1000, 0x40, 0),
            map(10, 7, 0x1400, 0x400, 0, 1),
        ];
        let mut named = Named::new("", changes);
        named.memory.advance(5);
        assert_eq!(named.user(0x1500, 7), "a.so+0x540 /lib/a.so");
        named.memory.advance(10);
        assert_eq!(named.user(0x1500, 7), "b+0x100 /bin/b");
        assert_eq!(named.user(0x13ff, 7), "a.so+0x43f /lib/a.so");
        assert_eq!(named.user(0x1800, 7), "a.so+0x840 /lib/a.so");
        for outside in [0xfff, 0x2000, 0] {
            assert_eq!(named.user(outside, 7), format!("{outside:#x} "));
        }
        assert_eq!(named.user(0x1500, 8), "0x1500 ");
        assert_eq!(named.of(Context::Other, 0x1500, 7, None), "0x1500 ");
    }

    #[test]
    fn a_copy_has_what_its_parent_had_until_a_program_takes_it_over() {
        let change = |ts_ns, pid, change| Mapping { ts_ns, pid, change };
        let changes = vec![
            map(0, 7, 0x1000, 0x100, 0, 0),
            change(1, 9, MappingChange::Fork { parent: 7 }),
            change(1, 9, MappingChange::Thread { tid: 11, new: true }),
            map(2, 9, 0x1000, 0x100, 0, 1),
            map(2, 9, 0x3000, 0x100, 0, 4),
            change(3, 9, MappingChange::Exec),
        ];
        let mut named = Named::new("", changes);
        named.memory.advance(1);
        assert_eq!(named.user(0x1010, 11), "a.so+0x10 /lib/a.so");
        named.memory.advance(2);
        assert_eq!(named.user(0x1010, 11), "b+0x10 /bin/b");
        assert_eq!(named.user(0x1010, 7), "a.so+0x10 /lib/a.so");
        assert_eq!(named.user(0x3010, 9), "0x3010 ");
        assert_eq!(
            named.of(Context::User, 0x1010, 5, Some(7)),
            "a.so+0x10 /lib/a.so"
        );
        named.memory.advance(3);
        assert_eq!(named.user(0x1010, 11), "0x1010 ");
    }

    #[test]
    fn the_kernels_addresses_have_names_where_they_are_known() {
        let changes = vec![
            map(0, KERNEL_PID, 0x10_0000, 0x10_0000, 0x10_0000, 2),
            map(0, KERNEL_PID, 0x80_0000, 0x100, 0, 3),
        ];
        let mut named = Named::new("100010 T first\n100100 t second\t[nf]", changes);
        named.memory.advance(0);
        let mut kernel = |address| named.of(Context::Kernel, address, 1, None);
        assert_eq!(kernel(0x10_0013), "first [kernel.kallsyms]");
        assert_eq!(kernel(0x10_0100), "second [nf]");
        assert_eq!(kernel(0x10_0002), "[kernel.kallsyms]+0x2 [kernel.kallsyms]");
        // Behind the last function nothing is said of, however near the next one that is known.
        assert_eq!(kernel(0x80_0010), "[nf]+0x10 [nf]");
        assert_eq!(kernel(0x70_0000), "0x700000 ");
        let mut files = Vec::new();
        named.memory.unnamed(|file, _| files.push(file));
        assert_eq!(files, ["[kernel.kallsyms]", "[nf]"]);
    }

    #[test]
    fn copies_of_memory_are_bounded() {
        let mut changes = Vec::new();
        for at in 0..3_000 {
            changes.push(map(0, at, u64::from(at as u32) << 12, 0x1000, 0, 0));
            let change = MappingChange::Fork { parent: at };
            changes.push(Mapping {
                ts_ns: 0,
                pid: at + 1,
                change,
            });
        }
        let mut named = Named::new("", changes);
        named.memory.advance(0);
        let held: usize = named.memory.spaces.values().map(|space| space.len()).sum();
        assert!(held <= MOST_COPIED + 3_000, "{held}");
        assert_eq!(named.user(2_999 << 12, 2_999), "a.so+0x0 /lib/a.so");
    }
}
