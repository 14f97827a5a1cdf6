//! Lines as kernels and tools print them, one oddity each.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use std::fmt::Write as _;

use numalens_columns::{LostEvents, Place};
use numalens_ftrace_text::{TextKind, sniff};
use support::{rows, sentence, strict};

fn cells(text: &str, event: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let (sink, _) = strict(text.as_bytes());
    let table = rows(&sink.memory, event);
    table
        .rows
        .iter()
        .map(|row| columns.iter().map(|column| row[*column].clone()).collect())
        .collect()
}

const SWITCH: &str = "sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120";

#[test]
fn names_of_tasks_do_not_matter() {
    for comm in [
        "<idle>",
        "<...>",
        "a b",
        "a:b",
        "a-1",
        "a-1 [000]",
        "[000] 1.0: x:",
        "=>",
        "kworker/u8:2-kv",
        "sixteen-bytes-and",
        "(12)",
        "a (  12)",
        "-",
        "a-",
        "x [1] [2]",
        "\u{e4}\u{f6}",
    ] {
        for line in [
            format!("{comm:>16}-77      [003] d..2.  1867.141115: {SWITCH}\n"),
            format!("{comm:>16}-77      [003]   1867.141115: {SWITCH}\n"),
            format!("{comm:>16}-77    (   70) [003] d..2.  1867.141115: {SWITCH}\n"),
            format!("{comm:>16}    77 [003]  1867.141115: sched:{SWITCH}\n"),
            format!("{comm:>16} 70/77 [003]  1867.141115:          1 sched:{SWITCH}\n"),
        ] {
            let seen = cells(
                &line,
                "sched_switch",
                &["ts_ns", "cpu", "common_pid", "prev_state", "next_pid"],
            );
            assert_eq!(seen, [["1867141115000", "3", "77", "1", "2"]], "{line}");
        }
    }
}

#[test]
fn a_name_may_begin_like_a_note() {
    let text = format!(
        "# x 1 [000]\n#a 1 [000]  1.000000: sched:{SWITCH}\n\tffffffff813af60a f ([k])\n\n"
    );
    assert_eq!(
        cells(&text, "sched_switch", &["common_pid", "callchain_symbols"]),
        [["1", "f ([k])"]]
    );
}

