//! libFuzzer's driver of the target that `NUMALENS_FUZZ_TARGET` names.
#![no_main]
#![allow(missing_docs, unsafe_code)]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use numalens_fuzz::{Target, target};

static TARGET: OnceLock<Option<Target>> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let chosen = TARGET.get_or_init(|| target(&std::env::var("NUMALENS_FUZZ_TARGET").ok()?));
    assert!(chosen.is_some(), "NUMALENS_FUZZ_TARGET names no target");
    if let Some(target) = chosen {
        (target.run)(data);
    }
});
