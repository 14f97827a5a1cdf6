//! Replay of events, and the logs that analyses read.
//!
//! Every replay reads the tables that the readers wrote (Arrow record batches), never an input's bytes, and knows no files:
//! the caller passes batches and receives written bytes.
//!
//! * [`run_state`]: who runs, waits or sleeps where, event by event;
//! * [`pass`]: the one pass over the scheduler's events that writes what the rest reads;
//! * [`evidence`]: further inputs of the replay, and their quality;
//! * [`states`]: the log of the state of each CPU, for the machine and each cgroup;
//! * [`waits`]: the waits for a CPU and their causes;
//! * [`migrations`]: the log of tasks' changes of CPU;
//! * [`timeline`]: the level-of-detail index of the timeline, and the queries on it;
//! * [`numa`]: what the NUMA balancers did;
//! * [`idle_balancing`]: what a recording shows of the idle load balancer;
//! * [`hardware`]: frequencies, idle states and interrupts of the CPUs;
//! * [`memory_samples`]: loads and stores with where their data came from;
//! * [`stacks`]: sampled call stacks.

pub mod evidence;
pub mod hardware;
pub mod idle_balancing;
mod log;
pub mod memory_samples;
pub mod migrations;
pub mod numa;
pub mod pass;
pub mod run_state;
pub mod stacks;
pub mod states;
pub mod timeline;
pub mod waits;
