//! Tables of a window for programs: Arrow batches, those of events without a copy.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    Int32Builder, ListBuilder, StringBuilder, UInt16Builder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, ListArray, RecordBatch, StringArray,
    UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use numalens_bundle::{Error, Open};
use numalens_core::provenance::{Label, Source};
use numalens_core::tasks::TaskId;
use numalens_engine::{
    Ledger, Pressure, attempts, cling_tracks, each_sleep, found, kicks, pressure, states,
};
use numalens_replay::states::OnCpu;
use numalens_subject::{Context, Stop, Window};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::merge::Merge;
use crate::sources;

/// A table. Its schema's metadata have `provenance` and `missing` (a JSON list) where all rows have the same.
pub struct Table {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

/// The events called `event` (`name` or `system:name`) with `from_ns <= ts < to_ns`, ascending. Batches of one table are
/// parts of its file.
///
/// # Errors
/// There is no such event, or a table cannot be read.
pub fn events(bundle: &Open, event: &str, window: (u64, u64)) -> Result<Table, Error> {
    let window = (Some(window.0), Some(window.1));
    let (sources, shape) = sources(bundle, event, window, |at| bundle.mapped_events(at))?;
    let mut merge = Merge::new(sources);
    let mut batches = Vec::new();
    while let Some(batch) = merge.next_batch()? {
        batches.push(batch);
    }
    let schema = Arc::clone(&shape.schema);
    Ok(Table { schema, batches })
}

/// The table `name` of a window: see [`TABLES`].
///
/// # Errors
/// There is no such table, what it is made of is not recorded, or a log cannot be read.
pub fn table(open: &Context, name: &str, window: Window) -> Result<Table, Stop> {
    match name {
        "waits" => waits(open, window),
        "wait_causes" => wait_causes(open, window),
        "slices" => slices(open, window),
        "states" => cpu_states(open, window),
        "findings" => {
            let found = found(open, window, &Pressure::default())?;
            Ok(of_rows(&of_findings(), &found, None)?)
        }
        "pressure" => pressures(open, window),
        "numa_attempts" => {
            let (found, source) = attempts(open, window)?;
            let source = source.ok_or_else(|| not_recorded("the NUMA balancer's attempts"))?;
            Ok(of_rows(ATTEMPTS, &found, Some(Quality::from(&source)))?)
        }
        "cling" => {
            let found = cling_tracks(open, window)?.ok_or_else(|| not_recorded("NUMA cling"))?;
            Ok(of_rows(CLING, &found.decisions, None)?)
        }
        "kicks" => {
            let found = kicks(open, window)?;
            let found = found.ok_or_else(|| not_recorded("the nohz idle balancer"))?;
            let known = Quality(found.label, &found.missing);
            Ok(of_rows(KICKS, &found.events, Some(known))?)
        }
        "sleeps" => sleeps(open, window),
        "requests" => requests(open, window),
        _ => Err(Stop::Failed(Error::Wrong(format!(
            "expected a table ({}), found \"{name}\"",
            TABLES.join(", ")
        )))),
    }
}

/// The names of tables.
pub const TABLES: [&str; 11] = [
    "waits",
    "wait_causes",
    "slices",
    "states",
    "findings",
    "pressure",
    "numa_attempts",
    "cling",
    "kicks",
    "sleeps",
    "requests",
];

fn not_recorded(what: &str) -> Stop {
    Stop::Unavailable(format!("{what} was not recorded"))
}

/// Provenance of all rows of a table.
#[derive(Clone, Copy)]
struct Quality<'a>(Label, &'a [String]);

impl<'a> From<&'a Source> for Quality<'a> {
    fn from(source: &'a Source) -> Self {
        Self(source.label, &source.missing)
    }
}

fn metadata(known: Option<Quality<'_>>) -> HashMap<String, String> {
    let Some(Quality(label, missing)) = known else {
        return HashMap::new();
    };
    let label = json!(label).as_str().unwrap_or_default().to_owned();
    HashMap::from([
        ("provenance".to_owned(), label),
        ("missing".to_owned(), json!(missing).to_string()),
    ])
}

fn of_columns(columns: Vec<(&str, ArrayRef, bool)>, known: Quality<'_>) -> Result<Table, Error> {
    let fields = columns
        .iter()
        .map(|(name, column, nullable)| Field::new(*name, column.data_type().clone(), *nullable));
    let fields: Vec<Field> = fields.collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata(Some(known))));
    let columns = columns.into_iter().map(|(_, column, _)| column).collect();
    let batches = vec![RecordBatch::try_new(Arc::clone(&schema), columns)?];
    Ok(Table { schema, batches })
}

