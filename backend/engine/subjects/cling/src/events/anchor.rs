//! Replay of one group from sample to sample. If the events in their order do not lead to the next sample, other possible
//! orders of the kernel are tried. If none fits, the replay continues from the sample.

use numalens_core::provenance::Label;
use numalens_replay::numa::TargetFrom;

use crate::events::timers::{Object, Pending, Source, Walk};
use crate::events::{Events, Inputs, Reached, Residual, counted_at_once};
use crate::group::Group;
use crate::history::{Cause, History};
use crate::samples::{Between, Order, Place, Reading, order, run as run_order};

/// Limit of attempts times timers between two samples for trying orders.
const SEARCH: usize = 4096;
/// Limit of tried orders for a group over all its samples: about a second of computation.
const BUDGET: u32 = 1 << 20;

pub(super) fn run(inputs: &Inputs<'_>, object: &Object, seen: &[u64], events: &mut Events) {
    let mut source = Source::of(inputs, object, seen);
    let from_ns = object.from_ns.max(inputs.from_ns);
    let mut walk = Walk {
        number: object.id.number,
        group: Group::new(inputs.nodes),
        history: History::new(object.id.clone(), from_ns, Label::Replayed),
        events,
        last_ns: from_ns,
        budget: BUDGET,
    };
    walk.history.disabled_ns = object.disabled_ns;
    // What was there before the recording is not known until a reading shows.
    let mut known = object.fresh && object.from_ns >= inputs.from_ns || inputs.readings.is_empty();
    if known {
        walk.history
            .record(from_ns, &walk.group.clone(), Cause::Start);
    }
    let mut queue = pending(inputs, object);
    let mut unreached = 0_usize;
    let readings = object
        .readings
        .iter()
        .filter_map(|&at| inputs.readings.get(at));
    for reading in readings {
        walk.history.renamed(reading.t0_ns, reading.gid);
        let Some(read) = &reading.group else {
            continue;
        };
        if reading.t0_ns < inputs.from_ns || reading.t1_ns > inputs.to_ns {
            continue;
        }
        let mut residual = Residual {
            t0_ns: reading.t0_ns,
            group: object.id.number,
            reached: Reached::Adopted,
            nodes: Vec::new(),
            busiest_nid: (read.busiest_nid, read.busiest_nid),
        };
        if known {
            let segment = Segment {
                object,
                reading,
                read,
            };
            segment.go(&mut walk, &mut source, &mut queue, &mut residual);
        } else {
            // Attempts until now are in what is read, but for those that may come late: a guess that the next one shows.
            queue.retain(|pending| pending.at_ns > reading.t0_ns);
            source.skip(reading.t0_ns);
            walk.history.from_ns = reading.t0_ns;
            walk.adopt(reading.t0_ns, read, Cause::Start);
            known = true;
        }
        unreached += usize::from(residual.reached == Reached::Not);
        walk.events.residuals.push(residual);
    }
    finish(inputs, object, &mut walk, source, &queue);
    walk.history.to_ns = inputs.to_ns.max(walk.history.from_ns);
    let mut history = walk.history;
    label(
        inputs,
        object,
        &pending(inputs, object),
        &mut history,
        unreached,
    );
    events.histories.push(history);
}

fn pending(inputs: &Inputs<'_>, object: &Object) -> Vec<Pending> {
    let jiffy = inputs.clock.jiffy_ns();
    let taken = object.attempts.iter().filter_map(|&place| {
        let attempt = inputs.attempts.get(place)?;
        let late = if counted_at_once(attempt) {
            inputs.lateness.other_ns
        } else {
            inputs.lateness.moved_ns
        };
        // On two nodes there is only one to reach; else only a probe on the attempt's start shows for sure.
        let sure = matches!(
            attempt.target_from,
            TargetFrom::Entry | TargetFrom::TwoNodes
        );
        Some(Pending {
            place,
            unsure: !sure && inputs.nodes.len() > 2,
            pid: attempt.pid,
            nid: attempt.target_nid,
            failed: crate::events::failed(attempt)?,
            at_ns: attempt.end_ns,
            earliest_ns: attempt.end_ns.saturating_sub(jiffy),
            latest_ns: attempt.end_ns.saturating_add(late.max(jiffy)),
        })
    });
    taken.collect()
}

