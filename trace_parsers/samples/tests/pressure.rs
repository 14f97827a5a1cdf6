//! Pressure in every form of text, as the kernel, the tools and a trace carry it.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_samples::{MarkerReader, SampleKind, SampleTableId as T, marker};
use support::{Kept, refusal, text};

const CPU: &str = "some avg10=1.50 avg60=2.00 avg300=3.25 total=1000\n\
                   full avg10=0.00 avg60=0.10 avg300=0.00 total=7\n";
const CPU_ROW: &str = "some_avg10=1.5 some_avg60=2.0 some_avg300=3.25 some_total_us=1000 \
                       full_avg10=0.0 full_avg60=0.1 full_avg300=0.0 full_total_us=7";

fn psi(input: &str, name: &str) -> Vec<String> {
    text(input, name).0.rows(T::Psi)
}

#[test]
fn loops_of_date_and_cat() {
    for (date, stamp, resolution) in [
        (
            "Sat Nov 21 10:22:00 UTC 2026",
            "real_ns=1795256520000000000 ",
            Some(1_000_000_000),
        ),
        (
            "1795256520",
            "real_ns=1795256520000000000 ",
            Some(1_000_000_000),
        ),
        (
            "1795256520.000000123",
            "real_ns=1795256520000000123 ",
            Some(1),
        ),
        (
            "2026-11-21T11:22:00+01:00",
            "real_ns=1795256520000000000 ",
            Some(1_000_000_000),
        ),
        ("996.95 1893.22", "boot_ns=996950000000 ", Some(10_000_000)),
        ("", "", None),
    ] {
        let input = format!("{date}\n{CPU}{date}\n{CPU}");
        let (kept, summary) = text(&input, "cpu.log");
        let row = format!("{stamp}cgroup= resource=cpu {CPU_ROW}");
        assert_eq!(kept.rows(T::Psi), [row.clone(), row], "{date}");
        assert_eq!(
            (summary.samples, summary.stamp_resolution_ns),
            (2, resolution),
            "{date}"
        );
        assert_eq!(summary.notes, Vec::<String>::new());
    }
}

#[test]
fn names_stand_before_or_above_the_lines() {
    let lines: Vec<&str> = CPU.lines().collect();
    for input in [
        format!(
            "/proc/pressure/cpu:{}\n/proc/pressure/cpu:{}\n",
            lines[0], lines[1]
        ),
        format!("cpu:{}\ncpu:{}\n", lines[0], lines[1]),
        format!("==> /proc/pressure/cpu <==\n{CPU}\n"),
        format!("psi cpu {}\npsi cpu {}\n", lines[0], lines[1]),
        format!("cpu {} {}\n", lines[0], lines[1]),
        format!("==> cpu.log <==\n{CPU}\n"),
    ] {
        assert_eq!(
            psi(&input, "x"),
            [format!("cgroup= resource=cpu {CPU_ROW}")],
            "{input}"
        );
    }
    let cgroup = format!("==> /sys/fs/cgroup/a/b.slice/cpu.pressure <==\n{CPU}");
    assert_eq!(
        psi(&cgroup, "x"),
        [format!("cgroup=/a/b.slice resource=cpu {CPU_ROW}")]
    );
    let colon = format!("/sys/fs/cgroup/a:b/cpu.pressure:{}\n", lines[1]);
    assert!(psi(&colon, "x")[0].starts_with("cgroup=/a:b resource=cpu full_avg10=0.0"));
}

#[test]
fn a_group_that_is_not_named_is_the_directory_it_was_read_in() {
    let input = format!("==> cpu.pressure <==\n{CPU}");
    assert_eq!(
        psi(&input, "x"),
        [format!("cgroup=. resource=cpu {CPU_ROW}")]
    );
    assert_eq!(
        psi(CPU, "bundle/sys/fs/cgroup/a/cpu.pressure"),
        [format!("cgroup=/a resource=cpu {CPU_ROW}")]
    );
}

#[test]
fn kernels_print_one_line_or_two() {
    let old = "/proc/pressure/cpu:some avg10=1.00 avg60=1.00 avg300=1.00 total=5\n\
               /proc/pressure/irq:full avg10=0.50 avg60=0.00 avg300=0.00 total=9\n";
    let rows = psi(&old.repeat(2), "x");
    assert_eq!(rows.len(), 4);
    assert_eq!(
        rows[0],
        "cgroup= resource=cpu some_avg10=1.0 some_avg60=1.0 some_avg300=1.0 some_total_us=5"
    );
    assert_eq!(
        rows[1],
        "cgroup= resource=irq full_avg10=0.5 full_avg60=0.0 full_avg300=0.0 full_total_us=9"
    );
    assert_eq!(text(&old.repeat(2), "x").1.samples, 2);
}

