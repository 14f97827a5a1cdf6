//! The one table from system calls to causes of sleeps.

use crate::catalogue::SleepCause;

/// A system call in which tasks sleep.
struct Row {
    name: &'static str,
    /// Numbers on x86-64 and arm64; `None` where the call does not exist.
    numbers: [Option<u16>; 2],
    /// Cause of a sleep in it; `None` if the call alone does not determine it, as a file may be a pipe, a socket or on a disk.
    cause: Option<SleepCause>,
    /// Argument that names the resource, and what to call it.
    argument: Option<(&'static str, &'static str)>,
}

const fn row(
    name: &'static str,
    numbers: [Option<u16>; 2],
    cause: Option<SleepCause>,
    argument: Option<(&'static str, &'static str)>,
) -> Row {
    Row {
        name,
        numbers,
        cause,
        argument,
    }
}

const FD: Option<(&str, &str)> = Some(("fd", "fd"));
const USER_LOCK: Option<SleepCause> = Some(SleepCause::UserLock);
const SOCKET: Option<SleepCause> = Some(SleepCause::Socket);
const DISK: Option<SleepCause> = Some(SleepCause::Disk);
const CHILD: Option<SleepCause> = Some(SleepCause::Child);
const TIMER: Option<SleepCause> = Some(SleepCause::Timer);

/// Numbers are those of `syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
const CALLS: &[Row] = &[
    row(
        "futex",
        [Some(202), Some(98)],
        USER_LOCK,
        Some(("uaddr", "futex")),
    ),
    row(
        "futex_wait",
        [Some(455), Some(455)],
        USER_LOCK,
        Some(("uaddr", "futex")),
    ),
    row("futex_waitv", [Some(449), Some(449)], USER_LOCK, None),
    row(
        "semop",
        [Some(65), Some(193)],
        USER_LOCK,
        Some(("semid", "set")),
    ),
    row(
        "semtimedop",
        [Some(220), Some(192)],
        USER_LOCK,
        Some(("semid", "set")),
    ),
    row("flock", [Some(73), Some(32)], USER_LOCK, FD),
    row("nanosleep", [Some(35), Some(101)], TIMER, None),
    row("clock_nanosleep", [Some(230), Some(115)], TIMER, None),
    row("recvfrom", [Some(45), Some(207)], SOCKET, FD),
    row("recvmsg", [Some(47), Some(212)], SOCKET, FD),
    row("recvmmsg", [Some(299), Some(243)], SOCKET, FD),
    row("accept", [Some(43), Some(202)], SOCKET, FD),
    row("accept4", [Some(288), Some(242)], SOCKET, FD),
    row("connect", [Some(42), Some(203)], SOCKET, FD),
    row("sendto", [Some(44), Some(206)], SOCKET, FD),
    row("sendmsg", [Some(46), Some(211)], SOCKET, FD),
    row(
        "epoll_wait",
        [Some(232), None],
        SOCKET,
        Some(("epfd", "fd")),
    ),
    row(
        "epoll_pwait",
        [Some(281), Some(22)],
        SOCKET,
        Some(("epfd", "fd")),
    ),
    row(
        "epoll_pwait2",
        [Some(441), Some(441)],
        SOCKET,
        Some(("epfd", "fd")),
    ),
    row("poll", [Some(7), None], SOCKET, None),
    row("ppoll", [Some(271), Some(73)], SOCKET, None),
    row("select", [Some(23), None], SOCKET, None),
    row("pselect6", [Some(270), Some(72)], SOCKET, None),
    row("fsync", [Some(74), Some(82)], DISK, FD),
    row("fdatasync", [Some(75), Some(83)], DISK, FD),
    row("sync", [Some(162), Some(81)], DISK, None),
    row("syncfs", [Some(306), Some(267)], DISK, FD),
    row("sync_file_range", [Some(277), Some(84)], DISK, FD),
    row("msync", [Some(26), Some(227)], DISK, None),
    row("wait4", [Some(61), Some(260)], CHILD, None),
    row("waitid", [Some(247), Some(95)], CHILD, None),
    row("vfork", [Some(58), None], CHILD, None),
    row("read", [Some(0), Some(63)], None, FD),
    row("readv", [Some(19), Some(65)], None, FD),
    row("pread64", [Some(17), Some(67)], None, FD),
    row("write", [Some(1), Some(64)], None, FD),
    row("writev", [Some(20), Some(66)], None, FD),
    row("pwrite64", [Some(18), Some(68)], None, FD),
];

