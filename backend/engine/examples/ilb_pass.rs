//! Reads the idle load balancer's events of a stored bundle, writes their log, replays the models and prints what they come
//! to: `cargo run -p numalens-engine --example ilb_pass -- BUNDLE [FOLDER]`. The log stays in FOLDER when one is given.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    clippy::too_many_lines,
    missing_docs
)]

use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use numalens_engine::evidence::KernelVersion;
use numalens_engine::findings::Finding;
use numalens_engine::ilb::compare::{self, Guided};
use numalens_engine::ilb::findings::{ILB, IlbFacts};
use numalens_engine::ilb::idle::{self, Counting, IdleMeter, IdleStatistics, StatSample};
use numalens_engine::ilb::model::{Annotation, Kind};
use numalens_engine::ilb::observe::{
    self, EVENTS_FILE, Events, IlbKind, IlbMerge, IlbRow, IlbTable, Kinds, Observer, Outcome,
};
use numalens_engine::ilb::{Config, Follow, Replay};
use numalens_engine::ipc::IpcFile;
use numalens_engine::states::{StateRow, States, Which};
use numalens_engine::topology::Node;

#[derive(Clone, Default)]
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

fn number(value: &serde_json::Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

struct Bundle<'a> {
    folder: &'a Path,
    manifest: serde_json::Value,
}

impl Bundle<'_> {
    fn read(&self, name: &str) -> Buffer {
        Buffer::from_vec(fs::read(self.folder.join(name)).unwrap())
    }

    /// The tables that tell of the balancer, those of one kind only when it is given.
    fn tables(&self, only: Option<IlbKind>, csd: Option<u64>) -> Vec<IlbTable<'static>> {
        let mut found = Vec::new();
        for table in self.manifest["tables"].as_array().unwrap() {
            let text = |key: &str| table[key].as_str().unwrap();
            let bytes = self.read(text("file"));
            let schema = IpcFile::open(bytes.clone(), None).unwrap();
            let fields = schema.schema().fields();
            let columns: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
            let kind = IlbKind::of(text("system"), text("event"), &columns);
            let Some(kind) = kind.filter(|kind| only.is_none_or(|only| only == *kind)) else {
                continue;
            };
            let function = matches!(kind, IlbKind::CsdQueue | IlbKind::CsdEntry).then_some(csd);
            let file = IpcFile::open(bytes, Some(IlbKind::COLUMNS)).unwrap();
            let batches = Box::new(file.into_batches());
            found.push(IlbTable::new(0, kind, 0, function.flatten(), batches));
        }
        found
    }

    fn stat(&self) -> Vec<StatSample> {
        let Ok(bytes) = fs::read(self.folder.join("samples/stat.arrow")) else {
            return Vec::new();
        };
        let file = IpcFile::open(Buffer::from_vec(bytes), None).unwrap();
        let batches = file.into_batches().map(Result::unwrap);
        batches.flat_map(|batch| stat_rows(&batch)).collect()
    }
}

