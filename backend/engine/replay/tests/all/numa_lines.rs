//! The cling kernel's lines: their texts, and the log that keeps them.
#![allow(
    clippy::unwrap_used,
    clippy::many_single_char_names,
    clippy::too_many_lines,
    missing_docs
)]

use numalens_replay::numa::{
    Attempt, Attempts, AttemptsWriter, ClingLine, GroupChange, LineRow, Lines, LinesWriter,
    PageBatch, PageLog, Pages, PagesWriter, Partner, Site, TargetFrom, Verdict, cling_line,
};
use numalens_support::recordings::Memory;
use proptest::prelude::*;

#[test]
fn every_line_is_read() {
    let lines = [
        (
            "enable cgroup_id=20 degree=20 scan_period_max=60000 hz=250 jiffies=4294894366 grp=1",
            ClingLine::Enable {
                cgroup_id: 20,
                degree: 20,
                scan_period_max_ms: 60_000,
                hz: 250,
                jiffies: 4_294_894_366,
                grp: 1,
            },
        ),
        (
            "disable gid=715 nr_tasks=5 cgroup_id=68 grp=2",
            ClingLine::Disable {
                gid: 715,
                nr_tasks: 5,
                cgroup_id: 68,
                grp: 2,
            },
        ),
        (
            "join gid=722 pid=713 kind=tg nr_tasks=2 grp=2",
            ClingLine::Member {
                join: true,
                gid: 722,
                pid: 713,
                kind: GroupChange::TaskGroup,
                nr_tasks: 2,
                grp: 2,
            },
        ),
        (
            "leave gid=715 pid=715 kind=exit nr_tasks=5 grp=3",
            ClingLine::Member {
                join: false,
                gid: 715,
                pid: 715,
                kind: GroupChange::Exit,
                nr_tasks: 5,
                grp: 3,
            },
        ),
        (
            "migrate_stat gid=714 pid=723 nid=0 failed=1 F=1024 T=2048 Q=49 busiest_nid=-1 grp=4",
            ClingLine::MigrateStat {
                gid: 714,
                pid: 723,
                nid: 0,
                failed: true,
                f: 1024,
                t: 2048,
                q: 49,
                busiest_nid: -1,
                grp: 4,
            },
        ),
        (
            "timer gid=0 nid=1 F=512 T=512 Q=99 busiest_nid=1 grp=3",
            ClingLine::Timer {
                gid: 0,
                nid: 1,
                f: 512,
                t: 512,
                q: 99,
                busiest_nid: 1,
                grp: 3,
            },
        ),
        (
            "timer_end gid=0 busiest_nid=-1 nr_tasks=0 degree=20 period=1500 jiffies=4294894367 grp=3",
            ClingLine::TimerEnd {
                gid: 0,
                busiest_nid: -1,
                nr_tasks: 0,
                degree: 20,
                period: 1500,
                jiffies: 4_294_894_367,
                grp: 3,
            },
        ),
        (
            "decision site=lb pid=723 snid=0 dnid=1 verdict=cling gid=714 F=0 T=1024 Q=0 busiest_nid=-1 grp=4",
            ClingLine::Decision {
                site: Site::LoadBalance,
                pid: 723,
                snid: 0,
                dnid: 1,
                busy: false,
                gid: 714,
                f: 0,
                t: 1024,
                q: 0,
                busiest_nid: -1,
                grp: 4,
            },
        ),
        (
            "pause_prefer gid=714 pid=723 nid=0 F=4608 T=8192 Q=56 group_faults=2022 max_faults=7 grp=4",
            ClingLine::PausePrefer {
                gid: 714,
                pid: 723,
                nid: 0,
                f: 4608,
                t: 8192,
                q: 56,
                group_faults: 2022,
                max_faults: 7,
                grp: 4,
            },
        ),
        (
            "mem gid=714 pid=714 snid=1 dnid=0 verdict=dst_busy grp=4",
            ClingLine::Memory {
                gid: 714,
                pid: 714,
                snid: 1,
                dnid: 0,
                src_busy: false,
                grp: 4,
            },
        ),
        (
            "show gid=0 nid=1 F=0 T=0 Q=0 busiest_nid=-1 nr_tasks=0 grp=1",
            ClingLine::Show {
                gid: 0,
                nid: 1,
                f: 0,
                t: 0,
                q: 0,
                busiest_nid: -1,
                nr_tasks: 0,
                grp: 1,
            },
        ),
        (
            "setnuma pid=699 old=-1 new=0 cpu=0",
            ClingLine::Setnuma {
                pid: 699,
                old: Some(-1),
                new: 0,
            },
        ),
    ];
    for (text, line) in lines {
        for before in ["", "cling_timer_func: ", "0xffffffff810844e0: "] {
            for after in ["", "\n"] {
                let whole = format!("{before}cling: {text}{after}");
                assert_eq!(cling_line(whole.as_bytes()), Some(line), "{whole}");
            }
        }
        // Each word counts: a line without its last one shows nothing.
        let cut = text.rsplit_once(' ').unwrap().0;
        let line = cling_line(format!("cling: {cut}").as_bytes());
        assert_eq!(line.is_some(), text.starts_with("setnuma"), "{cut}");
    }
}

