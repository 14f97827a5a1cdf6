//! A program that a compiler made, whole, cut, and apart from its symbols (`samples/README.md`).

#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use numalens_columns::{FileFunctions, FilePlace};
use numalens_elf::{Program, parse, sniff};

static FIXED: LazyLock<Vec<u8>> = LazyLock::new(|| fixture("fixed"));
static DEBUG: LazyLock<Vec<u8>> = LazyLock::new(|| fixture("stripped.debug"));

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../samples/fixtures/symbols"
    );
    let packed = std::fs::File::open(format!("{folder}/{name}.zst")).unwrap();
    zstd::decode_all(packed).unwrap()
}

fn at(program: &Program, offset: u64) -> Option<String> {
    program.name(FilePlace::Offset(offset))
}

#[test]
fn places_in_the_file_are_in_functions() {
    // As `readelf -lsW` has it: code at 0x1000 of the file is at 0x10001000; `_start` is at 0x1000106a, of 87 bytes.
    let program = parse(&FIXED).unwrap();
    assert!(sniff(&FIXED) && program.placed() && program.note.is_none());
    assert_eq!(
        program.build_id.as_deref(),
        Some("f36cf5dced76bd426fc6d617e7299952abb4f1ec")
    );
    let add = (0x1000..0x1200)
        .find(|&offset| at(&program, offset).as_deref() == Some("work::Sum<unsigned long>::add"));
    let add = add.unwrap();
    assert_ne!(at(&program, add - 1), at(&program, add));
    let behind = FilePlace::Behind {
        symbol: "_start",
        bytes: 4,
    };
    assert_eq!(program.name(behind).as_deref(), Some("_start"));
    // Not code, behind the code, and what only a module has.
    for offset in [0, 0x40, 0x1800, u64::MAX] {
        assert_eq!(at(&program, offset), None, "{offset:#x}");
    }
    assert_eq!(program.name(FilePlace::Code(0x1070)), None);
}

#[test]
fn symbols_apart_from_the_program_have_no_place_until_they_are_joined() {
    let symbols = parse(&DEBUG).unwrap();
    assert!(symbols.functions() > 0 && !symbols.placed());
    assert_eq!(at(&symbols, 0x1010), None);
    let behind = FilePlace::Behind {
        symbol: "burn",
        bytes: 1,
    };
    assert_eq!(symbols.name(behind).as_deref(), Some("burn"));
    let mut joined = parse(&FIXED).unwrap();
    let before = joined.functions();
    joined.join(symbols);
    assert!(joined.placed() && joined.functions() >= before);
}

#[test]
fn no_cut_and_no_changed_byte_is_a_panic() {
    let ask = |bytes: &[u8]| {
        if let Ok(program) = parse(bytes) {
            for offset in [0, 0x1010, 0x1070, u64::MAX] {
                at(&program, offset);
            }
        }
    };
    for len in 0..FIXED.len() {
        ask(&FIXED[..len]);
    }
    let mut bytes = FIXED.to_vec();
    for place in 0..bytes.len() {
        let old = bytes[place];
        for new in [0, 0x7f, 0xff] {
            bytes[place] = new;
            ask(&bytes);
        }
        bytes[place] = old;
    }
}
