//! A bundle: the folder of tables, logs and index that ingest makes of a user's inputs, and that queries open.
//!
//! * [`unpack`] unpacks archives among the inputs, [`sniff`] says what a file is;
//! * [`ingest`] reads inputs into a bundle folder: event tables, lost events, samples, index, states, waits, tasks, manifest;
//! * [`Open`] is a bundle opened for queries, wherever its [`Files`] are.
//!
//! In `ingest`, `align.rs` puts all inputs on one clock. `evidence.rs` and `unseen.rs` collect the inputs of the replay besides events.
//! `cut/` leaves out what a copy for others must not have. `host.rs` takes a host's recording out of its guest's and keeps the times
//! without a CPU, and `noise.rs` has what only tracers or a host know of a CPU. `numa.rs` and `ilb.rs` read the balancers' events.
//!
//! `bundle.rs` is the manifest and the opened bundle, and `logs.rs` opens the replays' logs when they are needed. `heads.rs` keeps the ends
//! of event tables and the number of events that match a filter. `columns.rs` reads tables of samples. `storage.rs` has [`Files`] and
//! files in memory; folders are `backend/folder`. Paths do not belong here, nor results for a window (`backend/engine/engine`).

mod bundle;
mod columns;
mod error;
mod events;
mod heads;
mod ingest;
mod logs;
mod lost;
mod opened;
mod packed;
mod processes;
mod storage;
mod unpack;

pub use self::bundle::{Ilb, LOST, Open, SampleTable, TASKS, Table};
pub use self::columns::{at, events, inputs, integers, samples, texts};
pub use self::error::{Error, Exceeded, Interruption};
pub use self::ingest::{Cut, IngestRequest, Inputs, Limits, Progress, ProgressCallback, ingest};
pub use self::logs::{NumaLogs, Parts};
pub use self::lost::lost_events;
pub use self::packed::{packed, unpacked};
pub use self::storage::{Files, Memory};
pub use self::unpack::{Member, sniff, unpack};