#[test]
fn the_prefix_may_stand_there_twice() {
    let decision = "cling: decision site=wake pid=1 snid=0 dnid=1 verdict=busy gid=2 F=3 T=4 Q=5 busiest_nid=0 grp=6";
    for before in ["", "task_numa_cling: "] {
        let line = cling_line(format!("{before}{decision}").as_bytes());
        let Some(ClingLine::Decision { site, busy, .. }) = line else {
            panic!("{before}: {line:?}");
        };
        assert_eq!((site, busy), (Site::Wake, true));
    }
}

#[test]
fn other_texts_are_no_lines() {
    for text in [
        "",
        "cling: ",
        "cling",
        "phase start mode=small cling=1",
        "cling: phase",
        "cling: timer gid=x nid=0 F=0 T=0 Q=0 busiest_nid=-1 grp=1",
        "cling: timer nid=0 gid=0 F=0 T=0 Q=0 busiest_nid=-1 grp=1",
        "cling: mem gid=1 pid=1 snid=1 dnid=0 verdict=perhaps grp=4",
        "cling: join gid=1 pid=1 kind=tea nr_tasks=1 grp=1",
        "cling: timer gid=0 nid=0 F=99999999999999999999999 T=0 Q=0 busiest_nid=-1 grp=1",
        // A print that quotes such a line.
        "look: at cling: mem gid=1 pid=1 snid=1 dnid=0 verdict=src_busy grp=4",
    ] {
        assert_eq!(cling_line(text.as_bytes()), None, "{text}");
    }
    assert_eq!(cling_line(b"cling: \xff\xfe"), None);
}

