//! Times at which CPUs were offline, from `cpuhp` events.
//!
//! A CPU goes through the steps of `cpuhp_hp_states` (`kernel/cpu.c`) one by one: `cpuhp_enter` prints the step and where the
//! CPU is to get, `cpuhp_exit` the step, where it is, and what the step returned. The numbers of steps differ between kernels, but
//! 0 is `CPUHP_OFFLINE` in all of them (`include/linux/cpuhotplug.h`). The CPU's own thread `cpuhp/N` takes it down as far as
//! `CPUHP_TEARDOWN_CPU`; from there another CPU takes it to `CPUHP_OFFLINE`, first by `takedown_cpu`, which returns when the
//! CPU is dead. An offline CPU prints no events: tracepoints are off where `cpu_online` is not set (`__DO_TRACE`,
//! `include/linux/tracepoint.h`).

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use numalens_core::columns::{i32s, u32s, u64s};

use super::kinds::CpuSpan;

/// `CPUHP_OFFLINE`.
const OFFLINE: i32 = 0;

/// Collects the rows of `cpuhp_enter`, `cpuhp_multi_enter` and `cpuhp_exit`.
#[derive(Debug, Clone, Default)]
pub struct Hotplug {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    ts_ns: u64,
    seq: u64,
    /// The CPU that recorded it.
    by: u32,
    /// The CPU whose step it is.
    cpu: u32,
    step: i32,
    edge: Edge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    /// The step begins, on the way to the state `target`.
    Enter { target: i32 },
    /// The step returned `ret`, and the CPU is in `state`.
    Exit { state: i32, ret: i32 },
}

/// Facts about CPUs from the events, each by CPU and time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hotplugged {
    /// Spans in which CPUs were offline.
    pub offline: Vec<CpuSpan>,
    /// Spans in which no task could come to CPUs (`cpu_active`): from `sched_cpu_deactivate`, the first step on the way down,
    /// to `sched_cpu_activate`, the last one on the way up.
    pub inactive: Vec<CpuSpan>,
}

/// Known state of a CPU.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Since when it is offline.
    offline: Option<u64>,
    /// Since when no task can come to it, and the step that began it, where it is known.
    inactive: Option<(u64, Option<i32>)>,
    /// Since when another CPU takes a step on its way up. Of a CPU with no later event it is not known that it is still offline.
    rising: Option<u64>,
    /// True if it was online.
    online: bool,
}

impl Seen {
    /// Follows a row; `target` is that of its step. What ended is added to `found`.
    fn row(&mut self, row: Row, target: i32, found: &mut Hotplugged) {
        let Row {
            ts_ns, cpu, step, ..
        } = row;
        // Who prints events is online.
        let own = row.by == cpu;
        let mut online = own;
        let mut active = false;
        self.rising = None;
        match row.edge {
            Edge::Enter { .. } => {
                self.rising = (!own && target > step).then_some(ts_ns);
                if own && target < step {
                    self.inactive = self.inactive.or(Some((ts_ns, Some(step))));
                }
            }
            Edge::Exit { state, ret } => {
                let done = ret == 0;
                // The step went well on the way up, or failed on the way down.
                let undone = own && done == (target > step);
                active = undone && self.inactive.is_some_and(|since| since.1 == Some(step));
                if !own && done && target == OFFLINE && step > OFFLINE {
                    self.offline = self.offline.or(Some(ts_ns));
                    self.inactive = self.inactive.or(Some((ts_ns, None)));
                    self.online = false;
                } else if !own && done && target > step && state < target && !self.online {
                    // On its way up, and nothing shows that it was ever up.
                    self.offline = self.offline.or(Some(0));
                    self.inactive = self.inactive.or(Some((0, None)));
                }
                if done && target > step && state == target {
                    (online, active) = (true, true);
                }
            }
        }
        let span = |from_ns| CpuSpan {
            cpu,
            from_ns,
            to_ns: Some(ts_ns),
        };
        if online {
            self.online = true;
            found.offline.extend(self.offline.take().map(span));
        }
        if active {
            let since = self.inactive.take();
            found.inactive.extend(since.map(|since| span(since.0)));
        }
    }
}

