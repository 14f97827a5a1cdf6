//! The log of states: what each CPU was from when on, for the machine and for each cgroup.
//!
//! The replay of the events writes this log once. Everything that depends only on running and waiting tasks per CPU
//! (pressure, waste, utilization, queue depth) is a pure function of the log. Reading a window needs no replay: each batch
//! begins with the state of every CPU.

mod groups;
mod reader;
mod row;
mod rows;
mod writer;

pub use groups::Groups;
pub use reader::{States, Which};
pub use row::{MACHINE, OnCpu, State, StateRow};
pub use writer::{GroupsWriter, LATEST, MachineWriter};

/// The machine's states inside the bundle.
pub const MACHINE_FILE: &str = "states/machine.arrow";
/// The cgroups' states inside the bundle; only there when cgroups are known.
pub const GROUPS_FILE: &str = "states/groups.arrow";
/// The cgroups by number inside the bundle; only there when cgroups are known.
pub const NAMES_FILE: &str = "groups.arrow";