#[test]
fn names_in_the_details_do_not_matter() {
    for comm in [
        "a b",
        "a pid=1 prio=2",
        "a target_cpu=001",
        "a:1 [120] CPU:002",
        "==>",
        "",
        "a=b",
    ] {
        let raw = format!(
            "     a-1     [000]  1.000000: sched_wakeup: comm={comm} pid=9 prio=120 target_cpu=003\n"
        );
        let pretty =
            format!("     a-1     [000]  1.000000: sched_wakeup:         {comm}:9 [120] CPU:003\n");
        for line in [raw, pretty] {
            let seen = cells(&line, "sched_wakeup", &["comm", "pid", "target_cpu"]);
            assert_eq!(seen, [[comm, "9", "3"]], "{line}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let (sink, _) = strict(b"     \xff\xfe-1     [000]  1.000000: sched_wakeup: comm=\xff pid=9 prio=120 target_cpu=003\n");
    assert_eq!(
        rows(&sink.memory, "sched_wakeup").rows[0]["comm"],
        "\u{fffd}"
    );
}

#[test]
fn lines_may_end_in_any_way() {
    let line = format!("     a-1     [000]  1.000000: {SWITCH}");
    for text in [
        format!("{line}\r\n\r\n{line}\r\n"),
        format!("\n\n{line}\n\n{line}"),
        format!("{line}\r\n{line}"),
    ] {
        assert_eq!(
            cells(&text, "sched_switch", &["next_prio"]),
            [["120"], ["120"]],
            "{text:?}"
        );
    }
}

#[test]
fn flags_are_read_by_the_header() {
    let header = "# tracer: nop\n#\n#         _-----=> irqs-off\n#        / _----=> need-resched\n#       | / _---=> need-resched_lazy\n\
                  #       || / _--=> hardirq/softirq\n#       ||| / _-=> preempt-depth\n#       |||| /  _=> preempt-lazy-depth\n\
                  #       ||||| / _=> migrate-disable\n#       |||||| /  delay\n";
    let text = format!("{header}     a-1     [000] dNLh213  1.000000: {SWITCH}\n");
    assert_eq!(
        cells(
            &text,
            "sched_switch",
            &["common_flags", "common_preempt_count"]
        ),
        [["47", "50"]]
    );
    let text = format!("     a-1     [000] d.h2  1.000000: {SWITCH}\n");
    assert_eq!(
        cells(
            &text,
            "sched_switch",
            &["common_flags", "common_preempt_count"]
        ),
        [["9", "2"]]
    );
}

#[test]
fn thread_groups_are_read_where_a_kernel_prints_them() {
    for text in [
        format!(
            "     a-1     (    9) [000] .....  1.000000: {SWITCH}\n     b-2     (-------) [000] .....  1.000001: {SWITCH}\n"
        ),
        format!(
            "     a-1     [000] (    9) .....  1.000000: {SWITCH}\n     b-2     [000] (-----) .....  1.000001: {SWITCH}\n"
        ),
    ] {
        assert_eq!(
            cells(&text, "sched_switch", &["common_pid", "common_tgid"]),
            [["1", "9"], ["2", "-1"]]
        );
    }
}

#[test]
fn stamps_of_any_clock() {
    for (stamp, ns, resolution) in [
        ("1000001.000001", 1_000_001_000_001_000_u64, 1000),
        ("1.000000007", 1_000_000_007, 1),
        ("123456789", 123_456_789, 1),
    ] {
        let (sink, recording) =
            strict(format!("     a-1     [000] ..... {stamp}: {SWITCH}\n").as_bytes());
        assert_eq!(
            rows(&sink.memory, "sched_switch").rows[0]["ts_ns"],
            ns.to_string()
        );
        assert_eq!(recording.info.resolution_ns, resolution);
    }
}

#[test]
fn lost_events_belong_to_the_next_event_of_their_cpu() {
    let text = format!(
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: 3/20   #P:4\n\
         CPU:1 [LOST 12 EVENTS]\n     a-1     [000]  1.000000: {SWITCH}\n     a-1     [001]  1.000001: {SWITCH}\n\
         CPU:0 [LOST EVENTS]\nCPU:2 [5 EVENTS DROPPED]\n     a-1     [000]  1.000002: {SWITCH}\n"
    );
    let (sink, recording) = strict(text.as_bytes());
    let mark = |ts_ns, cpu, seq, count| LostEvents {
        ts_ns,
        cpu,
        buffer: 0,
        seq,
        count,
    };
    assert_eq!(
        sink.memory.lost,
        [
            mark(1_000_001_000, 1, 1, Some(12)),
            mark(1_000_002_000, 0, 2, None)
        ]
    );
    assert_eq!(
        (
            recording.summary.lost_marks,
            recording.summary.lost_events,
            recording.summary.lost_unknown_marks
        ),
        (2, 12, 1)
    );
    assert_eq!(recording.info.cpus, 4);
    assert_eq!(
        recording.info.notes,
        [
            "17 events were overwritten before the trace was read.",
            "1 marks of lost events are not followed by an event of their CPU."
        ]
    );
}

#[test]
fn states_are_the_kernels_bits() {
    for (state, bits) in [
        ("R", "0"),
        ("R+", "256"),
        ("D|K", "2"),
        ("S", "1"),
        ("I", "128"),
        ("x", "16"),
        ("130", "130"),
    ] {
        let line = format!(
            "     a-1     [000]  1.000000: {}\n",
            SWITCH.replace("state=S", &format!("state={state}"))
        );
        assert_eq!(
            cells(&line, "sched_switch", &["prev_state"]),
            [[bits]],
            "{state}"
        );
    }
}

#[test]
fn old_and_new_sched_stick_numa_have_their_own_columns() {
    let old = "     a-1     [000]  1.000000: sched_stick_numa: pid=1 tgid=2 ngid=3 src_cpu=4 src_nid=5 dst_cpu=6 dst_nid=-1\n";
    assert_eq!(
        cells(old, "sched_stick_numa", &["pid", "dst_nid"]),
        [["1", "-1"]]
    );
    let new = "     a-1     [000]  1.000000: sched_stick_numa: src_pid=1 src_tgid=2 src_ngid=3 src_cpu=4 src_nid=5 dst_pid=0 \
               dst_tgid=0 dst_ngid=0 dst_cpu=-1 dst_nid=-1\n";
    assert_eq!(
        cells(new, "sched_stick_numa", &["src_pid", "dst_cpu"]),
        [["1", "-1"]]
    );
}

#[test]
fn numbers_come_back_from_what_formats_make_of_them() {
    for (line, event, columns, values) in [
        (
            "block_rq_issue: 254,16 WS 4096 (a b) 800 + 8 be,0,4 [kworker/0:1]",
            "block_rq_issue",
            &["dev", "rwbs", "bytes", "sector", "comm"][..],
            &["266338320", "WS", "4096", "800", "kworker/0:1"][..],
        ),
        (
            "mm_filemap_add_to_page_cache: dev 254:0 ino 1f pfn=0x2a ofs=8192 order=0",
            "mm_filemap_add_to_page_cache",
            &["s_dev", "i_ino", "pfn", "index"],
            &["266338304", "31", "42", "2"],
        ),
        (
            "mm_compaction_deferred: node=0 zone=Normal   order=3 order_failed=3 consider=1 limit=8",
            "mm_compaction_deferred",
            &["idx", "order", "defer_shift"],
            &["2", "3", "3"],
        ),
        (
            "csd_function_entry: func=do_sync_core, csd=(nil)",
            "csd_function_entry",
            &["func", "csd"],
            &["do_sync_core", "0"],
        ),
        (
            "softirq_entry: vec=9 [action=RCU]",
            "softirq_entry",
            &["vec"],
            &["9"],
        ),
        (
            "ipi_send_cpu: cpu=1 callsite=a+0x1/0x2 callback=0x0",
            "ipi_send_cpu",
            &["arg_cpu", "callback"],
            &["1", "0x0"],
        ),
        (
            "hrtimer_expire_entry: hrtimer=000000005e3fe0e2 function=tick_nohz_handler now=5",
            "hrtimer_expire_entry",
            &["hrtimer", "function", "now"],
            &["1581244642", "tick_nohz_handler", "5"],
        ),
        (
            "workqueue_execute_start: work struct 00000000c0ffee00: function psi_avgs_work",
            "workqueue_execute_start",
            &["work", "function"],
            &["3237998080", "psi_avgs_work"],
        ),
        (
            "tracing_mark_write: psi_sample idx=4",
            "print",
            &["ip", "buf"],
            &["tracing_mark_write", "psi_sample idx=4"],
        ),
        (
            "schedule <-do_nanosleep",
            "function",
            &["ip", "parent_ip"],
            &["schedule", "do_nanosleep"],
        ),
        (
            "my_probe: (do_it+0x4/0x20) a=1 b=0x10 c=two words",
            "my_probe",
            &["__probe_ip", "a", "b", "c"],
            &["do_it+0x4/0x20", "1", "16", "two words"],
        ),
    ] {
        let text = format!("     a-1     [000] .....  1.000000: {line}\n");
        assert_eq!(cells(&text, event, columns), [values], "{line}");
    }
}

#[test]
fn what_tracers_print_without_a_name_has_columns() {
    let text = "           <...>-867     [000] .....   54.029339: #1     context thread timer_latency     11700 ns\n\
          <idle>-0       [001] d.h1.   54.029346: #12    context    irq timer_latency      2833 ns\n\
           app-9         [001] d.h1.   54.029347: #12    context user-ret timer_latency      3000 ns\n\
           <...>-1729    [001] d...   678.473449: #1     inner/outer(us):   11/12    ts:1581527483.003962693 count:6\n\
           <...>-1729    [001] d...   679.473449: #2     inner/outer(us):    9/8     ts:1581527484.343962693 count:1 nmi-total:7 nmi-count:3\n\
           <...>-859     [000] ....   681.637220: 1000000        190  99.98100       9     18      0   1007     18      1\n\
           <...>-859     [000] ....   682.637220: 1 2 3 4\n\
           <...>-859     [000] ....   683.637220: # 7 of no tracer\n";
    let of = |event, columns: &[&str]| cells(text, event, columns);
    assert_eq!(
        of("timerlat", &["cpu", "seqnum", "context", "timer_latency"]),
        [
            ["0", "1", "1", "11700"],
            ["1", "12", "0", "2833"],
            ["1", "12", "2", "3000"]
        ]
    );
    assert_eq!(
        of(
            "hwlat",
            &[
                "duration",
                "outer_duration",
                "tv_nsec",
                "count",
                "nmi_total_ts",
                "nmi_count"
            ]
        ),
        [
            ["11", "12", "3962693", "6", "0", "0"],
            ["9", "8", "343962693", "1", "7", "3"]
        ]
    );
    assert_eq!(
        of(
            "osnoise",
            &[
                "runtime",
                "noise",
                "max_sample",
                "hw_count",
                "irq_count",
                "thread_count"
            ]
        ),
        [["1000000", "190", "9", "18", "1007", "1"]]
    );
    assert_eq!(of("text", &["cpu"]).len(), 2);
}

#[test]
fn messages_and_stacks_may_have_more_lines() {
    let text = format!(
        "     a-1     [000] .....  1.000000: tracing_mark_write: one\ntwo\n\nthree\n     a-1     [000] .....  1.000001: {SWITCH}\n\
              a-1     [000] .....  1.000001: <stack trace>\n => schedule\n => do_it\n     a-1     [000] .....  1.000002: {SWITCH}\n"
    );
    assert_eq!(cells(&text, "print", &["buf"]), [["one\ntwo\n\nthree"]]);
    assert_eq!(
        cells(&text, "kernel_stack", &["caller"]),
        [["\n => schedule\n => do_it"]]
    );
    assert_eq!(cells(&text, "sched_switch", &["seq"]), [["1"], ["3"]]);
    let text = format!("     a-1     [000] .....  1.000000: {SWITCH}\nstray\n");
    assert_eq!(
        sentence(text.as_bytes()),
        "line 2: expected an event line \"task-pid [cpu] flags seconds: event: ...\", found \"stray\""
    );
}

#[test]
fn callchains_are_kept() {
    let text = format!(
        "a 1 [000]  1.000000: sched:{SWITCH}\n\tffffffff813af60a update_se+0x13a ([kernel.kallsyms])\n\t           ee137 f (/a b)\n\n\
         a 1 [000]  1.000001: sched:{SWITCH}\n\n"
    );
    let seen = cells(&text, "sched_switch", &["callchain", "callchain_symbols"]);
    assert_eq!(
        seen[0],
        [
            "[18446744071582709258, 975159]",
            "update_se+0x13a ([kernel.kallsyms]);f (/a b)"
        ]
    );
    assert_eq!(seen[1], ["[]", ""]);
}

#[test]
fn perfs_own_events_keep_their_period() {
    let text = "  perf 24517 [000]  1196.689091:          7               context-switches:  ffffffff821fb643 schedule+0x23 ([k])\n\
                :-1    -1 [001]  1196.689092:          1 branches:u:  ffffffff821fb643 x\n";
    assert_eq!(
        cells(text, "context-switches", &["tid", "period", "ip", "text"]),
        [[
            "24517",
            "7",
            "18446744071597700675",
            "ffffffff821fb643 schedule+0x23 ([k])"
        ]]
    );
    assert_eq!(cells(text, "branches", &["tid", "cpu"]), [["-1", "1"]]);
}

#[test]
fn modifiers_do_not_change_an_events_name() {
    let names = [
        "sched:sched_switch",
        "sched:sched_switch/call-graph=no/",
        "sched:sched_switch:u",
        "sched:sched_switch/period=1/ppp",
    ];
    let line = |name: &str| {
        format!(
            "a 1 [000]  1.000000:  {name}: {}\n",
            &SWITCH["sched_switch: ".len()..]
        )
    };
    let (sink, recording) = strict(names.map(line).concat().as_bytes());
    assert_eq!(rows(&sink.memory, "sched_switch").rows.len(), 4);
    let text = "a 1 [000]  1.000000:  1001001 cpu-clock/freq=999/: \n\tffffffff8100abcd f ([k])\n\n\
                a 1 [000]  1.000001:  30 cpu/mem-loads,ldlat=30/P:  ffff88 x\n";
    let (_, others) = strict(text.as_bytes());
    let of = |recording: &numalens_columns::Recording| -> Vec<String> {
        let counts = recording.summary.counts.iter();
        counts
            .map(|count| format!("{}:{}", count.system, count.event))
            .collect()
    };
    assert_eq!(of(&recording), ["sched:sched_switch"]);
    assert_eq!(
        of(&others),
        ["perf:cpu-clock", "perf:cpu/mem-loads,ldlat=30/P"]
    );
}

#[test]
fn fields_are_found_by_their_names() {
    let head = "     a-1     [000]  1.000000: sched_switch: ";
    let of = |details: &str| {
        let (sink, recording) = strict(format!("{head}{details}\n").as_bytes());
        let table = rows(&sink.memory, "sched_switch");
        let row = &table.rows[0];
        let cell = |name: &str| row.get(name).cloned().unwrap_or_default();
        let cells = [
            "prev_comm",
            "prev_pid",
            "prev_prio",
            "prev_state",
            "next_comm",
            "next_pid",
            "next_prio",
        ];
        (cells.map(cell).join(","), recording.info.notes.join(" "))
    };
    let all = "a,1,120,2,b x,2,99";
    for details in [
        "prev_comm=a prev_pid=1 prev_prio=120 prev_state=D ==> next_comm=b x next_pid=2 next_prio=99",
        "prev_comm=a prev_pid=1 prev_prio=120 prev_state=D ==> next_comm=b x next_pid=2 next_prio=99 next_util=55 expeller=0",
        "cookie=7 prev_comm=a prev_pid=1 prev_tgid=1 prev_prio=120 prev_state=D ==> next_comm=b x next_pid=2 next_prio=99",
        "next_comm=b x next_pid=2 next_prio=99 prev_comm=a prev_pid=1 prev_prio=120 prev_state=D",
        "task a:1 [120] (D) ==> b x:2 [99]",
    ] {
        assert_eq!(of(details), (all.to_owned(), String::new()), "{details}");
    }
    assert_eq!(
        of("prev_comm=a prev_pid=1 prev_state=D ==> next_pid=2 next_prio=99"),
        (
            "a,1,,2,,2,99".to_owned(),
            "sched_switch has no prev_prio and no next_comm in this text.".to_owned()
        )
    );
    // A name that imitates a field comes before the field.
    assert_eq!(of("prev_comm=prev_pid=x prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=99 x=1").0, "prev_pid=x,1,120,1,b,2,99");
    for bad in [
        "prev_comm=a prev_pid=1 ==> next_comm=b next_pid=2",
        "prev_comm=a prev_pid=1 prev_state=? ==> next_comm=b next_pid=2",
    ] {
        let sentence = sentence(format!("{head}{bad}\n").as_bytes());
        assert!(sentence.starts_with("line 1: expected the fields prev_pid, prev_state, next_pid of sched_switch, found \"prev_comm=a"), "{sentence}");
    }
    // A row that lacks a column of its table is damage.
    let rows = format!(
        "{head}{}\n{head}prev_pid=1 prev_state=D ==> next_pid=2\n",
        &SWITCH["sched_switch: ".len()..]
    );
    assert!(sentence(rows.as_bytes()).starts_with("line 2: expected the fields of sched_switch"));
}

#[test]
fn old_kernels_name_tasks_without_names_of_fields() {
    for (line, event, columns, values) in [
        (
            "sched_wakeup: task b:2 [120] success=1 [003]",
            "sched_wakeup",
            &["comm", "pid", "success", "target_cpu"][..],
            &["b", "2", "1", "3"][..],
        ),
        (
            "sched_wakeup_new: task b:2 [120] success=1",
            "sched_wakeup_new",
            &["comm", "pid", "success"],
            &["b", "2", "1"],
        ),
        (
            "sched_migrate_task: task b:2 [120] from: 1  to: 3",
            "sched_migrate_task",
            &["pid", "orig_cpu", "dest_cpu"],
            &["2", "1", "3"],
        ),
        (
            "sched_process_fork: parent a:1  child b:2",
            "sched_process_fork",
            &["parent_pid", "child_pid"],
            &["1", "2"],
        ),
        (
            "sched_process_exit: task b:2 [120]",
            "sched_process_exit",
            &["comm", "pid", "prio"],
            &["b", "2", "120"],
        ),
        (
            "sched_wakeup: comm=b pid=2 prio=120 success=1 cpu=7",
            "sched_wakeup",
            &["pid", "success"],
            &["2", "1"],
        ),
    ] {
        let text = format!("     a-1     [000]  1.000000: {line}\n");
        assert_eq!(cells(&text, event, columns), [values], "{line}");
    }
}

#[test]
fn cut_lines_are_left_out_with_a_note() {
    let line = |us: u32| format!("     a-1     [000] d..2  1.{us:06}: {SWITCH}\n");
    let frames = "\tffffffff8100abcd f ([k])\n";
    let perf = |us: u32| format!("a 1 [000]  1.{us:06}: sched:{SWITCH}\n{frames}\n");
    let (first, last) = (
        "The first line is cut: it was left out.",
        "The last line is cut: it was left out.",
    );
    for tolerant in [false, true] {
        let read = |text: &str| {
            let (sink, result) = support::read(text.as_bytes(), tolerant);
            assert!(sink.skipped.is_empty(), "{text}");
            let recording = result.unwrap();
            (recording.summary.events, recording.info.notes.join(" "))
        };
        let whole = line(2);
        for at in 6..whole.len() - 1 {
            let text = format!("{}{}{}", line(1), line(2), &whole[..at]);
            let (events, note) = read(&text);
            // The priority may have had more digits; nothing else is read of a line without its end.
            let fits = at >= whole.len() - 3;
            assert_eq!(
                (events, note.as_str()),
                if fits { (3, "") } else { (2, last) },
                "{at}"
            );
        }
        for at in [14, 20, 30, 60, whole.len() - 4] {
            assert_eq!(
                read(&format!("{}{}", &whole[at..], line(3))),
                (1, first.to_owned()),
                "{at}"
            );
        }
        assert_eq!(
            read(&format!("{frames}\n{}{}", perf(1), &perf(2)[..40])),
            (1, format!("{first} {last}"))
        );
        // An event without a known text may lack anything.
        assert_eq!(
            read(&format!(
                "{}     a-1     [000] d..2  1.000002: mine: x=1",
                line(1)
            )),
            (1, last.to_owned())
        );
    }
    // Neither is a line in the middle cut, nor one below a header.
    for text in [
        format!("{}stray\n{}", line(1), line(2)),
        format!("# tracer: nop\nstray\n{}", line(1)),
        format!("stray\nmore\n{}", line(1)),
    ] {
        assert!(support::read(text.as_bytes(), false).1.is_err(), "{text}");
    }
}

#[test]
fn the_function_graph_has_events_in_its_comments() {
    let header = "# tracer: function_graph\n#\n#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n";
    let text = format!(
        "{header}\x20 100.010000 |   0)   a b-1   |               |  schedule() {{\n\
         \x20 100.010001 |   0)   a b-1   |               |  /* {SWITCH} */\n ------------------------------------------\n\
         \x200)    a b-1    =>     b-2   \n ------------------------------------------\n\n\
         \x20 100.025004 |   1)    b-2    |  d..2 | + 15.000 us   |  }}\n\
         \x20 100.025005 |   1)    b-2    |  d..2 |   0.541 us    |  /* sched_waking: comm=x|y pid=1 prio=1 target_cpu=000 */\n"
    );
    assert_eq!(sniff(text.as_bytes()), Some(TextKind::Ftrace));
    let columns = ["ts_ns", "cpu", "common_pid", "prev_state", "next_pid"];
    assert_eq!(
        cells(&text, "sched_switch", &columns),
        [["100010001000", "0", "1", "1", "2"]]
    );
    assert_eq!(
        cells(
            &text,
            "sched_waking",
            &["cpu", "common_pid", "common_preempt_count", "comm"]
        ),
        [["1", "2", "2", "x|y"]]
    );
    assert_eq!(
        cells(&text, "funcgraph_entry", &["common_pid", "text"]),
        [["1", "schedule() {"]]
    );
    assert_eq!(cells(&text, "funcgraph_exit", &["cpu"]), [["1"]]);
    // Without tasks and durations.
    let bare = format!("{header}  100.010001 |   3)  /* {SWITCH} */\n");
    assert_eq!(
        cells(&bare, "sched_switch", &["cpu", "next_pid"]),
        [["3", "2"]]
    );
}

#[test]
fn lines_of_a_latency_tracer_are_text_next_to_events() {
    let text = format!(
        "# tracer: wakeup_rt\n#\n# wakeup_rt latency trace v1.1.5 on 6.1.0\n\
         \x20 <idle>-0       3d.h5    0us :      0:120:R   + [003]  2389: 94:R sleep\n\
         \x20 <idle>-0       3d..3   15us : {SWITCH}\n\
         \x20 <idle>-0       3d..3   15us :      0:120:R ==> [003]  2389: 94:R sleep\n"
    );
    let (sink, recording) = strict(text.as_bytes());
    assert_eq!(rows(&sink.memory, "sched_switch").rows.len(), 1);
    assert_eq!(rows(&sink.memory, "text").rows.len(), 2);
    let note = "Lines of the tracer wakeup_rt that are not events are kept as text.";
    assert!(recording.info.notes.iter().any(|it| it == note));
}

#[test]
fn text_that_is_not_read_is_named() {
    let events = format!("     a-1     [000] .....  1.000000: {SWITCH}\n");
    let of = |text: &str| {
        numalens_ftrace_text::unread(text.as_bytes())
            .map(|(expected, found)| format!("expected {expected}, found {found}"))
    };
    for (text, words) in [
        (format!("  a b   77  1867.141115:   sched:{SWITCH}\n"), "(perf script -F +cpu)"),
        (format!("# captured on    : Sat\n#\na 70/77  1867.141115:  7 sched:{SWITCH}\n"), "(perf script -F +cpu)"),
        ("# tracer: function_graph\n#\n 0)               |  schedule() {\n".to_owned(), "tracer \"function_graph\""),
        ("# tracer: sched_switch\n#\n  sleep-3299  [00]  50.301020:   3299:120:S ==>     0:140:R <idle>\n".to_owned(), "tracer \"sched_switch\""),
    ] {
        let sentence = of(&text).unwrap();
        assert!(sentence.contains(words) && sentence.len() < 180, "{sentence}");
        assert_eq!(sniff(text.as_bytes()), None, "{text}");
    }
    for text in [
        events.as_str(),
        "a 1 [000] 1.0: b\n",
        "hello 1 2.000000: x\n",
        "# tracer: nop\n",
        "Nov 21 10:06:13 host kernel: [12345.678901] a: b\n",
        "",
    ] {
        assert_eq!(of(text), None, "{text}");
    }
}

#[test]
fn joined_texts_come_out_in_time_order() {
    let mut text = String::new();
    for cpu in 0..3 {
        text.push_str(
            "# tracer: nop\n#\n# entries-in-buffer/entries-written: 2000/2000   #P:3\n#\n",
        );
        for at in 0..2000 {
            let (sec, us) = (at / 1000, at % 1000 * 1000 + cpu);
            let _ = writeln!(
                text,
                "     a-{cpu}     [00{cpu}] .....  {sec}.{us:06}: sched_waking: comm=x pid={at} prio=1 target_cpu=000"
            );
        }
    }
    let (sink, recording) = strict(text.as_bytes());
    let table = rows(&sink.memory, "sched_waking");
    assert_eq!((table.rows.len(), recording.summary.backwards), (6000, 2));
    for (at, row) in table.rows.iter().enumerate() {
        assert_eq!(
            (row["seq"].clone(), row["pid"].clone(), row["cpu"].clone()),
            (at.to_string(), (at / 3).to_string(), (at % 3).to_string())
        );
    }
}

#[test]
fn events_a_little_late_are_put_in_order() {
    let line = |us: u32| {
        format!(
            "     a-1     [000]  1.{us:06}: sched_waking: comm=x pid={us} prio=1 target_cpu=000\n"
        )
    };
    let text: String = [5, 3, 4, 9, 7, 9, 1].into_iter().map(line).collect();
    let seen: Vec<String> = cells(&text, "sched_waking", &["pid"]).concat();
    assert_eq!(seen, ["1", "3", "4", "5", "7", "9", "9"]);
    assert_eq!(strict(text.as_bytes()).1.summary.backwards, 4);
}

#[test]
fn only_trace_text_is_claimed() {
    let event = format!("     a-1     [000] .....  1.000000: {SWITCH}\n");
    for (text, kind) in [
        (event.as_str(), Some(TextKind::Ftrace)),
        ("# tracer: nop\n#\n", Some(TextKind::Ftrace)),
        (
            "cpus=2\n     a-1     0d..2. 1.000000: print: f: x\n",
            Some(TextKind::Ftrace),
        ),
        (
            "     a 1 [000] 1.000000: cpu-clock: 1 x\n",
            Some(TextKind::PerfScript),
        ),
        ("# ========\n# captured on    : Sat\n", None),
        ("cpus=2\n", None),
        ("# CPU,Core,Socket,Node\n0,0,0,0\n", None),
        ("available: 2 nodes (0-1)\nnode 0 cpus: 0 1\n", None),
        ("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", None),
        ("{\"idx\": 1}\n", None),
        (
            "[    0.000000] Linux version 6.1\n[    1.000000] x: y\n",
            None,
        ),
        ("Nov 21 10:06:13 host kernel: [12345.678901] a: b\n", None),
        ("", None),
        ("\u{0}\u{1}\u{2}", None),
    ] {
        assert_eq!(sniff(text.as_bytes()), kind, "{text:?}");
    }
}

#[test]
fn damage_is_one_sentence_with_its_line() {
    let good = format!("     a-1     [000] .....  1.000000: {SWITCH}\n");
    for (bad, expected) in [
        (
            format!("{}\n", &good[..60]).as_str(),
            "line 3: expected the fields of sched_switch, found \"prev_comm=\"",
        ),
        (
            "     a-1     [000] .....  1.00\n",
            "line 3: expected an event line \"task-pid [cpu] flags seconds: event: ...\", found \"     a-1     [000] .....  1.00\"",
        ),
        (
            "\u{7}x\n",
            "line 3: expected an event line \"task-pid [cpu] flags seconds: event: ...\", found \"\\u{7}x\"",
        ),
    ] {
        assert_eq!(sentence(format!("{good}{good}{bad}").as_bytes()), expected);
    }
    assert!(sentence(b"").starts_with("line 1: expected event lines of tracefs"));
    let numbers = "no CPU\n";
    assert!(sentence(numbers.as_bytes()).ends_with("found \"no CPU\""));
}

#[test]
fn a_tolerant_reading_tells_what_it_left_out() {
    let line = |us: u32, cpu: u32| format!("     a-1     [00{cpu}] .....  1.{us:06}: {SWITCH}\n");
    let cut = &line(3, 1)[..70];
    let text = [
        &line(1, 0),
        "bad\nbad\n",
        &line(2, 1),
        cut,
        "\n",
        &line(4, 0),
        &line(5, 1),
        "bad\n",
    ]
    .concat();
    assert!(
        matches!(support::read(text.as_bytes(), false).1, Err(numalens_columns::DecodeError::Input(error)) if error.place == Place::Line(2))
    );
    let (sink, result) = support::read(text.as_bytes(), true);
    let recording = result.unwrap();
    assert_eq!(recording.summary.events, 4);
    let skipped: Vec<_> = sink
        .skipped
        .iter()
        .map(|skipped| (skipped.range.clone(), skipped.cpu))
        .collect();
    assert_eq!(skipped, [(2..4, None), (8..9, None), (5..6, Some(1))]);
    assert_eq!(
        sink.memory
            .lost
            .iter()
            .map(|lost| (lost.cpu, lost.count, lost.seq))
            .collect::<Vec<_>>(),
        [(1, None, 3)]
    );
}

#[test]
fn a_header_of_perf_alone_is_no_recording_unless_it_goes_on() {
    let alone = "# ========\n# captured on    : Sat Nov 21 01:57:01 2026\n# header version : 1\n# ========\n#\n";
    assert_eq!(sniff(alone.as_bytes()), None);
    let note = "# event : name = sched:sched_switch, , id = { 1, 2, 3, 4 }\n";
    let long = alone.replacen("# ========\n#\n", &note.repeat(2_000), 1);
    assert!(long.len() > 64 << 10);
    assert_eq!(sniff(long.as_bytes()), Some(TextKind::PerfScript));
    let event = format!("{alone}a 1 [000] 1.000000: sched:{SWITCH}\n");
    assert_eq!(sniff(event.as_bytes()), Some(TextKind::PerfScript));
    // tracefs without events prints its header and nothing else.
    let quiet = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n#\n";
    assert_eq!(sniff(quiet.as_bytes()), Some(TextKind::Ftrace));
}
