//! Damaged, cut and forged recordings: one sentence with the place, never a panic.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_columns::{DecodeError, InputError, SliceSource};
use numalens_trace_dat::TraceDat;
use proptest::prelude::*;
use support::writer::{Form, Sample, write};
use support::{decode, fixture};

fn sentence(bytes: &[u8]) -> String {
    match decode(bytes) {
        Ok(_) => "read".to_owned(),
        Err(DecodeError::Input(error)) => error.sentence("trace.dat"),
        Err(other) => format!("not about the input: {other}"),
    }
}

fn small(form: &Form) -> Vec<u8> {
    let samples: Vec<Sample> = (0..40)
        .map(|i| Sample::new(1000 + i * 10, i as i32, "task"))
        .collect();
    write(form, &[("", vec![samples.clone(), samples])], &[])
}

#[test]
fn sentences_name_the_place_and_what_was_expected() {
    let good = small(&Form {
        version: 6,
        big: false,
        long_size: 8,
        page_size: 256,
        compression: "none",
        page_size_in_option: false,
    });
    assert_eq!(
        sentence(b""),
        "trace.dat: byte 0: expected 10 bytes of the trace.dat magic 17 08 44 \"tracing\", found the end of the file after 0 bytes"
    );
    assert_eq!(
        sentence(b"PERFILE2 and more"),
        "trace.dat: byte 0: expected the trace.dat magic 17 08 44 \"tracing\", found \"PERFILE2 a\""
    );
    let mut version = good.clone();
    version[10] = b'9';
    assert_eq!(
        sentence(&version),
        "trace.dat: byte 10: expected trace.dat version 6 or 7, found version \"9\""
    );
    let cut = good.len() - 100;
    let said = sentence(&good[..cut]);
    assert!(
        said.starts_with(&format!(
            "trace.dat: byte {cut}: expected the data of CPU 1, "
        )),
        "{said}"
    );
    assert!(said.ends_with("found the end of the file"), "{said}");
}

#[test]
fn a_forged_size_asks_for_no_memory() {
    let form = Form {
        version: 7,
        big: false,
        long_size: 8,
        page_size: 256,
        compression: "zstd",
        page_size_in_option: true,
    };
    let mut bytes = small(&form);
    // The first compressed section is the page header's description; its sizes are behind the section's head.
    let at = bytes.windows(2).position(|pair| pair == [16, 0]).unwrap() + 16;
    bytes[at + 4..at + 8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(sentence(&bytes).contains("expected a block of at most 268435456 bytes after decompression, found one that says 4294967295"));
    bytes[at + 4..at + 8].copy_from_slice(&7_u32.to_le_bytes());
    assert!(
        sentence(&bytes)
            .contains("expected zstd data that inflates to 7 bytes, found damaged data")
    );
}

#[test]
fn options_that_point_at_themselves_end() {
    let form = Form {
        version: 7,
        big: false,
        long_size: 8,
        page_size: 256,
        compression: "none",
        page_size_in_option: true,
    };
    let mut bytes = small(&form);
    let first = u64::from_le_bytes(bytes[27..35].try_into().unwrap());
    let at = bytes.len() - 8;
    // The section written last is the first one read; its end mark leads back to itself.
    assert!((first as usize) < at);
    bytes[at..].copy_from_slice(&first.to_le_bytes());
    assert!(
        sentence(&bytes).contains("expected a chain of options that ends"),
        "{}",
        sentence(&bytes)
    );
}

#[test]
fn every_cut_ends_in_a_sentence() {
    for form in Form::all() {
        let bytes = small(&form);
        for cut in 0..bytes.len() {
            match decode(&bytes[..cut]) {
                Ok(_) | Err(DecodeError::Input(_)) => {}
                Err(other) => panic!("{form:?} cut at {cut}: {other}"),
            }
        }
    }
}

#[test]
fn real_recordings_cut_anywhere_end_in_a_sentence() {
    for file in ["tc-small.v7-zstd.dat", "tc-small.v6.dat"] {
        let bytes = fixture(file);
        for part in 0..64 {
            let cut = bytes.len() * part / 64;
            let error: InputError = match decode(&bytes[..cut]) {
                Err(DecodeError::Input(error)) => error,
                other => panic!("{file} cut at {cut}: {:?}", other.err()),
            };
            assert!(
                error.place.number() <= cut as u64,
                "{file} cut at {cut}: {error}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn flipped_bytes_never_panic(
        form in proptest::sample::select(Form::all()),
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = small(&form);
        for (index, value) in flips {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        prop_assert!(!sentence(&bytes).starts_with("not about"));
    }

    #[test]
    fn forged_words_never_panic(
        form in proptest::sample::select(Form::all()),
        at in any::<proptest::sample::Index>(),
        word in prop_oneof![Just(u64::MAX), Just(u64::MAX / 2), Just(1 << 31), Just(1 << 27), Just(0), any::<u64>()],
    ) {
        let mut bytes = small(&form);
        let at = at.index(bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        let _ = sentence(&bytes);
    }

    #[test]
    fn noise_never_panics(noise in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = b"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0".to_vec();
        bytes.extend(&noise);
        let source = SliceSource(&bytes);
        prop_assert!(TraceDat::open(&source).is_err());
        bytes[10] = b'6';
        let source = SliceSource(&bytes);
        prop_assert!(TraceDat::open(&source).is_err());
    }
}
