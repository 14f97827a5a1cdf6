//! The index against the slow and simple way, on any events.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use numalens_core::bounds::LATEST_NS;
use numalens_core::topology::Node;
use numalens_replay::timeline::{Index, Lane};
use numalens_support::recordings::{Ev, Item, REAL_TIME, What, comm, config, index, items};
use numalens_support::truth::{Truth, truth};
use proptest::prelude::*;

const CPUS: u32 = 4;

fn nodes() -> Vec<Node> {
    vec![
        Node {
            nid: 0,
            cpus: vec![0, 1, 2],
        },
        Node {
            nid: 3,
            cpus: vec![3],
        },
        Node {
            nid: 5,
            cpus: vec![],
        },
    ]
}

fn lanes() -> Vec<Lane<'static>> {
    let mut lanes: Vec<Lane> = (0..CPUS).map(Lane::Cpu).collect();
    lanes.extend([
        Lane::Node(0),
        Lane::Node(3),
        Lane::Node(5),
        Lane::Node(9),
        Lane::Cpu(999),
    ]);
    lanes
}

fn what() -> impl Strategy<Value = What> {
    let pid = (0..7_i32).prop_map(|pid| if pid == 6 { REAL_TIME } else { pid });
    let cpu = 0..CPUS as i32;
    prop_oneof![
        8 => (pid.clone(), prop_oneof![Just(0_i64), Just(1), Just(2), Just(0x100), Just(0x80)], pid.clone())
            .prop_map(|(prev, state, next)| What::Switch { prev, state, next }),
        2 => (pid.clone(), cpu.clone()).prop_map(|(pid, target)| What::Waking { pid, target }),
        3 => (pid.clone(), cpu.clone()).prop_map(|(pid, target)| What::Wakeup { pid, target }),
        1 => (pid.clone(), cpu).prop_map(|(pid, dest)| What::Migrate { pid, dest }),
        1 => pid.prop_map(|pid| What::Free { pid }),
        1 => Just(What::Lost),
        1 => (0..4).prop_map(|n| if n == 0 { What::Pause } else { What::Lost }),
    ]
}

/// Events whose gaps in time range from none to long, so that some places are dense and others are not.
pub(crate) fn events() -> impl Strategy<Value = Vec<Ev>> {
    let gap = prop_oneof![2 => Just(0_u64), 6 => 1..20_u64, 2 => 20..2000_u64, 1 => 10_000..1_000_000_u64];
    let event = (gap, 0..CPUS, what());
    (0..1_000_000_u64, prop::collection::vec(event, 1..900)).prop_map(|(mut ts, events)| {
        let mut made: Vec<Ev> = Vec::new();
        for (gap, cpu, what) in events {
            ts += gap;
            made.push(Ev { ts, cpu, what });
        }
        in_merge_order(made)
    })
}

/// Marks of lost events, then pauses, come after all other events of their time.
fn in_merge_order(mut events: Vec<Ev>) -> Vec<Ev> {
    events.sort_by_key(|event| {
        (
            event.ts,
            event.what == What::Pause,
            event.what == What::Lost,
        )
    });
    events
}

fn near(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-6 * scale.max(1.0)
}

