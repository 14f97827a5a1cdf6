//! What must hold for any values: what is printed is read back, and no bytes do harm.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::fmt::Write;
use std::sync::LazyLock;

use numalens_samples::{SampleTableId as T, sniff};
use proptest::prelude::*;
use support::{Kept, fixture, read_as, text};

/// A percentage as the kernel prints it, in hundredths.
fn percent() -> impl Strategy<Value = u32> {
    0..=10_000_u32
}

fn printed(hundredths: u32) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// As Arrow prints it: without needless decimals, but at least one.
fn shown(hundredths: u32) -> String {
    format!("{:?}", f64::from(hundredths) / 100.0)
}

type Line = ([u32; 3], u64);

fn line() -> impl Strategy<Value = Line> {
    ([percent(), percent(), percent()], any::<u64>())
}

fn print_line(share: &str, (avg, total): &Line) -> String {
    let [ten, sixty, three] = avg.map(printed);
    format!("{share} avg10={ten} avg60={sixty} avg300={three} total={total}\n")
}

fn show_line(share: &str, (avg, total): &Line) -> String {
    let [ten, sixty, three] = avg.map(shown);
    format!(
        "{share}_avg10={ten} {share}_avg60={sixty} {share}_avg300={three} {share}_total_us={total}"
    )
}

proptest! {
    #[test]
    fn pressure_is_read_back(
        samples in prop::collection::vec((500_000_000..4_000_000_000_i64, line(), line()), 1..20),
        resource in prop::sample::select(vec!["cpu", "memory", "io", "irq"]),
        form in 0..4,
    ) {
        let mut input = String::new();
        let mut expected = Vec::new();
        for (at, some, full) in &samples {
            let lines = print_line("some", some) + &print_line("full", full);
            let stamp = if form == 3 {
                let record = serde_json::json!({"mono_ns": at, resource: lines});
                writeln!(input, "{record}").unwrap();
                format!("mono_ns={at}")
            } else {
                writeln!(input, "{at}").unwrap();
                match form {
                    0 => input += &lines,
                    1 => lines.lines().for_each(|line| writeln!(input, "/proc/pressure/{resource}:{line}").unwrap()),
                    _ => write!(input, "==> /proc/pressure/{resource} <==\n{lines}\n").unwrap(),
                }
                format!("real_ns={at}000000000")
            };
            let (some, full) = (show_line("some", some), show_line("full", full));
            expected.push(format!("{stamp} cgroup= resource={resource} {some} {full}"));
        }
        let (kept, summary) = text(&input, &format!("{resource}.log"));
        prop_assert_eq!(kept.rows(T::Psi), expected);
        // Records of one stamp are one sample, text makes one of each stamp.
        let same = samples.windows(2).filter(|pair| form == 3 && pair[0].0 == pair[1].0).count();
        prop_assert_eq!(summary.samples, (samples.len() - same) as u64);
    }

    #[test]
    fn counters_are_read_back(values in prop::collection::vec(("nr_[a-z_]{1,30}", any::<i64>()), 1..60), node in prop::option::of(0..1024)) {
        let path = node.map_or(String::new(), |nid| format!("/sys/devices/system/node/node{nid}/vmstat:"));
        let tail = node.map_or(String::new(), |nid| format!(" nid={nid}"));
        let mut input = String::new();
        let mut expected = Vec::new();
        for (name, value) in &values {
            writeln!(input, "{path}{name} {value}").unwrap();
            expected.push(format!("name={name} value={value}{tail}"));
        }
        prop_assert_eq!(text(&input, "x").0.rows(T::Vmstat), expected);
    }

    #[test]
    fn numa_groups_are_read_back(
        group in (any::<i32>(), 0..10_000, 0..64, -1..64),
        nodes in prop::collection::vec((any::<[u64; 4]>(), any::<[u64; 3]>()), 1..9),
        version in 2..=5,
    ) {
        let (gid, tasks, active, busiest) = group;
        let mut input = format!("id {gid} nr_tasks {tasks} active_nodes {active}");
        let mut head = format!("cgroup=. enabled=true gid={gid} nr_tasks={tasks} active_nodes={active}");
        if version > 2 {
            write!(input, " busiest_nid {busiest}").unwrap();
            write!(head, " busiest_nid={busiest}").unwrap();
        }
        let mut expected = Vec::new();
        for (nid, ([a, b, c, d], [failed, total, ratio])) in nodes.iter().enumerate() {
            write!(input, "\nnode {nid} mem_private {a} mem_shared {b} cpu_private {c} cpu_shared {d}").unwrap();
            let mut row = format!(
                "{head} nid={nid} mem_private={b} mem_shared={a} cpu_private={d} cpu_shared={c} \
                 mem_private_raw={a} mem_shared_raw={b} cpu_private_raw={c} cpu_shared_raw={d}"
            );
            if version > 2 {
                write!(input, " migrate_stat {failed} {total} {ratio}").unwrap();
                write!(row, " failure_scaled={failed} total_scaled={total} ratio_percent={ratio}").unwrap();
            }
            expected.push(row);
        }
        prop_assert_eq!(text(&input, "x").0.rows(T::NumaGroup), expected);
    }

    #[test]
    fn automigration_rows_are_read_back(rows in prop::collection::vec(any::<[u64; 11]>(), 1..20), width in 0..24_usize) {
        let mut input = String::from("pgs loc | tasks |\nchecked | migrated |\n");
        let mut expected = Vec::new();
        let names = [
            "loc_checked", "misplaced", "migrated", "tasks_migrated", "scanned", "selected", "failed", "added",
            "removed", "duplicates", "refs_freed",
        ];
        for row in &rows {
            for (at, value) in row.iter().enumerate() {
                let bar = if at == 3 || at == 7 { "| " } else { "" };
                write!(input, "{bar}{value:width$} ").unwrap();
            }
            input.push('\n');
            let cells: Vec<String> = names.iter().zip(row).map(|(name, value)| format!("{name}={value}")).collect();
            expected.push(cells.join(" "));
        }
        prop_assert_eq!(text(&input, "x").0.rows(T::Automig), expected);
    }

    #[test]
    fn mappings_are_read_back(
        mappings in prop::collection::vec(
            (
                any::<u64>(),
                prop::sample::select(vec!["default", "bind:0-1", "prefer (many):0", "interleave:0,2", "local"]),
                prop::option::of(prop::sample::select(vec!["heap", "stack", "file=/lib/x.so"])),
                any::<bool>(),
                prop::option::of(any::<u64>()),
                prop::collection::vec((0..1024_i32, any::<u64>()), 0..5),
            ),
            1..20,
        ),
    ) {
        let mut input = String::new();
        let mut expected = Vec::new();
        for (address, policy, what, huge, anon, nodes) in &mappings {
            write!(input, "{address:08x} {policy}").unwrap();
            let mut row = format!("pid=7 address={address} policy={policy}");
            if let Some(what) = what {
                write!(input, " {what}").unwrap();
                write!(row, " what={what}").unwrap();
            }
            write!(row, " huge={huge}").unwrap();
            if *huge {
                input += " huge";
            }
            if let Some(anon) = anon {
                write!(input, " anon={anon}").unwrap();
                write!(row, " anon={anon}").unwrap();
            }
            for (nid, pages) in nodes {
                write!(input, " N{nid}={pages}").unwrap();
                expected.push(format!("{row} page_kb=4 nid={nid} pages={pages}"));
            }
            if nodes.is_empty() {
                expected.push(format!("{row} page_kb=4 pages=0"));
            }
            input += " kernelpagesize_kB=4\n";
        }
        prop_assert_eq!(text(&input, "/proc/7/numa_maps").0.rows(T::NumaMaps), expected);
    }
}