/// Repeated words: each is stored once, and each row has its number.
#[derive(Default)]
struct Words<'a> {
    distinct: Vec<&'a str>,
    numbers: HashMap<&'a str, i32>,
    rows: Vec<Option<i32>>,
    /// Numbers of the names of tasks, by task: most rows need no look at the name itself.
    tasks: Vec<Option<i32>>,
}

impl<'a> Words<'a> {
    /// The number of a word.
    fn number(&mut self, word: &'a str) -> i32 {
        // A word of the engine's own is few, and always the same piece of memory.
        const FEW: usize = 8;
        let few = self.distinct.iter().take(FEW);
        if let Some(at) = few.into_iter().position(|each| std::ptr::eq(*each, word)) {
            return at as i32;
        }
        *self.numbers.entry(word).or_insert_with(|| {
            self.distinct.push(word);
            self.distinct.len() as i32 - 1
        })
    }

    fn push(&mut self, word: Option<&'a str>) {
        let number = word.map(|word| self.number(word));
        self.rows.push(number);
    }

    /// The name of a task; gives its pid.
    fn push_task(&mut self, open: &'a Context, task: TaskId) -> i32 {
        let (pid, comm) = open.index.task(task).unwrap_or((-1, ""));
        let at = task as usize;
        if self.tasks.len() <= at {
            self.tasks.resize(at + 1, None);
        }
        let number = match self.tasks[at] {
            Some(number) => number,
            None => self.number(comm),
        };
        self.tasks[at] = Some(number);
        self.rows.push(Some(number));
        pid
    }

    fn finish(self) -> Result<ArrayRef, Error> {
        let words = StringArray::from(self.distinct);
        let rows = DictionaryArray::try_new(Int32Array::from(self.rows), Arc::new(words))?;
        Ok(Arc::new(rows))
    }
}

fn waits(open: &Context, window: Window) -> Result<Table, Stop> {
    let ledger = Ledger::of(open, window)?;
    let [mut start, mut end, mut ns, mut cause_ns] = [(); 4].map(|()| UInt64Builder::new());
    let [mut pid, mut prio, mut waker] = [(); 3].map(|()| Int32Builder::new());
    let [mut cpu, mut from_cpu] = [(); 2].map(|()| UInt32Builder::new());
    let [mut comms, mut began, mut ended, mut cause] = [(); 4].map(|()| Words::default());
    ledger.each(|part, _| {
        let wait = part.wait;
        start.append_value(wait.start_ns);
        end.append_value(wait.end_ns);
        ns.append_value(part.ns());
        pid.append_value(comms.push_task(open, wait.task));
        prio.append_option(Some(wait.prio).filter(|_| wait.prio >= 0));
        cpu.append_value(wait.cpu);
        from_cpu.append_value(wait.from_cpu);
        began.push(Some(wait.from.name()));
        ended.push(Some(wait.end.name()));
        waker.append_option(Some(wait.waker_pid).filter(|pid| *pid >= 0));
        let most = part.causes.iter().max_by_key(|each| each.ns);
        cause.push(most.map(|each| each.cause.name()));
        cause_ns.append_option(most.map(|each| each.ns));
        Ok(())
    })?;
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("start_ns", Arc::new(start.finish()), false),
        ("end_ns", Arc::new(end.finish()), false),
        ("wait_ns", Arc::new(ns.finish()), false),
        ("pid", Arc::new(pid.finish()), false),
        ("comm", comms.finish()?, false),
        ("prio", Arc::new(prio.finish()), true),
        ("cpu", Arc::new(cpu.finish()), false),
        ("from_cpu", Arc::new(from_cpu.finish()), false),
        ("began", began.finish()?, false),
        ("ended", ended.finish()?, false),
        ("waker_pid", Arc::new(waker.finish()), true),
        ("cause", cause.finish()?, true),
        ("cause_ns", Arc::new(cause_ns.finish()), true),
    ];
    Ok(of_columns(columns, Quality(ledger.label, &ledger.missing))?)
}

