//! The one table from functions of the kernel to causes of sleeps.

use crate::catalogue::SleepCause;

/// Beginnings of the names of functions in which tasks sleep, and the cause. The first row that matches decides; where one name begins
/// with another, the longer one comes first.
const SYMBOLS: &[(&str, SleepCause)] = &[
    ("futex_wait", SleepCause::UserLock),
    ("__futex_wait", SleepCause::UserLock),
    ("futex_lock_pi", SleepCause::UserLock),
    ("do_semtimedop", SleepCause::UserLock),
    // Locks of files (flock, fcntl), which programs share.
    ("locks_lock_inode_wait", SleepCause::UserLock),
    ("flock_lock_inode_wait", SleepCause::UserLock),
    ("posix_lock_inode_wait", SleepCause::UserLock),
    ("do_lock_file_wait", SleepCause::UserLock),
    ("fcntl_setlk", SleepCause::UserLock),
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
    ("mem_cgroup_oom_", SleepCause::Memory),
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
    ("rq_qos_wait", SleepCause::Disk),
    ("wbt_wait", SleepCause::Disk),
    ("inode_dio_wait", SleepCause::Disk),
    ("wb_wait_for_completion", SleepCause::Disk),
    ("sync_inodes_sb", SleepCause::Disk),
    ("read_events", SleepCause::Disk),
    ("start_this_handle", SleepCause::Disk),
    ("wait_transaction_locked", SleepCause::Disk),
    ("xlog_", SleepCause::Disk),
    ("xfs_log_force", SleepCause::Disk),
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
    ("inet_wait_for_connect", SleepCause::Socket),
    ("inet_stream_connect", SleepCause::Socket),
    ("sock_alloc_send_pskb", SleepCause::Socket),
    ("sock_wait_for_wmem", SleepCause::Socket),
    ("unix_wait_for_peer", SleepCause::Socket),
    ("rpc_wait_bit_killable", SleepCause::Socket),
    ("pipe_read", SleepCause::Pipe),
    ("pipe_write", SleepCause::Pipe),
    ("anon_pipe_", SleepCause::Pipe),
    ("eventfd_read", SleepCause::Pipe),
    ("do_msgrcv", SleepCause::Pipe),
    ("do_msgsnd", SleepCause::Pipe),
    ("wq_sleep", SleepCause::Pipe),
    // Programs that answer for the kernel: file systems (FUSE), and memory of another program.
    ("request_wait_answer", SleepCause::Process),
    ("handle_userfault", SleepCause::Process),
    ("do_nanosleep", SleepCause::Timer),
    ("timerfd_read", SleepCause::Timer),
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
    ("smpboot_thread_fn", SleepCause::Other),
    ("kswapd", SleepCause::Other),
    ("kjournald2", SleepCause::Other),
    ("kcompactd", SleepCause::Other),
    ("begin_new_exec", SleepCause::Other),
    ("flush_work", SleepCause::Other),
    ("__flush_work", SleepCause::Other),
    ("rcu_barrier", SleepCause::Other),
    ("exp_funnel_lock", SleepCause::Other),
    ("do_sigtimedwait", SleepCause::Other),
    ("sigsuspend", SleepCause::Other),
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
        assert_eq!(
            cause(&["schedule", "locks_lock_inode_wait", "__do_sys_flock"]),
            Some((SleepCause::UserLock, "locks_lock_inode_wait"))
        );
        assert_eq!(
            cause(&["schedule", "schedule_timeout", "sock_alloc_send_pskb"]),
            Some((SleepCause::Socket, "sock_alloc_send_pskb"))
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
