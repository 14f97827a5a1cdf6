//! Damage at places that were chosen, and inputs that are large on purpose.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::ops::Range;

use arrow_array::RecordBatch;
use numalens_columns::{DecodeError, ReadOptions, SinkError, SliceSource};
use numalens_samples::{SampleSink, SampleTableId, read};
use support::{Kept, fixture, read_as, refusal, text};

fn tolerant(input: &[u8], name: &str) -> (Kept, Vec<(Range<u64>, String)>) {
    let (kept, _) = read_as(input, name, true).unwrap();
    let skipped = kept
        .skipped
        .iter()
        .map(|skipped| (skipped.range.clone(), skipped.why.clone()));
    let skipped = skipped.collect();
    (kept, skipped)
}

#[test]
fn a_record_that_is_cut_is_an_error_or_left_out() {
    let whole = fixture("tc-small.psi.jsonl");
    let end = whole.len() - 200;
    let cut = &whole[..end];
    let error = read_as(cut, "x", false).err().unwrap().to_string();
    assert!(
        error.starts_with("line 18: expected a sample as a JSON object, found column "),
        "{error}"
    );
    let (kept, skipped) = tolerant(cut, "x");
    assert_eq!(kept.rows(SampleTableId::Psi).len(), 51);
    assert_eq!(skipped.len(), 1);
    assert_eq!(skipped[0].0, 18..19);
}

#[test]
fn refusals_name_line_expectation_and_finding() {
    let psi = "/proc/pressure/cpu:some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
    for (line, sentence) in [
        (
            "/proc/pressure/cpu:some avg10=100.01",
            "expected a pressure of 0.00 to 100.00 percent, found \"100.01\"",
        ),
        (
            "/proc/pressure/cpu:some avg10=nan",
            "expected a pressure of 0.00 to 100.00 percent, found \"nan\"",
        ),
        (
            "/proc/pressure/cpu:some total=18446744073709551616",
            "expected microseconds of pressure, found \"18446744073709551616\"",
        ),
        (
            "/proc/pressure/cpu:some avg10=0.00 total",
            "expected avg10=, avg60=, avg300= and total= in a pressure line, found \"total\"",
        ),
        (
            "/proc/vmstat:nr_free_pages 9223372036854775808",
            "expected a counter below 2^63, found \"9223372036854775808\"",
        ),
        (
            "/proc/schedstat:version 17\n/proc/schedstat:domain0 MC 0f 1 2",
            "expected the counters of a domain, found \"domain0 MC 0f 1 2\"",
        ),
        (
            "/proc/vmstat:nr_free_pages",
            "expected a counter's name and value, found \"nr_free_pages\"",
        ),
        (
            "/proc/7/numa_maps:00400000 default N1024=1",
            "expected a node number below 1024, found \"1024\"",
        ),
        (
            "/proc/7/numa_maps:10000000000000000 default",
            "expected an address of a mapping, found \"10000000000000000\"",
        ),
        (
            "/proc/7/sched:what is this",
            "expected a line of /proc/PID/sched, found \"what is this\"",
        ),
        (
            "/proc/7/cgroup:what",
            "expected a line of /proc/PID/cgroup such as 0::/path, found \"what\"",
        ),
        (
            "/sys/fs/cgroup/a/cgroup.procs:-1",
            "expected the number of a task, found \"-1\"",
        ),
        (
            "/sys/fs/cgroup/a/cpu.max:7",
            "expected a quota and a period, found \"7\"",
        ),
        (
            "/sys/fs/cgroup/a/memory.numa_stat:anon X0=1",
            "expected bytes by node such as N0=4096, found \"X0=1\"",
        ),
        (
            "/sys/fs/cgroup/a/cpu.numa_group:node 0 mem_private 1",
            "expected the group's own line (id ...) before its nodes, found \"node 0 mem_private 1\"",
        ),
        (
            "/proc/loadavg:1 2 3",
            "expected a line of /proc/loadavg, found \"1 2 3\"",
        ),
        (
            "/proc/stat:cpu0 1 2 3",
            "expected a line of /proc/stat, found \"cpu0 1 2 3\"",
        ),
        (
            "nonsense",
            "expected a pressure line (some or full, avg10=...), found \"nonsense\"",
        ),
    ] {
        let input = format!("{psi}{line}\n{psi}");
        let last = 1 + line.lines().count() as u64;
        assert_eq!(refusal(&input, "x"), format!("line {last}: {sentence}"));
        let (kept, skipped) = tolerant(input.as_bytes(), "x");
        assert_eq!(skipped, [(last..last + 1, sentence.to_owned())]);
        assert_eq!(kept.rows(SampleTableId::Psi).len(), 2, "{line}");
    }
}

