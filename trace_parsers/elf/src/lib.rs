//! ELF: the build id of a program, library, module or kernel, where its parts lie in memory, and its functions.
//!
//! [`parse`] reads a file, [`Program::join`] adds the separate file with its symbols, and [`FileFunctions`] answers which function
//! is at a place. Code, lines and variables are not read.
//!
//! Functions are those of `.symtab`, else `.dynsym`, with readable names of C++ and Rust. The recorded mappings of files belong to
//! `perf_data` and `columns`.
//!
//! As perf does it (`dso__load_sym` and `symbols__fixup_end` of `tools/perf/util`, Linux 6.1): functions and labels of code
//! count. Of several symbols of one address the one with a size counts, then a global one. One without a size ends at the next. Unlike perf, entries
//! of the PLT have no name. A separate file of symbols has no parts, as their bytes are not in it: it is joined with the program of
//! its build id. Addresses of a module count from the start of its `.text`, which the kernel puts first.
//!
//! Nothing is sized by the numbers in the file: at most 2,097,152 functions, 256 MiB of names, 16 KiB for a symbol and 4 KiB for a
//! readable name.

#[cfg(not(target_family = "wasm"))]
mod names;
#[cfg(not(target_family = "wasm"))]
mod read;

use std::cell::OnceCell;

use numalens_columns::{FileFunctions, FilePlace};

#[cfg(not(target_family = "wasm"))]
pub use read::parse;

/// The engine inside of a page has no room for a reader.
///
/// # Errors
/// Always.
#[cfg(target_family = "wasm")]
pub fn parse(_: &[u8]) -> Result<Program, numalens_columns::InputError> {
    let found = "ELF, which a page cannot read";
    Err(numalens_columns::InputError::at_byte(
        0,
        "a recording",
        found,
    ))
}

/// Returns whether a file begins like ELF.
#[must_use]
pub fn sniff(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF")
}

/// A part of the file that is mapped (`PT_LOAD`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    offset: u64,
    len: u64,
    address: u64,
}

/// A function: its first address, the one after its last, and where its name is.
#[derive(Debug, Clone, Copy)]
struct Function {
    start: u64,
    end: u64,
    name: (u32, u32),
}

/// Contents of a file.
#[derive(Clone, Default)]
pub struct Program {
    /// Build ID in hexadecimal digits.
    pub build_id: Option<String>,
    /// Note about unusable parts, one sentence without the file's name.
    pub note: Option<String>,
    segments: Vec<Segment>,
    /// Ascending; no two begin at one address.
    functions: Vec<Function>,
    names: Vec<u8>,
    /// Places in `functions`, ascending by name: made when one is looked for by its name.
    by_name: OnceCell<Vec<u32>>,
    /// True for a module of the kernel: addresses count from the start of its code.
    module: bool,
}

impl Program {
    /// Returns the number of functions.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Returns whether it has the memory layout of the file. A separate file of symbols does not.
    #[must_use]
    pub fn placed(&self) -> bool {
        self.module || !self.segments.is_empty()
    }

    /// Takes what another file of the same build id knows better.
    pub fn join(&mut self, other: Self) {
        if !self.placed() {
            self.segments = other.segments;
        }
        if self.functions.len() < other.functions.len() {
            self.functions = other.functions;
            self.names = other.names;
            self.by_name = OnceCell::new();
            self.note = other.note;
        }
    }

    fn name_of(&self, function: &Function) -> Option<&str> {
        let (from, len) = function.name;
        let bytes = self.names.get(from as usize..)?.get(..len as usize)?;
        std::str::from_utf8(bytes).ok()
    }

    /// Start of the function of a name; the first one if there are several.
    fn start_of(&self, name: &str) -> Option<u64> {
        let function = |&place: &u32| self.functions.get(place as usize);
        let name_at = |place: &u32| self.name_of(function(place)?);
        let places = self.by_name.get_or_init(|| {
            let mut all: Vec<u32> = (0..self.functions.len() as u32).collect();
            all.sort_by_key(name_at);
            all
        });
        let first = places.partition_point(|place| name_at(place) < Some(name));
        let found = places
            .get(first)
            .filter(|place| name_at(place) == Some(name))?;
        function(found).map(|function| function.start)
    }

    fn at(&self, address: u64) -> Option<String> {
        let behind = self
            .functions
            .partition_point(|function| function.start <= address);
        let function = self.functions.get(behind.checked_sub(1)?)?;
        let inside = address < function.end;
        inside.then(|| self.name_of(function))?.map(readable)
    }
}

#[cfg(not(target_family = "wasm"))]
use names::demangled as readable;
#[cfg(target_family = "wasm")]
fn readable(name: &str) -> String {
    name.to_owned()
}

impl FileFunctions for Program {
    fn name(&self, place: FilePlace<'_>) -> Option<String> {
        let address = match place {
            FilePlace::Offset(offset) => {
                // The kernel maps whole pages: what is behind a part's end in its last page is not looked for.
                let inside = self.segments.iter().find_map(|it| {
                    let behind = offset.checked_sub(it.offset)?;
                    (behind < it.len).then(|| it.address.checked_add(behind))
                });
                inside??
            }
            FilePlace::Behind { symbol, bytes } => self.start_of(symbol)?.checked_add(bytes)?,
            FilePlace::Code(bytes) => self.module.then_some(bytes)?,
        };
        self.at(address)
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let build_id = self.build_id.as_deref().unwrap_or("no build id");
        write!(f, "Program({build_id}, {} functions)", self.functions.len())
    }
}
