//! Wakers: interrupts, softirqs and threads of the kernel, with a table each, and tasks that answer others.

use std::collections::{HashMap, HashSet};

use numalens_bundle::Error;
use numalens_replay::waits::{Context, Request, Requests};

use crate::catalogue::SleepCause;

/// Names of the softirqs by vector (`enum` in `include/linux/interrupt.h`).
const VECTORS: [(&str, SleepCause); 10] = [
    ("HI", SleepCause::Device),
    ("TIMER", SleepCause::Timer),
    ("NET_TX", SleepCause::Socket),
    ("NET_RX", SleepCause::Socket),
    ("BLOCK", SleepCause::Disk),
    ("IRQ_POLL", SleepCause::Disk),
    ("TASKLET", SleepCause::Device),
    ("SCHED", SleepCause::Unknown),
    ("HRTIMER", SleepCause::Timer),
    ("RCU", SleepCause::Other),
];

/// Returns the name of a softirq and the cause of the sleeps that it ends.
pub(crate) fn softirq(vector: u32) -> (&'static str, SleepCause) {
    let row = VECTORS.get(vector as usize);
    row.copied().unwrap_or(("softirq", SleepCause::Unknown))
}

/// Parts of the names of interrupt handlers, and what their devices are. The first row that matches decides.
const HANDLERS: &[(&str, SleepCause)] = &[
    // A queue of a virtio block device.
    ("-req.", SleepCause::Disk),
    ("nvme", SleepCause::Disk),
    ("ahci", SleepCause::Disk),
    ("ata_", SleepCause::Disk),
    ("scsi", SleepCause::Disk),
    ("megasas", SleepCause::Disk),
    ("mpt2sas", SleepCause::Disk),
    ("mpt3sas", SleepCause::Disk),
    ("mmc", SleepCause::Disk),
    ("ufshcd", SleepCause::Disk),
    ("blkif", SleepCause::Disk),
    ("-input.", SleepCause::Socket),
    ("-output.", SleepCause::Socket),
    ("eth", SleepCause::Socket),
    ("enp", SleepCause::Socket),
    ("ens", SleepCause::Socket),
    ("mlx", SleepCause::Socket),
    ("i40e", SleepCause::Socket),
    ("ixgbe", SleepCause::Socket),
    ("iwlwifi", SleepCause::Socket),
    // vsock: sockets between a guest and its host.
    ("-rx", SleepCause::Socket),
    ("-tx", SleepCause::Socket),
    ("timer", SleepCause::Timer),
    ("hpet", SleepCause::Timer),
];

/// Returns the cause of the sleeps that an interrupt ends, by the name of its handler.
pub(crate) fn handler(name: &str) -> SleepCause {
    let row = HANDLERS.iter().find(|row| name.contains(row.0));
    row.map_or(SleepCause::Device, |row| row.1)
}

/// Beginnings of the names of threads of the kernel. The cause is that of an uninterruptible sleep which the thread ends.
const THREADS: &[(&str, SleepCause)] = &[
    ("jbd2/", SleepCause::Disk),
    ("xfsaild/", SleepCause::Disk),
    ("xfs-", SleepCause::Disk),
    ("btrfs-", SleepCause::Disk),
    ("loop", SleepCause::Disk),
    ("kworker/", SleepCause::Disk),
    ("md", SleepCause::Disk),
    ("dm", SleepCause::Disk),
    ("z_", SleepCause::Disk),
    ("kswapd", SleepCause::Memory),
    ("kcompactd", SleepCause::Memory),
    ("khugepaged", SleepCause::Memory),
    ("ksmd", SleepCause::Memory),
    ("oom_reaper", SleepCause::Memory),
    ("rcu_", SleepCause::Other),
    ("rcuop/", SleepCause::Other),
    ("migration/", SleepCause::Other),
    ("cpuhp/", SleepCause::Other),
    ("kthreadd", SleepCause::Other),
    ("ksoftirqd/", SleepCause::Unknown),
    ("iou-wrk-", SleepCause::Disk),
    ("iou-sqp-", SleepCause::Disk),
];

/// Beginning of the names of threads that serve an interrupt, before its number and the name of its handler.
const INTERRUPT: &str = "irq/";

/// Prefixes of kernel threads that a number must follow; other continuations are names of programs.
const NUMBERED: [&str; 3] = ["loop", "md", "dm"];

