//! Reads the NUMA events of a stored bundle, writes their logs, reads them again and prints what they hold:
//! `cargo run -p numalens-analysis --example numa_pass -- BUNDLE [FOLDER]`. The logs stay in FOLDER when one is given.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::panic, missing_docs)]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, UInt32Type, UInt64Type};
use arrow_buffer::Buffer;
use numalens_analysis::numa_balancing::attempts::{self, Meter};
use numalens_core::FileSink;
use numalens_core::ipc::IpcFile;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_events::NumaKind;
use numalens_replay::migrations::{How, Migration};
use numalens_replay::numa::{
    self, ATTEMPTS_FILE, Attempt, Attempts, ClingLine, LINES_FILE, Lines, NumaMerge, NumaTable,
    PAGE_RUNS_FILE, PAGES_FILE, Pages, Reason, Summary,
};

/// Files in memory.
#[derive(Default)]
struct Memory(HashMap<String, Rc<RefCell<Vec<u8>>>>);

struct File(Rc<RefCell<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileSink for Memory {
    fn create(&mut self, name: &str) -> io::Result<Box<dyn Write>> {
        let bytes = Rc::clone(self.0.entry(name.to_owned()).or_default());
        Ok(Box::new(File(bytes)))
    }
}

impl Memory {
    fn bytes(&self, name: &str) -> Buffer {
        Buffer::from_vec(self.0[name].borrow().clone())
    }
}

fn number(value: &serde_json::Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// Stands in for the log of migrations, which knows what a task was when it migrated: here nobody knows.
fn migrations_without_how(bytes: Buffer) -> Vec<Migration> {
    let mut found = Vec::new();
    for batch in IpcFile::open(bytes, None).unwrap().into_batches() {
        let batch = batch.unwrap();
        let column = |name| batch.column_by_name(name).unwrap();
        let ints = |name| column(name).as_primitive::<Int32Type>().values().clone();
        let ts = column("ts_ns").as_primitive::<UInt64Type>();
        let cpu = column("cpu").as_primitive::<UInt32Type>();
        let (pid, orig, dest) = (ints("pid"), ints("orig_cpu"), ints("dest_cpu"));
        found.extend((0..batch.num_rows()).map(|row| Migration {
            ts_ns: ts.value(row),
            cpu: cpu.value(row),
            pid: pid[row],
            task: 0,
            orig_cpu: orig[row] as u32,
            dest_cpu: dest[row] as u32,
            how: How::Unknown,
        }));
    }
    found
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let bundle = Path::new(&arguments[1]);
    let text = fs::read_to_string(bundle.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let nodes: Vec<Node> = serde_json::from_value(manifest["topology"]["nodes"].clone()).unwrap();
    let mut tables = Vec::new();
    let mut migrations = Vec::new();
    for table in manifest["tables"].as_array().unwrap() {
        let name = |key: &str| table[key].as_str().unwrap().to_owned();
        let read = || Buffer::from_vec(fs::read(bundle.join(name("file"))).unwrap());
        if name("event") == "sched_migrate_task" {
            migrations = migrations_without_how(read());
        }
        let bytes = read();
        let schema = IpcFile::open(bytes.clone(), None).unwrap();
        let fields = schema.schema().fields();
        let columns: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
        let Some(kind) = NumaKind::of(&name("system"), &name("event"), &columns) else {
            continue;
        };
        let print_fmt = schema.metadata().remove("print_fmt").unwrap_or_default();
        let file = IpcFile::open(bytes, Some(NumaKind::COLUMNS)).unwrap();
        let batches = Box::new(file.into_batches());
        tables.push(NumaTable::events(0, kind, 0, &print_fmt, batches));
    }
    let config = numa::Config {
        origin_ns: number(&manifest["origin_ns"]),
        end_ns: number(&manifest["end_ns"]),
        nodes: &nodes,
        preferred: &[],
    };
    let mut sink = Memory::default();
    let began = Instant::now();
    let merge = NumaMerge::new(tables).unwrap();
    let summary = numa::pass(
        merge,
        migrations.iter().copied(),
        &config,
        &mut sink,
        &mut |_| true,
    );
    println!("{:?}", began.elapsed());
    let summary = summary.unwrap();
    println!("{}", serde_json::to_string(&summary).unwrap());
    tell(&sink, arguments.get(3).is_some());
    println!("{}", ops(bundle, &sink, &summary, &migrations, &nodes));
    if let Some(folder) = arguments.get(2) {
        for name in [ATTEMPTS_FILE, PAGE_RUNS_FILE, PAGES_FILE, LINES_FILE] {
            let path = Path::new(folder).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, sink.bytes(name).as_slice()).unwrap();
        }
    }
}

/// Names of tasks by pid; the first of each pid.
fn names(bundle: &Path) -> HashMap<i32, String> {
    let mut found = HashMap::new();
    let Ok(bytes) = fs::read(bundle.join("tasks.arrow")) else {
        return found;
    };
    for batch in IpcFile::open(Buffer::from_vec(bytes), None)
        .unwrap()
        .into_batches()
    {
        let batch = batch.unwrap();
        let pids = batch.column_by_name("pid").unwrap();
        let comms = batch.column_by_name("comm").unwrap();
        let pids = pids.as_primitive::<Int32Type>();
        for row in 0..batch.num_rows() {
            let comm = comms.as_string::<i32>().value(row).to_owned();
            found.entry(pids.value(row)).or_insert(comm);
        }
    }
    found
}

/// The Ops table of the whole recording.
fn ops(
    bundle: &Path,
    sink: &Memory,
    summary: &Summary,
    migrations: &[Migration],
    nodes: &[Node],
) -> serde_json::Value {
    let names = names(bundle);
    let name = |pid| names.get(&pid).map_or("<...>", String::as_str);
    let config = attempts::Config {
        nodes,
        from_ns: 0,
        to_ns: u64::MAX,
        stick: summary.sources.stick,
        source: Source {
            name: "sched_migrate_task".to_owned(),
            label: Label::Observed,
            missing: Vec::new(),
        },
    };
    let mut meter = Meter::new(&config, &name);
    let attempts = Attempts::open(sink.bytes(ATTEMPTS_FILE)).unwrap();
    let scanned = attempts.scan(0, u64::MAX, |attempt| meter.attempt(attempt));
    scanned.unwrap();
    for row in migrations {
        meter.migration(row);
    }
    let ops = meter.finish();
    let rows = ops.mmtests.named().into_iter();
    let rows = rows.filter_map(|(name, count)| Some((name.to_owned(), count?.into())));
    let rows: serde_json::Map<String, serde_json::Value> = rows.collect();
    let counts = [
        ("moves", ops.moves as i64),
        ("moves_ok", ops.moves_ok as i64),
        ("swaps", ops.swaps as i64),
        ("swaps_ok", ops.swaps_ok as i64),
        ("swaps_local", ops.swaps_local as i64),
        ("swaps_within_group", ops.swaps_within_group as i64),
        ("no_cpu", ops.failures.no_cpu as i64),
        ("move_failed", ops.failures.move_failed as i64),
        ("move_refused", ops.failures.move_refused as i64),
        ("swap_raced", ops.failures.swap_raced as i64),
        ("swap_refused", ops.failures.swap_refused as i64),
        ("retries", ops.retries as i64),
        ("migrations", ops.migrations as i64),
        ("cross", ops.crossings.total as i64),
        ("lb_cross", ops.crossings.lb_cross),
        ("numa", ops.crossings.numa as i64),
        ("unexplained", ops.crossings.unexplained),
    ];
    let counts = counts.into_iter().filter(|count| count.1 != 0);
    let counts: serde_json::Map<String, serde_json::Value> = counts
        .map(|(name, count)| (name.to_owned(), count.into()))
        .collect();
    serde_json::json!({ "mmtests": rows, "ops": counts })
}

fn tell(sink: &Memory, each: bool) {
    let mut verdicts: BTreeMap<String, u64> = BTreeMap::new();
    let mut targets: BTreeMap<String, u64> = BTreeMap::new();
    let attempts = Attempts::open(sink.bytes(ATTEMPTS_FILE)).unwrap();
    let scanned = attempts.scan(0, u64::MAX, |attempt: &Attempt| {
        *verdicts
            .entry(format!("{:?}", attempt.verdict))
            .or_default() += 1;
        *targets
            .entry(format!("{:?}", attempt.target_from))
            .or_default() += 1;
        if each {
            println!("{attempt:?}");
        }
    });
    scanned.unwrap();
    println!("verdicts {verdicts:?}\ntargets {targets:?}");
    let mut reasons: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    Pages::open(sink.bytes(PAGE_RUNS_FILE), sink.bytes(PAGES_FILE))
        .unwrap()
        .scan(0, u64::MAX, |batch| {
            let sums = reasons.entry(Reason::of(batch.reason).name()).or_default();
            sums[0] += 1;
            sums[1] += batch.succeeded;
            sums[2] += batch.failed;
            sums[3] += batch.start_ns.map_or(0, |start| batch.end_ns - start);
        })
        .unwrap();
    println!("pages: batches, succeeded, failed, ns {reasons:?}");
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    Lines::open(sink.bytes(LINES_FILE))
        .unwrap()
        .scan(0, u64::MAX, |row| {
            let text = format!("{:?}", row.line);
            let word = text.split(' ').next().unwrap_or_default().to_owned();
            *lines.entry(word).or_default() += 1;
        })
        .unwrap();
    println!("lines {lines:?}");
    compare(&attempts, sink);
}

/// Compares attempts with what the cling kernel counted: each of a group's attempts is followed by its `migrate_stat`.
fn compare(attempts: &Attempts, sink: &Memory) {
    let mut counted: HashMap<i32, Vec<(u64, i32, bool)>> = HashMap::new();
    Lines::open(sink.bytes(LINES_FILE))
        .unwrap()
        .scan(0, u64::MAX, |row| {
            if let ClingLine::MigrateStat {
                pid, nid, failed, ..
            } = row.line
            {
                let of_task = counted.entry(pid).or_default();
                of_task.push((row.ts_ns, nid, failed));
            }
        })
        .unwrap();
    let (mut same, mut other_target, mut other_end, mut not_counted) = (0, 0, 0, 0);
    let lines: usize = counted.values().map(Vec::len).sum();
    let mut open: HashMap<i32, Attempt> = HashMap::new();
    let mut check = |attempt: &Attempt, before: u64| {
        let of_task = counted.entry(attempt.pid).or_default();
        let at = of_task
            .iter()
            .position(|&(ts, ..)| ts >= attempt.start_ns && ts < before);
        match at.map(|at| of_task.remove(at)) {
            None => not_counted += 1,
            Some((_, _, failed)) if attempt.failed() != Some(failed) => other_end += 1,
            Some((_, nid, _)) if nid != attempt.target_nid => other_target += 1,
            Some(_) => same += 1,
        }
    };
    let scanned = attempts.scan(0, u64::MAX, |attempt| {
        if let Some(last) = open.insert(attempt.pid, *attempt) {
            check(&last, attempt.start_ns);
        }
    });
    scanned.unwrap();
    for last in open.values() {
        check(last, u64::MAX);
    }
    println!(
        "{lines} counted by the kernel: {same} same, {other_target} with another target, {other_end} with another end; \
         {not_counted} attempts not counted"
    );
}
