//! Real files: counts, first rows, and totals against what other tools found.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::fmt::Write as _;

use std::path::{Path, PathBuf};

use arrow_array::types::{Int64Type, UInt64Type};
use numalens_samples::{SampleKind, SampleTableId, sniff};
use support::{Kept, fixture, read_as};

/// File, kind, instants, and rows by table.
type Expected = (
    &'static str,
    SampleKind,
    u64,
    &'static [(&'static str, u64)],
);

const FILES: &[Expected] = &[
    ("tc-small.psi.jsonl", SampleKind::Psi, 18, &[("psi", 54)]),
    (
        "cling-2x4-small.psi.jsonl",
        SampleKind::Psi,
        73,
        &[("psi", 219)],
    ),
    (
        "tc-small.vmstat.jsonl",
        SampleKind::Vmstat,
        3,
        &[("loadavg", 3), ("stat", 9), ("vmstat", 576)],
    ),
    (
        "tc-small.vmstat.before",
        SampleKind::Vmstat,
        1,
        &[("vmstat", 192)],
    ),
    (
        "cling-2x4-small.numa_group.jsonl",
        SampleKind::NumaGroup,
        73,
        &[("numa_group", 552)],
    ),
    (
        "cling-2x4-small.tasks.jsonl",
        SampleKind::ProcSched,
        14,
        &[
            ("cgroup_tasks", 181),
            ("numa_maps", 2983),
            ("proc_sched", 2352),
            ("proc_sched_faults", 784),
        ],
    ),
    (
        "cling-2x4-small.cgroup.jsonl",
        SampleKind::CgroupMap,
        73,
        &[
            ("cgroup_stat", 24382),
            ("cgroup_tasks", 2118),
            ("psi", 1314),
        ],
    ),
    (
        "cling-2x4-small.cgroup-ids.txt",
        SampleKind::CgroupMap,
        1,
        &[("cgroup_stat", 5)],
    ),
    (
        "numa-7.2-8x2.tasks.jsonl",
        SampleKind::ProcSched,
        4,
        &[
            ("cgroup_tasks", 36),
            ("numa_maps", 636),
            ("proc_sched", 360),
            ("proc_sched_faults", 480),
        ],
    ),
    ("loop-date.cpu.txt", SampleKind::Psi, 4, &[("psi", 4)]),
    (
        "loop-grep.txt",
        SampleKind::Psi,
        3,
        &[("loadavg", 3), ("psi", 9)],
    ),
    ("loop-head.txt", SampleKind::Psi, 3, &[("psi", 9)]),
    ("loop-vmstat.txt", SampleKind::Vmstat, 3, &[("vmstat", 42)]),
    (
        "snapshot-tail.txt",
        SampleKind::Psi,
        1,
        &[("loadavg", 1), ("psi", 3), ("stat", 3), ("vmstat", 192)],
    ),
    ("node-vmstat.txt", SampleKind::Vmstat, 1, &[("vmstat", 74)]),
    (
        "numa_maps.txt",
        SampleKind::NumaMaps,
        1,
        &[("numa_maps", 36)],
    ),
    (
        "sched.txt",
        SampleKind::ProcSched,
        1,
        &[("proc_sched", 6), ("proc_sched_faults", 1)],
    ),
    ("automig.txt", SampleKind::Automig, 20, &[("automig", 20)]),
];

fn kept(file: &str) -> Kept {
    match read_as(&fixture(file), file, false) {
        Ok((kept, _)) => kept,
        Err(error) => panic!("{file}: {error}"),
    }
}

#[test]
fn kinds_instants_and_rows() {
    for (file, kind, samples, counts) in FILES {
        let bytes = fixture(file);
        assert_eq!(sniff(&bytes), Some(*kind), "{file}");
        let (_, summary) = match read_as(&bytes, file, false) {
            Ok(read) => read,
            Err(error) => panic!("{file}: {error}"),
        };
        let found: Vec<(&str, u64)> = summary.counts.into_iter().collect();
        assert_eq!((summary.kind, summary.samples), (*kind, *samples), "{file}");
        assert_eq!(found, *counts, "{file}");
        assert_eq!(summary.notes, Vec::<String>::new(), "{file}");
        let resolution = match *file {
            name if name.contains(".jsonl") || name == "loop-grep.txt" => Some(1),
            name if name.starts_with("loop-") => Some(1_000_000_000),
            _ => None,
        };
        assert_eq!(summary.stamp_resolution_ns, resolution, "{file}");
    }
}

#[test]
fn first_rows() {
    use SampleTableId as T;
    let mut shown = String::new();
    for (file, tables) in [
        ("tc-small.psi.jsonl", &[T::Psi][..]),
        ("tc-small.vmstat.jsonl", &[T::Vmstat, T::Stat, T::Loadavg]),
        (
            "cling-2x4-small.tasks.jsonl",
            &[
                T::ProcSched,
                T::ProcSchedFaults,
                T::NumaMaps,
                T::CgroupTasks,
            ],
        ),
        (
            "cling-2x4-small.cgroup.jsonl",
            &[T::Psi, T::CgroupStat, T::CgroupTasks],
        ),
        ("cling-2x4-small.cgroup-ids.txt", &[T::CgroupStat]),
        ("loop-date.cpu.txt", &[T::Psi]),
        ("loop-grep.txt", &[T::Psi, T::Loadavg]),
        ("loop-head.txt", &[T::Psi]),
        ("loop-vmstat.txt", &[T::Vmstat]),
        ("node-vmstat.txt", &[T::Vmstat]),
        ("numa_maps.txt", &[T::NumaMaps]),
        ("sched.txt", &[T::ProcSched, T::ProcSchedFaults]),
        ("automig.txt", &[T::Automig]),
    ] {
        let kept = kept(file);
        for table in tables {
            let rows = kept.first(*table, 6);
            writeln!(shown, "{file}: {}\n{rows}\n", table.name()).unwrap();
        }
    }
    // Half a minute in, when the groups have tasks.
    let rows = kept("cling-2x4-small.numa_group.jsonl").rows(T::NumaGroup);
    shown += &rows[230..240].join("\n");
    insta::assert_snapshot!(shown);
}

