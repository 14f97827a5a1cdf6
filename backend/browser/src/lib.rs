//! The WebAssembly binding of the readers and the engine: memory, requests and answers, and nothing that computes.
//!
//! A host writes the bytes of its files with [`input`], a request as JSON with [`request`], and calls [`call`]; the answer,
//! bytes or one sentence, lies at [`answer`] until the next call. Everything is on one thread, and a panic ends the module
//! with a trap: its host starts another.
//!
//! * `requests.rs` has the requests in JSON and their answers: JSON or Arrow bytes with statuses of HTTP;
//! * `memory.rs` requests memory of the host, in large steps.
//!
//! Knowledge of the page belongs to `frontend/src/api/local`. `npm run setup` builds the module (`scripts/lib/engine.mjs`) where there are a
//! clang, for zstd, and the source of Rust's standard library (rustup's component `rust-src`, Debian's `rust-web-src`), of which it builds
//! one for size. With the library for `wasm32-unknown-unknown` alone the module is a third larger. `npm run lint` fails when it exceeds its
//! limit.
// The names of exported functions, and the host's functions, are what the linker sees.
#![allow(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod memory;
mod requests;

use std::cell::RefCell;

use self::requests::{Engine, Failure};

/// The engine and what goes to and from its host.
#[derive(Default)]
struct Door {
    engine: Engine,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

#[cfg(target_arch = "wasm32")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Reports a stage of the work, UTF-8 of `len` bytes, and the finished part.
    fn progress(stage: *const u8, len: usize, done: f64, total: f64);
}

/// Hands a stage on to the host.
#[cfg(target_arch = "wasm32")]
fn tell(stage: &str, done: u64, total: u64) {
    // SAFETY: the host reads `len` bytes of a text that outlives the call.
    unsafe { progress(stage.as_ptr(), stage.len(), done as f64, total as f64) }
}

#[cfg(not(target_arch = "wasm32"))]
fn tell(_stage: &str, _done: u64, _total: u64) {}

/// Returns memory for the next input, `len` bytes, which the host fills.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    DOOR.with_borrow_mut(|door| door.engine.add_input(len))
}

/// Returns memory for a request: `len` bytes of JSON.
#[unsafe(no_mangle)]
pub extern "C" fn request(len: usize) -> *mut u8 {
    DOOR.with_borrow_mut(|door| {
        door.request = vec![0; len];
        door.request.as_mut_ptr()
    })
}

/// Answers the request, and returns the status that a server would answer with.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> u32 {
    DOOR.with_borrow_mut(|door| {
        let request = std::mem::take(&mut door.request);
        // What was answered before is not needed any more.
        door.answer = Vec::new();
        let (status, answer) = match door.engine.call(&request, &tell) {
            Ok(answer) => (200, answer),
            Err(Failure { status, body }) => (status, body),
        };
        door.answer = answer;
        status
    })
}

/// Returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    DOOR.with_borrow(|door| door.answer.as_ptr())
}

/// Bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    DOOR.with_borrow(|door| door.answer.len())
}
