//! Results of benchmarks. The outputs of sysbench 1.0.20, pgbench 15.18 and hackbench (rt-tests 2.4) were printed on a machine with two CPUs,
//! shortened by lines without figures. That of schbench is the example of its README, that of NAS one of its UA.S, and the rows of mmtests are
//! from "[PATCH 00/13] Reconcile NUMA balancing decisions with the load balancer v6".
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod support;

use numalens_columns::{DecodeError, ReadOptions, SliceSource};
use numalens_samples::{SampleTableId, read_benchmark, sniff_benchmark};
use support::Kept;

const SYSBENCH: &str = "\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 2
Report intermediate results every 1 second(s)

[ 1s ] thds: 2 tps: 196.39 qps: 3959.83 (r/w/o: 2776.64/786.52/396.66) lat (ms,95%): 19.65 err/s: 0.00 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            4760
        total:                           6797
    transactions:                        339    (166.60 per sec.)
    queries:                             6797   (3340.28 per sec.)
    ignored errors:                      1      (0.49 per sec.)

General statistics:
    total time:                          2.0342s
    total number of events:              339

Latency (ms):
         min:                                    0.49
         avg:                                   11.97
         max:                                 1019.12
         95th percentile:                       20.37
         sum:                                 4058.83

Threads fairness:
    events (avg/stddev):           169.5000/13.50
";

const SYSBENCH_MEMORY: &str = "\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Number of threads: 2
Total operations: 2297593 (2224395.68 per second)

2243.74 MiB transferred (2172.26 MiB/sec)

    total time:                          1.0321s
";

const PGBENCH: &str = "\
pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
number of clients: 2
number of threads: 1
duration: 2 s
number of transactions actually processed: 217
number of failed transactions: 0 (0.000%)
number of transactions skipped: 0 (0.000%)
latency average = 3.152 ms
latency stddev = 3.318 ms
rate limit schedule lag: avg 1.223 (max 8.847) ms
initial connection time = 24.738 ms
tps = 109.896399 (without initial connection time)
";

const HACKBENCH: &str = "\
Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)
Each sender will pass 200 messages of 100 bytes
Time: 0.229
Running in threaded mode with 1 groups using 10 file descriptors each (== 10 tasks)
Each sender will pass 100 messages of 100 bytes
Time: 0.014
";

const SCHBENCH: &str = "\
setting worker threads to 52
Wakeup Latencies percentiles (usec) runtime 5 (s) (15000 total samples)
\t  50.0th: 9          (7806 samples)
\t* 99.0th: 200        (2590 samples)
Wakeup Latencies percentiles (usec) runtime 10 (s) (30212 total samples)
\t  50.0th: 7          (7806 samples)
\t* 99.0th: 175        (2590 samples)
\t  99.9th: 909        (271 samples)
\t  min=1, max=10224
Request Latencies percentiles (usec) runtime 10 (s) (30246 total samples)
\t* 99.0th: 17248      (616 samples)
\t  min=9243, max=27964
RPS percentiles (requests) runtime 10 (s) (1 total samples)
\t* 50.0th: 3020       (0 samples)
\t  min=3017, max=3017
average rps: 3024.60
";

const NAS: &str = "\
 UA Benchmark Completed.
 Class           =                        S
 Size            =                        4
 Iterations      =                       50
 Time in seconds =                    25.31
 Total threads   =                        1
 Avail threads   =                        1
 Mop/s total     =                     0.49
 Mop/s/thread    =                     0.49
 Operation type  =     coll. point advanced
 Verification    =               SUCCESSFUL
 Version         =                    3.3.1
";

const GREP: &str = "\
sp.C.x.defaultRun.008threads.loop01.log: Time in seconds = 125.73
sp.C.x.defaultRun.008threads.loop02.log: Time in seconds = 87.54
";

const MMTESTS: &str = "\
>                                5.6.0-rc1              5.6.0-rc1              5.6.0-rc1
>                              baseline-v3             loadavg-v3          stopsearch-v6
> Hmean     tput-1     43593.49 (   0.00%)    41616.85 (  -4.53%)    42213.29 (  -3.17%)
> Hmean     tput-2     95692.84 (   0.00%)    93196.89 *  -2.61%*    96474.49 *   0.82%*
";

const MMTESTS_ONE: &str = "\
                                   5.6.0-rc1
                                     vanilla
Amean     elapsed-1        46.37 (   0.00%)
Stddev    elapsed-1         0.00 (    nan%)
Ops NUMA hint local percent          87.05
Duration Elapsed 710.20
";

fn read(text: &str, tolerant: bool) -> Result<(Kept, u64), DecodeError> {
    let mut kept = Kept::default();
    let source = SliceSource(text.as_bytes());
    let options = ReadOptions { tolerant };
    let summary = read_benchmark(&source, "b.txt", &options, &mut kept, &mut |_, _| {})?;
    Ok((kept, summary.rows))
}

