//! A bundle: the folder of tables, logs and index that ingest makes of a user's inputs, and that queries open.
//!
//! * [`unpack`] unpacks archives among the inputs, [`sniff`] says what a file is;
//! * [`ingest`] reads inputs into a bundle folder: event tables, lost events, samples, index, states, waits, tasks, manifest;
//! * [`Open`] is a bundle opened for queries, wherever its [`Files`] are.

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
