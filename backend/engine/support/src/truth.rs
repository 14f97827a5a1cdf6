//! What the index must agree with, computed the slow and simple way.

use std::collections::{BTreeMap, BTreeSet};

use crate::recordings::{Ev, What};

/// Times are ns after the origin.
#[derive(Debug, Default)]
pub struct Truth {
    /// Per CPU: start, end, pid of each slice.
    pub slices: BTreeMap<u32, Vec<(u64, u64, i32)>>,
    /// Per CPU: from this time on so many tasks wait.
    pub depths: BTreeMap<u32, Vec<(u64, u32)>>,
    /// Per CPU: from, to, whether events were lost (else nothing is known yet).
    pub unknown: BTreeMap<u32, Vec<(u64, u64, bool)>>,
    pub end: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Sleep,
    Wait(u32),
    Run(u32),
}

/// Follows the events, which ascend in time, looking at all tasks after each one.
pub fn truth(events: &[Ev], cpus: u32, origin: u64, end: u64) -> Truth {
    let mut truth = Truth {
        end: end - origin,
        ..Truth::default()
    };
    let mut does: BTreeMap<i32, Does> = BTreeMap::new();
    // Who runs since when; None = not known (lost or not).
    let mut current: BTreeMap<u32, (u64, Result<i32, bool>)> =
        (0..cpus).map(|cpu| (cpu, (0, Err(false)))).collect();
    let mut last = BTreeMap::new();
    // Tasks that wait since a wake-up, and whether any events were lost.
    let (mut woken, mut losses): (BTreeSet<i32>, bool) = (BTreeSet::new(), false);
    for event in events {
        let (now, cpu) = (event.ts - origin, event.cpu);
        match event.what {
            What::Switch { prev, state, next } => {
                if last.insert(cpu, (now, prev, next)) == Some((now, prev, next)) {
                    continue;
                }
                let (since, who) = current[&cpu];
                match who {
                    Ok(0) => {}
                    Ok(pid) => {
                        truth.slices.entry(cpu).or_default().push((since, now, pid));
                        if pid != prev && does.get(&pid) == Some(&Does::Run(cpu)) {
                            does.remove(&pid);
                        }
                    }
                    Err(lost) => truth
                        .unknown
                        .entry(cpu)
                        .or_default()
                        .push((since, now, lost)),
                }
                if prev != 0 && !matches!(does.get(&prev), Some(Does::Run(other)) if *other != cpu)
                {
                    woken.remove(&prev);
                    does.insert(
                        prev,
                        if state & 0xff != 0 {
                            Does::Sleep
                        } else {
                            Does::Wait(cpu)
                        },
                    );
                }
                if next != 0 {
                    does.insert(next, Does::Run(cpu));
                }
                current.insert(cpu, (now, Ok(next)));
            }
            What::Wakeup { pid, target } | What::WakeupNew { pid, target }
                if pid != 0 && target >= 0 =>
            {
                if !matches!(does.get(&pid), Some(Does::Run(_))) {
                    if !matches!(does.get(&pid), Some(Does::Wait(_))) {
                        woken.insert(pid);
                    }
                    does.insert(pid, Does::Wait(target as u32));
                }
            }
            What::Waking { pid, .. } if losses && woken.contains(&pid) => {
                if matches!(does.get(&pid), Some(Does::Wait(_))) {
                    does.insert(pid, Does::Sleep);
                }
            }
            What::Migrate { pid, dest } if pid != 0 && dest >= 0 => {
                if matches!(does.get(&pid), Some(Does::Wait(_))) {
                    does.insert(pid, Does::Wait(dest as u32));
                }
            }
            What::Free { pid } => {
                if !matches!(does.get(&pid), Some(Does::Run(_))) {
                    does.remove(&pid);
                }
            }
            What::Lost | What::Pause => {
                let pause = event.what == What::Pause;
                losses |= !pause;
                let all: Vec<u32> = if pause {
                    (0..cpus).collect()
                } else {
                    vec![cpu]
                };
                for cpu in all {
                    last.remove(&cpu);
                    let (since, who) = current[&cpu];
                    let still = who == Err(!pause);
                    match who {
                        Ok(0) => {}
                        Ok(pid) => truth.slices.entry(cpu).or_default().push((since, now, pid)),
                        Err(why) if !still => {
                            truth
                                .unknown
                                .entry(cpu)
                                .or_default()
                                .push((since, now, why));
                        }
                        Err(_) => {}
                    }
                    current.insert(cpu, (if still { since } else { now }, Err(!pause)));
                    does.retain(|&pid, does| {
                        *does != Does::Wait(cpu) && !(*does == Does::Run(cpu) && who == Ok(pid))
                    });
                }
                if pause {
                    does.clear();
                }
            }
            _ => {}
        }
        let waits: BTreeSet<u32> = (0..cpus).collect();
        for cpu in waits {
            let depth = does
                .values()
                .filter(|does| **does == Does::Wait(cpu))
                .count() as u32;
            let steps = truth.depths.entry(cpu).or_default();
            if steps.last().map_or(0, |step| step.1) != depth {
                steps.push((now, depth));
            }
        }
    }
    for (cpu, (since, who)) in current {
        match who {
            Ok(0) => {}
            Ok(pid) => truth
                .slices
                .entry(cpu)
                .or_default()
                .push((since, truth.end, pid)),
            Err(lost) => truth
                .unknown
                .entry(cpu)
                .or_default()
                .push((since, truth.end, lost)),
        }
    }
    truth
        .unknown
        .values_mut()
        .for_each(|spans| spans.retain(|span| span.0 < span.1));
    truth
}

