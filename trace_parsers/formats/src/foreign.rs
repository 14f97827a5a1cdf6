//! Files of other programs that are not read, and what to do instead.

use numalens_columns::InputError;

/// A kind of file that is not read.
struct Foreign {
    sign: Sign,
    /// Kind of the file.
    found: &'static str,
    /// Supported alternatives.
    expected: &'static str,
}

/// Sign by which a kind is recognized.
enum Sign {
    /// The beginning of the file.
    Head(fn(&[u8]) -> bool),
    /// One of the first lines.
    Line(fn(&str) -> bool),
    /// Words of one of the first lines, in this order.
    Words(&'static [&'static str]),
}

impl Sign {
    fn is_of(&self, head: &[u8]) -> bool {
        let in_order = |line: &str, words: &[&str]| {
            let mut words = words.iter();
            words
                .try_fold(line, |rest, word| {
                    rest.split_once(word).map(|(_, rest)| rest)
                })
                .is_some()
        };
        match self {
            Self::Head(sniff) => sniff(head),
            Self::Line(sniff) => first_lines(head).any(sniff),
            Self::Words(words) => first_lines(head).any(|line| in_order(line, words)),
        }
    }
}

/// Alternative to tables that perf makes of a recording.
const PERF_DATA: &str = "the perf.data from which it was made";
/// Alternative to the output of programs that record no scheduler events.
const EVENTS: &str =
    "scheduler events (numalens record, trace-cmd record -e sched, perf sched record)";

/// A kind of text that has these words in one of its first lines.
const fn text(
    found: &'static str,
    expected: &'static str,
    words: &'static [&'static str],
) -> Foreign {
    Foreign {
        sign: Sign::Words(words),
        found,
        expected,
    }
}

/// All that are known by name, besides trace text ([`numalens_ftrace_text::unread`]).
const FOREIGN: &[Foreign] = &[
    Foreign {
        sign: Sign::Head(|head| head.starts_with(b"PERFFILE") || head.starts_with(b"ELIFFREP")),
        found: "a perf.data of version 1 (before Linux 3.4)",
        expected: "a newer perf.data, or what the old perf prints by \"perf script -F +cpu\"",
    },
    Foreign {
        sign: Sign::Head(|head| head.starts_with(b"SIMPLEPERF") || simpleperf(head)),
        found: "a recording of simpleperf",
        expected: "scheduler events as Perfetto, atrace or tracefs record them on Android",
    },
    Foreign {
        sign: Sign::Head(ctf),
        found: "a CTF trace",
        expected: "the text of babeltrace2 (babeltrace2 FOLDER > trace.txt)",
    },
    text(
        "the table of perf sched timehist",
        PERF_DATA,
        &["task name", "wait time", "sch delay"],
    ),
    text(
        "the table of perf sched latency",
        PERF_DATA,
        &["Task ", "| Switches |"],
    ),
    text(
        "the output of perf sched map",
        PERF_DATA,
        &[" secs ", " => "],
    ),
    text(
        "the output of perf report",
        PERF_DATA,
        &["# Overhead", "Command"],
    ),
    text(
        "the output of perf stat",
        EVENTS,
        &["Performance counter stats for"],
    ),
    text("the output of perf trace", EVENTS, &[" ms): ", "("]),
    Foreign {
        sign: Sign::Line(strace),
        found: "the output of strace",
        expected: EVENTS,
    },
    text("a histogram of a BPF tool", EVENTS, &["|@"]),
    text(
        "a histogram of a BPF tool",
        EVENTS,
        &[" : count", "distribution"],
    ),
    Foreign {
        sign: Sign::Line(kernel_log),
        found: "a kernel log",
        expected: EVENTS,
    },
    text("the output of top", EVENTS, &["top - ", "load average"]),
    text("the output of vmstat", EVENTS, &["swpd", "free", "us sy"]),
    text(
        "the output of sar or mpstat",
        EVENTS,
        &["%iowait", "%steal"],
    ),
    Foreign {
        sign: Sign::Line(blkparse),
        found: "the output of blkparse",
        expected: EVENTS,
    },
    text(
        "lscpu in another language",
        "lscpu -p, or LC_ALL=C lscpu",
        &["NUMA", "CPU(s):"],
    ),
    Foreign {
        sign: Sign::Head(|head| {
            head.trim_ascii_start().starts_with(b"{") && contains(head, b"\"traceEvents\"")
        }),
        found: "Chrome JSON without it",
        expected: "Chrome JSON with ftrace text (systemTraceEvents), or a Perfetto trace",
    },
    Foreign {
        sign: Sign::Head(|head| {
            let start = head.trim_ascii_start().first_chunk::<5>();
            start.is_some_and(|start| {
                start.eq_ignore_ascii_case(b"<html") || start.eq_ignore_ascii_case(b"<!doc")
            })
        }),
        found: "an HTML page without ftrace text",
        expected: "a page of systrace, or the trace itself",
    },
];

/// Names the kind of a file that is not read and says what to give instead; `None` when it is of no kind that is known.
pub(crate) fn unread(head: &[u8]) -> Option<InputError> {
    let foreign = FOREIGN.iter().find(|foreign| foreign.sign.is_of(head));
    let words = foreign.map(|foreign| (foreign.expected.to_owned(), foreign.found.to_owned()));
    let (expected, found) = words.or_else(|| numalens_ftrace_text::unread(head))?;
    Some(InputError::at_byte(0, expected, found))
}