fn stat_rows(batch: &RecordBatch) -> Vec<StatSample> {
    let column = |name: &str| {
        let array = batch.column_by_name(name).unwrap();
        let wide = array.as_primitive_opt::<Int64Type>().cloned();
        wide.unwrap_or_else(|| {
            array
                .as_primitive::<UInt64Type>()
                .unary(|value| value as i64)
        })
    };
    let names = [
        "ts_ns", "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal",
    ];
    let columns = names.map(column);
    let cpu = batch.column_by_name("cpu").unwrap();
    let cpu = cpu.as_primitive::<Int32Type>();
    let rows = (0..batch.num_rows()).filter(|&row| cpu.is_valid(row) && columns[0].is_valid(row));
    let row = |row: usize| {
        let get = |at: usize| columns[at].value(row) as u64;
        StatSample {
            t_ns: get(0),
            cpu: cpu.value(row),
            user: get(1) + get(2),
            system: get(3),
            idle: get(4),
            iowait: get(5),
            irq: get(6) + get(7),
            steal: get(8),
        }
    };
    rows.map(row).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let folder = Path::new(&arguments[1]);
    let text = fs::read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let bundle = Bundle { folder, manifest };
    let arrivals = bundle.tables(Some(IlbKind::Arrive), None).pop();
    let entries = bundle.tables(Some(IlbKind::CsdEntry), None).pop();
    let csd = entries.zip(arrivals);
    let csd = csd.and_then(|(entries, arrivals)| observe::learn_csd(entries, arrivals).unwrap());
    let tables = bundle.tables(None, csd);
    let began = Instant::now();
    let merge = IlbMerge::new(tables).unwrap();
    let log = File::default();
    let kinds = observe::pass(merge, Box::new(log.clone()), &mut |_| true).unwrap();
    let bytes = log.0.borrow().clone();
    println!("pass {:?}, {} bytes", began.elapsed(), bytes.len());
    if let Some(folder) = arguments.get(2) {
        let path = Path::new(folder).join(EVENTS_FILE);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &bytes).unwrap();
    }
    let events = Events::open(Buffer::from_vec(bytes)).unwrap();
    let states = States::open(bundle.read("states/machine.arrow"), None).unwrap();
    replay(&bundle, &events, &states, kinds);
}

/// Calls one of the two with each state and event, in one order of time.
fn together(
    events: &Events,
    states: &States,
    (from, to): (u64, u64),
    mut take: impl FnMut(Result<&StateRow, &IlbRow>),
) {
    let mut rows = events.iter(from, to).peekable();
    let mut state = |told: &StateRow| {
        while let Some(row) = rows.next_if(|row| row.ts_ns < told.ts_ns) {
            take(Err(&row));
        }
        take(Ok(told));
    };
    states.scan(Which::Machine, from, to, &mut state).unwrap();
    rows.for_each(|row| take(Err(&row)));
}