fn overlap(a: (u64, u64), b: (u64, u64)) -> u64 {
    a.1.min(b.1).saturating_sub(a.0.max(b.0))
}

impl Truth {
    /// Time on the CPU between two times.
    pub fn busy(&self, cpu: u32, from: u64, to: u64) -> u64 {
        self.slices
            .get(&cpu)
            .into_iter()
            .flatten()
            .map(|slice| overlap((slice.0, slice.1), (from, to)))
            .sum()
    }

    /// Time of each pid on the CPU between two times.
    pub fn by_pid(&self, cpu: u32, from: u64, to: u64) -> BTreeMap<i32, u64> {
        let mut sums = BTreeMap::new();
        for &(start, end, pid) in self.slices.get(&cpu).into_iter().flatten() {
            if start < to && end > from || (start == end && (from..=to).contains(&start)) {
                *sums.entry(pid).or_default() += overlap((start, end), (from, to));
            }
        }
        sums
    }

    /// Waiting tasks × ns between two times, and the most that waited for any time.
    pub fn waiting(&self, cpus: &[u32], from: u64, to: u64) -> (u64, u32) {
        let mut times: BTreeSet<u64> = BTreeSet::from([from, to]);
        for cpu in cpus {
            let steps = self.depths.get(cpu).into_iter().flatten();
            times.extend(
                steps
                    .map(|step| step.0)
                    .filter(|time| (from..to).contains(time)),
            );
        }
        let times: Vec<u64> = times.into_iter().collect();
        let (mut sum, mut most) = (0, 0);
        for pair in times.windows(2) {
            let depth = cpus
                .iter()
                .map(|&cpu| self.depth(cpu, pair[0]))
                .sum::<u32>();
            sum += (pair[1] - pair[0]) * u64::from(depth);
            most = most.max(depth);
        }
        (sum, most)
    }

    fn depth(&self, cpu: u32, time: u64) -> u32 {
        let steps = self.depths.get(&cpu).map_or(&[][..], Vec::as_slice);
        steps[..steps.partition_point(|step| step.0 <= time)]
            .last()
            .map_or(0, |step| step.1)
    }
}
