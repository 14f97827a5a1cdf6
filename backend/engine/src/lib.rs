//! Replays and indexes over event columns.
//!
//! Every replay reads the tables that the readers wrote (Arrow record batches), never an input's bytes, and knows no
//! files: whoever calls hands in batches and takes written bytes. One folder per algorithm:
//!
//! * [`clock`]: the inputs' clocks, put on one;
//! * [`run_state`]: who runs, waits or sleeps where, event by event;
//! * [`pass`]: the one pass over the events that writes what the rest reads;
//! * [`evidence`]: what else the replay leans on, and how good that is;
//! * [`states`]: the log of what each CPU was, for the machine and each cgroup;
//! * [`waits`]: the waits for a CPU and their causes;
//! * [`topology`]: which CPU belongs to which node;
//! * [`timeline`]: the level-of-detail index behind the pictures, and the queries on it;
//! * [`psi`]: pressure stall information, replayed by the rules of any kernel version;
//! * [`waste`]: idle CPUs beside waiting tasks, and why;
//! * [`utilisation`]: how busy nodes and CPUs were, and which task ran where;
//! * [`placement`]: which numa group used which node, and where its memory lies;
//! * [`latency`]: how long tasks waited for a CPU, and for what;
//! * [`numa`]: what the NUMA balancers did;
//! * [`ilb`]: who balances for sleeping CPUs, by three models of the kernel;
//! * [`filter`]: the language that says which events are meant;
//! * [`findings`]: what went wrong, ranked by what it cost;
//! * [`json`]: what the JSON of all sections has in common;
//! * [`window`]: what analyses of a part of a recording share.

pub mod cling;
pub mod clock;
mod error;
pub mod events;
pub mod evidence;
pub mod filter;
pub mod findings;
mod hash;
pub mod ilb;
pub mod ipc;
pub mod json;
pub mod latency;
pub mod migrate_on_fault;
pub mod numa;
pub mod pass;
pub mod placement;
pub mod psi;
pub mod reconcile;
mod rows;
pub mod run_state;
pub mod states;
pub mod tasks;
pub mod timeline;
pub mod topology;
pub mod utilisation;
pub mod waits;
pub mod waste;
pub mod window;

pub use error::EngineError;
