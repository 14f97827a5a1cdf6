//! The worked examples of the nohz idle load balancer (`docs/algorithms/idle_balancing.md`, I16).

use numalens_core::kernel_version::KernelVersion;
use numalens_idle_balancing::model::{
    Act, Annotation, Deliver, GateMove, Kind, Model, Modern, Old, Rules, Step, Why, flags,
};

const MS: u64 = 1_000_000;

fn step(model: &mut dyn Model, jiffies: u64, cpu: u32, act: Act) -> Vec<Annotation> {
    let mut found = Vec::new();
    let step = Step {
        t_ns: jiffies * MS,
        jiffies,
        cpu,
        act,
    };
    model.step(&step, &mut |told| found.push(*told));
    found
}

fn tick(nr_running: u32) -> Act {
    Act::Tick {
        nr_running,
        idle: nr_running == 0,
        next_balance: None,
    }
}

fn kinds(told: &[Annotation]) -> Vec<(Kind, Option<u32>)> {
    told.iter().map(|told| (told.kind, told.target)).collect()
}

const SOFTIRQ: Act = Act::Softirq {
    need_resched: false,
};

/// CPUs of the examples: next balance far away.
fn old(patched: bool, gate: u64) -> Old {
    let mut model = Old::new(patched, 8, Deliver::ByTrace);
    model.next_balance = gate;
    for cpu in &mut model.cpus {
        cpu.next_balance = 1_000_000;
    }
    model
}

/// Examples 1 and 2 begin alike: F = 0 and S = 1 idle and ticking, CPU 3 owner.
fn picked(patched: bool) -> Old {
    let mut model = old(patched, 900);
    (model.first, model.second, model.owner) = (Some(0), Some(1), Some(3));
    for cpu in [0, 1] {
        (model.cpus[cpu].idle, model.cpus[cpu].idle_at_tick) = (true, true);
    }
    (model.cpus[3].idle, model.cpus[3].stopped) = (true, true);
    model.idle.insert(3);
    model.cpus[2].next_balance = 1100;
    model
}

#[test]
fn example_1_picks_that_idle_block_the_others() {
    let mut orig = picked(false);
    let told = step(&mut orig, 1000, 2, tick(3));
    assert_eq!(kinds(&told), [(Kind::PickBlocked, Some(0))]);
    assert_eq!(told[0].why, Why::PickIdle);
    assert_eq!((orig.next_balance, orig.cpus[3].kick), (900, false));

    let mut patched = picked(true);
    let told = step(&mut patched, 1000, 2, tick(3));
    assert_eq!(kinds(&told), [(Kind::KickSent, Some(3))]);
    assert_eq!(told[0].why, Why::AnyCpu);
    assert_eq!((patched.next_balance, patched.cpus[3].kick), (901, true));
}

#[test]
fn example_2_a_stale_tick_drops_the_kick_and_latches() {
    for patched in [false, true] {
        // CPU 3 last ticked busy at 990, is idle and stopped since; the kick of tick 1000 comes.
        let mut model = picked(patched);
        (model.first, model.second) = (Some(2), None);
        model.idle.insert(5);
        (model.cpus[5].idle, model.cpus[5].stopped) = (true, true);
        let told = step(&mut model, 1000, 2, tick(3));
        assert_eq!(kinds(&told), [(Kind::KickSent, Some(3))]);
        let told = step(&mut model, 1000, 3, SOFTIRQ);
        assert_eq!(
            (told[0].kind, told[0].why),
            (Kind::KickDropped, Why::StaleTick)
        );
        if patched {
            assert_eq!(kinds(&told[1..]), [(Kind::KickSent, Some(5))]);
            assert_eq!(told[1].why, Why::HandOver);
            assert_eq!(model.next_balance, 902);
            assert!(model.cpus[5].kick && !model.cpus[3].kick);
            let told = step(&mut model, 1001, 2, tick(3));
            assert_eq!(model.next_balance, 903);
            assert_eq!(kinds(&told), [(Kind::KickSent, Some(3))]);
        } else {
            assert!(model.cpus[3].kick);
            let told = step(&mut model, 1001, 2, tick(3));
            assert_eq!(model.next_balance, 902);
            assert_eq!(kinds(&told), [(Kind::KickLatched, Some(3))]);
            assert_eq!(told[0].size, 1);
            // It falls once a softirq comes behind an idle tick.
            model.cpus[3].idle_at_tick = true;
            let told = step(&mut model, 1002, 3, SOFTIRQ);
            assert_eq!(told[0].kind, Kind::KickHandled);
            assert!(!model.cpus[3].kick);
        }
    }
}

#[test]
fn example_3_next_balance_is_stale() {
    for patched in [false, true] {
        let mut model = old(patched, 5000);
        model.cpus[4].next_balance = 4100;
        (model.cpus[4].idle, model.cpus[4].idle_at_tick) = (true, true);
        let told = step(&mut model, 4000, 4, Act::EnterNohz);
        if patched {
            assert_eq!((told.len(), model.next_balance), (0, 4100));
        } else {
            assert_eq!((told[0].kind, told[0].size), (Kind::Stale, 900));
            assert_eq!(model.next_balance, 5000);
            // The patched kernel's pass comes in time all the same.
            model.next_balance = 4100;
        }
        let told = step(&mut model, 4100, 0, tick(2));
        assert_eq!(kinds(&told), [(Kind::KickSent, Some(4))]);
        assert_eq!(model.next_balance, 4101);
        model.cpus[4].next_balance = 4300;
        let told = step(&mut model, 4100, 4, SOFTIRQ);
        assert_eq!(told[0].kind, Kind::KickHandled);
        assert_eq!(model.next_balance, if patched { 4101 } else { 4300 });
        let told = step(&mut model, 4101, 0, tick(2));
        let again = told[0].kind == Kind::KickSent;
        assert_eq!(again, patched);
    }
}

