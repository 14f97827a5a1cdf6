//! One table of NUMA events, batch by batch.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use numalens_core::EngineError;
use numalens_core::columns::{Texts, i32s, i64s, u8s, u32s, u64s};
use numalens_events::{Batches, LostMark, NumaKind, Rows};

use super::names::Names;
use super::reason::{Numbers, mode_number, reason_number};
use super::{Candidate, ClingLine, NumaEvent, Partner, StickFormat, cling_line};

/// A table of NUMA events, or the marks of lost events, read in order.
pub struct NumaTable<'a> {
    pub(super) input: u32,
    pub(super) rows: Source<'a>,
}

pub(super) enum Source<'a> {
    Events(Box<Events<'a>>),
    /// Gaps by their beginnings.
    Lost(VecDeque<LostMark>),
}

pub(super) struct Events<'a> {
    pub(super) kind: NumaKind,
    /// Only events of this tracing instance count: the others saw the same again.
    buffer: u8,
    reasons: Numbers,
    modes: Numbers,
    batches: Batches<'a>,
    batch: Option<Batch>,
    at: usize,
}

impl<'a> NumaTable<'a> {
    /// A table of `input` whose rows of the tracing instance `buffer` are read as `kind`, whatever the table's name.
    /// `print_fmt` is the event's. A batch without a required column is skipped.
    #[must_use]
    pub fn events(
        input: u32,
        kind: NumaKind,
        buffer: u8,
        print_fmt: &str,
        batches: Batches<'a>,
    ) -> Self {
        Self {
            input,
            rows: Source::Events(Box::new(Events {
                kind,
                buffer,
                reasons: Numbers::reasons(print_fmt),
                modes: Numbers::modes(print_fmt),
                batches,
                batch: None,
                at: 0,
            })),
        }
    }

    /// The marks of lost events of `input`; each is at the start of its gap.
    #[must_use]
    pub fn lost(input: u32, mut marks: Vec<LostMark>) -> Self {
        marks.sort_by_key(|mark| mark.since_ns);
        Self {
            input,
            rows: Source::Lost(marks.into()),
        }
    }

    pub(super) fn kind(&self) -> Option<NumaKind> {
        match &self.rows {
            Source::Events(events) => Some(events.kind),
            Source::Lost(_) => None,
        }
    }

    /// Returns whether the table is about pages.
    pub(super) fn pages(&self) -> bool {
        matches!(
            self.kind(),
            Some(NumaKind::MigratePages | NumaKind::MigratePagesStart | NumaKind::Misplaced)
        )
    }

    /// Another of the same marks; `None` for a table of events.
    pub(super) fn same_marks(&self) -> Option<Self> {
        match &self.rows {
            Source::Events(_) => None,
            Source::Lost(marks) => Some(Self {
                input: self.input,
                rows: Source::Lost(marks.clone()),
            }),
        }
    }
}

impl Rows for NumaTable<'_> {
    /// CPU and event.
    type Row<'r>
        = Option<(u32, NumaEvent)>
    where
        Self: 'r;

    #[inline]
    fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        match &mut self.rows {
            Source::Events(events) => events.advance(),
            Source::Lost(marks) => Ok(marks.front().map(|mark| mark.since_ns)),
        }
    }

    /// A gap begins after all events of its time.
    fn rank(&self) -> (u32, u64) {
        let seq = match &self.rows {
            Source::Events(events) => events.seq(),
            Source::Lost(_) => None,
        };
        (self.input, seq.unwrap_or(u64::MAX))
    }

    #[inline]
    fn row(&mut self) -> Option<(u32, NumaEvent)> {
        match &self.rows {
            Source::Events(events) => events.event(),
            Source::Lost(marks) => marks.front().map(|mark| {
                let event = NumaEvent::Lost {
                    until_ns: mark.until_ns,
                };
                (mark.cpu, event)
            }),
        }
    }

    #[inline]
    fn consume(&mut self) {
        match &mut self.rows {
            Source::Events(events) => events.at += 1,
            Source::Lost(marks) => drop(marks.pop_front()),
        }
    }
}

