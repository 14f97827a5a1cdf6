//! Invariants and properties of the idle load balancer's models (`docs/algorithms/idle_balancing.md`, I17), on random steps.

use numalens_core::kernel_version::KernelVersion;
use numalens_idle_balancing::idle;
use numalens_idle_balancing::model::{
    Act, Annotation, Deliver, Kind, Model, Modern, Old, Rules, Step, Why, flags,
};
use numalens_subject::window::Steps;
use proptest::prelude::*;

const CPUS: u32 = 6;

/// Steps that hold together: busy CPUs tick, idle ones may stop.
fn steps(most_running: u32) -> impl Strategy<Value = Vec<Step>> {
    let op = (0..CPUS, 0..5_u8, 0..=most_running, 0..3_u64);
    prop::collection::vec(op, 1..200).prop_map(|ops| {
        let mut cpus = [(1_u32, false); CPUS as usize];
        let (mut jiffies, mut t_ns) = (1000, 1_000_000);
        let mut found = Vec::new();
        for (cpu, op, running, forth) in ops {
            jiffies += forth;
            t_ns += 1_000;
            let mut push = |act| {
                found.push(Step {
                    t_ns,
                    jiffies,
                    cpu,
                    act,
                });
            };
            let (nr_running, stopped) = &mut cpus[cpu as usize];
            match op {
                0 | 1 if !*stopped => push(Act::Tick {
                    nr_running: *nr_running,
                    idle: *nr_running == 0,
                    next_balance: (op == 0).then_some(jiffies + 2),
                }),
                2 => {
                    *nr_running = running;
                    if running > 0 && *stopped {
                        *stopped = false;
                        push(Act::ExitNohz);
                    }
                    push(Act::Run {
                        nr_running: running,
                        idle: running == 0,
                    });
                }
                3 if *nr_running == 0 && !*stopped => {
                    *stopped = true;
                    push(Act::EnterNohz);
                }
                _ => push(Act::Softirq {
                    need_resched: false,
                }),
            }
        }
        found
    })
}

fn run(model: &mut dyn Model, steps: &[Step]) -> Vec<Annotation> {
    let mut found = Vec::new();
    for step in steps {
        model.step(step, &mut |told| found.push(*told));
    }
    found
}

fn is_kick(told: &Annotation) -> bool {
    matches!(
        told.kind,
        Kind::KickSent | Kind::KickLatched | Kind::NoTarget
    )
}

fn deliver() -> impl Strategy<Value = Deliver> {
    prop_oneof![Just(Deliver::ByTrace), Just(Deliver::After(1_500))]
}

fn modern(minor: u16, deliver: Deliver, cpus: u32, llc: Vec<u32>) -> Modern {
    let rules = Rules::of(KernelVersion { major: 6, minor }).0;
    let mut model = Modern::new(rules, 250, cpus as usize, llc, deliver);
    model.intervals = Some([16, 2]);
    model.set_next_balance(1000);
    model
}

/// Order-preserving other names of CPUs.
fn renamed(step: &Step) -> Step {
    Step {
        cpu: step.cpu * 2 + 1,
        ..*step
    }
}

