//! The files of states and waits: what is read of a window is what was written, and damage is an error.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use arrow_buffer::Buffer;
use numalens_core::Output;
use numalens_replay::states::{
    GroupsWriter, LATEST, MachineWriter, OnCpu, State, StateRow, States, Which,
};
use numalens_replay::waits::{
    Cause, CauseNs, Order, WaitEnd, WaitFrom, WaitRow, Waits, WaitsWriter,
};
use proptest::prelude::*;

#[derive(Default, Clone)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl File {
    fn bytes(&self) -> Buffer {
        Buffer::from_vec(self.0.lock().unwrap().clone())
    }
}

/// Rows with a few CPUs and groups; times repeat now and then.
fn rows(count: usize, seed: u64, groups: u32) -> Vec<StateRow> {
    let mut number = seed | 1;
    let mut below = |limit: u64| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        number % limit
    };
    let mut ts_ns = 5;
    (0..count)
        .map(|_| {
            ts_ns += below(3);
            let on = [OnCpu::Unknown, OnCpu::Lost, OnCpu::Idle, OnCpu::Task][below(4) as usize];
            StateRow {
                ts_ns,
                cpu: below(5) as u32 * 3000,
                group: if groups == 0 {
                    0
                } else {
                    1 + below(u64::from(groups)) as u32
                },
                state: State {
                    on,
                    stalled_on_cpu: below(2) == 0,
                    running: below(65536) as u16,
                    iowait: below(3) as u16,
                    memstall: below(3) as u16,
                    memstall_running: below(3) as u16,
                    bound: below(3) as u16,
                },
            }
        })
        .collect()
}

fn written(machine: &[StateRow], groups: &[StateRow]) -> (Buffer, Buffer) {
    let (one, two) = (File::default(), File::default());
    let mut writer = MachineWriter::new(Output::new(one.clone())).unwrap();
    for row in machine {
        writer.push(row);
        writer.flush(|_| ()).unwrap();
    }
    writer.finish(|_| ()).unwrap();
    let mut writer = GroupsWriter::new(Output::new(two.clone())).unwrap();
    for row in groups {
        writer.push(row);
        writer.flush(|_| ()).unwrap();
    }
    writer.finish(|_| ()).unwrap();
    (one.bytes(), two.bytes())
}

/// What a scan must give.
fn naive(rows: &[StateRow], from: u64, to: u64) -> Vec<StateRow> {
    let mut known = BTreeMap::new();
    for row in rows.iter().filter(|row| row.ts_ns <= from) {
        known.insert(
            (row.group, row.cpu),
            StateRow {
                ts_ns: from,
                ..*row
            },
        );
    }
    let changes = rows
        .iter()
        .filter(|row| row.ts_ns > from && row.ts_ns <= to);
    known.into_values().chain(changes.copied()).collect()
}

fn scanned(states: &States, which: Which, from: u64, to: u64) -> Vec<StateRow> {
    let mut found = Vec::new();
    states
        .scan(which, from, to, |row| found.push(*row))
        .unwrap();
    found
}

fn waits(count: usize, seed: u64) -> Vec<(WaitRow, Vec<CauseNs>)> {
    let mut number = seed | 1;
    let mut below = |limit: u64| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        number % limit
    };
    let mut end_ns = 1000;
    (0..count)
        .map(|_| {
            end_ns += below(3);
            let causes: Vec<CauseNs> = Cause::ALL
                .into_iter()
                .filter_map(|cause| {
                    let ns = below(9).saturating_sub(6);
                    (ns > 0).then_some(CauseNs { cause, ns })
                })
                .collect();
            let row = WaitRow {
                start_ns: end_ns - causes.iter().map(|cause| cause.ns).sum::<u64>(),
                end_ns,
                task: below(1 << 32) as u32,
                prio: below(200) as i32 - 20,
                cpu: below(1 << 14) as u32,
                from_cpu: below(1 << 14) as u32,
                from: WaitFrom::ALL[below(5) as usize],
                end: WaitEnd::ALL[below(4) as usize],
                waker_pid: below(100) as i32 - 1,
                group: below(1 << 32) as u32,
            };
            (row, causes)
        })
        .collect()
}