/// Every item of a CPU says what is true, and nothing that is true is left out.
fn check_cpu(
    index: &Index,
    truth: &Truth,
    cpu: u32,
    lane: u16,
    window: (u64, u64, u32),
    all: &[Item],
) {
    let (from, to, px) = window;
    let mine = |kinds: &[u8]| -> Vec<Item> {
        all.iter()
            .filter(|item| item.lane == lane && kinds.contains(&item.kind))
            .copied()
            .collect()
    };
    let slices = mine(&[1, 2]);
    let mut shown = 0;
    for item in &slices {
        let (start, end) = (item.start as u64, item.end as u64);
        assert!(
            start < to && (end > from || start == end),
            "outside of the window: {item:?}"
        );
        let busy = truth.busy(cpu, start, end);
        assert!(
            near(
                f64::from(item.busy) * (item.end - item.start),
                busy as f64 * f64::from(u8::from(start < end)),
                busy as f64
            ),
            "{item:?} {busy}"
        );
        let pid = index.task(item.task).unwrap().0;
        let sums = truth.by_pid(cpu, start, end);
        let rt: u64 = sums.range(REAL_TIME..).map(|(_, ns)| ns).sum();
        assert!(
            near(
                f64::from(item.rt) * (item.end - item.start),
                rt as f64,
                rt as f64
            ),
            "{item:?} {rt}"
        );
        if item.kind == 1 {
            assert!(
                truth.slices[&cpu].contains(&(start, end, pid)),
                "{item:?} is no slice"
            );
            assert_eq!(item.count, 1);
        } else {
            assert_eq!(
                sums[&pid],
                *sums.values().max().unwrap(),
                "{item:?} {sums:?}"
            );
            assert!(item.count > 1);
        }
        shown += truth.busy(cpu, start.max(from), end.min(to).max(start.max(from)));
    }
    assert_eq!(
        shown,
        truth.busy(cpu, from, to),
        "time on CPU {cpu} is left out"
    );
    assert!(
        slices.windows(2).all(|pair| pair[0].end <= pair[1].start),
        "items overlap"
    );
    for kind in [1, 2, 5] {
        assert!(
            mine(&[kind]).len() <= 2 * px as usize + 3,
            "too many items of kind {kind} for {px} pixels"
        );
    }
    check_steps(truth, &[cpu], &mine(&[5]), (from, to), false);
    let unknown = truth.unknown.get(&cpu).cloned().unwrap_or_default();
    for (kind, lost) in [(3, true), (4, false)] {
        let spans: Vec<_> = unknown
            .iter()
            .filter(|span| span.2 == lost && span.1 > from && span.0 < to)
            .collect();
        let shown: f64 = mine(&[kind])
            .iter()
            .map(|item| f64::from(item.busy) * (item.end - item.start))
            .sum();
        let true_sum: u64 = spans.iter().map(|span| span.1 - span.0).sum();
        assert!(
            near(shown, true_sum as f64, true_sum as f64),
            "kind {kind}: {shown} {true_sum}"
        );
    }
}

fn check_steps(truth: &Truth, cpus: &[u32], items: &[Item], window: (u64, u64), node: bool) {
    let mut known_until = window.0;
    for item in items {
        let (start, end) = (item.start as u64, item.end as u64);
        let (sum, most) = truth.waiting(cpus, start, end);
        assert!(
            near(
                f64::from(item.wait) * (item.end - item.start),
                sum as f64,
                sum as f64
            ),
            "{item:?} {sum}"
        );
        assert_eq!(item.wait_max, most, "{item:?}");
        if node {
            let busy: u64 = cpus.iter().map(|&cpu| truth.busy(cpu, start, end)).sum();
            let shown = f64::from(item.busy) * (item.end - item.start) * cpus.len() as f64;
            assert!(near(shown, busy as f64, busy as f64), "{item:?} {busy}");
        }
        nothing(truth, cpus, known_until, start.min(window.1), node);
        known_until = known_until.max(end);
    }
    nothing(truth, cpus, known_until, window.1, node);
    assert!(
        items.windows(2).all(|pair| pair[0].end <= pair[1].start),
        "items overlap"
    );
}

/// Where there is no item, nothing waits and, on a node, nothing runs.
fn nothing(truth: &Truth, cpus: &[u32], from: u64, to: u64, node: bool) {
    if from < to {
        assert_eq!(truth.waiting(cpus, from, to), (0, 0));
        if node {
            assert_eq!(
                cpus.iter()
                    .map(|&cpu| truth.busy(cpu, from, to))
                    .sum::<u64>(),
                0
            );
        }
    }
}

