//! Tables of rows in, event tables out.

use std::collections::{BTreeMap, HashMap};

use numalens_columns::{
    CpuSpan, DecodeError, EventCount, EventSink, InputError, LostEvents, Mapping, MappingChange,
    Mappings, Recording, Summary, TableId,
};

use crate::builder::{Builder, Head};
use crate::packets::Packets;
use crate::plan::{EventPlan, Info, Plan};
use crate::result::{Cell, broken, rows};

/// Cells of a row in front of the arguments: seq, ts, cpu, utid.
const HEAD_CELLS: usize = 4;
/// The thread of an event whose thread is not known.
const NO_THREAD: i32 = -1;
/// Largest rank: ranks are sums in the end.
const MAX_RANK: u64 = 1 << 40;
/// Largest CPU number, as in the other readers' formats.
const MAX_CPU: i64 = (1 << 20) - 1;

/// Takes the answers of the trace processor, one table after the other, and writes event tables.
///
/// First all bytes of the trace ([`Importer::trace`]), then for each table its plan and its rows ([`Importer::table`],
/// [`Importer::rows`]), at the end what the trace says about itself ([`Importer::finish`]).
#[derive(Default)]
pub struct Importer {
    packets: Packets,
    /// Places of lost events, made of `packets` when the first table begins.
    losses: Option<BTreeMap<u32, Vec<Loss>>>,
    /// Thread numbers of the kernel by those of the trace processor.
    threads: HashMap<i64, i32>,
    mappings: Mappings,
    ranks: Ranks,
    table: Table,
    spans: BTreeMap<u32, CpuSpan>,
    /// First event of each CPU, for CPUs of which only is known that they lost something.
    firsts: BTreeMap<u32, (u64, u64)>,
    summary: Summary,
    notes: Vec<String>,
}

/// The table whose rows come now.
#[derive(Default)]
enum Table {
    #[default]
    None,
    Threads,
    Processes,
    Events(Box<Open>),
}

struct Open {
    builder: Builder,
    id: Option<TableId>,
    count: u64,
    planned: u64,
    /// Time and rank of the row before.
    last: Option<(u64, u64)>,
}

/// A place where events of a CPU are missing.
#[derive(Debug, Clone, Copy)]
struct Loss {
    /// Time of the first event after it.
    ts: u64,
    /// Time and rank of the first event found at that time or later.
    found: Option<(u64, u64)>,
}

impl Importer {
    /// An importer without input so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the trace itself, in the pieces that the trace processor gets.
    pub fn trace(&mut self, chunk: &[u8]) {
        self.packets.push(chunk);
    }

    /// Begins a table, after writing the rest of the previous one. `plan` is JSON. `{"kind": "threads"}` is for rows of utid
    /// and tid. `{"kind": "processes"}` is for rows of tid, process, first and last time (NULL if not known). `{"kind":
    /// "events", "event", "rows", "columns": [{"key", "kind"}]}` is for rows of seq, ts, cpu, utid and the columns, ascending
    /// by seq.
    ///
    /// # Errors
    /// The plan is invalid, the table before has other rows than planned, or the sink refuses.
    pub fn table(&mut self, plan: &str, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        self.close(sink)?;
        let packets = &self.packets;
        self.losses.get_or_insert_with(|| losses(packets));
        self.table = match json("the plan of a table", plan)? {
            Plan::Threads => Table::Threads,
            Plan::Processes => Table::Processes,
            Plan::Events(plan)
                if self
                    .summary
                    .counts
                    .iter()
                    .any(|count| count.event == plan.event) =>
            {
                return Err(broken(
                    "one table of each event",
                    format!("another of {}", plan.event),
                )
                .into());
            }
            Plan::Events(plan) => Table::Events(Box::new(Open::new(&plan)?)),
        };
        Ok(())
    }

    /// Takes rows of the table: an encoded `QueryResult`, or a part of one.
    ///
    /// # Errors
    /// The bytes are not such an answer or not of this table, or the sink refuses.
    pub fn rows(&mut self, part: &[u8], sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        match &mut self.table {
            Table::None => Err(broken("a table in front of rows", "none").into()),
            Table::Threads => {
                let threads = &mut self.threads;
                rows(part, 2, |row| Ok(thread(threads, row)?))
            }
            Table::Processes => {
                let changes = &mut self.mappings.changes;
                rows(part, 4, |row| {
                    process(changes, row);
                    Ok(())
                })
            }
            Table::Events(open) => {
                let width = HEAD_CELLS + open.builder.width();
                let (threads, spans, firsts) = (&self.threads, &mut self.spans, &mut self.firsts);
                let (losses, summary, ranks) =
                    (&mut self.losses, &mut self.summary, &mut self.ranks);
                rows(part, width, |row| {
                    let head = head(row, threads)?;
                    if let Some((ts, seq)) = open.last {
                        if head.seq <= seq {
                            return Err(broken(
                                "ranks that ascend",
                                format!("{} behind {seq}", head.seq),
                            )
                            .into());
                        }
                        summary.backwards += u64::from(head.ts < ts);
                    }
                    open.last = Some((head.ts, head.seq));
                    ranks.add(head.seq);
                    place(losses, firsts, head);
                    span(spans, head);
                    open.count += 1;
                    if open.builder.push(head, &row[HEAD_CELLS..])? {
                        open.flush(sink)?;
                    }
                    Ok(())
                })
            }
        }
    }

