//! Parser of a file's bytes. Sizes in the file are never used without a bound.

use std::cmp::Reverse;

use numalens_columns::{InputError, build_id_text};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};
use object::{Endianness, elf};

use crate::{Function, Program, Segment};

/// Position of the class of a file, and its value for 64 bits (`EI_CLASS`, `ELFCLASS64`).
const CLASS: usize = 4;
const WIDE: u8 = 2;
/// Functions that are kept, and bytes of their names: Chromium with all its symbols has about a million.
const MOST_FUNCTIONS: usize = 2 << 20;
const MOST_NAMES: usize = 256 << 20;
/// Longest symbol that is read, bytes.
const LONGEST_NAME: usize = 16 << 10;
/// Longest build id: what a record of perf has room for.
const LONGEST_ID: usize = 20;
/// Parts that are kept; a program has about four.
const MOST_SEGMENTS: usize = 64;
/// A last function without a size ends here at the latest, bytes (`symbols__fixup_end` of `tools/perf/util/symbol.c`, Linux 6.1).
const PAGE: u64 = 4096;

/// Reads build id, parts and functions.
///
/// # Errors
/// The input is not an ELF file, or is cut.
pub fn parse(bytes: &[u8]) -> Result<Program, InputError> {
    let wide = bytes.get(CLASS) == Some(&WIDE);
    let read = if wide {
        file::<elf::FileHeader64<Endianness>>(bytes)
    } else {
        file::<elf::FileHeader32<Endianness>>(bytes)
    };
    read.map_err(|error| {
        InputError::at_byte(0, "a whole ELF file", format!("a damaged one ({error})"))
    })
}

fn file<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::Result<Program> {
    let header = Elf::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut program = Program {
        module: header.e_type(endian) == elf::ET_REL,
        ..Program::default()
    };
    for part in header.program_headers(endian, bytes)? {
        let len: u64 = part.p_filesz(endian).into();
        if part.p_type(endian) == elf::PT_LOAD
            && len > 0
            && part.p_flags(endian).contains(elf::PF_X)
            && program.segments.len() < MOST_SEGMENTS
        {
            program.segments.push(Segment {
                offset: part.p_offset(endian).into(),
                len,
                address: part.p_vaddr(endian).into(),
            });
        }
        if program.build_id.is_none()
            && let Ok(Some(notes)) = part.notes(endian, bytes)
        {
            program.build_id = build_id::<Elf>(endian, notes);
        }
    }
    for section in sections.iter() {
        if program.build_id.is_none()
            && let Ok(Some(notes)) = section.notes(endian, bytes)
        {
            program.build_id = build_id::<Elf>(endian, notes);
        }
    }
    let mut found = Found::default();
    for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
        if found.list.is_empty() {
            functions::<Elf>(header, &sections, bytes, kind, &mut found)?;
        }
    }
    if found.left_out {
        program.note = Some(format!(
            "more than {MOST_FUNCTIONS} functions or {} MiB of names: the rest was left out",
            MOST_NAMES >> 20
        ));
    }
    (program.functions, program.names) = found.finish();
    Ok(program)
}

/// The build id among notes.
fn build_id<Elf: FileHeader<Endian = Endianness>>(
    endian: Endianness,
    mut notes: object::read::elf::NoteIterator<'_, Elf>,
) -> Option<String> {
    while let Ok(Some(note)) = notes.next() {
        if note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == elf::NT_GNU_BUILD_ID {
            let id = note.desc();
            let id = &id[..id.len().min(LONGEST_ID)];
            return (!id.is_empty()).then(|| build_id_text(id));
        }
    }
    None
}

/// Rank of a symbol among those of one address: the smallest is its name (`choose_best_symbol` of `tools/perf/util/symbol.c`,
/// Linux 6.1).
type Rank = (bool, bool, bool, usize, Reverse<u32>);