/// Between the last reading and this one.
struct Segment<'a> {
    object: &'a Object,
    reading: &'a Reading,
    read: &'a Group,
}

/// A way to this reading.
struct Way {
    timers: usize,
    order: Order,
}

impl Segment<'_> {
    fn go(
        &self,
        walk: &mut Walk<'_>,
        source: &mut Source<'_>,
        queue: &mut Vec<Pending>,
        residual: &mut Residual,
    ) {
        let (t0, t1) = (self.reading.t0_ns, self.reading.t1_ns);
        let slack = source.slack();
        let here = queue.partition_point(|pending| pending.earliest_ns.saturating_sub(slack) <= t1);
        if here == 0 && walk.group.is_zero() && walk.group == *self.read {
            source.skip(t0);
            residual.reached = Reached::Exactly;
            return;
        }
        let timers = self.timers(source, slack);
        let nominal = timers.partition_point(|&timer| timer <= t0);
        let attempts: Vec<Pending> = queue.iter().take(here).copied().collect();
        let place = |timers: &[u64]| -> Vec<Between> {
            let of = |pending: &Pending| pending.between(timers, slack, (t0, t1));
            attempts.iter().map(of).collect()
        };
        let first = place(timers.get(..nominal).unwrap_or(&[]));
        let places: Vec<Place> = first.iter().map(Between::nominal).collect();
        let plain = run_order(&walk.group, &first, &places, nominal);
        differences(&plain, self.read, residual);
        let mut counts: Vec<usize> = (0..=timers.len()).collect();
        counts.sort_by_key(|&count| (count.abs_diff(nominal), count));
        let near = |count: usize| {
            let sure = timers.partition_point(|&timer| timer.saturating_add(slack) < t0);
            count >= sure || source.unsettled()
        };
        let mut way = None;
        if attempts.len().saturating_mul(timers.len().max(1)) <= SEARCH {
            way = counts
                .into_iter()
                .filter(|&count| near(count))
                .find_map(|count| {
                    let between = place(timers.get(..count).unwrap_or(&[]));
                    let order = order(&walk.group, &between, count, self.read, &mut walk.budget)?;
                    Some(Way {
                        timers: count,
                        order,
                    })
                });
        }
        residual.reached = match &way {
            None => Reached::Not,
            Some(way) if way.timers == nominal && way.order.moved == 0 => Reached::Exactly,
            Some(way) if way.timers == nominal || source.seen() => Reached::Reordered,
            Some(_) => Reached::TimerShifted,
        };
        let found = way.is_some();
        let way = way.unwrap_or(Way {
            timers: nominal,
            order: Order { places, moved: 0 },
        });
        self.take(walk, source, &timers, &attempts, &way);
        let mut at = 0;
        queue.retain(|_| {
            at += 1;
            at > here
                || way
                    .order
                    .places
                    .get(at - 1)
                    .is_none_or(|place| place.slot.is_none())
        });
        if !found {
            walk.adopt(t0, self.read, Cause::Sample);
        }
        // What was put off is counted after this reading.
        for late in queue.iter_mut().take_while(|late| late.at_ns <= t1) {
            late.at_ns = t1.saturating_add(1);
            late.latest_ns = late.latest_ns.max(late.at_ns);
        }
        if way.timers != nominal && !source.seen() {
            self.shift(source, &timers, way.timers, nominal);
        } else {
            for _ in 0..way.timers {
                source.take();
            }
        }
    }

    /// Callbacks until shortly after the sample. The source is left as it is.
    fn timers(&self, source: &Source<'_>, slack: u64) -> Vec<u64> {
        let (t0, t1) = (self.reading.t0_ns, self.reading.t1_ns);
        let until = self
            .object
            .disabled_ns
            .unwrap_or(u64::MAX)
            .min(t1.saturating_add(slack).max(t0));
        match source {
            Source::Seen(seen) => {
                let seen = seen.iter().copied();
                seen.take_while(|&timer| timer <= until).collect()
            }
            Source::Modelled { timer, clock, .. } => {
                let mut timer = *timer;
                let mut all = Vec::new();
                while clock.at(timer.next()) <= until && all.len() < SEARCH * 4 {
                    all.push(clock.at(timer.fire()));
                }
                all
            }
        }
    }

    /// Goes the way: the history's steps stay in order whatever the events' times are.
    fn take(
        &self,
        walk: &mut Walk<'_>,
        source: &Source<'_>,
        timers: &[u64],
        attempts: &[Pending],
        way: &Way,
    ) {
        let end = self.reading.t0_ns;
        for slot in 0..=way.timers {
            let after = timers.get(slot).copied().unwrap_or(u64::MAX).min(end);
            for (pending, place) in attempts.iter().zip(&way.order.places) {
                if place.slot == Some(slot) {
                    walk.count(pending, place.nid, pending.at_ns.min(after));
                }
            }
            if slot < way.timers {
                walk.timer(after, source.seen());
            }
        }
    }

    /// Adjusts a modelled timer that fired sooner or later than modelled.
    fn shift(&self, source: &mut Source<'_>, timers: &[u64], count: usize, nominal: usize) {
        for _ in 0..count {
            source.take();
        }
        if count < nominal {
            source.next_at(self.reading.t1_ns);
        } else if let Some(&last) = timers.get(count.wrapping_sub(1)) {
            // The last one came before the reading, not at `last`.
            let sooner = last.saturating_sub(self.reading.t0_ns);
            if let Some(next) = source.peek() {
                source.next_at(next.saturating_sub(sooner));
            }
        }
    }
}

