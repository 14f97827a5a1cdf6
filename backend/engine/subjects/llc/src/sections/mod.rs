//! Sections about last-level caches.

mod distances;
mod processes;

use numalens_subject::subject;

subject! {
    kinds: &[];
    "distances", distances::distances, false, Some(
        "Migrations, wake-ups and waits by what the two CPUs have in common: the core, the last-level cache, the node, or nothing; \
         and below which last-level cache processes ran, with the one that cache-aware scheduling (Linux 7.2) would prefer."
    );
}