/// The figures of a text: tool, setup, name, column, value, unit, direction, percent and star, of what there is.
fn figures(text: &str) -> String {
    assert!(sniff_benchmark(text.as_bytes()), "{text}");
    let rows = read(text, false).unwrap().0.rows(SampleTableId::Benchmarks);
    rows.join("\n")
}

fn refused(text: &str) -> String {
    assert!(sniff_benchmark(text.as_bytes()), "{text}");
    let Err(error) = read(text, false) else {
        panic!("{text}")
    };
    error.to_string()
}

#[test]
fn sysbench_has_rates_and_latencies() {
    assert_eq!(
        figures(SYSBENCH),
        "\
tool=sysbench setup=2 threads name=transactions value=166.6 unit=/s better=higher star=false
tool=sysbench setup=2 threads name=queries value=3340.28 unit=/s better=higher star=false
tool=sysbench setup=2 threads name=ignored errors value=0.49 unit=/s better=lower star=false
tool=sysbench setup=2 threads name=total time value=2.0342 unit=s better=neither star=false
tool=sysbench setup=2 threads name=mean latency value=11.97 unit=ms better=lower star=false
tool=sysbench setup=2 threads name=longest latency value=1019.12 unit=ms better=lower star=false
tool=sysbench setup=2 threads name=p95 latency value=20.37 unit=ms better=lower star=false"
    );
    assert_eq!(
        figures(SYSBENCH_MEMORY),
        "\
tool=sysbench setup=2 threads name=operations value=2224395.68 unit=/s better=higher star=false
tool=sysbench setup=2 threads name=transferred value=2172.26 unit=MiB/s better=higher star=false
tool=sysbench setup=2 threads name=total time value=1.0321 unit=s better=neither star=false"
    );
}

#[test]
fn pgbench_has_one_rate_in_all_versions() {
    let expected = "\
tool=pgbench setup=TPC-B (sort of), 2 clients name=failed transactions value=0.0 unit= better=lower star=false
tool=pgbench setup=TPC-B (sort of), 2 clients name=skipped transactions value=0.0 unit= better=lower star=false
tool=pgbench setup=TPC-B (sort of), 2 clients name=mean latency value=3.152 unit=ms better=lower star=false
tool=pgbench setup=TPC-B (sort of), 2 clients name=deviation of the latency value=3.318 unit=ms better=lower star=false
tool=pgbench setup=TPC-B (sort of), 2 clients name=transactions value=109.896399 unit=/s better=higher star=false";
    assert_eq!(figures(PGBENCH), expected);
    let old = PGBENCH
        .replace("pgbench (15.18 (Debian 15.18-0+deb12u1))\n", "starting vacuum...end.\n")
        .replace(
            "tps = 109.896399 (without initial connection time)",
            "tps = 109.896399 (excluding connections establishing)\ntps = 99 (including connections establishing)",
        );
    assert_eq!(figures(&old), expected);
}

#[test]
fn each_run_of_a_text_has_its_own_figures() {
    assert_eq!(
        figures(HACKBENCH),
        "\
tool=hackbench setup=80 tasks, process mode name=time value=0.229 unit=s better=lower star=false
tool=hackbench setup=10 tasks, threaded mode name=time value=0.014 unit=s better=lower star=false"
    );
    assert_eq!(
        figures(GREP),
        "\
tool=NAS setup=SP.C, 8 threads name=time value=125.73 unit=s better=lower star=false
tool=NAS setup=SP.C, 8 threads name=time value=87.54 unit=s better=lower star=false"
    );
    let all = [SYSBENCH, PGBENCH, HACKBENCH, SCHBENCH, NAS, MMTESTS].concat();
    let parts = [SYSBENCH, PGBENCH, HACKBENCH, SCHBENCH, NAS, MMTESTS].map(figures);
    assert_eq!(figures(&all), parts.join("\n"));
    assert_eq!(
        figures(&NAS.repeat(3)),
        [figures(NAS).as_str(); 3].join("\n")
    );
    assert_eq!(
        figures(&SCHBENCH.repeat(2)),
        [figures(SCHBENCH).as_str(); 2].join("\n")
    );
}

#[test]
fn the_last_report_of_schbench_is_its_result() {
    assert_eq!(
        figures(SCHBENCH),
        "\
tool=schbench setup= name=p50 wakeup latency value=7.0 unit=us better=lower star=false
tool=schbench setup= name=p99 wakeup latency value=175.0 unit=us better=lower star=false
tool=schbench setup= name=p99.9 wakeup latency value=909.0 unit=us better=lower star=false
tool=schbench setup= name=longest wakeup latency value=10224.0 unit=us better=lower star=false
tool=schbench setup= name=p99 request latency value=17248.0 unit=us better=lower star=false
tool=schbench setup= name=longest request latency value=27964.0 unit=us better=lower star=false
tool=schbench setup= name=p50 requests value=3020.0 unit=/s better=higher star=false
tool=schbench setup= name=requests value=3024.6 unit=/s better=higher star=false"
    );
}