/// The deltas of the whole recording, as another program found them (`stats.json` of the recording).
#[test]
fn totals_of_pressure_grow_by_what_was_found_elsewhere() {
    let kept = kept("tc-small.psi.jsonl");
    let delta = |resource: usize, column: &str| {
        let totals = kept.column::<UInt64Type>(SampleTableId::Psi, column);
        let totals: Vec<u64> = totals
            .into_iter()
            .skip(resource)
            .step_by(3)
            .flatten()
            .collect();
        assert_eq!(totals.len(), 18);
        assert!(totals.is_sorted(), "totals never fall");
        let steps: u64 = totals.windows(2).map(|pair| pair[1] - pair[0]).sum();
        assert_eq!(steps, totals[17] - totals[0]);
        steps
    };
    assert_eq!(delta(0, "some_total_us"), 135_908);
    assert_eq!(delta(0, "full_total_us"), 0);
    assert_eq!(delta(1, "some_total_us"), 0);
    assert_eq!(delta(1, "full_total_us"), 0);
    assert_eq!(delta(2, "some_total_us"), 2_519);
    assert_eq!(delta(2, "full_total_us"), 1_614);
    let mono = kept.column::<Int64Type>(SampleTableId::Psi, "mono_ns");
    let end = kept.column::<Int64Type>(SampleTableId::Psi, "end_mono_ns");
    let slowest = mono
        .iter()
        .zip(&end)
        .map(|(from, to)| to.unwrap() - from.unwrap())
        .max();
    assert_eq!((slowest.unwrap() + 50) / 100, 1680, "168.0 us");
}

#[test]
fn counters_grow_by_what_was_found_elsewhere() {
    let value = |file: &str, name: &str| {
        let rows = kept(file).rows(SampleTableId::Vmstat);
        let of_name = format!("name={name} value=");
        let row = rows.iter().find_map(|row| row.strip_prefix(&of_name));
        row.unwrap().parse::<i64>().unwrap()
    };
    let grown =
        |name: &str| value("tc-small.vmstat.after", name) - value("tc-small.vmstat.before", name);
    assert_eq!(grown("pgfault"), 69443);
    assert_eq!(grown("pgmajfault"), 16);
    assert_eq!(grown("workingset_refault_file"), 1656);
}

/// Laws that hold in every sample of the cling kernel.
#[test]
fn groups_obey_the_kernels_arithmetic() {
    let kept = kept("cling-2x4-small.numa_group.jsonl");
    let column = |name: &str| kept.column::<UInt64Type>(SampleTableId::NumaGroup, name);
    let (failed, total, ratio) = (
        column("failure_scaled"),
        column("total_scaled"),
        column("ratio_percent"),
    );
    let mut enabled = 0;
    for ((failed, total), ratio) in failed.into_iter().zip(total).zip(ratio) {
        let (Some(failed), Some(total), Some(ratio)) = (failed, total, ratio) else {
            continue;
        };
        assert!(failed <= total);
        assert_eq!(ratio, failed * 100 / (total + 1));
        enabled += 1;
    }
    assert_eq!(enabled, 520);
    assert_eq!(column("mem_private"), column("mem_shared_raw"));
    assert_eq!(column("mem_shared"), column("mem_private_raw"));
    assert_eq!(column("cpu_private"), column("cpu_shared_raw"));
    assert_eq!(column("cpu_shared"), column("cpu_private_raw"));
}

/// The published table, and the laws that it was published to show.
#[test]
fn the_table_of_automigration_statistics() {
    let kept = kept("automig.txt");
    let column = |name: &str| -> Vec<u64> {
        let values = kept.column::<UInt64Type>(SampleTableId::Automig, name);
        values.into_iter().flatten().collect()
    };
    let (added, removed) = (column("added"), column("removed"));
    let (duplicates, freed) = (column("duplicates"), column("refs_freed"));
    let residual: Vec<u64> = (0..20)
        .map(|row| (duplicates[row] + removed[row]).abs_diff(freed[row]))
        .collect();
    assert_eq!(
        residual,
        [
            96, 188, 189, 555, 110, 88, 82, 102, 77, 75, 74, 88, 494, 330, 530, 10241, 20281,
            51720, 29327, 0
        ]
    );
    assert_eq!(added[19] - removed[19], 300);
    assert_eq!(column("migrated")[0] - column("misplaced")[0], 283 * 65536);
    assert!(column("failed").is_sorted());
}

/// Reads every file of samples below the folder in `NUMALENS_RECORDINGS`, if there is one.
#[test]
fn recordings_of_your_own() {
    let Some(folder) = std::env::var_os("NUMALENS_RECORDINGS") else {
        return;
    };
    let mut files = 0;
    visit(Path::new(&folder), &mut |path| {
        let bytes = std::fs::read(&path).unwrap();
        if sniff(&bytes).is_some() {
            let name = path.display().to_string();
            if let Err(error) = read_as(&bytes, &name, false) {
                panic!("{name}: {error}");
            }
            files += 1;
        }
    });
    assert!(files > 0, "no file of samples below {}", folder.display());
}

fn visit(folder: &Path, each: &mut dyn FnMut(PathBuf)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, each);
        } else if path.is_file() {
            each(path);
        }
    }
}