    /// Ends the import. `info` is JSON: `clock`, `kernel`, `cpus`, `clock_pairs`, `facts`, `notes`, `lossy_cpus`.
    ///
    /// # Errors
    /// The last table has other rows than planned, `info` is invalid, or the sink refuses.
    pub fn finish(
        mut self,
        info: &str,
        sink: &mut dyn EventSink,
    ) -> Result<Recording, DecodeError> {
        self.close(sink)?;
        let info: Info = json("what the trace says about itself", info)?;
        self.ranks.check()?;
        self.lost(&info, sink)?;
        let mut summary = self.summary;
        summary
            .counts
            .sort_by(|a, b| (&a.system, &a.event).cmp(&(&b.system, &b.event)));
        summary.events = summary.counts.iter().map(|count| count.count).sum();
        summary.buffer_events = vec![summary.events];
        summary.cpu_spans = self.spans.into_values().collect();
        self.notes.extend(self.packets.damage());
        if !self.packets.is_partial() && self.packets.events != summary.events {
            self.notes.push(format!(
                "The trace's packets have {} ftrace events, of which the trace processor returned {}.",
                self.packets.events, summary.events
            ));
        }
        let seen = summary.cpu_spans.last().map_or(0, |span| span.cpu + 1);
        let mut info = info.into_recording_info(seen);
        info.notes.extend(self.notes);
        self.mappings.changes.sort_by_key(|change| change.ts_ns);
        Ok(Recording {
            info,
            summary,
            mappings: self.mappings,
            ..Recording::default()
        })
    }

    /// Writes what is left of the open table.
    fn close(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        let Table::Events(mut open) = std::mem::take(&mut self.table) else {
            return Ok(());
        };
        open.flush(sink)?;
        let (event, count) = (&open.builder.spec.event, open.count);
        if count != open.planned {
            return Err(broken(
                format!("{} rows of {event}", open.planned),
                count.to_string(),
            )
            .into());
        }
        self.notes.extend(open.builder.notes());
        if count > 0 {
            self.summary.counts.push(EventCount {
                system: open.builder.spec.system.clone(),
                event: event.clone(),
                id: 0,
                count,
            });
        }
        Ok(())
    }

    /// Reports lost events to the sink, in the order of time.
    fn lost(&mut self, info: &Info, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        let mut marks = Vec::new();
        for (&cpu, losses) in self.losses.iter().flatten() {
            let found = losses.iter().filter_map(|loss| loss.found);
            marks.extend(found.map(|(ts, seq)| (seq, ts, cpu)));
        }
        marks.dedup();
        for &cpu in &info.lossy_cpus {
            let placed = marks.iter().any(|&(_, _, marked)| marked == cpu);
            if let (false, Some(&(ts, seq))) = (placed, self.firsts.get(&cpu)) {
                self.notes.push(format!(
                    "CPU {cpu} lost events at an unknown time: the mark is at its first event."
                ));
                marks.push((seq, ts, cpu));
            }
        }
        marks.sort_unstable();
        marks.dedup();
        for (seq, ts_ns, cpu) in marks {
            self.summary.lost_marks += 1;
            self.summary.lost_unknown_marks += 1;
            sink.lost(LostEvents {
                ts_ns,
                cpu,
                buffer: 0,
                seq,
                count: None,
            })?;
        }
        Ok(())
    }
}

impl Open {
    fn new(plan: &EventPlan) -> Result<Self, InputError> {
        Ok(Self {
            builder: Builder::new(plan)?,
            id: None,
            count: 0,
            planned: plan.rows,
            last: None,
        })
    }

    fn flush(&mut self, sink: &mut dyn EventSink) -> Result<(), DecodeError> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let id = match self.id {
            Some(id) => id,
            None => *self.id.insert(sink.open_table(&self.builder.spec)?),
        };
        let batch = self.builder.take();
        sink.write(
            id,
            &batch.map_err(|error| DecodeError::Columns(error.to_string()))?,
        )?;
        Ok(())
    }
}

/// The places of lost events that the trace's packets name.
fn losses(packets: &Packets) -> BTreeMap<u32, Vec<Loss>> {
    let by_cpu = packets.losses_by_cpu().into_iter();
    by_cpu
        .map(|(cpu, stamps)| {
            (
                cpu,
                stamps
                    .into_iter()
                    .map(|ts| Loss { ts, found: None })
                    .collect(),
            )
        })
        .collect()
}