#[test]
fn a_nas_result_names_its_class_and_whether_it_was_verified() {
    assert_eq!(
        figures(NAS),
        "\
tool=NAS setup=UA.S, 1 threads name=time value=25.31 unit=s better=lower star=false
tool=NAS setup=UA.S, 1 threads name=operations value=0.49 unit=Mop/s better=higher star=false"
    );
    let failed = figures(&NAS.replace("SUCCESSFUL", "UNSUCCESSFUL"));
    assert!(
        failed.contains("setup=UA.S, 1 threads, not verified name=time"),
        "{failed}"
    );
}

#[test]
fn a_table_of_mmtests_says_which_way_is_better() {
    assert_eq!(
        figures(MMTESTS),
        "\
tool=mmtests setup= name=Hmean tput-1 column=baseline-v3 value=43593.49 unit= better=higher percent=0.0 star=false
tool=mmtests setup= name=Hmean tput-1 column=loadavg-v3 value=41616.85 unit= better=higher percent=-4.53 star=false
tool=mmtests setup= name=Hmean tput-1 column=stopsearch-v6 value=42213.29 unit= better=higher percent=-3.17 star=false
tool=mmtests setup= name=Hmean tput-2 column=baseline-v3 value=95692.84 unit= better=higher percent=0.0 star=false
tool=mmtests setup= name=Hmean tput-2 column=loadavg-v3 value=93196.89 unit= better=higher percent=-2.61 star=true
tool=mmtests setup= name=Hmean tput-2 column=stopsearch-v6 value=96474.49 unit= better=higher percent=0.82 star=true"
    );
    assert_eq!(
        figures(MMTESTS_ONE),
        "\
tool=mmtests setup= name=Amean elapsed-1 value=46.37 unit= better=lower percent=0.0 star=false
tool=mmtests setup= name=Stddev elapsed-1 value=0.0 unit= better=lower star=false
tool=mmtests setup= name=Ops NUMA hint local percent value=87.05 unit= better=neither star=false
tool=mmtests setup= name=Duration Elapsed value=710.2 unit= better=neither star=false"
    );
    // The name of the row alone would say the opposite.
    let reverse = MMTESTS.replace("41616.85 (  -4.53%)", "41616.85 (   4.53%)");
    assert!(figures(&reverse).starts_with(
        "tool=mmtests setup= name=Hmean tput-1 column=baseline-v3 value=43593.49 unit= better=lower"
    ));
}

#[test]
fn what_is_no_result_is_refused_with_its_line() {
    let interrupted = |text: &str, line: &str| {
        let end = text.find(line).unwrap();
        refused(&text[..end])
    };
    assert_eq!(
        interrupted(SYSBENCH, "    total time"),
        "line 1: expected \"total time:\" in the result of sysbench, found a run without it, which was probably interrupted"
    );
    assert!(
        interrupted(PGBENCH, "tps")
            .starts_with("line 1: expected \"tps =\" in the result of pgbench")
    );
    assert!(
        interrupted(HACKBENCH, "Time: 0.014")
            .starts_with("line 4: expected \"Time:\" in the result of hackbench")
    );
    assert!(interrupted(SCHBENCH, "\t  50.0th: 9").starts_with("line 2: expected \"percentiles\""));
    assert!(interrupted(NAS, " Time").starts_with("line 1: expected \"Time in seconds =\""));
    for odd in [
        "nan",
        "inf",
        "1e999",
        "-1",
        "9".repeat(400).as_str(),
        "",
        "x",
    ] {
        for (text, good) in [
            (SYSBENCH, "166.60"),
            (PGBENCH, "109.896399"),
            (HACKBENCH, "0.229"),
            (SCHBENCH, "3024.60"),
            (NAS, "25.31"),
            (GREP, "87.54"),
        ] {
            let error = refused(&text.replace(good, odd));
            assert!(
                error.starts_with("line ") && error.contains(": expected a number of \""),
                "{error}"
            );
        }
    }
    for odd in ["nan", "inf", "1e999", "x"] {
        let error = refused(&MMTESTS.replace("96474.49", odd));
        assert!(
            error.starts_with("line 4: expected a row of mmtests"),
            "{error}"
        );
    }
    let (kept, rows) = read(&HACKBENCH.replace("0.229", "nan"), true).unwrap();
    assert_eq!((rows, kept.skipped.len()), (1, 2));
}

#[test]
fn other_texts_and_any_damage_do_no_harm() {
    for other in [
        "",
        "hello",
        "Time: 5\n",
        "sysbench is a tool\n",
        "100 (5%) of them\n",
        "Min 5 (a%)\n",
        "time,min\n1,2\n",
    ] {
        assert!(!sniff_benchmark(other.as_bytes()), "{other}");
    }
    for text in [
        SYSBENCH,
        PGBENCH,
        HACKBENCH,
        SCHBENCH,
        NAS,
        GREP,
        MMTESTS,
        MMTESTS_ONE,
    ] {
        for end in 0..text.len() {
            let _ = read(&text[..end], true).unwrap();
            let _ = read(&format!("{}%*é(%){}", &text[..end], &text[end..]), true).unwrap();
            let _ = read(&text[end..], false);
        }
    }
}