impl Hotplug {
    /// Returns whether events of this name are needed; text formats lack their system.
    #[must_use]
    pub fn reads(event: &str) -> bool {
        matches!(event, "cpuhp_enter" | "cpuhp_multi_enter" | "cpuhp_exit")
    }

    /// Looks at a batch of such events.
    pub fn observe(&mut self, event: &str, batch: &RecordBatch) {
        let (Some(times), Some(seqs), Some(by)) =
            (u64s(batch, "ts_ns"), u64s(batch, "seq"), u32s(batch, "cpu"))
        else {
            return;
        };
        let exit = event == "cpuhp_exit";
        // The fields and, where a text has their words only, the words before them.
        let fields = if exit {
            [
                ("arg_cpu", "cpu:"),
                ("idx", "step:"),
                ("state", "state:"),
                ("ret", "ret:"),
            ]
        } else {
            let target = ("target", "target:");
            [("arg_cpu", "cpu:"), ("idx", "step:"), target, target]
        };
        let columns = fields.map(|field| i32s(batch, field.0));
        let texts = batch.column_by_name("text");
        let texts = texts.and_then(|array| array.as_string_opt::<i32>());
        for row in 0..batch.num_rows() {
            let value = |at: usize| match (&columns[at], texts) {
                (Some(column), _) => Some(column[row]),
                (None, Some(texts)) => number_after(texts.value(row), fields[at].1),
                (None, None) => None,
            };
            let (Some(cpu), Some(step), Some(first), Some(second)) =
                (value(0), value(1), value(2), value(3))
            else {
                continue;
            };
            self.rows.push(Row {
                ts_ns: times[row],
                seq: seqs[row],
                by: by[row],
                cpu: cpu as u32,
                step,
                edge: if exit {
                    Edge::Exit {
                        state: first,
                        ret: second,
                    }
                } else {
                    Edge::Enter { target: first }
                },
            });
        }
    }

    /// Returns the spans.
    #[must_use]
    pub fn finish(mut self) -> Hotplugged {
        self.rows.sort_unstable();
        let mut cpus: BTreeMap<u32, Seen> = BTreeMap::new();
        let mut targets: BTreeMap<(u32, i32), i32> = BTreeMap::new();
        let mut found = Hotplugged::default();
        for row in self.rows {
            let key = (row.cpu, row.step);
            let target = match row.edge {
                Edge::Enter { target } => {
                    targets.insert(key, target);
                    Some(target)
                }
                Edge::Exit { .. } => targets.remove(&key),
            };
            if let Some(target) = target {
                cpus.entry(row.cpu)
                    .or_default()
                    .row(row, target, &mut found);
            }
        }
        for (cpu, seen) in cpus {
            let span = |from_ns| CpuSpan {
                cpu,
                from_ns,
                to_ns: seen.rising,
            };
            found.offline.extend(seen.offline.map(span));
            let since = seen.inactive.map(|since| since.0);
            found.inactive.extend(since.map(span));
        }
        found
            .offline
            .sort_unstable_by_key(|one| (one.cpu, one.from_ns));
        found
            .inactive
            .sort_unstable_by_key(|one| (one.cpu, one.from_ns));
        found
    }
}