fn differences(replayed: &Group, read: &Group, residual: &mut Residual) {
    residual.busiest_nid = (replayed.busiest_nid, read.busiest_nid);
    for &(nid, stat) in read.nodes() {
        if replayed.stat(nid) != stat {
            residual.nodes.push((nid, replayed.stat(nid), stat));
        }
    }
}

/// After the last reading: events in their order.
fn finish(
    inputs: &Inputs<'_>,
    object: &Object,
    walk: &mut Walk<'_>,
    mut source: Source<'_>,
    queue: &[Pending],
) {
    let until = object.disabled_ns.unwrap_or(u64::MAX).min(inputs.to_ns);
    let seen = source.seen();
    let mut timers_until = |walk: &mut Walk<'_>, t_ns: u64| {
        while source.peek().is_some_and(|next| next < t_ns.min(until)) {
            if walk.group.is_zero() && !seen {
                source.skip(t_ns.min(until).saturating_sub(1));
            } else if let Some(next) = source.take() {
                walk.timer(next, seen);
            }
        }
    };
    for pending in queue {
        timers_until(walk, pending.at_ns);
        walk.count(pending, pending.nid, pending.at_ns);
    }
    timers_until(walk, until.saturating_add(1));
}

fn label(
    inputs: &Inputs<'_>,
    object: &Object,
    queue: &[Pending],
    history: &mut History,
    unreached: usize,
) {
    let missing = &mut history.missing;
    missing.extend(inputs.missing.iter().cloned());
    if inputs.timers.is_empty() {
        missing.push("callbacks of the timer (a probe on cling_timer_func)".to_owned());
        if !inputs.jiffies_known {
            missing.push("the number of the jiffy (a line of the cling kernel)".to_owned());
        }
    }
    if object.readings.is_empty() {
        missing.push("samples of cpu.numa_group".to_owned());
    }
    if unreached > 0 {
        missing.push(format!(
            "what happened before {unreached} samples that the events do not explain"
        ));
    }
    let unsure = queue.iter().filter(|pending| pending.unsure).count();
    if unsure > 0 {
        missing.push(format!(
            "the target node of {unsure} attempts (a probe on the entry of task_numa_migrate)"
        ));
    }
    if object.unknown > 0 {
        missing.push(format!("how {} attempts ended", object.unknown));
    }
    if object.disabled_ns.is_some() {
        missing.push("when cpu.numa_group was set to 0".to_owned());
    }
    if !missing.is_empty() {
        history.label = Label::Inferred;
    }
}
