//! libFuzzer's driver of the target that `NUMALENS_FUZZ_TARGET` names.
#![no_main]
#![allow(missing_docs, unsafe_code)]

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use numalens_fuzz::{Numbers, Target, change_parts, target};

/// Of so many changes one is of what an input is made of.
const PARTS: u32 = 2;

static TARGET: OnceLock<Option<Target>> = OnceLock::new();

fn chosen() -> Option<&'static Target> {
    let chosen = TARGET.get_or_init(|| target(&std::env::var("NUMALENS_FUZZ_TARGET").ok()?));
    assert!(chosen.is_some(), "NUMALENS_FUZZ_TARGET names no target");
    chosen.as_ref()
}

fuzz_target!(|data: &[u8]| {
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
