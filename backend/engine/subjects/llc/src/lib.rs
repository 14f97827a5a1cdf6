//! Last-level caches: which processes ran below which, and how far tasks moved.

mod cache_aware;
mod distances;
mod processes;

use numalens_subject::subject;

subject! {
    kinds: &[];
    "distances", distances::distances, false, Some(
        "Migrations, wakeups and waits by what the two CPUs share: the core, the last-level cache, the node, or nothing. Also the last-level caches that processes used, with the one that cache-aware scheduling (Linux 7.2) would prefer."
    );
}