fn wait_causes(open: &Context, window: Window) -> Result<Table, Stop> {
    let ledger = Ledger::of(open, window)?;
    let (mut wait, mut ns) = (UInt32Builder::new(), UInt64Builder::new());
    let mut cause = Words::default();
    let mut row = 0;
    ledger.each(|part, _| {
        for each in part.causes {
            wait.append_value(row);
            cause.push(Some(each.cause.name()));
            ns.append_value(each.ns);
        }
        row += 1;
        Ok(())
    })?;
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("wait", Arc::new(wait.finish()), false),
        ("cause", cause.finish()?, false),
        ("ns", Arc::new(ns.finish()), false),
    ];
    Ok(of_columns(columns, Quality(ledger.label, &ledger.missing))?)
}

fn slices(open: &Context, window: Window) -> Result<Table, Stop> {
    let source = states(
        open,
        Window {
            to_ns: window.from_ns,
            ..window
        },
        |_| (),
    )?;
    let [mut start, mut end] = [(); 2].map(|()| UInt64Builder::new());
    let [mut pid, mut prio, mut nid] = [(); 3].map(|()| Int32Builder::new());
    let (mut cpus, mut comms) = (UInt32Builder::new(), Words::default());
    for node in open.index.nodes() {
        for &cpu in &node.cpus {
            for slice in open.index.slices(cpu, window.from_ns, window.to_ns)? {
                start.append_value(slice.start_ns);
                end.append_value(slice.end_ns);
                cpus.append_value(cpu);
                nid.append_option(i32::try_from(node.nid).ok());
                pid.append_value(comms.push_task(open, slice.task));
                prio.append_value(slice.prio);
            }
        }
    }
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("start_ns", Arc::new(start.finish()), false),
        ("end_ns", Arc::new(end.finish()), false),
        ("cpu", Arc::new(cpus.finish()), false),
        ("nid", Arc::new(nid.finish()), true),
        ("pid", Arc::new(pid.finish()), false),
        ("comm", comms.finish()?, false),
        ("prio", Arc::new(prio.finish()), false),
    ];
    Ok(of_columns(columns, Quality::from(&source))?)
}

fn cpu_states(open: &Context, window: Window) -> Result<Table, Stop> {
    let (mut t, mut cpu, mut on) = (UInt64Builder::new(), UInt32Builder::new(), Words::default());
    let [mut running, mut waiting, mut iowait, mut memstall] =
        [(); 4].map(|()| UInt16Builder::new());
    let source = states(open, window, |row| {
        let state = row.state;
        t.append_value(row.ts_ns);
        cpu.append_value(row.cpu);
        on.push(Some(match state.on {
            OnCpu::Unknown => "unknown",
            OnCpu::Lost => "lost",
            OnCpu::Idle => "idle",
            OnCpu::Task => "task",
        }));
        running.append_value(state.running);
        waiting.append_value(state.waiting());
        iowait.append_value(state.iowait);
        memstall.append_value(state.memstall);
    })?;
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("t_ns", Arc::new(t.finish()), false),
        ("cpu", Arc::new(cpu.finish()), false),
        ("on_cpu", on.finish()?, false),
        ("running", Arc::new(running.finish()), false),
        ("waiting", Arc::new(waiting.finish()), false),
        ("iowait", Arc::new(iowait.finish()), false),
        ("memstall", Arc::new(memstall.finish()), false),
    ];
    Ok(of_columns(columns, Quality::from(&source))?)
}

fn pressures(open: &Context, window: Window) -> Result<Table, Stop> {
    #[derive(Serialize)]
    struct Row<'a, T> {
        resource: &'static str,
        #[serde(flatten)]
        point: &'a T,
    }
    let series = pressure(open, window, &Pressure::default())?.series;
    let resources = [
        ("cpu", &series.cpu),
        ("memory", &series.memory),
        ("io", &series.io),
    ];
    let points = resources
        .into_iter()
        .flat_map(|(resource, points)| points.iter().map(move |point| Row { resource, point }));
    let points: Vec<_> = points.collect();
    let known = series.label.map(|label| Quality(label, &series.missing));
    Ok(of_rows(PRESSURE, &points, known)?)
}

/// Columns of a table that is made of rows: a row's field, the column's name, its type. All may be null.
type Columns = [(&'static str, &'static str, DataType)];