#[test]
fn what_is_not_said_is_requested() {
    assert_eq!(
        refusal(CPU, "upload.txt"),
        "line 1: expected the resource's name before each line (grep . /proc/pressure/*) or in the file's name, \
         found \"some avg10=1.50 avg60=2.00 avg300=3.25 total=1000\""
    );
    let two = format!("1795256520\n{CPU}{CPU}");
    assert!(
        refusal(&two, "cpu.txt")
            .starts_with("line 4: expected one unnamed pressure file for each stamp")
    );
    assert!(
        refusal(&format!("{CPU}hello there\n"), "cpu.txt")
            .starts_with("line 3: expected a pressure line")
    );
}

#[test]
fn stamps_that_are_not_exact_are_reported() {
    let input = format!("Sat Nov 21 10:22:00 CET 2026\n{CPU}2026-11-21 10:22:01\n{CPU}");
    let (_, summary) = text(&input, "cpu");
    assert_eq!(
        summary.notes,
        [
            "Timestamps without a time zone are treated as UTC.",
            "Unknown UTC offset for time zone \"CET\"; timestamps are treated as UTC."
        ]
    );
}

#[test]
fn complaints_of_tools_comments_and_other_files_are_passed_over() {
    let input = format!(
        "# pressure of the machine\ncat: /proc/pressure/irq: No such file or directory\n\
         /proc/uptime:12.00 3.00\n/proc/meminfo:MemTotal: 1 kB\n==> /proc/cpuinfo <==\nprocessor: 0\n\n\
         ==> /proc/pressure/cpu <==\n{CPU}"
    );
    let (kept, summary) = text(&input, "x");
    assert_eq!(kept.rows(T::Psi).len(), 1);
    assert_eq!(
        summary.notes,
        ["Files that are not used: /proc/cpuinfo, /proc/meminfo, /proc/uptime."]
    );
}

#[test]
fn lines_in_the_trace() {
    let mut reader = MarkerReader::new();
    assert!(!reader.line(5, "psi_sample idx=4 mono_ns=10 real_ns=20"));
    assert!(reader.line(
        6,
        "psi cpu some avg10=1.50 avg60=2.00 avg300=3.25 total=1000"
    ));
    assert!(reader.line(
        7,
        "psi cpu full avg10=0.00 avg60=0.10 avg300=0.00 total=7\n"
    ));
    assert!(!reader.line(8, "phase begin"));
    assert!(reader.line(
        9,
        "/proc/pressure/io:some avg10=0.00 avg60=0.00 avg300=0.00 total=2"
    ));
    assert!(!reader.line(9, "psi cpu some avg10=101.00"));
    reader.line(10, "psi_sample idx=5 mono_ns=11");
    assert!(reader.line(
        11,
        &format!(
            "/sys/fs/cgroup/a/cpu.pressure:{}",
            CPU.lines().next().unwrap()
        )
    ));
    let both = format!("psi cpu {}", CPU.trim_end().replace('\n', "\npsi cpu "));
    assert!(reader.line(12, &both));
    let mut sink = Kept::default();
    reader.drain(&mut sink).unwrap();
    let summary = reader.finish(&mut sink).unwrap();
    let rows = sink.rows(T::Psi);
    assert_eq!(
        rows[0],
        format!("idx=4 trace_ns=6 cgroup= resource=cpu {CPU_ROW}")
    );
    assert!(rows[1].starts_with("idx=4 trace_ns=9 cgroup= resource=io some_avg10=0.0"));
    assert!(rows[2].starts_with("idx=5 trace_ns=11 cgroup=/a resource=cpu some_avg10=1.5"));
    assert_eq!(
        rows[3],
        format!("idx=5 trace_ns=12 cgroup= resource=cpu {CPU_ROW}")
    );
    assert_eq!((rows.len(), summary.rows, summary.samples), (4, 4, 2));
    assert_eq!(
        (summary.kind, summary.stamp_resolution_ns),
        (SampleKind::Psi, Some(1))
    );
}

#[test]
fn marks_tie_samples_to_the_trace() {
    let mark =
        marker("psi_sample idx=4 mono_ns=1003360238181 real_ns=1795224266735179870\n").unwrap();
    assert_eq!(
        (mark.idx, mark.mono_ns, mark.real_ns),
        (4, 1_003_360_238_181, Some(1_795_224_266_735_179_870))
    );
    assert_eq!(marker("psi_sample idx=4 mono_ns=7").unwrap().real_ns, None);
    for other in [
        "psi_sample idx=4",
        "psi_sample idx=x mono_ns=1",
        "phase 1",
        "psi_sample idx=1 mono_ns=9223372036854775808",
    ] {
        assert_eq!(marker(other), None, "{other}");
    }
}