fn any_line() -> impl Strategy<Value = ClingLine> {
    let numbers = (any::<[i32; 5]>(), any::<[u64; 5]>(), any::<u32>());
    (0..12, numbers, any::<bool>(), 0..6_usize).prop_map(|(which, (i, u, grp), yes, pick)| {
        let [gid, pid, nid, dnid, nr_tasks] = i;
        let [f, t, q, a, b] = u;
        let busiest_nid = dnid;
        let sites = [Site::Wake, Site::LoadBalance, Site::Swap];
        let joins = [
            GroupChange::TaskGroup,
            GroupChange::Switch,
            GroupChange::Classic,
            GroupChange::Evacuate,
            GroupChange::Exit,
            GroupChange::Exec,
        ];
        match which {
            0 => ClingLine::Enable {
                cgroup_id: a,
                degree: f as u32,
                scan_period_max_ms: t as u32,
                hz: q as u32,
                jiffies: b,
                grp,
            },
            1 => ClingLine::Disable {
                gid,
                nr_tasks,
                cgroup_id: a,
                grp,
            },
            2 => ClingLine::Member {
                join: yes,
                gid,
                pid,
                kind: joins[pick],
                nr_tasks,
                grp,
            },
            3 => ClingLine::MigrateStat {
                gid,
                pid,
                nid,
                failed: yes,
                f,
                t,
                q,
                busiest_nid,
                grp,
            },
            4 => ClingLine::Timer {
                gid,
                nid,
                f,
                t,
                q,
                busiest_nid,
                grp,
            },
            5 => ClingLine::TimerEnd {
                gid,
                busiest_nid,
                nr_tasks,
                degree: f as u32,
                period: a,
                jiffies: b,
                grp,
            },
            6 => ClingLine::Decision {
                site: sites[pick % 3],
                pid,
                snid: nid,
                dnid: nr_tasks,
                busy: yes,
                gid,
                f,
                t,
                q,
                busiest_nid,
                grp,
            },
            7 => ClingLine::PausePrefer {
                gid,
                pid,
                nid,
                f,
                t,
                q,
                group_faults: a,
                max_faults: b,
                grp,
            },
            8 => ClingLine::Memory {
                gid,
                pid,
                snid: nid,
                dnid,
                src_busy: yes,
                grp,
            },
            9 => ClingLine::Show {
                gid,
                nid,
                f,
                t,
                q,
                busiest_nid,
                nr_tasks,
                grp,
            },
            10 => ClingLine::Setnuma {
                pid,
                old: yes.then_some(dnid),
                new: nid,
            },
            _ => ClingLine::TimerRan,
        }
    })
}

fn any_attempt() -> impl Strategy<Value = Attempt> {
    let numbers = (
        any::<[i32; 12]>(),
        0..1000_u64,
        0..1_u64 << 60,
        any::<u32>(),
    );
    let maybe = (any::<bool>(), any::<bool>());
    (numbers, maybe, 0..9_usize, 0..7_usize).prop_map(
        |((i, start_ns, took_ns, cpu), (with, has_ret), verdict, from)| Attempt {
            start_ns,
            end_ns: start_ns + took_ns,
            cpu,
            pid: i[0],
            tgid: i[1],
            ngid: i[2],
            src_cpu: i[3],
            src_nid: i[4],
            dst_cpu: i[5],
            dst_nid: i[6],
            partner: with.then_some(Partner {
                pid: i[7],
                tgid: i[8],
                ngid: i[9],
            }),
            verdict: [
                Verdict::Unknown,
                Verdict::Moved,
                Verdict::Swapped,
                Verdict::NoCpu,
                Verdict::MoveFailed,
                Verdict::MoveRefused,
                Verdict::SwapRaced,
                Verdict::SwapRefused,
                Verdict::NoDomain,
            ][verdict],
            target_nid: i[10],
            target_from: [
                TargetFrom::Unknown,
                TargetFrom::Entry,
                TargetFrom::TwoNodes,
                TargetFrom::Setnuma,
                TargetFrom::Sample,
                TargetFrom::Destination,
                TargetFrom::LastDestination,
            ][from],
            ret: has_ret.then_some(i[11]),
        },
    )
}