proptest! {
    #[test]
    fn tables_have_no_more_cells_the_longer_the_window_is(
        from in any::<u64>(), to in any::<u64>(), step in any::<u64>(), rows in 1..1024_usize,
    ) {
        let steps = Steps::of_table(from, to, step, rows);
        prop_assert!(steps.count() * rows <= 1 << 19);
        prop_assert!(idle::seconds(from, to).len() <= 1 << 16);
    }

    #[test]
    fn invariants_of_2011(steps in steps(3), patched: bool, deliver in deliver()) {
        let mut model = Old::new(patched, CPUS as usize, deliver);
        model.next_balance = 1000;
        model.intervals = Some([16, 2]);
        for step in &steps {
            let before = model.next_balance;
            let mut told = Vec::new();
            model.step(step, &mut |annotation| told.push(*annotation));
            prop_assert!(model.owner.is_none_or(|owner| model.idle.contains(owner)));
            prop_assert!(model.first.is_none() || model.first != model.second);
            if step.act == Act::EnterNohz {
                prop_assert!(model.first != Some(step.cpu) && model.second != Some(step.cpu));
            }
            let kicks = told.iter().filter(|told| is_kick(told));
            if patched {
                let up = model.next_balance.wrapping_sub(before) as i64;
                prop_assert!(up <= kicks.clone().count() as i64);
            }
            for kick in kicks {
                let gate = kick.why == Why::HandOver || step.jiffies >= before || deliver != Deliver::ByTrace;
                prop_assert!(gate, "a kick before next_balance");
            }
            if model.idle.is_empty() && deliver == Deliver::ByTrace {
                prop_assert!(!told.iter().any(|told| told.kind == Kind::KickSent));
            }
        }
    }

    #[test]
    fn one_busy_cpu_with_one_task_kicks_nobody(steps in steps(1), patched: bool) {
        let mut model = Old::new(patched, CPUS as usize, Deliver::ByTrace);
        let alone: Vec<Step> = steps.into_iter().filter(|step| step.cpu == 0).collect();
        model.idle.insert(4);
        prop_assert!(!run(&mut model, &alone).iter().any(is_kick));
    }

    #[test]
    fn the_patch_kicks_where_the_original_does(steps in steps(3), nr_running in 0..4_u32, cpu in 0..CPUS) {
        let mut orig = Old::new(false, CPUS as usize, Deliver::ByTrace);
        orig.next_balance = 1000;
        run(&mut orig, &steps);
        let mut patched = orig.clone();
        patched.patched = true;
        let last = steps[steps.len() - 1];
        let tick = Step {
            cpu,
            act: Act::Tick { nr_running, idle: nr_running == 0, next_balance: None },
            ..last
        };
        let ours = run(&mut orig, &[tick]).iter().any(is_kick);
        prop_assert!(!ours || run(&mut patched, &[tick]).iter().any(is_kick));
    }

    #[test]
    fn invariants_of_the_modern_one(steps in steps(3), minor in 0..14_u16, shared: bool, deliver in deliver()) {
        let llc = if shared { vec![0, 0, 0, 1, 1, 1] } else { Vec::new() };
        let mut model = modern(minor, deliver, CPUS, llc);
        let mut under_way = [false; CPUS as usize];
        for step in &steps {
            let before = model.next_balance();
            let mut told = Vec::new();
            model.step(step, &mut |annotation| told.push(*annotation));
            for told in &told {
                if is_kick(told) {
                    prop_assert!(told.flags & flags::BALANCE == 0 || told.flags & flags::STATS != 0);
                    let early = before.is_some_and(|gate| step.jiffies < gate);
                    let balance = told.flags & flags::BALANCE != 0;
                    prop_assert!(!early || !balance || deliver != Deliver::ByTrace);
                }
                if told.kind == Kind::KickSent && deliver == Deliver::ByTrace {
                    let target = told.target.unwrap_or(CPUS) as usize;
                    prop_assert!(!under_way[target], "a second kick before the first one came");
                    under_way[target] = true;
                }
            }
        }
    }

    #[test]
    fn names_of_cpus_do_not_matter(steps in steps(3), patched: bool, minor in 0..14_u16) {
        let others: Vec<Step> = steps.iter().map(renamed).collect();
        let expect = |told: Vec<Annotation>| -> Vec<Annotation> {
            let rename = |told: &Annotation| Annotation {
                cpu: told.cpu * 2 + 1,
                target: told.target.map(|target| target * 2 + 1),
                ..*told
            };
            told.iter().map(rename).collect()
        };
        let mut ours = Old::new(patched, CPUS as usize, Deliver::After(1_500));
        let mut theirs = Old::new(patched, 2 * CPUS as usize, Deliver::After(1_500));
        (ours.next_balance, theirs.next_balance) = (1000, 1000);
        prop_assert_eq!(expect(run(&mut ours, &steps)), run(&mut theirs, &others));
        let mut ours = modern(minor, Deliver::After(1_500), CPUS, Vec::new());
        let mut theirs = modern(minor, Deliver::After(1_500), 2 * CPUS, Vec::new());
        prop_assert_eq!(expect(run(&mut ours, &steps)), run(&mut theirs, &others));
    }

    #[test]
    fn any_steps_do_not_panic(
        raw in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u32>(), any::<u32>(), 0..6_u8), 0..100),
        patched: bool,
    ) {
        let mut old = Old::new(patched, 4, Deliver::After(u64::MAX));
        let mut modern = modern(12, Deliver::ByTrace, 4, vec![u32::MAX, 0, 3, 9]);
        for (t_ns, jiffies, cpu, value, op) in raw {
            let act = match op {
                0 => Act::Tick { nr_running: value, idle: value % 2 == 0, next_balance: Some(jiffies) },
                1 => Act::Run { nr_running: value, idle: value % 3 == 0 },
                2 => Act::EnterNohz,
                3 => Act::ExitNohz,
                4 => Act::Deliver { flags: Some(value), need_resched: false },
                _ => Act::Pass { flags: value },
            };
            let step = Step { t_ns, jiffies, cpu: cpu % 5, act };
            run(&mut old, &[step]);
            run(&mut modern, &[step]);
        }
    }
}