/// A perf.data with header features that simpleperf alone has: 128 and above, in the last 16 bytes of the feature bits.
pub(crate) fn simpleperf(head: &[u8]) -> bool {
    const BITS: std::ops::Range<usize> = 88..104;
    head.starts_with(b"PERFILE2\x68\0\0\0\0\0\0\0")
        && head
            .get(BITS)
            .is_some_and(|bits| bits.iter().any(|&byte| byte != 0))
}

/// A stream of CTF 1.8 by its packet's magic, or its metadata as packets or as text.
fn ctf(head: &[u8]) -> bool {
    const STREAM: u32 = 0xc1fc_1fc1;
    const METADATA: u32 = 0x75d1_1d57;
    let magic = head
        .first_chunk::<4>()
        .map(|&bytes| [u32::from_le_bytes(bytes), u32::from_be_bytes(bytes)]);
    magic.is_some_and(|orders| orders.contains(&STREAM) || orders.contains(&METADATA))
        || head.starts_with(b"/* CTF ")
}

/// A system call with its result, after a thread and a time, if printed.
fn strace(line: &str) -> bool {
    let Some((call, rest)) = line.split_once('(') else {
        return false;
    };
    let name = call.rsplit(' ').next().unwrap_or("");
    let result = rest.rsplit_once(") = ").map_or("", |(_, result)| result);
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && result.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '?')
}

/// A time since boot in brackets, s with µs.
fn kernel_log(line: &str) -> bool {
    let time = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "));
    time.and_then(|(time, _)| time.trim_start().split_once('.'))
        .is_some_and(|(_, us)| us.len() == 6 && us.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A device, a CPU, a number, a time in ns, a task and an action.
fn blkparse(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    matches!(words[..], [device, cpu, number, time, task, _]
        if device.split_once(',').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
            && [cpu, number, task].into_iter().all(is_number)
            && time.split_once('.').is_some_and(|(_, ns)| ns.len() == 9 && is_number(ns)))
}

fn first_lines(head: &[u8]) -> impl Iterator<Item = &str> {
    let lines = head.split(|&byte| byte == b'\n').take(8);
    lines.filter_map(|line| std::str::from_utf8(line).ok())
}

fn contains(head: &[u8], word: &[u8]) -> bool {
    head.windows(word.len()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use crate::Found;

    #[test]
    fn foreign_files_are_named_in_a_short_sentence() {
        let mut simpleperf = b"PERFILE2\x68\0\0\0\0\0\0\0".to_vec();
        simpleperf.resize(104, 0);
        simpleperf[88] = 3;
        for (bytes, name) in [
            (&b"PERFFILE\x40\0\0\0"[..], "perf.data of version 1"),
            (b"SIMPLEPERF\x01\0", "simpleperf"),
            (&simpleperf, "simpleperf"),
            (b"\xc1\x1f\xfc\xc1\0", "CTF"),
            (b"\xc1\xfc\x1f\xc1\0", "CTF"),
            (b"\x57\x1d\xd1\x75\0", "CTF"),
            (b"/* CTF 1.8 */\ntrace {\n", "CTF"),
            (b"Samples do not have callchains.\n           time    cpu  task name                       wait time  sch delay   run time\n", "timehist"),
            (b"\n ------\n  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |\n", "sched latency"),
            (b"  *A0           3.005610 secs A0 => perf:1893\n", "perf sched map"),
            (b"# Samples: 3K of event 'cycles'\n#\n# Overhead  Command  Shared Object\n", "perf report"),
            (b"\n Performance counter stats for 'system wide':\n", "perf stat"),
            (b"     0.000 ( 0.002 ms): bash/1234 read(fd: 3, count: 4096) = 12\n", "perf trace"),
            (b"1234  14:03:12.123456 futex(0x7f1c, FUTEX_WAIT_PRIVATE, 2, NULL) = 0 <0.500123>\n", "strace"),
            (b"read(3, \"a (b) = c\", 4096) = -1 EAGAIN (Resource unavailable)\n", "strace"),
            (b"Attaching 2 probes...\n@usecs: \n[1]                    2 |@@      |\n", "BPF"),
            (b"     usecs               : count     distribution\n", "BPF"),
            (b"[  120.123456] INFO: task kworker/u8:2:1234 blocked\n", "kernel log"),
            (b"top - 14:03:12 up 10 days,  load average: 0.52, 0.58, 0.59\n", "top"),
            (b"procs ---memory---\n r  b   swpd   free   buff  cache   in   cs us sy id wa st\n", "vmstat"),
            (b"02:00:01 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n", "sar"),
            (b"  8,0    1        2     0.000001000  1234  G   R 223490 + 8 [dd]\n", "blkparse"),
            (b"CPU(s):       4\nNUMA-Knoten0 CPU(s):     0,1\n", "another language"),
            (b"{\"traceEvents\":[{\"ph\":\"X\"}]}", "Chrome JSON without"),
            (b"<!DOCTYPE html>\n<html></html>", "HTML page without"),
            (b"swapper 0 100.000000:  sched:sched_wakeup: comm=a pid=1 prio=120 target_cpu=000\n", "without them"),
            (b"# tracer: function_graph\n#\n 0)   1.0 us |  f();\n", "function_graph"),
        ] {
            let sentence = Found::expect(bytes).unwrap_err().sentence("file.data");
            assert!(sentence.contains(name) && sentence.len() < 200, "{sentence}");
            assert!(!sentence.contains("numa_maps"), "{sentence}");
        }
        simpleperf[88] = 0;
        simpleperf[80] = 1;
        assert!(Found::expect(&simpleperf).is_ok(), "a feature of perf");
        let note = Found::expect(b"Task failed: the trace has no events\n").unwrap_err();
        assert!(note.to_string().contains("numa_maps"), "{note}");
    }
}