/// Machine whose numbers of system calls are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    X86,
    Arm,
}

impl Machine {
    /// Returns the machine that a text names, such as what `uname -a` prints.
    pub(crate) fn named(text: &str) -> Option<Self> {
        if text.contains("x86_64") {
            Some(Self::X86)
        } else if text.contains("aarch64") || text.contains("arm64") {
            Some(Self::Arm)
        } else {
            None
        }
    }
}

/// A system call of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call(u8);

impl Call {
    /// Returns the call of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let at = CALLS.iter().position(|row| row.name == name)?;
        Some(Self(at as u8))
    }

    /// Returns the call of a number.
    pub(crate) fn numbered(number: i64, machine: Machine) -> Option<Self> {
        let of = |row: &Row| row.numbers[machine as usize].map(i64::from) == Some(number);
        let at = CALLS.iter().position(of)?;
        Some(Self(at as u8))
    }

    fn row(self) -> &'static Row {
        &CALLS[usize::from(self.0)]
    }

    /// Cause of a sleep in the call. A task that sleeps uninterruptibly in one that waits for others waits for something else, such as
    /// a page of its memory. `blocked` is `None` where the state is unknown.
    pub(crate) fn cause(self, blocked: Option<bool>) -> Option<SleepCause> {
        let row = self.row();
        let uninterruptible = row.cause == DISK || row.name == "vfork";
        row.cause
            .filter(|_| blocked.is_none_or(|blocked| uninterruptible == blocked))
    }

    /// Name of the argument that names the resource.
    pub(crate) fn argument(self) -> Option<&'static str> {
        self.row().argument.map(|argument| argument.0)
    }

    /// Name of the call with its resource.
    pub(crate) fn shown(self, argument: Option<u64>) -> String {
        let row = self.row();
        match (row.argument, argument) {
            (Some((_, "futex")), Some(address)) => format!("futex {address:#x}"),
            (Some((_, kind)), Some(value)) => format!("{} ({kind} {value})", row.name),
            _ => row.name.to_owned(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_are_of_one_machine() {
        let name = |number, machine| Call::numbered(number, machine).map(|call| call.row().name);
        assert_eq!(name(202, Machine::X86), Some("futex"));
        assert_eq!(name(202, Machine::Arm), Some("accept"));
        assert_eq!(name(98, Machine::Arm), Some("futex"));
        assert_eq!(name(39, Machine::X86), None);
        for machine in [0, 1] {
            let numbers: Vec<u16> = CALLS
                .iter()
                .filter_map(|row| row.numbers[machine])
                .collect();
            let distinct: HashSet<&u16> = numbers.iter().collect();
            assert_eq!(distinct.len(), numbers.len());
        }
    }

    #[test]
    fn a_page_fault_in_a_call_is_not_what_the_call_waits_for() {
        let call = Call::named("futex").unwrap();
        assert_eq!(call.cause(Some(false)), Some(SleepCause::UserLock));
        assert_eq!(call.cause(Some(true)), None);
        let call = Call::named("fdatasync").unwrap();
        assert_eq!(call.cause(Some(true)), Some(SleepCause::Disk));
        assert_eq!(call.cause(Some(false)), None);
        assert_eq!(call.cause(None), Some(SleepCause::Disk));
        assert_eq!(call.shown(Some(5)), "fdatasync (fd 5)");
        assert_eq!(Call::named("read").unwrap().cause(None), None);
    }
}
