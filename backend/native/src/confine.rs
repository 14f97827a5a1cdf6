//! Rights that a process gives up before it opens the first of its untrusted files.
//!
//! Two layers of the kernel, each used as far as the host has it: Landlock (5.13; network 6.7, signals 6.12) leaves the
//! files that the work needs, a seccomp filter refuses whole system calls. Both hold for the calling thread and those that
//! it starts, and cannot be taken back.

use std::path::PathBuf;

/// Remaining rights.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    /// Files and folders that may be read.
    pub(crate) read: Vec<PathBuf>,
    /// Folders in which files may be made, changed and removed.
    pub(crate) write: Vec<PathBuf>,
    /// If true, programs below `read` may be started.
    pub(crate) programs: bool,
}

/// Confines the calling thread, and returns the names of the layers that hold from now on.
///
/// A layer that the host does not have is left out; an error is one sentence about a layer that it has and that refused.
#[cfg(target_os = "linux")]
pub(crate) fn confine(allowed: &Allowed) -> Result<Vec<&'static str>, String> {
    let mut layers = Vec::new();
    if files::confine(allowed).map_err(|error| format!("Landlock refused its rules: {error}"))? {
        layers.push("landlock");
    }
    if calls::confine(allowed.programs)
        .map_err(|error| format!("seccomp refused its filter: {error}"))?
    {
        layers.push("seccomp");
    }
    Ok(layers)
}

/// Other systems have neither layer.
#[cfg(not(target_os = "linux"))]
pub(crate) fn confine(_allowed: &Allowed) -> Result<Vec<&'static str>, String> {
    Ok(Vec::new())
}

/// Landlock.
#[cfg(target_os = "linux")]
mod files {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, RulesetStatus, Scope, path_beneath_rules,
    };

    use super::Allowed;

    /// The newest rules that are requested; an older kernel takes those that it knows.
    const NEWEST: ABI = ABI::V6;

    pub(super) fn confine(allowed: &Allowed) -> Result<bool, RulesetError> {
        let mut read = AccessFs::from_read(NEWEST);
        if !allowed.programs {
            read.remove(AccessFs::Execute);
        }
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?
            // What is not there needs no rule.
            .add_rules(path_beneath_rules(&allowed.read, read))?
            .add_rules(path_beneath_rules(&allowed.write, writing()))?
            .restrict_self()?;
        Ok(status.ruleset != RulesetStatus::NotEnforced)
    }

    /// Only plain files and folders: no devices, sockets, pipes or links.
    fn writing() -> BitFlags<AccessFs> {
        AccessFs::ReadFile
            | AccessFs::ReadDir
            | AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::MakeReg
            | AccessFs::MakeDir
            | AccessFs::RemoveFile
            | AccessFs::RemoveDir
            | AccessFs::Refer
    }
}

/// seccomp.
#[cfg(target_os = "linux")]
mod calls {
    use std::collections::BTreeMap;
    use std::env::consts::ARCH;
    use std::process;

    use libc::c_long;
    use seccompiler::{
        BackendError, BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp,
        SeccompCondition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
    };

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    /// Calls that no read of a file needs: networks, other processes, memory shared with them, owners and modes of files,
    /// mounts, namespaces, and kernel internals. Also leaving the process group, which is used to end the process.
    const REFUSED: &[c_long] = &[
        libc::SYS_accept4,
        libc::SYS_acct,
        libc::SYS_add_key,
        libc::SYS_adjtimex,
        libc::SYS_bind,
        libc::SYS_bpf,
        libc::SYS_capset,
        libc::SYS_chroot,
        libc::SYS_clock_settime,
        libc::SYS_connect,
        libc::SYS_delete_module,
        libc::SYS_fanotify_init,
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_finit_module,
        libc::SYS_fremovexattr,
        libc::SYS_fsconfig,
        libc::SYS_fsetxattr,
        libc::SYS_fsmount,
        libc::SYS_fsopen,
        libc::SYS_init_module,
        libc::SYS_inotify_add_watch,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_io_uring_setup,
        libc::SYS_ioprio_set,
        libc::SYS_kcmp,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_listen,
        libc::SYS_lremovexattr,
        libc::SYS_lsetxattr,
        libc::SYS_migrate_pages,
        libc::SYS_mount,
        libc::SYS_move_mount,
        libc::SYS_move_pages,
        libc::SYS_mq_open,
        libc::SYS_mq_unlink,
        libc::SYS_msgget,
        libc::SYS_open_by_handle_at,
        libc::SYS_open_tree,
        libc::SYS_perf_event_open,
        libc::SYS_personality,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_send_signal,
        libc::SYS_pivot_root,
        libc::SYS_process_madvise,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_ptrace,
        libc::SYS_quotactl,
        libc::SYS_reboot,
        libc::SYS_removexattr,
        libc::SYS_request_key,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_semget,
        libc::SYS_setdomainname,
        libc::SYS_setfsgid,
        libc::SYS_setfsuid,
        libc::SYS_setgid,
        libc::SYS_setgroups,
        libc::SYS_sethostname,
        libc::SYS_setns,
        libc::SYS_setpgid,
        libc::SYS_setregid,
        libc::SYS_setresgid,
        libc::SYS_setresuid,
        libc::SYS_setreuid,
        libc::SYS_setsid,
        libc::SYS_setuid,
        libc::SYS_setxattr,
        libc::SYS_shmat,
        libc::SYS_shmget,
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_swapoff,
        libc::SYS_swapon,
        libc::SYS_syslog,
        libc::SYS_umount2,
        libc::SYS_unshare,
        libc::SYS_userfaultfd,
        libc::SYS_utimensat,
        libc::SYS_vhangup,
    ];

