//! libFuzzer's driver of the target that `NUMALENS_FUZZ_TARGET` names.
//!
//! The driver first unpacks the target's seeds into the folder `NUMALENS_FUZZ_UNPACK`. With `NUMALENS_FUZZ_PACK` it makes
//! the files of that folder the target's seeds, and exits.
#![no_main]
#![allow(missing_docs, unsafe_code, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use numalens_fuzz::{Numbers, Target, change_parts, files, keep, seeds, target};

/// Of so many changes one is of what an input is made of.
const PARTS: u32 = 2;

static TARGET: OnceLock<Option<Target>> = OnceLock::new();

fn chosen() -> Option<&'static Target> {
    let chosen = TARGET.get_or_init(|| target(&std::env::var("NUMALENS_FUZZ_TARGET").ok()?));
    assert!(chosen.is_some(), "NUMALENS_FUZZ_TARGET names no target");
    chosen.as_ref()
}

/// Unpacks or packs seeds, before libFuzzer lists the files of its folders.
fn start() {
    let Some(target) = chosen() else {
        return;
    };
    if let Some(folder) = std::env::var_os("NUMALENS_FUZZ_UNPACK") {
        for (name, bytes) in seeds(target.name).expect("the archive of seeds can be read") {
            fs::write(Path::new(&folder).join(name), bytes).expect("seeds can be unpacked");
        }
    }
    if let Some(folder) = std::env::var_os("NUMALENS_FUZZ_PACK") {
        let found = files(Path::new(&folder)).expect("the folder of seeds can be read");
        keep(target.name, &found).expect("the archive of seeds can be written");
        std::process::exit(0);
    }
}

fuzz_target!(init: start(), |data: &[u8]| {
    if let Some(target) = chosen() {
        (target.run)(data);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % PARTS == 0
        && let Some(target) = chosen()
    {
        let mut changed = data[..size].to_vec();
        let mut numbers = Numbers::new(u64::from(seed) << 32 | 0x9e37_79b9);
        if change_parts(target.name, &mut numbers, &mut changed) && changed.len() <= max_size {
            data[..changed.len()].copy_from_slice(&changed);
            return changed.len();
        }
    }
    fuzzer_mutate(data, size, max_size)
});