fn written_waits(waits: &[(WaitRow, Vec<CauseNs>)], flush: bool) -> (Buffer, Buffer) {
    let (one, two) = (File::default(), File::default());
    let mut writer = WaitsWriter::new(Output::new(one.clone()), Output::new(two.clone())).unwrap();
    for (wait, causes) in waits {
        writer.push(wait, causes);
        if flush {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap();
    (one.bytes(), two.bytes())
}

/// Both files in one order of time.
fn scanned_all(states: &States, from: u64, to: u64) -> Vec<StateRow> {
    let mut found = Vec::new();
    states.scan_all(from, to, |row| found.push(*row)).unwrap();
    found
}

fn check_states(machine: &[StateRow], groups: &[StateRow], windows: &[(u64, u64)]) {
    let (one, two) = written(machine, groups);
    let states = States::open(one, Some(two)).unwrap();
    for &(from, to) in windows {
        assert_eq!(
            scanned(&states, Which::Machine, from, to),
            naive(machine, from, to),
            "{from} {to}"
        );
        assert_eq!(
            scanned(&states, Which::Groups, from, to),
            naive(groups, from, to),
            "{from} {to}"
        );
        let mut both = naive(machine, from, to);
        both.extend(naive(groups, from, to));
        both.sort_by_key(|row| row.ts_ns);
        assert_eq!(scanned_all(&states, from, to), both);
    }
}

fn check_waits(rows: &[(WaitRow, Vec<CauseNs>)], windows: &[(u64, u64)], flush: bool) {
    let (one, two) = written_waits(rows, flush);
    let read = Waits::open(one, two).unwrap();
    assert_eq!(read.len(), rows.len());
    for &(from, to) in windows {
        let last = rows.last().map_or(0, |row| row.0.end_ns);
        let inside = |wait: &WaitRow| {
            wait.start_ns >= from && wait.end_ns <= to && (wait.start_ns < to || to >= last)
        };
        let over = |wait: &WaitRow| inside(wait) || (wait.start_ns < to && wait.end_ns > from);
        let (mut found, mut found_over) = (Vec::new(), Vec::new());
        read.scan(from, to, |wait, causes| {
            found.push((*wait, causes.to_vec()));
        })
        .unwrap();
        read.over(from, to, Order::Forwards, |wait, causes| {
            found_over.push((*wait, causes.to_vec()));
        })
        .unwrap();
        let mut backwards = Vec::new();
        read.over(from, to, Order::Backwards, |wait, causes| {
            backwards.push((*wait, causes.to_vec()));
        })
        .unwrap();
        backwards.reverse();
        assert!(found_over == backwards, "{from} {to}, backwards");
        for (found, wanted) in [
            (found, &inside as &dyn Fn(&WaitRow) -> bool),
            (found_over, &over),
        ] {
            let expected: Vec<_> = rows.iter().filter(|row| wanted(&row.0)).cloned().collect();
            assert!(
                found == expected,
                "{from} {to}: {} of {}",
                found.len(),
                expected.len()
            );
        }
    }
}

#[test]
fn many_batches_are_one_log() {
    let (machine, groups) = (rows(200_000, 1, 0), rows(150_000, 2, 7));
    let last = machine.last().unwrap().ts_ns;
    let border = machine[1 << 16].ts_ns;
    let mut windows = vec![(0, 4), (0, u64::MAX), (last, last), (last + 1, last + 9)];
    for from in [border - 1, border, border + 1, last / 2] {
        windows.extend([(from, from), (from, from + 3), (from, last)]);
    }
    check_states(&machine, &groups, &windows);
    let waits = waits(150_000, 3);
    let border = waits[1 << 16].0.end_ns;
    let windows = [
        (0, u64::MAX),
        (0, border),
        (border, u64::MAX),
        (border - 3, border + 3),
        (u64::MAX, 0),
    ];
    check_waits(&waits, &windows, true);
    check_waits(&waits, &windows, false);
}

#[test]
fn nothing_is_fine() {
    let (machine, _) = written(&[], &[]);
    let states = States::open(machine, None).unwrap();
    assert!(scanned(&states, Which::Machine, 0, u64::MAX).is_empty());
    assert!(scanned(&states, Which::Groups, 0, u64::MAX).is_empty() && !states.has_groups());
    check_waits(&[], &[(0, u64::MAX)], true);
}

proptest! {
    #[test]
    fn a_scan_is_a_filter(count in 0..400_usize, seed: u64, from in 0..500_u64, len in 0..500_u64) {
        check_states(&rows(count, seed, 0), &rows(count, seed.wrapping_add(77), 3), &[(from, from + len)]);
        check_waits(&waits(count, seed), &[(from + 900, from + 900 + len)], true);
    }

    #[test]
    fn damage_is_an_error(seed: u64, cut in 0.0..1.0_f64, at in 0.0..1.0_f64, byte: u8) {
        let (machine, _) = written(&rows(300, seed, 0), &[]);
        let (one, two) = written_waits(&waits(300, seed), true);
        for (file, bytes) in [&machine, &one, &two].into_iter().enumerate() {
            let short = bytes.slice_with_length(0, (bytes.len() as f64 * cut) as usize);
            let mut bad = bytes.to_vec();
            let place = ((bad.len() - 1) as f64 * at) as usize;
            bad[place] = byte;
            for odd in [short, Buffer::from_vec(bad)] {
                let count = &mut 0_u64;
                let given = |which: usize, bytes: &Buffer| if which == file { odd.clone() } else { bytes.clone() };
                if let Ok(states) = States::open(given(0, &machine), None) {
                    let _ = states.scan(Which::Machine, 10, u64::MAX, |_| *count += 1);
                }
                if let Ok(waits) = Waits::open(given(1, &one), given(2, &two)) {
                    let _ = waits.scan(10, u64::MAX, |_, _| *count += 1);
                }
            }
        }
    }
}

/// Rows as they are reported: some of them up to 1 ms after their time.
fn reported_late(count: usize, seed: u64) -> Vec<StateRow> {
    let mut now = 0;
    let mut number = seed | 1;
    let mut below = |limit: u64| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        number % limit
    };
    (0..count)
        .map(|at| {
            now += below(3_000);
            let late = if below(4) == 0 { below(LATEST) } else { 0 };
            StateRow {
                ts_ns: now.saturating_sub(late),
                cpu: below(4) as u32,
                group: 0,
                state: State {
                    running: at as u16,
                    ..State::default()
                },
            }
        })
        .collect()
}

proptest! {
    #[test]
    fn late_changes_come_in_their_place(seed in any::<u64>()) {
        let reported = reported_late(60_000, seed);
        let file = File::default();
        let mut writer = MachineWriter::new(Output::new(file.clone())).unwrap();
        let mut written = Vec::new();
        for row in &reported {
            writer.push(row);
            writer.flush(|row| written.push(*row)).unwrap();
        }
        writer.finish(|row| written.push(*row)).unwrap();
        // A CPU's changes stay in their order, and all are in the order of time, those of one time as they were reported.
        let mut last = [0; 4];
        let mut expected: Vec<StateRow> = reported
            .iter()
            .map(|row| {
                let last = &mut last[row.cpu as usize];
                *last = row.ts_ns.max(*last);
                StateRow { ts_ns: *last, ..*row }
            })
            .collect();
        expected.sort_by_key(|row| row.ts_ns);
        prop_assert!(written == expected, "what is reported while writing");
        let states = States::open(file.bytes(), None).unwrap();
        let found = scanned(&states, Which::Machine, 0, u64::MAX);
        prop_assert!(found == naive(&expected, 0, u64::MAX), "what is read");
    }
}
