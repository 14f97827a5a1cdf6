//! The module's memory, which the host gives.
//!
//! Rust's own allocator asks for 64 KiB at a time, and each growth costs a host so much time that it was a sixth of an
//! import.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::memory_grow;
use std::cell::UnsafeCell;
use std::ptr::null_mut;

use dlmalloc::{Allocator, Dlmalloc};

/// A page of WebAssembly, bytes.
const PAGE: usize = 64 << 10;
/// Pages that are requested at once: 4 MiB.
const STEP: usize = 64;

#[global_allocator]
static MEMORY: Memory = Memory(UnsafeCell::new(Dlmalloc::new_with_allocator(Host)));

struct Memory(UnsafeCell<Dlmalloc<Host>>);

// SAFETY: the module has one thread.
unsafe impl Sync for Memory {}

// SAFETY: all is dlmalloc's, which never calls back into this.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: nothing else borrows it while it runs.
        unsafe { (*self.0.get()).malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { (*self.0.get()).calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { (*self.0.get()).free(at, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { (*self.0.get()).realloc(at, layout.size(), layout.align(), size) }
    }
}

/// Source of dlmalloc's memory, which is never returned.
struct Host;

// SAFETY: memory that grew has no other owner.
unsafe impl Allocator for Host {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let needed = size.div_ceil(PAGE);
        // Near the end there may be less.
        for pages in [needed.next_multiple_of(STEP), needed] {
            let before = memory_grow(0, pages);
            if before != usize::MAX {
                // The last bytes of a whole address space are left out: no object may end at its end.
                let end = (before + pages).wrapping_mul(PAGE);
                let size = pages * PAGE - if end == 0 { PAGE } else { 0 };
                return ((before * PAGE) as *mut u8, size, 0);
            }
        }
        (null_mut(), 0, 0)
    }

    fn remap(&self, _at: *mut u8, _old: usize, _new: usize, _can_move: bool) -> *mut u8 {
        null_mut()
    }

    fn free_part(&self, _at: *mut u8, _old: usize, _new: usize) -> bool {
        false
    }

    fn free(&self, _at: *mut u8, _size: usize) -> bool {
        false
    }

    fn can_release_part(&self, _flags: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}