#[test]
fn example_4_the_own_softirq_keeps_the_kick_back() {
    for patched in [false, true] {
        let mut model = old(patched, 900);
        model.idle.insert(3);
        model.cpus[2].next_balance = 1000;
        let told = step(&mut model, 1000, 2, tick(2));
        assert_eq!(told.len(), usize::from(patched));
        assert!(told.iter().all(|told| told.kind == Kind::KickSent));
        assert_eq!(model.first, patched.then_some(2));
    }
}

#[test]
fn example_5_before_the_gate_only_statistics_are_kicked() {
    let (rules, read) = Rules::of(KernelVersion {
        major: 6,
        minor: 12,
    });
    assert!(read);
    for (jiffies, wanted, gate) in [
        (200, flags::STATS, 201),
        (201, flags::STATS | flags::BALANCE, 202),
    ] {
        let mut model = Modern::new(rules, 1000, 2, Vec::new(), Deliver::ByTrace);
        let idle = Act::Run {
            nr_running: 0,
            idle: true,
        };
        step(&mut model, 100, 1, idle);
        step(&mut model, 100, 1, Act::EnterNohz);
        let next = Act::Pass { flags: flags::NEXT };
        step(&mut model, 150, 1, next);
        model.set_next_balance(201);
        model.has_blocked = true;
        model.next_blocked = 190;
        let told = step(&mut model, jiffies, 0, tick(2));
        let sent = told.iter().find(|told| told.kind == Kind::KickSent);
        assert_eq!(
            sent.map(|sent| (sent.target, sent.flags)),
            Some((Some(1), wanted))
        );
        assert_eq!(model.next_balance(), Some(gate));
    }
}

#[test]
fn example_6_the_second_pick_kicks_with_any_load() {
    let mut model = old(false, 0);
    model.idle.insert(3);
    assert!(step(&mut model, 1000, 0, tick(1)).is_empty());
    assert_eq!(model.first, Some(0));
    let told = step(&mut model, 1000, 1, tick(1));
    assert_eq!(kinds(&told), [(Kind::KickSent, Some(3))]);
    assert_eq!((told[0].why, model.second), (Why::SecondPick, Some(1)));
}

#[test]
fn after_the_first_expiry_the_patched_gate_stays_open() {
    // Three busy CPUs, 1000 jiffies; balancing sets the next one 200 jiffies on (docs/algorithms/idle_balancing.md, I16.7).
    let kicks = |patched| {
        let mut model = old(patched, 1000);
        model.intervals = Some([1_000_000, 200]);
        (model.cpus[3].idle, model.cpus[3].idle_at_tick) = (true, true);
        model.cpus[3].next_balance = 1000;
        step(&mut model, 999, 3, Act::EnterNohz);
        let mut sent = 0;
        for jiffies in 1000..2000 {
            for cpu in 0..3 {
                let told = step(&mut model, jiffies, cpu, tick(2));
                sent += told
                    .iter()
                    .filter(|told| told.kind == Kind::KickSent)
                    .count();
                if !told.is_empty() && model.cpus[3].kick {
                    step(&mut model, jiffies, 3, SOFTIRQ);
                }
            }
        }
        sent
    };
    assert_eq!((kicks(false), kicks(true)), (5, 1000));
}

#[test]
fn versions_differ_by_a_table() {
    let rules = |major, minor| Rules::of(KernelVersion { major, minor }).0;
    assert_eq!(rules(5, 2).gate, GateMove::AddOne);
    assert_eq!(rules(5, 4).gate, GateMove::NextJiffy);
    assert_eq!(rules(5, 7).gate, GateMove::AddOne);
    assert_eq!(rules(5, 11).gate, GateMove::NextJiffy);
    assert!(!rules(5, 7).csd && rules(5, 11).csd && rules(5, 11).skips_self);
    assert!(!rules(5, 16).next_kick && rules(5, 17).next_kick && rules(6, 1).next_kick);
    assert!(!rules(6, 4).skips_same_flags && rules(6, 12).skips_same_flags);
    assert!(rules(6, 12).drops_on_resched && !rules(7, 2).drops_on_resched);
    assert!(!Rules::of(KernelVersion { major: 3, minor: 1 }).1);
}

#[test]
fn a_kick_to_a_polling_target_is_dropped() {
    for (minor, drops) in [(12, true), (13, false)] {
        let rules = Rules::of(KernelVersion { major: 6, minor }).0;
        let mut model = Modern::new(rules, 250, 2, Vec::new(), Deliver::ByTrace);
        let idle = Act::Run {
            nr_running: 0,
            idle: true,
        };
        step(&mut model, 1, 1, idle);
        step(&mut model, 1, 1, Act::EnterNohz);
        model.set_next_balance(1);
        let told = step(&mut model, 2, 0, tick(2));
        assert_eq!(told[0].kind, Kind::KickSent);
        let arrives = Act::Deliver {
            flags: None,
            need_resched: true,
        };
        let told = step(&mut model, 2, 1, arrives);
        assert_eq!(
            told.iter().any(|told| told.kind == Kind::KickDropped),
            drops
        );
        let told = step(&mut model, 2, 1, SOFTIRQ);
        assert_eq!(told.iter().any(|told| told.kind == Kind::Pass), !drops);
    }
}