/// Returns the cause of the uninterruptible sleeps that a thread of the kernel ends; `None` for a task of a program.
pub(crate) fn kernel_thread(comm: &str) -> Option<SleepCause> {
    if let Some(served) = comm.strip_prefix(INTERRUPT) {
        return Some(handler(served));
    }
    let row = THREADS.iter().find(|row| comm.starts_with(row.0))?;
    let rest = &comm[row.0.len()..];
    let program = NUMBERED.contains(&row.0) && !rest.starts_with(|c: char| c.is_ascii_digit());
    (!program).then_some(row.1)
}

/// Returns whether a task made the request, itself or by a packet on the loopback device.
pub(crate) fn is_from(request: &Request, pid: i32) -> bool {
    request.waker_pid == pid && !matches!(request.context, Context::Interrupt | Context::Idle)
}

/// Parts of a recording that are counted, evenly among it, and wakeups of each.
const PARTS: u64 = 20;
const COUNTED: usize = 25_000;

/// Wakeups of a task by another one, in task context.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    /// Wakeups by a task that the other one had woken since its own last wakeup.
    answers: u32,
    all: u32,
}

/// Tasks that answer others. One that answers is woken before it wakes; one that releases a lock mostly is not.
#[derive(Debug, Default)]
pub(crate) struct Answers(HashMap<(String, String), Count>);

impl Answers {
    /// Counts wakeups between two moments by the names of tasks.
    pub(crate) fn of<'a>(
        requests: &Requests,
        (from_ns, to_ns): (u64, u64),
        comm: impl Fn(i32) -> &'a str,
    ) -> Result<Self, Error> {
        let mut counts: HashMap<(i32, i32), Count> = HashMap::new();
        // Tasks that each task has woken since it was woken, of those that were.
        let mut woken: HashMap<i32, HashSet<i32>> = HashMap::new();
        for part in 0..PARTS {
            let at = |part| from_ns + (to_ns - from_ns) / PARTS * part;
            let mut counted = 0;
            for request in requests.rows(at(part), at(part + 1))?.take(COUNTED) {
                let (pid, waker) = (request.pid, request.waker_pid);
                if let Some(others) = woken.get_mut(&pid) {
                    if waker > 0 && request.context != Context::Softirq && is_from(&request, waker)
                    {
                        let count = counts.entry((pid, waker)).or_default();
                        count.all += 1;
                        count.answers += u32::from(others.contains(&waker));
                    }
                    others.clear();
                } else {
                    woken.insert(pid, HashSet::new());
                }
                if is_from(&request, waker)
                    && let Some(others) = woken.get_mut(&waker)
                {
                    others.insert(pid);
                }
                counted += 1;
            }
            if counted == COUNTED {
                woken.clear();
            }
        }
        let mut found: HashMap<(String, String), Count> = HashMap::new();
        for ((pid, waker), count) in counts {
            let of_names = (comm(pid).to_owned(), comm(waker).to_owned());
            let sum = found.entry(of_names).or_default();
            sum.all += count.all;
            sum.answers += count.answers;
        }
        Ok(Self(found))
    }

    /// Returns whether tasks of the second name mostly wake those of the first one because these asked; `None` if they do not wake them.
    pub(crate) fn answers(&self, comm: &str, waker: &str) -> Option<bool> {
        let count = self.0.get(&(comm.to_owned(), waker.to_owned()))?;
        Some(count.answers * 2 > count.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_woke() {
        assert_eq!(handler("virtio1-req.0"), SleepCause::Disk);
        assert_eq!(handler("virtio2-input.0"), SleepCause::Socket);
        assert_eq!(handler("rtc0"), SleepCause::Device);
        assert_eq!(softirq(3).1, SleepCause::Socket);
        assert_eq!(softirq(40).1, SleepCause::Unknown);
        assert_eq!(kernel_thread("jbd2/vda1-8"), Some(SleepCause::Disk));
        assert_eq!(kernel_thread("loop0"), Some(SleepCause::Disk));
        assert_eq!(kernel_thread("looper"), None);
        assert_eq!(kernel_thread("irq/36-nvme0q1"), Some(SleepCause::Disk));
        assert_eq!(kernel_thread("irq/9-acpi"), Some(SleepCause::Device));
        assert_eq!(kernel_thread("postgres"), None);
    }
}
