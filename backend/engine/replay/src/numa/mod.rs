//! NUMA balancing as recorded: attempts, migrations of tasks and of pages, and the lines of a kernel that runs cling.

mod attempts;
mod ended;
mod event;
mod files;
mod line;
mod names;
mod page_calls;
mod page_log;
mod page_writer;
mod pages;
mod pass;
mod reason;
mod rows;
mod stored;
mod stored_line;
mod summary;
mod table;

pub use attempts::{Classifier, LATEST_NS, Leaning, Preferred, SPAN_NS};
pub use event::{Candidate, NumaEvent, StickFormat};
pub use files::{ATTEMPTS_FILE, Attempts, AttemptsWriter, LINES_FILE, LineRow, Lines, LinesWriter};
pub use line::cling_line;
pub use page_log::{PAGE_RUNS_FILE, PAGES_FILE, PageCalls, PageLog, PageRun, Pages};
pub use page_writer::PagesWriter;
pub use pass::{Config, LogsWriter, PageTables};
pub use reason::{Mode, Reason};
pub use rows::{Attempt, GroupChange, PageBatch, Partner, Site, TargetFrom, Verdict};
pub use stored_line::ClingLine;
pub use summary::{Counts, Sources, Summary};
pub use table::NumaTable;
