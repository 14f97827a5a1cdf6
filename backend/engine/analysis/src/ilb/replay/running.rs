//! A model's run.

use numalens_replay::idle_balancing::Jiffies;

use crate::ilb::model::{Act, Annotation, CHAIN, Kind, Late, Model, Modern, Old, Step};
use crate::ilb::replay::{Counts, Follow};
use crate::ilb::waste::Curve;

/// A model; which one is asked at every event.
pub(super) enum Either {
    Old(Old),
    Modern(Modern),
}

/// Where what the models do goes, and from when on, ns.
pub(super) struct Told<'o, 'a> {
    pub(super) from_ns: u64,
    pub(super) out: &'o mut (dyn FnMut(Follow, &Annotation) + 'a),
}

/// CPUs that are overdue, as counted last.
#[derive(Debug, Clone, Copy)]
struct Counted {
    late: Late,
    /// When, jiffies.
    jiffies: u64,
    /// Nothing has happened since then to a CPU that may count.
    holds: bool,
}

/// A model and what it did so far.
pub(super) struct Running {
    pub(super) follow: Follow,
    pub(super) model: Either,
    pub(super) counts: Counts,
    pub(super) overdue: Curve,
    /// Somebody wants to know what the model does, and not only how often.
    pub(super) tells: bool,
    rate: u32,
    counted: Counted,
}

impl Running {
    pub(super) fn new(follow: Follow, model: Either) -> Self {
        Self {
            follow,
            model,
            counts: Counts::default(),
            overdue: Curve::default(),
            tells: true,
            rate: 0,
            counted: Counted {
                late: Late::NONE,
                jiffies: 0,
                holds: false,
            },
        }
    }

    /// When the next kick under way arrives, ns.
    #[inline]
    pub(super) fn due(&self) -> Option<u64> {
        match &self.model {
            Either::Old(model) => model.due(),
            Either::Modern(model) => model.due(),
        }
    }

    /// The model takes a step.
    #[inline]
    pub(super) fn step(&mut self, step: &Step, told: &mut Told<'_, '_>) {
        let late = self.due().is_some_and(|due| due <= step.t_ns);
        let mut stirs = late || !matches!(step.act, Act::Tick { .. });
        let (counts, follow, tells) = (&mut self.counts, self.follow, self.tells);
        let mut out = |note: &Annotation| {
            // What else a model does may change when CPUs are balanced next.
            stirs |= !matches!(
                note.kind,
                Kind::GateClosed | Kind::PickBlocked | Kind::NoTarget
            );
            if note.t_ns >= told.from_ns {
                counts.add(note);
                if tells {
                    (told.out)(follow, note);
                }
            }
        };
        let waits = match &mut self.model {
            Either::Old(model) => {
                let waits = model.waits(step.cpu);
                model.take_step(step, &mut out);
                waits
            }
            Either::Modern(model) => {
                let waits = model.waits(step.cpu);
                model.take_step(step, &mut out);
                waits
            }
        };
        self.counted.holds &= !(stirs || waits);
    }

    /// Who is on a CPU changes. Most steps are these, so they go a shorter way than [`Act::Run`].
    #[inline]
    pub(super) fn ran(&mut self, cpu: u32, nr_running: u32, idle: bool) {
        let waits = match &mut self.model {
            Either::Old(model) => {
                model.run(cpu, nr_running, idle);
                model.waits(cpu)
            }
            Either::Modern(model) => {
                model.run(cpu, nr_running, idle);
                model.waits(cpu)
            }
        };
        self.counted.holds &= !waits;
    }

    /// Kicks under way arrive between `since_ns` and `until_ns`.
    pub(super) fn arrive(
        &mut self,
        since_ns: u64,
        until_ns: u64,
        jiffies: &Jiffies,
        surplus: u32,
        told: &mut Told<'_, '_>,
    ) {
        let mut since = since_ns;
        for _ in 0..CHAIN {
            let Some(due) = self.due().filter(|&due| due <= until_ns) else {
                break;
            };
            since = since.max(due);
            let (counts, follow, tells) = (&mut self.counts, self.follow, self.tells);
            let mut out = |note: &Annotation| {
                if note.t_ns >= told.from_ns {
                    counts.add(note);
                    if tells {
                        (told.out)(follow, note);
                    }
                }
            };
            match &mut self.model {
                Either::Old(model) => model.arrived(due, &mut out),
                Either::Modern(model) => model.arrived(due, &mut out),
            }
            self.counted.holds = false;
            self.set_rate(since, jiffies.at(since), surplus);
        }
    }

    /// From now on so many idle CPUs are overdue beside waiting tasks.
    #[inline]
    pub(super) fn set_rate(&mut self, now_ns: u64, jiffies: u64, surplus: u32) {
        let rate = match surplus {
            0 => 0,
            surplus => self.late(jiffies).min(surplus),
        };
        if rate != self.rate {
            self.rate = rate;
            self.overdue.set(now_ns, rate);
        }
    }

    /// CPUs that are overdue: counted again only when that may have changed.
    #[inline]
    fn late(&mut self, jiffies: u64) -> u32 {
        let passed = jiffies.wrapping_sub(self.counted.jiffies);
        if !self.counted.holds || passed >= self.counted.late.steady {
            self.counted = Counted {
                late: self.count(jiffies),
                jiffies,
                holds: true,
            };
        }
        debug_assert_eq!(self.counted.late.count, self.count(jiffies).count);
        self.counted.late.count
    }

    fn count(&self, jiffies: u64) -> Late {
        match &self.model {
            Either::Old(model) => model.overdue(jiffies),
            Either::Modern(model) => model.overdue(jiffies),
        }
    }
}
