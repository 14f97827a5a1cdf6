//! The kernel's records of switches (`PERF_RECORD_SWITCH`, `PERF_RECORD_SWITCH_CPU_WIDE`) as rows of `sched_switch`.
//!
//! A switch has two records: one of the leaving task and one of the coming task. Those of a whole CPU also name the other
//! task, so the first is enough. Those of single tasks do not: a switch is known where one task leaves and another one comes
//! next.

use std::collections::HashMap;

use numalens_event_format::{Endian, EventFormat};

/// Flags of such a record (`include/uapi/linux/perf_event.h`).
const OUT: u16 = 1 << 13;
const PREEMPTED: u16 = 1 << 14;
/// Priority of a task when no record has it.
const USUAL: i32 = 120;
/// Names that are kept.
const MOST_NAMES: usize = 1 << 20;
/// Bytes of a task's name.
const COMM: usize = 16;

/// A switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Switch {
    pub(crate) prev: i32,
    /// The task that left could have run on.
    pub(crate) preempted: bool,
    pub(crate) next: i32,
}

/// Task on each CPU, and names of tasks.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    /// By CPU, the task that came last.
    current: HashMap<u32, i32>,
    /// By CPU, a task that left, and whether it was preempted; who came instead is not known yet.
    left: HashMap<u32, (i32, bool)>,
    names: HashMap<i32, Vec<u8>>,
}

impl Switches {
    /// The switch that a record shows: that of `task` on `cpu`, with the other one where the record names it.
    pub(crate) fn take(
        &mut self,
        cpu: u32,
        misc: u16,
        task: i32,
        other: Option<i32>,
    ) -> Option<Switch> {
        let preempted = misc & PREEMPTED != 0;
        let switch = if misc & OUT == 0 {
            let (prev, preempted) = match (self.left.remove(&cpu), other) {
                (Some(left), _) => left,
                (None, Some(prev)) if self.current.get(&cpu) != Some(&task) => (prev, false),
                _ => return None,
            };
            Switch {
                prev,
                preempted,
                next: task,
            }
        } else if let Some(next) = other {
            Switch {
                prev: task,
                preempted,
                next,
            }
        } else {
            self.left.insert(cpu, (task, preempted));
            return None;
        };
        self.current.insert(cpu, switch.next);
        // A task that comes back itself shows nothing of who ran in between.
        (switch.prev != switch.next).then_some(switch)
    }

    /// Takes in what a task is called.
    pub(crate) fn name(&mut self, tid: i32, comm: &[u8]) {
        if self.names.len() < MOST_NAMES {
            self.names.insert(tid, comm.to_vec());
        }
    }

    /// The bytes of a switch, laid out as in [`format`].
    pub(crate) fn record(&self, switch: Switch, endian: Endian, out: &mut Vec<u8>) {
        out.clear();
        let sides = [
            (switch.prev, Some(i64::from(!switch.preempted))),
            (switch.next, None),
        ];
        for (pid, state) in sides {
            let mut comm = [0; COMM];
            let name = match pid {
                0 => b"swapper",
                pid => self.names.get(&pid).map_or(&b"<...>"[..], Vec::as_slice),
            };
            for (to, from) in comm[..COMM - 1].iter_mut().zip(name) {
                *to = *from;
            }
            out.extend_from_slice(&comm);
            let bytes = |number: i32| match endian {
                Endian::Little => number.to_le_bytes(),
                Endian::Big => number.to_be_bytes(),
            };
            out.extend_from_slice(&bytes(pid));
            out.extend_from_slice(&bytes(USUAL));
            let long = state.map(|state| match endian {
                Endian::Little => state.to_le_bytes(),
                Endian::Big => state.to_be_bytes(),
            });
            out.extend(long.into_iter().flatten());
        }
    }
}

/// The format of the rows.
pub(crate) fn format() -> EventFormat {
    const TEXT: &[u8] = b"name: sched_switch
ID: 0
format:
\tfield:char prev_comm[16];\toffset:0;\tsize:16;\tsigned:0;
\tfield:pid_t prev_pid;\toffset:16;\tsize:4;\tsigned:1;
\tfield:int prev_prio;\toffset:20;\tsize:4;\tsigned:1;
\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;
\tfield:char next_comm[16];\toffset:32;\tsize:16;\tsigned:0;
\tfield:pid_t next_pid;\toffset:48;\tsize:4;\tsigned:1;
\tfield:int next_prio;\toffset:52;\tsize:4;\tsigned:1;

print fmt: \"\"
";
    EventFormat::parse(TEXT).unwrap_or_else(|_| EventFormat {
        name: "sched_switch".to_owned(),
        id: 0,
        fields: Vec::new(),
        print_fmt: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switch(prev: i32, preempted: bool, next: i32) -> Switch {
        Switch {
            prev,
            preempted,
            next,
        }
    }

    #[test]
    fn the_records_of_a_cpu_are_one_switch() {
        let mut known = Switches::default();
        assert_eq!(
            known.take(0, OUT | PREEMPTED, 7, Some(8)),
            Some(switch(7, true, 8))
        );
        assert_eq!(known.take(0, 0, 8, Some(7)), None);
        assert_eq!(known.take(0, OUT, 8, Some(0)), Some(switch(8, false, 0)));
        // The record of the task that left is lost.
        assert_eq!(known.take(0, 0, 9, Some(0)), Some(switch(0, false, 9)));
    }

    #[test]
    fn the_records_of_single_tasks_show_which_task_followed() {
        let mut known = Switches::default();
        assert_eq!(known.take(0, 0, 7, None), None);
        assert_eq!(known.take(0, OUT | PREEMPTED, 7, None), None);
        assert_eq!(known.take(1, 0, 9, None), None);
        assert_eq!(known.take(0, 0, 8, None), Some(switch(7, true, 8)));
        // Who ran until it came back is not known.
        assert_eq!(known.take(0, OUT, 8, None), None);
        assert_eq!(known.take(0, 0, 8, None), None);
    }

    #[test]
    fn a_record_has_the_bytes_of_its_format() {
        let format = format();
        assert_eq!(format.fields.len(), 7);
        let mut known = Switches::default();
        known.name(7, b"a-name-of-more-than-16-bytes");
        let mut bytes = Vec::new();
        let one = Switch {
            prev: 7,
            preempted: false,
            next: 0,
        };
        known.record(one, Endian::Little, &mut bytes);
        assert_eq!(bytes.len(), 56);
        assert_eq!(&bytes[..16], b"a-name-of-more-\0");
        assert_eq!(
            &bytes[16..32],
            [7, 0, 0, 0, 120, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(&bytes[32..40], b"swapper\0");
    }
}