/// The number after a word in a text.
fn number_after(text: &str, word: &str) -> Option<i32> {
    let mut words = text.split_whitespace();
    words.find(|found| *found == word)?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, StringArray, UInt32Array, UInt64Array};

    use super::*;

    /// Numbers of states as Linux 6.12 has them on x86-64.
    const TEARDOWN: i32 = 144;
    const IDLE_DEAD: i32 = 88;
    const ONLINE: i32 = 238;

    /// Time, the CPU that records, the CPU whose step it is, the step, and its edge.
    type Step = (u64, u32, u32, i32, Edge);

    const fn enter(target: i32) -> Edge {
        Edge::Enter { target }
    }

    const fn exit(state: i32, ret: i32) -> Edge {
        Edge::Exit { state, ret }
    }

    /// Times at which CPU 3 was offline, and at which no task could come to it.
    fn found(steps: &[&[Step]]) -> [Vec<(u64, Option<u64>)>; 2] {
        let mut hotplug = Hotplug::default();
        for &(ts_ns, by, cpu, step, edge) in steps.iter().copied().flatten() {
            hotplug.rows.push(Row {
                ts_ns,
                seq: 0,
                by,
                cpu,
                step,
                edge,
            });
        }
        let Hotplugged { offline, inactive } = hotplug.finish();
        [offline, inactive].map(|spans| {
            let spans = spans.into_iter().inspect(|span| assert_eq!(span.cpu, 3));
            spans.map(|span| (span.from_ns, span.to_ns)).collect()
        })
    }

    /// CPU 3 goes down as far as its own thread takes it, at the word of CPU 0; `ret` is what its last step returns.
    fn down(ret: i32) -> Vec<Step> {
        vec![
            (10, 0, 3, ONLINE, enter(TEARDOWN)),
            (11, 3, 3, 237, enter(TEARDOWN)),
            (12, 3, 3, 237, exit(236, 0)),
            (13, 3, 3, 180, enter(TEARDOWN)),
            (14, 3, 3, 180, exit(179, ret)),
            (15, 0, 3, ONLINE, exit(TEARDOWN, ret)),
        ]
    }

    /// CPU 0 takes CPU 3 down, which returns `ret` and leaves it in `state`.
    fn dead(state: i32, ret: i32) -> [Step; 2] {
        [
            (20, 0, 3, TEARDOWN, enter(0)),
            (25, 0, 3, TEARDOWN, exit(state, ret)),
        ]
    }

    /// The steps that follow, of a CPU that is dead.
    const AFTER: [Step; 2] = [(26, 0, 3, 60, enter(0)), (27, 0, 3, 60, exit(59, 0))];

    /// CPU 0 brings CPU 3 up, whose thread continues.
    const UP: [Step; 8] = [
        (50, 0, 3, 60, enter(ONLINE)),
        (51, 0, 3, 60, exit(60, 0)),
        (52, 0, 3, 87, enter(ONLINE)),
        (57, 3, 3, 160, enter(ONLINE)),
        (58, 3, 3, 160, exit(160, 0)),
        (59, 3, 3, 237, enter(ONLINE)),
        (61, 3, 3, 237, exit(237, 0)),
        (65, 0, 3, 87, exit(ONLINE, 0)),
    ];

    #[test]
    fn a_cpu_is_offline_between_its_takedown_and_its_first_event() {
        let dead = dead(IDLE_DEAD, 0);
        let all = found(&[&down(0), &dead, &AFTER, &UP]);
        assert_eq!(all, [vec![(25, Some(57))], vec![(11, Some(61))]]);
        let stays = found(&[&down(0), &dead, &AFTER]);
        assert_eq!(stays, [vec![(25, None)], vec![(11, None)]]);
        // Its own events are lost: it has reached its target in the end.
        let others: Vec<Step> = UP.into_iter().filter(|step| step.1 == 0).collect();
        let all = found(&[&down(0), &dead, &others]);
        assert_eq!(all, [vec![(25, Some(65))], vec![(11, Some(65))]]);
        // The end of the last step is lost as well, or all that it recorded: from that step on it may be up.
        let others = &others[..others.len() - 1];
        let all = found(&[&down(0), &dead, &AFTER, others]);
        assert_eq!(all, [vec![(25, Some(52))], vec![(11, Some(52))]]);
        let all = found(&[&dead, &AFTER, others]);
        assert_eq!(all, [vec![(25, Some(52))], vec![(25, Some(52))]]);
        // A step that ended short of the target leaves it offline.
        let all = found(&[&dead, &AFTER, &others[..2]]);
        assert_eq!(all, [vec![(25, None)], vec![(25, None)]]);
    }

    #[test]
    fn a_cpu_that_comes_up_was_offline_before() {
        let all = found(&[&UP]);
        assert_eq!(all, [vec![(0, Some(57))], vec![(0, Some(65))]]);
    }

    #[test]
    fn a_cpu_that_does_not_go_down_stays_online() {
        // A step of its own fails, and it goes up again.
        let again: [Step; 2] = [
            (16, 3, 3, 237, enter(ONLINE)),
            (17, 3, 3, 237, exit(237, 0)),
        ];
        let all = found(&[&down(-16), &again]);
        assert_eq!(all, [vec![], vec![(11, Some(17))]]);
        // The takedown itself fails.
        let fails = dead(TEARDOWN, -16);
        let later = again.map(|step| (step.0 + 20, step.1, step.2, step.3, step.4));
        let all = found(&[&down(0), &fails, &later]);
        assert_eq!(all, [vec![], vec![(11, Some(37))]]);
        // It goes down half of the way only.
        assert_eq!(found(&[&down(0)]), [vec![], vec![(11, None)]]);
        // Its first step fails.
        let first: [Step; 2] = [
            (11, 3, 3, 237, enter(TEARDOWN)),
            (13, 3, 3, 237, exit(236, -16)),
        ];
        assert_eq!(found(&[&first]), [vec![], vec![(11, Some(13))]]);
    }

    #[test]
    fn installing_a_step_moves_no_cpu() {
        // `cpuhp_setup_state` and `cpuhp_remove_state` call steps of CPUs that are online.
        let steps: [Step; 4] = [
            (10, 0, 3, 60, enter(ONLINE)),
            (11, 0, 3, 60, exit(ONLINE, 0)),
            (12, 3, 3, 190, enter(ONLINE)),
            (13, 3, 3, 190, exit(ONLINE, 0)),
        ];
        assert_eq!(found(&[&steps]), [vec![], vec![]]);
    }

    #[test]
    fn fields_and_texts_are_read() {
        let times: ArrayRef = Arc::new(UInt64Array::from(vec![10]));
        let by: ArrayRef = Arc::new(UInt32Array::from(vec![0]));
        let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
        let number = |number: i32| -> ArrayRef { Arc::new(Int32Array::from(vec![number])) };
        let common = || {
            let seq = Arc::clone(&times);
            vec![
                ("ts_ns", Arc::clone(&times)),
                ("seq", seq),
                ("cpu", Arc::clone(&by)),
            ]
        };
        let read = |event: &str, columns: Vec<(&str, ArrayRef)>| {
            let mut hotplug = Hotplug::default();
            let columns = common().into_iter().chain(columns);
            hotplug.observe(event, &RecordBatch::try_from_iter(columns).unwrap());
            hotplug.rows
        };
        let fields = vec![
            ("arg_cpu", number(3)),
            ("state", number(87)),
            ("idx", number(145)),
            ("ret", number(-16)),
        ];
        let texts = vec![("text", text("cpu: 0003  state:  87 step: 145 ret: -16"))];
        let row = Row {
            ts_ns: 10,
            seq: 10,
            by: 0,
            cpu: 3,
            step: 145,
            edge: exit(87, -16),
        };
        assert_eq!(read("cpuhp_exit", fields), [row]);
        assert_eq!(read("cpuhp_exit", texts), [row]);
        let texts = vec![(
            "text",
            text("cpu: 0003 target:   0 step: 145 (takedown_cpu)"),
        )];
        let edge = enter(0);
        assert_eq!(read("cpuhp_enter", texts), [Row { edge, ..row }]);
        let other = vec![("text", text("target: 145 step: 3"))];
        assert_eq!(read("cpuhp_enter", other), []);
    }
}