#[test]
fn a_damaged_text_costs_its_line_and_not_its_record() {
    let input =
        "{\"mono_ns\":1,\"cpu\":\"some total=1\\n\",\"io\":\"some total=x\\nfull total=2\\n\"}\n";
    assert_eq!(
        refusal(input, "x"),
        "line 1: expected microseconds of pressure, found \"x\""
    );
    let (kept, skipped) = tolerant(input.as_bytes(), "x");
    assert_eq!(
        kept.rows(SampleTableId::Psi),
        [
            "mono_ns=1 cgroup= resource=cpu some_total_us=1",
            "mono_ns=1 cgroup= resource=io full_total_us=2"
        ]
    );
    assert_eq!(skipped.len(), 1);
    for (record, found) in [
        ("{\"mono_ns\":1,\"cpu\":3}", "invalid type"),
        ("{\"mono_ns\":9223372036854775808}", "invalid value"),
        ("{\"mono_ns\":1.5}", "invalid type"),
        ("hello", "expected value"),
    ] {
        let error = refusal(
            &format!("{input}{record}\n").replace("total=x", "total=1"),
            "x",
        );
        assert!(
            error.starts_with("line 2: expected a sample as a JSON object")
                && error.contains(found),
            "{error}"
        );
    }
}

#[test]
fn too_long_lines_are_passed_over() {
    let psi = b"{\"mono_ns\":1,\"cpu\":\"some total=1\\n\"}\n";
    let mut input = psi.to_vec();
    input.extend_from_slice(&vec![b'{'; 5 << 20]);
    input.push(b'\n');
    input.extend_from_slice(psi);
    let error = read_as(&input, "x", false).err().unwrap().to_string();
    assert_eq!(
        error,
        "line 2: expected a line, found more than 4194304 bytes without an end"
    );
    let (kept, skipped) = tolerant(&input, "x");
    assert_eq!((kept.rows(SampleTableId::Psi).len(), skipped.len()), (2, 1));
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let line = format!("{{\"mono_ns\":1,\"x\":{}", "[".repeat(100_000));
    let input = format!("{{\"mono_ns\":1,\"cpu\":\"some total=1\\n\"}}\n{line}\n");
    assert!(refusal(&input, "x").contains("EOF while parsing"));
}

#[test]
fn long_texts_do_not_become_values() {
    let long = "x".repeat(5000);
    let psi = "/proc/pressure/cpu:some total=0\n";
    for line in [
        format!("/proc/7/numa_maps:00400000 default file=/{long}"),
        format!("/proc/7/numa_maps:00400000 {long}"),
        format!("/proc/vmstat:{long} 1"),
        format!("/proc/7/cgroup:0::/{long}"),
        format!("/sys/fs/cgroup/a/memory.max:{long}"),
        format!("/proc/7/sched:{long} (7, #threads: 1)"),
    ] {
        let error = refusal(&format!("{psi}{line}\n"), "x");
        assert!(
            error.starts_with("line 2: expected at most 4096 bytes of text"),
            "{error}"
        );
    }
    let nodes = "N0=1 ".repeat(1025);
    let error = refusal(
        &format!("{psi}/proc/7/numa_maps:00400000 default {nodes}\n"),
        "x",
    );
    assert!(
        error.starts_with("line 2: expected at most 1024 nodes in a line"),
        "{error}"
    );
}