fn check(events: &[Ev], window: (u64, u64), px: u32) {
    let config = config(events, CPUS, nodes());
    let (index, summary) = index(events, &config);
    let truth = truth(events, CPUS, config.origin_ns, config.end_ns);
    let (from, to) = (window.0.min(truth.end), window.1.min(truth.end));
    let (origin, lanes) = (config.origin_ns, lanes());
    let all = items(
        &index
            .window(&lanes, origin + window.0, origin + window.1, px)
            .unwrap(),
    );
    if from >= to {
        assert!(all.is_empty());
        return;
    }
    for cpu in 0..CPUS {
        check_cpu(&index, &truth, cpu, cpu as u16, (from, to, px), &all);
    }
    for (lane, cpus) in [(CPUS as u16, &[0, 1, 2][..]), (CPUS as u16 + 1, &[3])] {
        let mine: Vec<Item> = all
            .iter()
            .filter(|item| item.lane == lane && item.kind == 0)
            .copied()
            .collect();
        assert!(mine.len() <= 2 * px as usize + 3);
        check_steps(&truth, cpus, &mine, (from, to), true);
    }
    assert!(
        all.iter().all(|item| item.lane <= CPUS as u16 + 1),
        "lanes that do not exist have items"
    );
    let ran: u64 = (0..CPUS).map(|cpu| truth.busy(cpu, 0, truth.end)).sum();
    let mut listed = 0;
    for batch in numalens_core::ipc::IpcFile::open(
        arrow_buffer::Buffer::from_vec(summary.tasks.write(&[], Vec::new()).unwrap()),
        None,
    )
    .unwrap()
    .into_batches()
    {
        let batch = batch.unwrap();
        let run = batch
            .column(3)
            .as_any()
            .downcast_ref::<arrow_array::UInt64Array>()
            .unwrap()
            .clone();
        listed += run.values().iter().sum::<u64>();
    }
    assert_eq!(listed, ran, "the tasks' times are not the CPUs' times");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pictures_are_true(events in events(), from in 0.0..1.0_f64, share in 0.0..1.2_f64, px in 1..24_u32) {
        let span = events.last().unwrap().ts - events[0].ts;
        let from = (from * span as f64) as u64;
        check(&events, (from, from + (share * share * share * span as f64) as u64 + 1), px);
        check(&events, (0, span + 1), px);
    }

    #[test]
    fn a_shift_in_time_shifts_the_picture(events in events(), shift in 0..u64::from(u32::MAX), px in 1..24_u32) {
        let shifted: Vec<Ev> = events.iter().map(|event| Ev { ts: event.ts + shift, ..*event }).collect();
        let (a, b) = (config(&events, CPUS, nodes()), config(&shifted, CPUS, nodes()));
        let (here, there) = (index(&events, &a).0, index(&shifted, &b).0);
        let here = here.window(&lanes(), a.origin_ns, a.end_ns, px).unwrap();
        let there = there.window(&lanes(), b.origin_ns, b.end_ns, px).unwrap();
        prop_assert_eq!(items(&here), items(&there));
    }

    #[test]
    fn a_node_is_the_sum_of_its_cpus(events in events(), px in 1..24_u32) {
        let config = config(&events, CPUS, nodes());
        let (index, _) = index(&events, &config);
        let all = items(&index.window(&lanes(), config.origin_ns, config.end_ns, px).unwrap());
        let busy = |lane: u16, kinds: &[u8]| -> f64 {
            let mine = all.iter().filter(|item| item.lane == lane && kinds.contains(&item.kind));
            mine.map(|item| f64::from(item.busy) * (item.end - item.start)).sum()
        };
        let cpus: f64 = (0..3).map(|cpu| busy(cpu, &[1, 2])).sum();
        prop_assert!(near(3.0 * busy(CPUS as u16, &[0]), cpus, cpus));
        let waiting = |lane: u16, kind: u8| -> f64 {
            let mine = all.iter().filter(|item| item.lane == lane && item.kind == kind);
            mine.map(|item| f64::from(item.wait) * (item.end - item.start)).sum()
        };
        let cpus: f64 = (0..3).map(|cpu| waiting(cpu, 5)).sum();
        prop_assert!(near(waiting(CPUS as u16, 0), cpus, cpus));
    }

    #[test]
    fn slices_are_found_again(events in events()) {
        let config = config(&events, CPUS, nodes());
        let (index, _) = index(&events, &config);
        let truth = truth(&events, CPUS, config.origin_ns, config.end_ns);
        for (&cpu, slices) in &truth.slices {
            for &(start, end, pid) in slices.iter().filter(|slice| slice.0 < slice.1) {
                let found = index.slice_at(cpu, config.origin_ns + start).unwrap().unwrap();
                prop_assert_eq!((found.pid, &found.comm), (pid, &comm(pid)));
                prop_assert_eq!(found.start_ns, (config.origin_ns + start).to_string());
                prop_assert_eq!(found.end_ns, (config.origin_ns + end).to_string());
            }
        }
        for pid in 1..7 {
            let starts = |ok: &dyn Fn(u64) -> bool| -> Vec<u64> {
                let all = truth.slices.values().flatten().filter(|slice| slice.2 == pid && ok(slice.0));
                all.map(|slice| slice.0).collect()
            };
            let middle = truth.end / 2;
            let next = index.next_slice(pid, config.origin_ns + middle, true).unwrap();
            let prev = index.next_slice(pid, config.origin_ns + middle, false).unwrap();
            let text = |time: Option<u64>| time.map(|time| (config.origin_ns + time).to_string());
            prop_assert_eq!(next.map(|slice| slice.start_ns), text(starts(&|start| start > middle).into_iter().min()));
            prop_assert_eq!(prev.map(|slice| slice.start_ns), text(starts(&|start| start < middle).into_iter().max()));
        }
    }

    #[test]
    fn events_may_be_missing(events in events(), keep in prop::collection::vec(any::<bool>(), 900)) {
        let kept: Vec<Ev> = events.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(event, _)| event).collect();
        if let Some(last) = kept.last() {
            check(&kept, (0, last.ts - kept[0].ts + 1), 5);
        }
    }

    #[test]
    fn anything_goes_in(events in prop::collection::vec(hostile(), 0..200), from: u64, to: u64, px: u32) {
        let config = config(&events, 2, nodes());
        let (index, _) = index(&events, &config);
        let odd = [Lane::Node(0), Lane::Node(u32::MAX), Lane::Cpu(u32::MAX), Lane::Cpu(1 << 31), Lane::Cpu(0), Lane::Cpu(1)];
        for (from, to) in [(from, to), (0, u64::MAX), (config.origin_ns, config.end_ns)] {
            for item in items(&index.window(&odd, from, to, px).unwrap()) {
                prop_assert!(item.start <= item.end && item.busy.is_finite() && item.wait.is_finite());
            }
            let _ = (index.slice_at(0, from), index.slice_at(u32::MAX, to), index.next_slice(1, from, true), index.next_slice(i32::MIN, to, false));
        }
    }
}

pub(crate) fn hostile() -> impl Strategy<Value = Ev> {
    // Later times are refused before a replay.
    let number = prop_oneof![0..3_u64, Just(LATEST_NS - 1), Just(1 << 61), 0..LATEST_NS];
    let (cpu, pid) = (
        prop_oneof![4 => 0..3_u32, 1 => any::<u32>()],
        prop_oneof![4 => 0..4_i32, 1 => any::<i32>()],
    );
    let what =
        (pid.clone(), any::<i64>(), pid, 0..7).prop_map(|(a, state, b, which)| match which {
            0 | 1 => What::Switch {
                prev: a,
                state: state & 0x1ff,
                next: b,
            },
            2 => What::Waking { pid: a, target: b },
            3 => What::Wakeup { pid: a, target: b },
            4 => What::Migrate { pid: a, dest: b },
            5 => What::Pause,
            _ => What::Lost,
        });
    (number, cpu, what).prop_map(|(ts, cpu, what)| Ev { ts, cpu, what })
}