#[derive(Default)]
struct Found {
    list: Vec<(Function, Rank)>,
    names: Vec<u8>,
    /// Bytes looked at for names.
    searched: usize,
    left_out: bool,
}

fn functions<Elf: FileHeader<Endian = Endianness>>(
    header: &Elf,
    sections: &SectionTable<'_, Elf>,
    bytes: &[u8],
    kind: elf::SectionType,
    found: &mut Found,
) -> object::Result<()> {
    let endian = header.endian()?;
    let module = header.e_type(endian) == elf::ET_REL;
    let arm = header.e_machine(endian) == elf::EM_ARM;
    let table = sections.symbols(endian, bytes, kind)?;
    if table.is_empty() {
        return Ok(());
    }
    let strings = sections.section(table.string_section())?;
    let strings = strings.data(endian, bytes)?;
    for symbol in table.iter() {
        let shndx = symbol.st_shndx(endian);
        let index = shndx.index().map(usize::from);
        // Beyond these numbers a table of its own has the section; perf finds no code there either.
        let section = index.and_then(|index| sections.section(object::SectionIndex(index)).ok());
        if section.is_none() && shndx != elf::SHN_XINDEX {
            continue;
        }
        let code = section.is_some_and(|section| {
            let flags = section.sh_flags(endian);
            flags.contains(elf::SHF_EXECINSTR)
        });
        let function = matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_GNU_IFUNC);
        let label = symbol.st_type() == elf::STT_NOTYPE && code;
        if !function && !label {
            continue;
        }
        // Addresses of a module's symbols count from their section; the kernel puts its code first.
        if module
            && section.and_then(|section| sections.section_name(endian, section).ok())
                != Some(b".text")
        {
            continue;
        }
        let mut start: u64 = symbol.st_value(endian).into();
        if arm && function {
            // Says which instructions it has.
            start &= !1;
        }
        let size: u64 = symbol.st_size(endian).into();
        let bind = symbol.st_bind();
        found.push(
            (start, size),
            (bind == elf::STB_WEAK, bind != elf::STB_GLOBAL),
            strings
                .get(symbol.st_name(endian) as usize..)
                .unwrap_or_default(),
            label,
        );
        if found.left_out {
            break;
        }
    }
    Ok(())
}

impl Found {
    fn push(
        &mut self,
        (start, size): (u64, u64),
        (weak, local): (bool, bool),
        text: &[u8],
        label: bool,
    ) {
        let text = &text[..text.len().min(LONGEST_NAME)];
        let len = memchr::memchr(0, text).unwrap_or(text.len());
        self.searched += len;
        if self.list.len() >= MOST_FUNCTIONS || self.searched > MOST_NAMES {
            self.left_out = true;
            return;
        }
        let name = &text[..len];
        // Marks of ARM's assemblers (`$x`) and the compiler's own places are no functions.
        let mark = label && (name.starts_with(b"$") || name.starts_with(b".L"));
        if name.is_empty() || mark || std::str::from_utf8(name).is_err() {
            return;
        }
        let underscores = name.iter().take_while(|&&byte| byte == b'_').count();
        let function = Function {
            start,
            end: start.saturating_add(size),
            name: (self.names.len() as u32, len as u32),
        };
        self.names.extend_from_slice(name);
        let rank = (size == 0, weak, local, underscores, Reverse(len as u32));
        self.list.push((function, rank));
    }

    fn finish(mut self) -> (Vec<Function>, Vec<u8>) {
        self.list
            .sort_unstable_by_key(|(function, rank)| (function.start, *rank, function.name));
        self.list.dedup_by_key(|(function, _)| function.start);
        let mut functions: Vec<Function> = self.list.into_iter().map(|it| it.0).collect();
        let mut next = None;
        for function in functions.iter_mut().rev() {
            if function.end == function.start {
                let most = function.start.saturating_add(PAGE);
                function.end = next.unwrap_or(most);
            }
            next = Some(function.start);
        }
        functions.shrink_to_fit();
        (functions, self.names)
    }
}