fn replay(bundle: &Bundle<'_>, events: &Events, states: &States, kinds: Kinds) {
    let manifest = &bundle.manifest;
    let nodes: Vec<Node> = serde_json::from_value(manifest["topology"]["nodes"].clone()).unwrap();
    let span = (number(&manifest["origin_ns"]), number(&manifest["end_ns"]));
    let kernel: Option<KernelVersion> =
        serde_json::from_value(manifest["evidence"]["kernel"].clone()).unwrap();
    let hz = number(&manifest["evidence"]["hz"]) as u32;
    let cpus = nodes.iter().map(|node| node.cpus.len()).sum();
    // In the recordings a node's CPUs share a cache.
    let mut llc = vec![0; cpus];
    for (at, node) in nodes.iter().enumerate() {
        for &cpu in &node.cpus {
            llc[cpu as usize] = at as u32;
        }
    }
    let rows = events.iter(span.0, span.1);
    let jiffies = observe::learn_jiffies(hz, span.0, rows);
    println!("{jiffies:?} kernel {kernel:?} cpus {cpus}");
    let config = Config {
        kernel,
        cpus,
        llc,
        jiffies,
        kinds,
        from_ns: span.0,
        to_ns: span.1,
        count_from_ns: span.0,
        follow: Follow::ALL.to_vec(),
    };
    let mut counted = Guided::default();
    let mut told: Vec<(Follow, Annotation)> = Vec::new();
    let mut out = |follow: Follow, annotation: &Annotation| {
        counted.annotation(follow, annotation);
        if matches!(
            annotation.kind,
            Kind::KickDropped | Kind::KickHandled | Kind::PickBlocked
        ) {
            told.push((follow, *annotation));
        }
    };
    let began = Instant::now();
    let mut run = Replay::new(config, &mut out);
    together(events, states, span, |next| match next {
        Ok(state) => run.state(state),
        Err(row) => run.row(row),
    });
    let replayed = run.finish();
    println!("replay {:?}", began.elapsed());
    let mut guided = counted;
    let mut observer = Observer::new(kinds);
    let stat = bundle.stat();
    let sampled = idle::sampled(&stat, cpus);
    let whole = |from: u64, to: u64| from >= span.0 && to <= span.1;
    let edges = sampled.iter().map(|window| (window.from_ns, window.to_ns));
    let edges: Vec<_> = edges.filter(|edge| whole(edge.0, edge.1)).collect();
    let mut meter = IdleMeter::new(&edges, cpus, hz);
    let mut seconds = IdleMeter::new(&idle::seconds(span.0, span.1), cpus, hz);
    together(events, states, span, |next| match next {
        Ok(state) => {
            observer.state(state);
            meter.row(state);
            seconds.row(state);
        }
        Err(row) => {
            observer.row(row);
            if row.kind == IlbKind::Trigger {
                meter.tick(row.ts_ns, row.cpu);
            }
            if row.kind == IlbKind::TickStop && row.a != 0 || row.kind == IlbKind::Enter {
                meter.stop(row.ts_ns, row.cpu);
            }
            if row.kind == IlbKind::Trigger && row.a & observe::IDLE == 0 {
                guided.tick(row.ts_ns);
            }
        }
    });
    observer.finish();
    let outcome = |is| {
        observer
            .kicks
            .iter()
            .filter(|kick| kick.outcome == is)
            .count()
    };
    println!(
        "observed: {} kicks, {} handled, {} dropped, {} not seen to come, {} with a sender; {} passes, {} kicked, {} aborted, \
         {} migrations; softirqs raised {} begun {}; queued twice {}",
        observer.kicks.len(),
        outcome(Outcome::Handled),
        outcome(Outcome::Dropped),
        outcome(Outcome::NotSeen),
        observer
            .kicks
            .iter()
            .filter(|kick| kick.from.is_some())
            .count(),
        observer.passes.len(),
        observer.passes.iter().filter(|pass| pass.kicked).count(),
        observer.passes.iter().filter(|pass| pass.aborted).count(),
        observer
            .passes
            .iter()
            .map(|pass| pass.migrations)
            .sum::<u32>(),
        observer.softirqs[0],
        observer.softirqs[1],
        observer.double_queued,
    );
    println!("ticks {} made up {}", replayed.ticks, replayed.made_up);
    for run in &replayed.runs {
        println!("{:?} {:?} {:?}", run.follow, run.label, run.counts);
    }
    println!(
        "waste {:.1} CPU-ms",
        replayed.waste.between(span.0, span.1) as f64 / 1e6
    );
    for row in compare::models(&replayed) {
        println!("{row:?}");
    }
    let compared = compare::kicks(&observer.kicks, &observer.passes, &guided, hz);
    println!(
        "kicks observed {} model {}; flags the same {} of {}",
        compared.observed, compared.model, compared.same_flags, compared.told_flags
    );
    println!(
        "{:<22}{:>9}{:>9}{:>9}",
        "reason", "both", "observed", "model"
    );
    for row in &compared.reasons {
        let reason = format!("{:?}", row.reason);
        println!(
            "{reason:<22}{:>9}{:>9}{:>9}",
            row.both, row.observed_only, row.model_only
        );
    }
    let seconds = seconds.finish(span.1);
    let seconds: Vec<f64> = seconds.iter().map(|window| window.idle_percent).collect();
    println!("idle by seconds {:?}", IdleStatistics::of(&seconds));
    let shares: Vec<f64> = sampled.iter().map(|window| window.share_percent).collect();
    println!("vmstat {:?}", IdleStatistics::of(&shares));
    let trace = meter.finish(span.1);
    for by in [Counting::Ticks, Counting::Exact, Counting::Dyntick] {
        let chosen = by == Counting::of(kernel, kinds);
        println!("idle {chosen} {:?}", idle::compare(&trace, &sampled, by));
    }
    let facts = IlbFacts {
        from_ns: span.0,
        to_ns: span.1,
        cpus,
        hz,
        kernel,
        what_if: true,
        kicks: &observer.kicks,
        passes: &observer.passes,
        kinds,
        annotations: &told,
        waste: &replayed.waste,
        idle: &replayed.idle,
    };
    let found: Vec<Finding> = ILB.iter().flat_map(|detect| detect(&facts)).collect();
    for finding in found {
        println!(
            "{} {:.1} ms: {}",
            finding.id, finding.impact_ms, finding.summary
        );
    }
}