/// Lines that invite a reader to look at them again and again.
#[test]
fn repetition_takes_no_time() {
    let psi = "/proc/pressure/cpu:some total=0\n";
    for piece in [
        ":", "1,", "a:", "|", "1 ", "0::/", "-", "{\"a\":", "cpu:", "/", "==> ",
    ] {
        let line = piece.repeat((3 << 20) / piece.len());
        let begun = std::time::Instant::now();
        let input = format!("{psi}{line}\nPID CGROUP\n1 {line}\n");
        let _ = read_as(input.as_bytes(), "x", true);
        let _ = read_as(line.as_bytes(), &line[..1 << 16], true);
        assert!(begun.elapsed().as_secs() < 20, "{piece}");
    }
}

/// Counts batches and refuses to keep them.
struct Bounded {
    largest: usize,
    batches: u64,
    most: u64,
    skipped: u64,
}

impl SampleSink for Bounded {
    fn write(&mut self, _table: SampleTableId, batch: &RecordBatch) -> Result<(), SinkError> {
        self.largest = self.largest.max(batch.get_array_memory_size());
        self.batches += 1;
        if self.batches > self.most {
            return Err(SinkError("that is enough".to_owned()));
        }
        Ok(())
    }

    fn skipped(&mut self, _skipped: numalens_columns::Skipped) -> Result<(), SinkError> {
        self.skipped += 1;
        Ok(())
    }
}

fn bounded(input: &str, most: u64) -> (Bounded, Result<(), DecodeError>) {
    let mut sink = Bounded {
        largest: 0,
        batches: 0,
        most,
        skipped: 0,
    };
    let options = ReadOptions { tolerant: true };
    let result = read(
        &SliceSource(input.as_bytes()),
        "x",
        &options,
        &mut sink,
        &mut |_, _| {},
    );
    (sink, result.map(|_| ()))
}

#[test]
fn batches_stay_small_and_the_sink_can_stop() {
    let text = "nr_free_pages 1\\n".repeat(200_000);
    let record = format!("{{\"mono_ns\":1,\"vmstat\":\"{text}\"}}\n");
    let (sink, result) = bounded(&record, u64::MAX);
    result.unwrap();
    assert!(
        sink.batches >= 20 && sink.largest < 4 << 20,
        "{} {}",
        sink.batches,
        sink.largest
    );
    let (sink, result) = bounded(&record, 3);
    assert_eq!(sink.batches, 4);
    assert_eq!(result.unwrap_err().to_string(), "that is enough");
    let wide = format!(
        "00400000 default file=/{} {}\n",
        "x".repeat(4000),
        "N0=1 ".repeat(1024)
    );
    let (sink, result) = bounded(&format!("/proc/7/numa_maps:{wide}").repeat(50), u64::MAX);
    result.unwrap();
    assert!(
        sink.batches >= 25 && sink.largest < 24 << 20,
        "{} {}",
        sink.batches,
        sink.largest
    );
}

#[test]
fn many_skips_are_summed_up() {
    let input = format!(
        "/proc/pressure/cpu:some total=0\n{}",
        "nonsense\n".repeat(12_000)
    );
    let (sink, result) = bounded(&input, u64::MAX);
    result.unwrap();
    assert_eq!(sink.skipped, 10_001);
    let (_, skipped) = tolerant(input.as_bytes(), "x");
    let last = (
        10_002..12_002,
        "2000 more places that could not be read".to_owned(),
    );
    assert_eq!(skipped.last(), Some(&last));
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let mut input = b"t\xffsk (9, #threads: 1)\n-----------\nnuma_preferred_nid : 1\n".to_vec();
    let (kept, _) = read_as(&input, "x", false).unwrap();
    assert_eq!(
        kept.rows(SampleTableId::ProcSched),
        ["tid=9 comm=t\u{fffd}sk name=numa_preferred_nid value=1.0"]
    );
    input.splice(0..0, *b"\xef\xbb\xbf");
    assert!(read_as(&input, "x", false).is_ok(), "a byte order mark");
    let dos = "Sat Nov 21 10:22:00 UTC 2026\r\nsome total=1\r\n";
    assert_eq!(text(dos, "cpu").0.rows(SampleTableId::Psi).len(), 1);
}