proptest! {
    #[test]
    fn lines_come_back_from_their_log(
        lines in prop::collection::vec((0..1000_u64, any::<u32>(), any::<i32>(), any_line()), 0..50),
        from in 0..1000_u64, to in 0..1000_u64,
    ) {
        let mut rows: Vec<LineRow> = lines.iter()
            .map(|&(ts_ns, cpu, current, line)| LineRow { ts_ns, cpu, current, line }).collect();
        rows.sort_by_key(|row| row.ts_ns);
        let memory = Memory::default();
        let mut writer = LinesWriter::new(memory.writer("lines")).unwrap();
        for row in &rows {
            writer.push(row).unwrap();
        }
        writer.finish().unwrap();
        let log = Lines::open(memory.buffer("lines")).unwrap();
        prop_assert_eq!(log.len(), rows.len());
        let mut back = Vec::new();
        log.scan(from, to, |row| back.push(*row)).unwrap();
        rows.retain(|row| (from..=to).contains(&row.ts_ns));
        prop_assert_eq!(back, rows);
    }

    #[test]
    fn attempts_come_back_from_their_log(
        attempts in prop::collection::vec(any_attempt(), 0..50), from in 0..1000_u64, to in 0..1000_u64,
    ) {
        let mut rows = attempts;
        rows.sort_by_key(|row| row.start_ns);
        let memory = Memory::default();
        let mut writer = AttemptsWriter::new(memory.writer("attempts")).unwrap();
        for row in &rows {
            writer.push(row).unwrap();
        }
        writer.finish().unwrap();
        let mut back = Vec::new();
        Attempts::open(memory.buffer("attempts")).unwrap().scan(from, to, |row| back.push(*row)).unwrap();
        rows.retain(|row| (from..=to).contains(&row.start_ns));
        prop_assert_eq!(back, rows);
    }

    #[test]
    fn texts_never_panic(text in prop::collection::vec(any::<u8>(), 0..80), at in 0..80_usize) {
        let _ = cling_line(&text);
        let mut line = b"task_numa_cling: cling: decision site=wake pid=1 snid=0 dnid=1 verdict=busy gid=2 F=3".to_vec();
        line[at] = text.first().copied().unwrap_or(0);
        let _ = cling_line(&line);
    }
}

#[test]
fn a_log_of_several_batches_is_read_by_window() {
    let memory = Memory::default();
    let mut writer = PagesWriter::new(memory.writer("runs"), memory.writer("pages")).unwrap();
    // Runs of one call, of a few, and of very many.
    let row = |end_ns: u64| PageBatch {
        start_ns: end_ns.is_multiple_of(3).then_some(end_ns / 2),
        end_ns,
        cpu: match end_ns {
            0..10_000 => end_ns as u32,
            10_000..20_000 => (end_ns / 3) as u32,
            _ => 3,
        },
        pid: 9,
        succeeded: end_ns,
        failed: 1,
        reason: 5,
        mode: 0,
        src_nid: -1,
        dst_nid: -1,
    };
    // Three of each time, so that batches end in the middle of a time.
    let rows = (0..200_000_u64).map(|at| row(at / 3));
    for row in rows.clone() {
        writer.push(&row).unwrap();
    }
    writer.finish().unwrap();
    let log = Pages::open(memory.buffer("runs"), memory.buffer("pages")).unwrap();
    assert_eq!(log.len(), 200_000);
    for (from, to) in [
        (0, u64::MAX),
        (0, 0),
        (21_845, 21_846),
        (40_000, 50_000),
        (9, 8),
        (1 << 40, u64::MAX),
    ] {
        let mut back = Vec::new();
        log.scan(from, to, |row| back.push(*row)).unwrap();
        let want: Vec<PageBatch> = rows
            .clone()
            .filter(|row| row.end_ns >= from && row.end_ns <= to)
            .collect();
        assert!(back == want, "{from}..={to}");
        // Every run is what its calls have in common, and none is empty.
        let runs = log.runs(from, to).unwrap();
        let calls: Vec<PageBatch> = runs
            .flat_map(|(run, calls)| {
                assert!(!calls.is_empty());
                calls.iter(run)
            })
            .collect();
        assert!(calls == want, "{from}..={to}");
    }
    let held: PageLog = rows.clone().collect();
    let calls = held.runs().flat_map(|(run, calls)| calls.iter(run));
    assert!(calls.eq(rows.clone()));
    let mut short = PagesWriter::new(memory.writer("short"), memory.writer("calls")).unwrap();
    short.push(&row(1)).unwrap();
    short.finish().unwrap();
    // Runs of other calls are refused.
    assert!(Pages::open(memory.buffer("short"), memory.buffer("pages")).is_err());
    assert!(Lines::open(memory.buffer("pages")).is_err());
}
