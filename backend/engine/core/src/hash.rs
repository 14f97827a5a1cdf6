//! Maps by pid for loops over events: the standard hasher takes longer than the rest of such a loop.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// A map by pid or another small number.
pub type PidMap<V> = HashMap<i32, V, FixedState>;