    /// The older spellings of some of them, which newer machines never had.
    #[cfg(target_arch = "x86_64")]
    const REFUSED_OLD: &[c_long] = &[
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_futimesat,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
    ];
    #[cfg(not(target_arch = "x86_64"))]
    const REFUSED_OLD: &[c_long] = &[];

    /// Newer spellings, which the C library does not know yet: fchmodat2 (6.6), setxattrat and removexattrat (6.13),
    /// `file_setattr` (6.17). Their numbers are the same on every machine.
    const REFUSED_NEW: &[c_long] = &[452, 463, 466, 469];

    /// `fcntl` commands that make the kernel send signals to a process of one's choice.
    const SIGNALS_OF_FILES: [i32; 3] = [libc::F_SETOWN, F_SETSIG, F_SETOWN_EX];
    const F_SETSIG: i32 = 10;
    const F_SETOWN_EX: i32 = 15;

    /// Returns whether the filters are active: kernels without seccomp, and machines without a filter here, have none.
    pub(super) fn confine(programs: bool) -> Result<bool, Error> {
        let Ok(arch) = TargetArch::try_from(ARCH) else {
            return Ok(false);
        };
        // A call whose flags lie in memory cannot be looked at. When it is said not to exist, the C library takes the older
        // one, whose flags the other filter sees.
        let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
        let unknown = compiled(unknown, libc::ENOSYS, arch)?;
        let refused = compiled(refused(programs)?, libc::EPERM, arch)?;
        match apply_filter(&unknown) {
            // Built without it: EINVAL, as prctl(2) says.
            Err(Error::Prctl(error)) if error.raw_os_error() == Some(libc::EINVAL) => {
                return Ok(false);
            }
            applied => applied?,
        }
        apply_filter(&refused)?;
        Ok(true)
    }

    fn refused(programs: bool) -> Result<Rules, BackendError> {
        let of_parent = u64::from(libc::PR_SET_PDEATHSIG.unsigned_abs());
        let killed = u64::from(libc::SIGKILL.unsigned_abs());
        let always = [REFUSED, REFUSED_OLD, REFUSED_NEW].concat();
        let mut rules: Rules = always.into_iter().map(|call| (call, Vec::new())).collect();
        // A process may end only itself with a signal.
        let itself = u64::from(process::id());
        let others = SeccompRule::new(vec![condition(0, SeccompCmpOp::Ne, itself)?])?;
        for call in [libc::SYS_kill, libc::SYS_tgkill] {
            rules.insert(call, vec![others.clone()]);
        }
        rules.insert(libc::SYS_tkill, Vec::new());
        // Its own limits, priority and CPUs it may change, by 0 or its number.
        for (call, argument) in [
            (libc::SYS_prlimit64, 0),
            (libc::SYS_sched_setaffinity, 0),
            (libc::SYS_sched_setattr, 0),
            (libc::SYS_sched_setparam, 0),
            (libc::SYS_sched_setscheduler, 0),
            (libc::SYS_setpriority, 1),
        ] {
            let others = SeccompRule::new(vec![
                condition(argument, SeccompCmpOp::Ne, 0)?,
                condition(argument, SeccompCmpOp::Ne, itself)?,
            ])?;
            rules.insert(call, vec![others]);
        }
        let groups = condition(0, SeccompCmpOp::Ne, u64::from(libc::PRIO_PROCESS))?;
        let of_groups = SeccompRule::new(vec![groups])?;
        rules
            .entry(libc::SYS_setpriority)
            .or_default()
            .push(of_groups);
        let signals = SIGNALS_OF_FILES.map(|command| {
            let command = condition(1, SeccompCmpOp::Eq, u64::from(command.unsigned_abs()))?;
            SeccompRule::new(vec![command])
        });
        rules.insert(
            libc::SYS_fcntl,
            signals.into_iter().collect::<Result<_, _>>()?,
        );
        // It cannot arrange to outlive its parent.
        let outlives = SeccompRule::new(vec![
            condition(0, SeccompCmpOp::Eq, of_parent)?,
            condition(1, SeccompCmpOp::Ne, killed)?,
        ])?;
        rules.insert(libc::SYS_prctl, vec![outlives]);
        if !programs {
            rules.insert(libc::SYS_execve, Vec::new());
            rules.insert(libc::SYS_execveat, Vec::new());
            #[cfg(target_arch = "x86_64")]
            for call in [libc::SYS_fork, libc::SYS_vfork] {
                rules.insert(call, Vec::new());
            }
            // Threads only.
            let thread = libc::CLONE_THREAD as u64;
            let process = condition(0, SeccompCmpOp::MaskedEq(thread), 0)?;
            rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![process])?]);
        }
        Ok(rules)
    }

    fn condition(
        argument: u8,
        operator: SeccompCmpOp,
        value: u64,
    ) -> Result<SeccompCondition, BackendError> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
    }

    fn compiled(rules: Rules, error: i32, arch: TargetArch) -> Result<BpfProgram, BackendError> {
        let refusal = SeccompAction::Errno(error.unsigned_abs());
        SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch)?.try_into()
    }
}