/// Texts that noise is put into: a piece of each form.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let pieces = [
        "tc-small.psi.jsonl",
        "cling-2x4-small.numa_group.jsonl",
        "cling-2x4-small.tasks.jsonl",
        "cling-2x4-small.cgroup.jsonl",
        "loop-date.cpu.txt",
        "loop-grep.txt",
        "snapshot-tail.txt",
        "numa_maps.txt",
        "sched.txt",
        "automig.txt",
        "cling-2x4-small.cgroup-ids.txt",
    ];
    let cut = |name| fixture(name).into_iter().take(6000).collect();
    pieces.into_iter().map(cut).collect()
});

/// Whatever was read fits its tables; a strict reading that succeeds equals the tolerant one.
fn harmless(bytes: &[u8], name: &str) -> Result<(), TestCaseError> {
    let tolerant = read_as(bytes, name, true);
    let strict = read_as(bytes, name, false);
    match (strict, tolerant) {
        (Ok((strict, first)), Ok((tolerant, second))) => {
            prop_assert_eq!(first, second);
            prop_assert_eq!(strict.batches, tolerant.batches);
            prop_assert!(tolerant.skipped.is_empty());
        }
        (Err(_), Ok((tolerant, _))) => prop_assert!(!tolerant.skipped.is_empty()),
        (Err(strict), Err(tolerant)) => {
            prop_assert_eq!(sniff(bytes), None);
            prop_assert_eq!(strict.to_string(), tolerant.to_string());
        }
        (Ok(_), Err(error)) => prop_assert!(false, "only tolerant: {}", error),
    }
    Ok(())
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400), name in ".{0,20}") {
        harmless(&bytes, &name)?;
    }

    #[test]
    fn damaged_files_do_no_harm(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        name in prop::sample::select(vec!["x", "cpu", "/proc/7/numa_maps", "/sys/fs/cgroup/a/cpu.stat", "memory.current"]),
    ) {
        let mut bytes = which.get(&SEEDS).clone();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        harmless(&bytes, name)?;
    }

    #[test]
    fn mixed_lines_do_no_harm(picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..30)) {
        let mut bytes = Vec::new();
        for (file, line) in picks {
            let lines: Vec<&[u8]> = file.get(&SEEDS).split(|&byte| byte == b'\n').collect();
            bytes.extend_from_slice(lines[line.index(lines.len())]);
            bytes.push(b'\n');
        }
        harmless(&bytes, "cpu")?;
    }
}

#[test]
fn the_sink_of_the_tests_sees_types() {
    // Without this, an empty table would make every comparison above hold.
    let (kept, _) = text("nr_free_pages 1\n", "x");
    assert_eq!(kept.rows(T::Vmstat), ["name=nr_free_pages value=1"]);
    assert_eq!(Kept::default().rows(T::Vmstat), Vec::<String>::new());
}
