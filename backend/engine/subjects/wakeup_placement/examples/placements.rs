//! Compares recorded placements of wakeups with the rules' possible ones, and prints each difference:
//! `placements [--each REASON,...] FILE...`, the files of one recording.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_columns::ByteSource;
use numalens_folder::Mapped;
use numalens_wakeup_placement::{Decision, MissedIdle, Replay, Status};

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let wanted = (args.first().map(String::as_str) == Some("--each")).then(|| {
        let wanted = args.drain(..2).nth(1).unwrap();
        wanted.split(',').map(str::to_owned).collect::<Vec<_>>()
    });
    let inputs = args.iter().map(|path| {
        let name = Path::new(path).file_name().unwrap().to_string_lossy();
        let file: Box<dyn ByteSource> = Box::new(Mapped::open(Path::new(path)).unwrap());
        (name.into_owned(), file)
    });
    let request = IngestRequest {
        inputs: inputs.collect(),
        ..IngestRequest::default()
    };
    let files = Memory::default();
    ingest(request, &files, &mut Progress::new(None)).unwrap();
    let open = Open::new(Arc::new(files)).unwrap();
    let evidence = open.evidence.as_ref().unwrap();
    let replay = Replay::new(&open, evidence).unwrap();
    let window = (open.index.origin_ns(), open.index.end_ns());
    let mut sets: BTreeMap<String, u64> = BTreeMap::new();
    let mut missed: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut counted = MissedIdle::default();
    let (mut all, mut outside, mut one) = (0_u64, 0_u64, 0_u64);
    let cpus: Vec<u32> = replay.machine().cpus().collect();
    replay
        .run(window, |decision, status| {
            all += 1;
            counted.add(decision, window.1);
            let names = decision.reasons.iter().map(|reason| reason.entry().id);
            let names = names.collect::<Vec<_>>().join(" ");
            if decision.reasons.is_empty()
                || wanted
                    .as_ref()
                    .is_some_and(|wanted| wanted.contains(&names))
            {
                println!("{names:10} {}", {
                    let states: Vec<Status> = cpus.iter().map(|&cpu| status(cpu)).collect();
                    shown(&open, decision, &states)
                });
            }
            outside += u64::from(decision.reasons.is_empty());
            one += u64::from(decision.reasons.len() == 1);
            *sets.entry(names).or_default() += 1;
            if let Some(one) = decision.missed {
                let sum = missed.entry(one.by.entry().id).or_default();
                *sum = (sum.0 + 1, sum.1 + decision.wait_ns(u64::MAX));
            }
        })
        .unwrap();
    let percent = |part: u64| part as f64 * 100.0 / all.max(1) as f64;
    println!(
        "{all} placements: {:.2} % among the possible ones, {:.1} % with one reason",
        100.0 - percent(outside),
        percent(one)
    );
    for (names, count) in sets {
        println!("  {count:8} {:5.1} %  {names}", percent(count));
    }
    for (by, (count, ns)) in missed {
        println!("  missed by {by}: {count}, {:.1} ms", ns as f64 / 1e6);
    }
    println!(
        "  WAKEUP_MISSED_IDLE counts {} of them, {:.1} ms of waiting, {:.1} ms of cost",
        counted.wakeups(),
        counted.wait_ns() as f64 / 1e6,
        counted.cost_ns as f64 / 1e6
    );
}

/// One line about a decision: who, from where to where, and what the CPUs were.
fn shown(open: &Open, decision: &Decision, states: &[Status]) -> String {
    let (pid, comm) = open.index.task(decision.task).unwrap_or((-1, ""));
    let states: String = states
        .iter()
        .map(|status| match (status.may_be_idle, status.may_be_busy) {
            (true, false) => '.',
            (false, true) if status.least_running > 1 => 'B',
            (false, true) => 'b',
            _ => '?',
        })
        .collect();
    format!(
        "{} {comm} ({pid}){} waker {} ({}) on {:?}, from {:?} to {}, CPUs {states}",
        decision.ts_ns,
        if decision.fork { " new" } else { "" },
        open.index.comm_of(decision.waker_pid).unwrap_or("?"),
        decision.waker_pid,
        decision.waker_cpu,
        decision.prev_cpu,
        decision.cpu,
    )
}