impl Events<'_> {
    /// Goes to the next row of the tracing instance, if it is not there, and returns its time.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<Option<u64>, EngineError> {
        loop {
            if let Some(batch) = &self.batch {
                while let Some(&buffer) = batch.buffer.get(self.at) {
                    if buffer == self.buffer {
                        return Ok(Some(batch.ts[self.at]));
                    }
                    self.at += 1;
                }
            }
            // The old batch goes before the next one is read.
            self.batch = None;
            self.at = 0;
            let Some(next) = self.batches.next().transpose()? else {
                return Ok(None);
            };
            self.batch = Batch::find(self.kind, &self.reasons, &self.modes, &next);
            if let Some(batch) = &mut self.batch {
                // Without a way out of the loops, several rows are looked at in one step.
                let other = |other, buffer: &u8| other | (buffer ^ self.buffer);
                batch.whole = batch.buffer.iter().fold(0, other) == 0;
                let falls = |falls, pair: &[u64]| falls | u8::from(pair[0] > pair[1]);
                batch.ascends = batch.ts.windows(2).fold(0, falls) == 0;
            }
        }
    }

    /// The rank of the next row, once [`Self::advance`] has gone there.
    pub(super) fn seq(&self) -> Option<u64> {
        self.batch.as_ref()?.seq.get(self.at).copied()
    }

    /// The batch of that row, and the row's place.
    pub(super) fn place(&mut self) -> Option<(&Batch, &mut usize)> {
        let batch = self.batch.as_ref()?;
        (self.at < batch.ts.len()).then_some((batch, &mut self.at))
    }

    #[inline]
    fn event(&self) -> Option<(u32, NumaEvent)> {
        let (batch, row) = (self.batch.as_ref()?, self.at);
        Some((batch.cpu[row], batch.fields.event(row)?))
    }
}

type Ints = ScalarBuffer<i64>;
/// As kernels have them, without a copy.
type Pids = ScalarBuffer<i32>;

pub(super) struct Batch {
    pub(super) ts: ScalarBuffer<u64>,
    pub(super) seq: ScalarBuffer<u64>,
    pub(super) cpu: ScalarBuffer<u32>,
    pub(super) buffer: ScalarBuffer<u8>,
    /// True if all rows belong to the tracing instance that counts.
    pub(super) whole: bool,
    /// True if no row is older than the one before.
    pub(super) ascends: bool,
    pub(super) fields: Fields,
}

pub(super) enum Fields {
    Move(Box<[Option<Ints>; 7]>),
    Swap(Box<[Option<Ints>; 10]>),
    StickTen(Box<[Option<Ints>; 10]>),
    StickSeven(Box<[Option<Ints>; 7]>),
    Entry(Ints, Option<Ints>),
    Return(Ints, Option<Ints>),
    Setnuma(Ints, Option<Ints>, Ints, Option<Ints>),
    Timer(Option<Ints>),
    Print(Texts, Option<Ints>),
    PagesStart(Pids),
    Pages(Box<PageFields>),
    Misplaced(Pids, [Ints; 3]),
    SkipVma,
}

pub(super) struct PageFields {
    pub(super) pid: Pids,
    pub(super) succeeded: Ints,
    pub(super) failed: Ints,
    pub(super) reason: Option<Names>,
    pub(super) mode: Option<Names>,
}

const MOVE: [&str; 7] = [
    "pid", "dst_cpu", "tgid", "ngid", "src_cpu", "src_nid", "dst_nid",
];
const SWAP: [&str; 10] = [
    "src_pid", "dst_cpu", "src_tgid", "src_ngid", "src_cpu", "src_nid", "dst_nid", "dst_pid",
    "dst_tgid", "dst_ngid",
];

impl Batch {
    fn find(
        kind: NumaKind,
        reasons: &Numbers,
        modes: &Numbers,
        batch: &RecordBatch,
    ) -> Option<Self> {
        Some(Self {
            ts: u64s(batch, "ts_ns")?,
            seq: u64s(batch, "seq")?,
            cpu: u32s(batch, "cpu")?,
            buffer: u8s(batch, "buffer")?,
            whole: false,
            ascends: false,
            fields: Fields::find(kind, reasons, modes, batch)?,
        })
    }
}

/// The columns of these names, of which the first `needed` must be there.
fn all<const N: usize>(
    batch: &RecordBatch,
    names: [&str; N],
    needed: usize,
) -> Option<Box<[Option<Ints>; N]>> {
    let found = names.map(|name| i64s(batch, name));
    let whole = found.iter().take(needed).all(Option::is_some);
    whole.then(|| Box::new(found))
}

/// The first of these columns that is there.
fn any(batch: &RecordBatch, names: &[&str]) -> Option<Ints> {
    names.iter().find_map(|name| i64s(batch, name))
}

