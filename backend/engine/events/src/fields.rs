//! The columns of one batch, by what its rows mean.

use arrow_array::RecordBatch;
use arrow_buffer::ScalarBuffer;
use numalens_core::columns::{Texts, i32s, i64s, u8s};

use super::{EndStates, Entity, Event, Kind, Pick, Switched};

/// The columns that the rows of a kind need.
pub(super) enum Fields {
    Switch(Box<Switch>),
    Wake(Wake),
    One(ScalarBuffer<i32>),
    Fork(ScalarBuffer<i32>, ScalarBuffer<i32>),
    Migrate(
        ScalarBuffer<i32>,
        Option<ScalarBuffer<i32>>,
        ScalarBuffer<i32>,
    ),
    Attach(ScalarBuffer<i32>, Texts, Option<ScalarBuffer<i32>>),
    /// Numbers by the place of their names in [`ENTITY`] or [`PICK`], and the one that not all kernels have.
    Numbers(Box<[ScalarBuffer<i64>]>, Option<ScalarBuffer<i64>>),
    /// Time and CPU say all.
    Bare,
    /// A field that the replay cannot do without is missing: the table says nothing.
    Useless,
}

/// Fields of a probe of `__enqueue_entity`.
const ENTITY: [&str; 8] = [
    "arg_cpu", "entity", "cfs_rq", "parent", "group", "pid", "vruntime", "deadline",
];
/// Fields of a probe of the return of `pick_eevdf`.
const PICK: [&str; 12] = [
    "arg_cpu",
    "cfs_rq",
    "entity",
    "deadline",
    "zero",
    "sum",
    "load",
    "current",
    "current_on_rq",
    "current_vruntime",
    "current_deadline",
    "current_weight",
];
/// Priority of a task of nice 0 (`DEFAULT_PRIO`, `include/linux/sched/prio.h`).
const NORMAL_PRIO: i32 = 120;
/// `CPU_NEWLY_IDLE` (`enum cpu_idle_type`, `include/linux/sched/idle.h`).
const NEWLY_IDLE: i32 = 2;

pub(super) struct Switch {
    prev: Side,
    state: ScalarBuffer<i64>,
    next: Side,
}

struct Side {
    pid: ScalarBuffer<i32>,
    comm: Option<Texts>,
    prio: Option<ScalarBuffer<i32>>,
}

pub(super) struct Wake {
    pid: ScalarBuffer<i32>,
    comm: Option<Texts>,
    target_cpu: Option<ScalarBuffer<i32>>,
    success: Option<ScalarBuffer<i32>>,
    waker: Option<ScalarBuffer<i32>>,
    flags: Option<ScalarBuffer<u8>>,
}

impl Side {
    fn find(batch: &RecordBatch, [pid, comm, prio]: [&str; 3]) -> Option<Self> {
        Some(Self {
            pid: i32s(batch, pid)?,
            comm: Texts::find(batch, comm),
            prio: i32s(batch, prio),
        })
    }

    #[inline]
    fn get(&self, row: usize) -> Switched<'_> {
        Switched {
            pid: self.pid[row],
            comm: self.comm.as_ref().map_or(&[], |comm| comm.get(row)),
            // Without a priority nothing says that a task is a real-time one.
            prio: self.prio.as_ref().map_or(NORMAL_PRIO, |prio| prio[row]),
        }
    }
}