/// Rows as columns; each field's own name is the one that it has on the wire.
fn of_rows(
    columns: &Columns,
    rows: &[impl Serialize],
    known: Option<Quality<'_>>,
) -> Result<Table, Error> {
    let wrong = |error| Error::Bundle(format!("the rows of a table: {error}"));
    let rows = rows.iter().map(serde_json::to_value);
    let rows: Vec<Value> = rows.collect::<Result<_, _>>().map_err(wrong)?;
    let fields = columns
        .iter()
        .map(|(_, name, ty)| Field::new(*name, ty.clone(), true));
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata(known));
    let schema = Arc::new(schema);
    let batches = if rows.is_empty() {
        Vec::new()
    } else {
        let columns = columns
            .iter()
            .map(|(field, _, ty)| column_of(&rows, field, ty));
        let columns = columns.collect::<Result<_, _>>().map_err(wrong)?;
        vec![RecordBatch::try_new(Arc::clone(&schema), columns)?]
    };
    Ok(Table { schema, batches })
}

/// A field of all rows as a column of a type that tables have.
fn column_of(rows: &[Value], field: &str, ty: &DataType) -> Result<ArrayRef, serde_json::Error> {
    fn values<'a, T: Deserialize<'a>, C: FromIterator<Option<T>>>(
        rows: &'a [Value],
        field: &str,
    ) -> Result<C, serde_json::Error> {
        rows.iter()
            .map(|row| Option::deserialize(&row[field]))
            .collect()
    }
    Ok(match ty {
        DataType::Int32 => Arc::new(values::<i32, Int32Array>(rows, field)?),
        DataType::UInt32 => Arc::new(values::<u32, UInt32Array>(rows, field)?),
        DataType::UInt64 => Arc::new(values::<u64, UInt64Array>(rows, field)?),
        DataType::Float64 => Arc::new(values::<f64, Float64Array>(rows, field)?),
        DataType::List(of) if *of.data_type() == DataType::Int32 => {
            let lists: Vec<Option<Vec<Option<i32>>>> = values(rows, field)?;
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))
        }
        DataType::List(_) => {
            let mut lists = ListBuilder::new(StringBuilder::new());
            lists.extend(values::<Vec<Option<String>>, Vec<_>>(rows, field)?);
            Arc::new(lists.finish())
        }
        _ => Arc::new(values::<&str, StringArray>(rows, field)?),
    })
}

/// Row of the table of sleeps.
#[derive(Serialize)]
struct SleepRow<'a> {
    pid: i32,
    comm: &'a str,
    from_ns: u64,
    to_ns: u64,
    state: Option<&'a str>,
    cause: &'a str,
    resource: Option<&'a str>,
    waker_pid: Option<i32>,
    waker: Option<&'a str>,
    holder_pid: Option<i32>,
    holder: Option<&'a str>,
    provenance: &'a str,
}

fn sleeps(open: &Context, window: Window) -> Result<Table, Stop> {
    let mut all = Vec::new();
    each_sleep(open, window, |pid, sleep| {
        all.push((pid, sleep));
        Ok(())
    })?;
    let rows: Vec<SleepRow<'_>> = all
        .iter()
        .map(|(pid, sleep)| {
            let (waker, holder) = (sleep.waker.as_ref(), sleep.holders.first());
            SleepRow {
                pid: *pid,
                comm: open.index.comm_of(*pid).unwrap_or_default(),
                from_ns: sleep.from_ns,
                to_ns: sleep.to_ns,
                state: sleep.state.as_deref(),
                cause: sleep.cause,
                resource: sleep.resource.as_deref(),
                waker_pid: waker.map(|one| one.pid),
                waker: waker.map(|one| &*one.comm),
                holder_pid: holder.map(|one| one.pid),
                holder: holder.map(|one| &*one.comm),
                provenance: sleep.provenance,
            }
        })
        .collect();
    Ok(of_rows(SLEEPS, &rows, None)?)
}

/// Row of the table of requests.
#[derive(Serialize)]
struct RequestRow<'a> {
    start_ns: u64,
    duration_ns: u64,
    state: Option<&'a str>,
    cause: Option<&'a str>,
    by: Option<&'a str>,
    cause_ns: Option<u64>,
}

fn requests(open: &Context, window: Window) -> Result<Table, Stop> {
    let all = numalens_engine::requests(open, window)?;
    let rows: Vec<RequestRow<'_>> = all
        .points
        .iter()
        .map(|point| {
            let cause = point.cause.as_ref();
            RequestRow {
                start_ns: point.start_ns,
                duration_ns: point.ns,
                state: cause.map(|one| one.state),
                cause: cause.map(|one| one.cause),
                by: cause.and_then(|one| one.by.as_deref()),
                cause_ns: cause.map(|one| one.ns),
            }
        })
        .collect();
    Ok(of_rows(REQUESTS, &rows, None)?)
}

fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(of, true)))
}

fn of_findings() -> Vec<(&'static str, &'static str, DataType)> {
    vec![
        ("id", "id", DataType::Utf8),
        ("severity", "severity", DataType::Utf8),
        ("from_ns", "from_ns", DataType::UInt64),
        ("to_ns", "to_ns", DataType::UInt64),
        ("impact_ms", "impact_ms", DataType::Float64),
        ("summary", "summary", DataType::Utf8),
        ("pids", "pids", list(DataType::Int32)),
        ("nodes", "nodes", list(DataType::Int32)),
        ("cgroup", "cgroup", DataType::Utf8),
        ("label", "provenance", DataType::Utf8),
        ("missing", "missing", list(DataType::Utf8)),
    ]
}

const PRESSURE: &Columns = &[
    ("resource", "resource", DataType::Utf8),
    ("t_ns", "t_ns", DataType::UInt64),
    ("some_avg10", "some_avg10", DataType::Float64),
    ("some_avg60", "some_avg60", DataType::Float64),
    ("some_avg300", "some_avg300", DataType::Float64),
    ("some_total_us", "some_total_us", DataType::UInt64),
    ("full_avg10", "full_avg10", DataType::Float64),
    ("full_avg60", "full_avg60", DataType::Float64),
    ("full_avg300", "full_avg300", DataType::Float64),
    ("full_total_us", "full_total_us", DataType::UInt64),
];

const ATTEMPTS: &Columns = &[
    ("start_ns", "start_ns", DataType::UInt64),
    ("end_ns", "end_ns", DataType::UInt64),
    ("cpu", "cpu", DataType::UInt32),
    ("pid", "pid", DataType::Int32),
    ("ngid", "ngid", DataType::Int32),
    ("src_cpu", "src_cpu", DataType::Int32),
    ("src_nid", "src_nid", DataType::Int32),
    ("dst_cpu", "dst_cpu", DataType::Int32),
    ("dst_nid", "dst_nid", DataType::Int32),
    ("target_nid", "target_nid", DataType::Int32),
    ("verdict", "outcome", DataType::Utf8),
];

const KICKS: &Columns = &[
    ("t_ns", "t_ns", DataType::UInt64),
    ("kind", "kind", DataType::Utf8),
    ("cpu", "cpu", DataType::UInt32),
    ("target", "target_cpu", DataType::UInt32),
    ("fate", "fate", DataType::Utf8),
    ("arrived_ns", "arrived_ns", DataType::UInt64),
    ("handled_ns", "handled_ns", DataType::UInt64),
    ("why", "why", DataType::Utf8),
    ("label", "provenance", DataType::Utf8),
];

const CLING: &Columns = &[
    ("t_ns", "t_ns", DataType::UInt64),
    ("kind", "kind", DataType::Utf8),
    ("outcome", "outcome", DataType::Utf8),
    ("group", "group", DataType::UInt32),
    ("pid", "pid", DataType::Int32),
    ("snid", "src_nid", DataType::Int32),
    ("dnid", "dst_nid", DataType::Int32),
    ("function", "function", DataType::Utf8),
    ("label", "provenance", DataType::Utf8),
];

const SLEEPS: &Columns = &[
    ("pid", "pid", DataType::Int32),
    ("comm", "comm", DataType::Utf8),
    ("from_ns", "from_ns", DataType::UInt64),
    ("to_ns", "to_ns", DataType::UInt64),
    ("state", "state", DataType::Utf8),
    ("cause", "cause", DataType::Utf8),
    ("resource", "resource", DataType::Utf8),
    ("waker_pid", "waker_pid", DataType::Int32),
    ("waker", "waker", DataType::Utf8),
    ("holder_pid", "holder_pid", DataType::Int32),
    ("holder", "holder", DataType::Utf8),
    ("provenance", "provenance", DataType::Utf8),
];

const REQUESTS: &Columns = &[
    ("start_ns", "start_ns", DataType::UInt64),
    ("duration_ns", "duration_ns", DataType::UInt64),
    ("state", "state", DataType::Utf8),
    ("cause", "cause", DataType::Utf8),
    ("by", "by", DataType::Utf8),
    ("cause_ns", "cause_ns", DataType::UInt64),
];