/// All ranks taken together: whether they are 0, 1, 2, ... each once, without keeping them.
#[derive(Debug, Default)]
struct Ranks {
    count: u128,
    sum: u128,
    squares: u128,
}

impl Ranks {
    fn add(&mut self, rank: u64) {
        let rank = u128::from(rank);
        self.count += 1;
        self.sum += rank;
        self.squares += rank * rank;
    }

    fn check(&self) -> Result<(), InputError> {
        let n = self.count;
        let last = n.saturating_sub(1);
        if self.sum == n * last / 2 && self.squares == last * n * (2 * n).saturating_sub(1) / 6 {
            Ok(())
        } else {
            Err(broken(
                format!("the ranks 0 to {last}, each once"),
                "others",
            ))
        }
    }
}

fn json<'t, T: serde::Deserialize<'t>>(what: &str, text: &'t str) -> Result<T, InputError> {
    serde_json::from_str(text).map_err(|error| broken(what, format!("something else ({error})")))
}

/// A row of utid and tid.
fn thread(threads: &mut HashMap<i64, i32>, row: &[Cell<'_>]) -> Result<(), InputError> {
    let [Cell::Number(utid), tid] = *row else {
        let found = row.first().map_or("nothing", |cell| cell.name());
        return Err(broken("a thread's number", found));
    };
    if let Cell::Number(tid) = tid {
        threads.insert(utid, tid as i32);
    }
    Ok(())
}

/// A row of tid, process, first and last time. A thread of which it is not known when it began was there before.
fn process(changes: &mut Vec<Mapping>, row: &[Cell<'_>]) {
    let number = |cell: Option<&Cell<'_>>| match cell {
        Some(Cell::Number(number)) => Some(*number),
        _ => None,
    };
    let id = |cell| number(row.get(cell)).and_then(|id| i32::try_from(id).ok());
    let (Some(tid @ 1..), Some(pid @ 1..)) = (id(0), id(1)) else {
        return;
    };
    let time = |cell| number(row.get(cell)).and_then(|ts| u64::try_from(ts).ok());
    let began = time(2);
    let mut push = |ts_ns, change| changes.push(Mapping { ts_ns, pid, change });
    let new = began.is_some();
    push(began.unwrap_or(0), MappingChange::Thread { tid, new });
    if let Some(ended) = time(3) {
        push(ended, MappingChange::Ended { tid });
    }
}

/// The four cells in front of an event's arguments.
fn head(row: &[Cell<'_>], threads: &HashMap<i64, i32>) -> Result<Head, InputError> {
    let number = |index: usize, what: &str| match row.get(index) {
        Some(&Cell::Number(number)) if number >= 0 => Ok(number),
        Some(&Cell::Number(number)) => Err(broken(what, number.to_string())),
        other => Err(broken(what, other.map_or("nothing", |cell| cell.name()))),
    };
    let seq = number(0, "an event's rank")? as u64;
    let ts = number(1, "an event's time")? as u64;
    let cpu = number(2, "an event's CPU")?;
    if cpu > MAX_CPU {
        return Err(broken(format!("a CPU of 0 to {MAX_CPU}"), cpu.to_string()));
    }
    if seq > MAX_RANK {
        return Err(broken(
            format!("a rank of 0 to {MAX_RANK}"),
            seq.to_string(),
        ));
    }
    let tid = match row.get(3) {
        Some(Cell::Number(utid)) => threads.get(utid),
        _ => None,
    };
    Ok(Head {
        ts,
        cpu: cpu as u32,
        seq,
        tid: tid.copied().unwrap_or(NO_THREAD),
    })
}

fn span(spans: &mut BTreeMap<u32, CpuSpan>, head: Head) {
    let span = spans.entry(head.cpu).or_insert(CpuSpan {
        cpu: head.cpu,
        first_ns: head.ts,
        last_ns: head.ts,
        events: 0,
    });
    span.first_ns = span.first_ns.min(head.ts);
    span.last_ns = span.last_ns.max(head.ts);
    span.events += 1;
}

/// Remembers the event if it is the first of its CPU, or the first after a place of lost events, of those seen.
fn place(
    losses: &mut Option<BTreeMap<u32, Vec<Loss>>>,
    firsts: &mut BTreeMap<u32, (u64, u64)>,
    head: Head,
) {
    let first = firsts.entry(head.cpu).or_insert((head.ts, head.seq));
    if head.seq < first.1 {
        *first = (head.ts, head.seq);
    }
    let Some(losses) = losses.as_mut().and_then(|losses| losses.get_mut(&head.cpu)) else {
        return;
    };
    let behind = losses.partition_point(|loss| loss.ts <= head.ts);
    if let Some(loss) = behind
        .checked_sub(1)
        .and_then(|index| losses.get_mut(index))
        && loss.found.is_none_or(|(_, seq)| head.seq < seq)
    {
        loss.found = Some((head.ts, head.seq));
    }
}