impl Fields {
    pub(super) fn find(kind: Kind, batch: &RecordBatch) -> Self {
        let pid = |name| i32s(batch, name);
        let found = match kind {
            Kind::Switch => Self::switch(batch),
            Kind::Waking | Kind::Wakeup | Kind::WakeupNew => pid("pid").map(|pid| {
                Self::Wake(Wake {
                    pid,
                    comm: Texts::find(batch, "comm"),
                    target_cpu: i32s(batch, "target_cpu"),
                    success: i32s(batch, "success"),
                    waker: i32s(batch, "common_pid"),
                    flags: u8s(batch, "common_flags"),
                })
            }),
            Kind::Migrate => pid("pid")
                .zip(i32s(batch, "dest_cpu"))
                .map(|(pid, cpu)| Self::Migrate(pid, i32s(batch, "orig_cpu"), cpu)),
            Kind::Fork => pid("parent_pid")
                .zip(pid("child_pid"))
                .map(|(parent, child)| Self::Fork(parent, child)),
            Kind::Free | Kind::Exit => pid("pid").map(Self::One),
            Kind::StallEnter | Kind::StallLeave | Kind::NumaScanEntry | Kind::NumaScanReturn => {
                pid("common_pid").map(Self::One)
            }
            Kind::CgroupAttach => pid("pid")
                .zip(Texts::find(batch, "dst_path"))
                .map(|(pid, path)| Self::Attach(pid, path, i32s(batch, "dst_root"))),
            Kind::SoftirqEntry
            | Kind::SoftirqExit
            | Kind::SoftirqRaise
            | Kind::TakenBegin
            | Kind::TakenEnd => pid("vec").map(Self::One),
            Kind::BalanceEntry => pid("idle").map(Self::One),
            Kind::Entity => Self::numbers(batch, &ENTITY, "slice"),
            Kind::Pick => Self::numbers(batch, &PICK, "shift"),
            Kind::IrqEntry
            | Kind::IrqExit
            | Kind::NewIdleEntry
            | Kind::NewIdleReturn
            | Kind::BalanceReturn => Some(Self::Bare),
        };
        found.unwrap_or(Self::Useless)
    }

    fn switch(batch: &RecordBatch) -> Option<Self> {
        Some(Self::Switch(Box::new(Switch {
            prev: Side::find(batch, ["prev_pid", "prev_comm", "prev_prio"])?,
            state: i64s(batch, "prev_state")?,
            next: Side::find(batch, ["next_pid", "next_comm", "next_prio"])?,
        })))
    }

    fn numbers(batch: &RecordBatch, names: &[&str], optional: &str) -> Option<Self> {
        let columns: Option<Box<[_]>> = names.iter().map(|name| i64s(batch, name)).collect();
        Some(Self::Numbers(columns?, i64s(batch, optional)))
    }

    /// Returns whether the row counts.
    #[inline]
    pub(super) fn says(&self, row: usize) -> bool {
        match self {
            // Before Linux 4.3 a wake-up could be recorded that woke no task (`success=0`).
            Self::Wake(Wake {
                success: Some(success),
                ..
            }) => success[row] != 0,
            // The default hierarchy is number 0 (`cgroup_init_root_id` gives it the first number); only that one has
            // pressure, the others are those of cgroup1.
            Self::Attach(_, _, Some(root)) => root[row] == 0,
            Self::Useless => false,
            _ => true,
        }
    }

    /// The row, which was recorded by `cpu`, as an event.
    #[inline]
    pub(super) fn event<'a>(
        &'a self,
        kind: Kind,
        row: usize,
        cpu: u32,
        states: &'a mut EndStates,
    ) -> Option<Event<'a>> {
        Some(match self {
            Self::Switch(fields) => Event::Switch {
                prev: fields.prev.get(row),
                state: states.get(fields.state[row]),
                next: fields.next.get(row),
            },
            Self::Wake(fields) => {
                let pid = fields.pid[row];
                let target_cpu = fields
                    .target_cpu
                    .as_ref()
                    .map_or(cpu, |target| target[row] as u32);
                let comm = fields.comm.as_ref().map_or(&[][..], |comm| comm.get(row));
                if kind == Kind::Waking {
                    Event::Waking {
                        pid,
                        comm,
                        target_cpu,
                        waker: fields.waker.as_ref().map_or(-1, |waker| waker[row]),
                        flags: fields.flags.as_ref().map(|flags| flags[row]),
                    }
                } else {
                    Event::Wakeup {
                        pid,
                        comm,
                        target_cpu,
                        new: kind == Kind::WakeupNew,
                    }
                }
            }
            Self::Fork(parent, child) => Event::Fork {
                parent: parent[row],
                child: child[row],
            },
            Self::Migrate(pid, orig, dest) => Event::Migrate {
                pid: pid[row],
                orig_cpu: orig.as_ref().map(|orig| orig[row] as u32),
                dest_cpu: dest[row] as u32,
            },
            Self::Attach(pid, path, _) => Event::CgroupAttach {
                pid: pid[row],
                path: path.get(row),
            },
            Self::Numbers(columns, optional) => {
                let optional = optional.as_ref().map(|numbers| numbers[row]);
                if kind == Kind::Entity {
                    entity(columns, optional, row)
                } else {
                    pick(columns, optional, row)?
                }
            }
            Self::One(values) => one(kind, values[row])?,
            Self::Bare => one(kind, 0)?,
            Self::Useless => return None,
        })
    }
}

