//! What a context keeps: values that say how much memory they have.

use std::any::Any;

/// Something that is kept.
pub(crate) trait Shared: Any + Send + Sync {
    /// About how much memory it has, beyond its own size.
    fn heap_bytes(&self) -> usize;
}

/// Rows without memory of their own.
impl<T: Any + Send + Sync> Shared for Vec<T> {
    fn heap_bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }
}
