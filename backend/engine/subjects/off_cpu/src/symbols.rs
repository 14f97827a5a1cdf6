//! The one table from functions of the kernel to causes of sleeps.

use crate::catalogue::SleepCause;

/// Beginnings of the names of functions in which tasks sleep, and the cause. The first row that matches decides; where one name begins
/// with another, the longer one comes first.
const SYMBOLS: &[(&str, SleepCause)] = &[
    ("futex_wait", SleepCause::UserLock),
    ("__futex_wait", SleepCause::UserLock),
    ("futex_lock_pi", SleepCause::UserLock),
    ("do_semtimedop", SleepCause::UserLock),
    ("__mutex_lock", SleepCause::KernelLock),
    ("mutex_lock", SleepCause::KernelLock),
    ("rwsem_down_", SleepCause::KernelLock),
    ("down_read", SleepCause::KernelLock),
    ("down_write", SleepCause::KernelLock),
    ("rt_mutex_", SleepCause::KernelLock),
    ("percpu_rwsem_wait", SleepCause::KernelLock),
    ("__percpu_down_read", SleepCause::KernelLock),
    ("balance_dirty_pages", SleepCause::Memory),
    ("throttle_direct_reclaim", SleepCause::Memory),
    ("mem_cgroup_handle_over_high", SleepCause::Memory),
    ("__mem_cgroup_handle_over_high", SleepCause::Memory),
    ("shrink_", SleepCause::Memory),
    ("reclaim_throttle", SleepCause::Memory),
    ("swap_", SleepCause::Memory),
    ("do_swap_page", SleepCause::Memory),
    ("jbd2_log_wait_commit", SleepCause::Disk),
    ("io_schedule", SleepCause::Disk),
    ("folio_wait_", SleepCause::Disk),
    ("wait_on_page_", SleepCause::Disk),
    ("wait_on_buffer", SleepCause::Disk),
    ("__wait_on_buffer", SleepCause::Disk),
    ("blk_", SleepCause::Disk),
    ("submit_bio_wait", SleepCause::Disk),
    ("ep_poll", SleepCause::Socket),
    ("do_epoll_wait", SleepCause::Socket),
    ("do_sys_poll", SleepCause::Socket),
    ("do_poll", SleepCause::Socket),
    ("do_select", SleepCause::Socket),
    ("sk_wait_data", SleepCause::Socket),
    ("sk_stream_wait", SleepCause::Socket),
    ("__skb_wait_for_more_packets", SleepCause::Socket),
    ("unix_stream_", SleepCause::Socket),
    ("inet_csk_accept", SleepCause::Socket),
    ("pipe_read", SleepCause::Pipe),
    ("pipe_write", SleepCause::Pipe),
    ("anon_pipe_", SleepCause::Pipe),
    ("do_nanosleep", SleepCause::Timer),
    ("hrtimer_nanosleep", SleepCause::Timer),
    ("wait_for_vfork_done", SleepCause::Child),
    ("do_wait", SleepCause::Child),
    ("do_freezer_trap", SleepCause::Frozen),
    ("cgroup_enter_frozen", SleepCause::Frozen),
    ("__refrigerator", SleepCause::Frozen),
    ("do_signal_stop", SleepCause::Stopped),
    ("do_jobctl_trap", SleepCause::Stopped),
    ("ptrace_stop", SleepCause::Traced),
    ("synchronize_rcu", SleepCause::Other),
    ("kthread_worker_fn", SleepCause::Other),
    ("worker_thread", SleepCause::Other),
    ("rescuer_thread", SleepCause::Other),
    // Many of the above sleep by it: it decides only where nothing above it does.
    ("schedule_timeout", SleepCause::Timer),
];

/// Returns the cause of a sleep in a function, if the table has it.
fn of_symbol(symbol: &str) -> Option<SleepCause> {
    let row = SYMBOLS.iter().find(|row| symbol.starts_with(row.0));
    row.map(|row| row.1)
}

/// Returns the cause of a sleep by its stack, and the function that decides it. That is the innermost one of the table, but one that waits
/// for memory decides wherever it is, as what it calls may wait for a disk, and a timeout only where nothing else does. `stack` has the
/// innermost function first.
pub(crate) fn of_stack<'a>(stack: impl Iterator<Item = &'a str>) -> Option<(SleepCause, &'a str)> {
    let known = stack.filter_map(|symbol| Some((of_symbol(symbol)?, symbol)));
    known.reduce(|inner, outer| {
        let decides = outer.0 == SleepCause::Memory && inner.0 != SleepCause::Memory;
        let timeout = inner.1.starts_with("schedule_timeout");
        if decides || timeout { outer } else { inner }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_function_decides() {
        let cause = |stack: &[&'static str]| of_stack(stack.iter().copied());
        assert_eq!(
            cause(&["__schedule", "schedule", "futex_wait_queue", "do_futex"]),
            Some((SleepCause::UserLock, "futex_wait_queue"))
        );
        assert_eq!(
            cause(&["schedule", "io_schedule", "folio_wait_bit_common"]),
            Some((SleepCause::Disk, "io_schedule"))
        );
        assert_eq!(
            cause(&["io_schedule", "folio_wait_bit_common", "shrink_folio_list"]),
            Some((SleepCause::Memory, "shrink_folio_list"))
        );
        assert_eq!(cause(&["__schedule", "schedule", "main"]), None);
    }

    #[test]
    fn a_timeout_is_that_of_what_waits() {
        let poll = [
            "schedule_hrtimeout_range",
            "schedule_timeout",
            "do_sys_poll",
        ];
        assert_eq!(
            of_stack(poll.into_iter()),
            Some((SleepCause::Socket, "do_sys_poll"))
        );
        assert_eq!(
            of_stack(["schedule", "schedule_timeout", "msleep"].into_iter()),
            Some((SleepCause::Timer, "schedule_timeout"))
        );
    }
}