fn entity(columns: &[ScalarBuffer<i64>], slice: Option<i64>, row: usize) -> Event<'static> {
    let [cpu, entity, queue, parent, group, pid, vruntime, deadline] =
        std::array::from_fn(|at| columns[at][row] as u64);
    Event::Entity(Entity {
        cpu: cpu as u32,
        entity,
        queue,
        parent,
        pid: (group == 0).then_some(pid as i32),
        vruntime,
        deadline,
        slice: slice.map(|slice| slice as u64),
    })
}

/// `None` when nothing was picked. The entity on the CPU is not among those that the queue sums up (`avg_vruntime_add`), and counts
/// while it is runnable. Its weight counts as the kernel has it: by `scale_load_down`, since `sum_shift` (7.1) by that.
fn pick(columns: &[ScalarBuffer<i64>], shift: Option<i64>, row: usize) -> Option<Event<'static>> {
    /// `SCHED_FIXEDPOINT_SHIFT`, `include/linux/sched.h`.
    const FIXED_POINT: i64 = 10;
    let numbers: [i64; PICK.len()] = std::array::from_fn(|at| columns[at][row]);
    let [
        cpu,
        queue,
        entity,
        deadline,
        zero,
        sum,
        load,
        current,
        on_rq,
        vruntime,
        until,
        weight,
    ] = numbers;
    if entity == 0 {
        return None;
    }
    let mut pick = Pick {
        cpu: cpu as u32,
        queue: queue as u64,
        entity: entity as u64,
        deadline: deadline as u64,
        zero: zero as u64,
        sum,
        load,
        current: 0,
        current_vruntime: vruntime as u64,
        current_deadline: until as u64,
    };
    if current != 0 && on_rq != 0 {
        pick.current = current as u64;
        let shift = shift.unwrap_or(FIXED_POINT).clamp(0, 63);
        let weight = if shift == 0 {
            weight
        } else {
            (weight >> shift).max(2)
        };
        let key = vruntime.wrapping_sub(zero);
        pick.sum = sum.wrapping_add(key.wrapping_mul(weight));
        pick.load = load.wrapping_add(weight);
    }
    Some(Event::Pick(pick))
}

/// The event of a kind whose rows hold one number or none.
#[inline]
fn one(kind: Kind, value: i32) -> Option<Event<'static>> {
    let irq = |softirq, enter| Event::Irq {
        softirq,
        vec: value as u32,
        enter,
    };
    let new_idle = |enter, whole| Event::NewIdle { enter, whole };
    let taken = |enter| Event::Taken {
        by_host: value != 0,
        enter,
    };
    Some(match kind {
        Kind::Free => Event::Free { pid: value },
        Kind::Exit => Event::Exit { pid: value },
        Kind::StallEnter => Event::Stall {
            pid: value,
            enter: true,
        },
        Kind::StallLeave => Event::Stall {
            pid: value,
            enter: false,
        },
        Kind::NumaScanEntry => Event::NumaScan {
            pid: value,
            enter: true,
        },
        Kind::NumaScanReturn => Event::NumaScan {
            pid: value,
            enter: false,
        },
        Kind::NewIdleEntry => new_idle(true, true),
        Kind::NewIdleReturn => new_idle(false, true),
        Kind::BalanceEntry if value == NEWLY_IDLE => new_idle(true, false),
        Kind::BalanceReturn => new_idle(false, false),
        Kind::IrqEntry => irq(false, true),
        Kind::IrqExit => irq(false, false),
        Kind::SoftirqEntry => irq(true, true),
        Kind::SoftirqExit => irq(true, false),
        Kind::SoftirqRaise => Event::SoftirqRaise { vec: value as u32 },
        Kind::TakenBegin => taken(true),
        Kind::TakenEnd => taken(false),
        _ => return None,
    })
}
