//! Time passes between two rows: kicks arrive, ticks are made up where none is recorded, CPUs fall silent.

use crate::ilb::model::{Act, Step};
use crate::ilb::replay::Replay;
use crate::ilb::replay::running::Told;

impl Replay<'_> {
    /// Time passes up to `ts_ns`, but not beyond the window.
    #[inline]
    pub(super) fn advance(&mut self, ts_ns: u64) {
        let until = ts_ns.min(self.config.to_ns);
        if until < self.nothing_until_ns {
            self.now_ns = self.now_ns.max(until);
        } else {
            self.pass_events(until);
        }
    }

    /// Something of its own may happen at this time, ns.
    #[inline]
    pub(super) fn expect(&mut self, t_ns: u64) {
        self.nothing_until_ns = self.nothing_until_ns.min(t_ns);
    }

    #[inline(never)]
    fn pass_events(&mut self, until: u64) {
        if self.tick_kind.is_none() {
            let jiffy = 1_000_000_000 / u64::from(self.config.jiffies.hz.max(1));
            while self.next_tick_ns <= until {
                self.pass_time(self.next_tick_ns);
                self.next_tick_ns = self.next_tick_ns.saturating_add(jiffy.max(1));
                self.make_up_ticks();
            }
        }
        while let Some((due, cpu)) = self.silent.next(until) {
            self.pass_time(due);
            self.enter(cpu);
        }
        self.pass_time(until);
        self.nothing_until_ns = self.silent.first_ns().min(self.next_due_ns);
        if self.tick_kind.is_none() {
            self.expect(self.next_tick_ns);
        }
    }

    /// Where no ticks were recorded, each jiffy is one on every CPU that has not stopped it.
    fn make_up_ticks(&mut self) {
        let jiffies = self.jiffies_now();
        let now_ns = self.now_ns;
        let mut ticking = std::mem::take(&mut self.ticking);
        ticking.clear();
        for (state, cpu) in self.cpus.iter().zip(0..) {
            if !state.known || state.stopped {
                continue;
            }
            if !state.idle && self.leaves_at_tick {
                self.mask.leave(cpu, now_ns);
            }
            if now_ns >= self.config.count_from_ns {
                self.ticks += 1;
            }
            if self.runs.is_empty() {
                continue;
            }
            let act = Act::Tick {
                nr_running: state.nr_running(),
                idle: state.idle,
                next_balance: None,
            };
            ticking.push(Step {
                t_ns: now_ns,
                jiffies,
                cpu,
                act,
            });
        }
        let mut told = Told {
            from_ns: self.config.count_from_ns,
            out: &mut *self.out,
        };
        for run in &mut self.runs {
            for step in &ticking {
                run.step(step, &mut told);
                run.set_rate(now_ns, jiffies, self.surplus);
            }
            let due = run.due().unwrap_or(u64::MAX);
            self.next_due_ns = self.next_due_ns.min(due);
        }
        self.ticking = ticking;
    }

    fn pass_time(&mut self, ts_ns: u64) {
        if self.next_due_ns <= ts_ns {
            self.next_due_ns = u64::MAX;
            let mut told = Told {
                from_ns: self.config.count_from_ns,
                out: &mut *self.out,
            };
            let jiffies = &self.config.jiffies;
            for run in &mut self.runs {
                run.arrive(self.now_ns, ts_ns, jiffies, self.surplus, &mut told);
                self.next_due_ns = self.next_due_ns.min(run.due().unwrap_or(u64::MAX));
            }
        }
        self.now_ns = self.now_ns.max(ts_ns);
    }
}
