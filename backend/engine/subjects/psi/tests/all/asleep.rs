//! Uninterruptible sleeps of recordings that lack switches.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use numalens_bundle::{IngestRequest, Memory, Open, Progress, ingest};
use numalens_psi::sections::blocked::Asleep;
use numalens_subject::{Context, Window};

/// A child wakes its parent after 122 µs. If `runs`, the switch to the parent is recorded; its next switch is in both.
fn recording(runs: bool) -> String {
    let switch = |us: u64, from: (&str, i32), state: &str, to: (&str, i32)| {
        format!(
            " {0}-{1} [001] d..2. 1.{us:06}: sched_switch: prev_comm={0} prev_pid={1} prev_prio=120 prev_state={state} ==> next_comm={2} next_pid={3} next_prio=120\n",
            from.0, from.1, to.0, to.1
        )
    };
    let wake = |us: u64| {
        let event = |name: &str| {
            format!(
                " child-20 [000] d..2. 1.{us:06}: {name}: comm=parent pid=10 prio=120 target_cpu=001\n"
            )
        };
        event("sched_waking") + &event("sched_wakeup")
    };
    let (idle, parent) = (("swapper", 0), ("parent", 10));
    let mut text = "# tracer: nop\n#\n".to_owned();
    text += &switch(100, idle, "R", parent);
    text += &switch(205, parent, "D", idle);
    text += &wake(327);
    if runs {
        text += &switch(340, idle, "R", parent);
    }
    text += &switch(622, parent, "S", idle);
    text += &wake(343_027);
    text += &switch(343_036, idle, "R", parent);
    text + &switch(400_000, parent, "S", idle)
}

/// Time that tasks slept uninterruptibly, ns.
fn slept_ns(runs: bool) -> u64 {
    let files = Memory::default();
    let request = IngestRequest {
        inputs: vec![(
            "trace.txt".to_owned(),
            Box::new(recording(runs).into_bytes()),
        )],
        ..IngestRequest::default()
    };
    ingest(request, &files, &mut Progress::new(None)).unwrap();
    let open = Context::new(Open::new(Arc::new(files)).unwrap());
    let window = Window {
        from_ns: open.index.origin_ns(),
        to_ns: open.index.end_ns(),
    };
    let asleep = Asleep::of(&open, window).unwrap();
    asleep.facts(window).tasks.iter().map(|task| task.ns).sum()
}

#[test]
fn a_wakeup_ends_a_sleep_even_if_the_switch_after_it_is_missing() {
    assert_eq!(slept_ns(true), 122_000);
    assert_eq!(slept_ns(false), 122_000);
}