impl Fields {
    fn find(
        kind: NumaKind,
        reasons: &Numbers,
        modes: &Numbers,
        batch: &RecordBatch,
    ) -> Option<Self> {
        let column = |name| i64s(batch, name);
        let current = || column("common_pid");
        // The task of a probe is the one that runs, unless it printed another.
        let who = || column("pid").or_else(current);
        Some(match kind {
            NumaKind::Move => Self::Move(all(batch, MOVE, 2)?),
            NumaKind::Swap => Self::Swap(all(batch, SWAP, 2)?),
            // The 10 fields came in 5.7, and were taken back to older kernels; the fields show, the version does not.
            NumaKind::Stick => match all(batch, SWAP, 2) {
                Some(fields) => Self::StickTen(fields),
                None => Self::StickSeven(all(batch, MOVE, 2)?),
            },
            NumaKind::Entry => Self::Entry(
                who()?,
                any(batch, &["pref_nid", "numa_preferred_nid", "nid"]),
            ),
            NumaKind::Return => Self::Return(who()?, any(batch, &["ret", "retval", "arg1"])),
            NumaKind::Setnuma => Self::Setnuma(
                who()?,
                any(batch, &["old_nid", "old"]),
                any(batch, &["nid", "new_nid", "new", "arg2"])?,
                current(),
            ),
            NumaKind::Timer => Self::Timer(current()),
            NumaKind::Print => Self::Print(Texts::find(batch, "buf")?, current()),
            NumaKind::MigratePagesStart => Self::PagesStart(i32s(batch, "common_pid")?),
            NumaKind::MigratePages => Self::Pages(Box::new(PageFields {
                pid: i32s(batch, "common_pid")?,
                succeeded: any(batch, &["succeeded", "nr_succeeded"])?,
                failed: any(batch, &["failed", "nr_failed"])?,
                reason: Names::find(batch, "reason", reasons, reason_number),
                mode: Names::find(batch, "mode", modes, mode_number),
            })),
            NumaKind::Misplaced => Self::Misplaced(
                i32s(batch, "pid").or_else(|| i32s(batch, "common_pid"))?,
                [column("src_nid")?, column("dst_nid")?, column("nr_pages")?],
            ),
            NumaKind::SkipVma => Self::SkipVma,
        })
    }

    fn event(&self, row: usize) -> Option<NumaEvent> {
        let int = |column: &Ints| column[row] as i32;
        let maybe = |column: &Option<Ints>| column.as_ref().map(int);
        let current = |column: &Option<Ints>| maybe(column).unwrap_or(-1);
        Some(match self {
            Self::Move(fields) => NumaEvent::Move(choice(&**fields, row)),
            Self::StickSeven(fields) => {
                NumaEvent::Stick(choice(&**fields, row), StickFormat::Seven)
            }
            Self::Swap(fields) => NumaEvent::Swap(choice(&**fields, row)),
            Self::StickTen(fields) => NumaEvent::Stick(choice(&**fields, row), StickFormat::Ten),
            Self::Entry(pid, nid) => NumaEvent::Entry {
                pid: int(pid),
                nid: maybe(nid),
            },
            Self::Return(pid, ret) => NumaEvent::Return {
                pid: int(pid),
                ret: maybe(ret),
            },
            Self::Setnuma(pid, old, new, who) => NumaEvent::Line {
                probe: true,
                current: current(who),
                line: ClingLine::Setnuma {
                    pid: int(pid),
                    old: maybe(old),
                    new: int(new),
                },
            },
            Self::Timer(who) => NumaEvent::Line {
                probe: true,
                current: current(who),
                line: ClingLine::TimerRan,
            },
            Self::Print(texts, who) => NumaEvent::Line {
                probe: false,
                line: cling_line(texts.get(row))?,
                current: current(who),
            },
            Self::SkipVma => NumaEvent::SkippedVma,
            Self::PagesStart(_) | Self::Pages(_) | Self::Misplaced(..) => return None,
        })
    }
}

/// The choice in a row of the columns of [`MOVE`] or [`SWAP`], which begin alike.
fn choice(fields: &[Option<Ints>], row: usize) -> Candidate {
    let get = |at: usize, missing| {
        let column = fields.get(at).and_then(Option::as_ref);
        column.map_or(missing, |column| column[row] as i32)
    };
    let partner = get(7, 0);
    Candidate {
        pid: get(0, 0),
        dst_cpu: get(1, -1),
        tgid: get(2, 0),
        ngid: get(3, -1),
        src_cpu: get(4, -1),
        src_nid: get(5, -1),
        dst_nid: get(6, -1),
        partner: (partner > 0).then(|| Partner {
            pid: partner,
            tgid: get(8, 0),
            ngid: get(9, 0),
        }),
    }
}
