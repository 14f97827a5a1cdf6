//! Values of a context, which know their memory size.

use std::any::Any;

use numalens_replay::timeline::{CountStep, TaskSpan, TaskSpans, ThreadCounts};

/// Something that is kept.
pub trait Shared: Any + Send + Sync {
    /// About how much memory it has, beyond its own size.
    fn heap_bytes(&self) -> usize;
}

/// Rows without memory of their own.
impl<T: Any + Send + Sync> Shared for Vec<T> {
    fn heap_bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }
}

impl Shared for TaskSpans {
    fn heap_bytes(&self) -> usize {
        self.len() * size_of::<TaskSpan>()
    }
}

impl Shared for ThreadCounts {
    fn heap_bytes(&self) -> usize {
        self.len() * size_of::<CountStep>()
    }
}
