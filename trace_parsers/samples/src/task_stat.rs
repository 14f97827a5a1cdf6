//! `/proc/PID/task/TID/stat`, and the CPUs of its `status` (`do_task_stat`, `task_cpus_allowed`, `fs/proc/array.c`).

use crate::SampleTableId;
use crate::files::File;
use crate::number::{Odd, short};
use crate::rows::Rows;

/// Places of the fields after the name, which ends with the last parenthesis: the state, field 3, is the first.
const STATE: usize = 0;
const PPID: usize = 1;
const FLAGS: usize = 6;
const UTIME: usize = 11;
const STIME: usize = 12;
const NICE: usize = 16;
const PROCESSOR: usize = 36;
const RT_PRIORITY: usize = 37;
const POLICY: usize = 38;

/// Kept fields of a task's `stat`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stat<'a> {
    comm: Option<&'a str>,
    state: Option<&'a str>,
    /// CPU time so far, clock ticks of 1/100 s.
    cpu_ticks: Option<i64>,
    cpu: Option<i64>,
    ppid: Option<i64>,
    flags: Option<i64>,
    nice: Option<i64>,
    rt_priority: Option<i64>,
    policy: Option<i64>,
}

impl<'a> Stat<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (head, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().take(POLICY + 1).collect();
        let number = |at: usize| fields.get(at)?.parse().ok();
        let ticks = |utime: i64| utime.checked_add(number(STIME)?);
        let stat = Self {
            comm: head.split_once('(').map(|(_, comm)| comm),
            state: fields.get(STATE).copied(),
            cpu_ticks: number(UTIME).and_then(ticks),
            cpu: number(PROCESSOR),
            ppid: number(PPID),
            flags: number(FLAGS),
            nice: number(NICE),
            rt_priority: number(RT_PRIORITY),
            policy: number(POLICY),
        };
        stat.flags.map(|_| stat)
    }
}

/// Adds the sample of a task: its `stat`, its CPUs, or both.
pub(crate) fn sampled(
    file: &File,
    stat: Option<&str>,
    cpus_allowed: Option<&str>,
    rows: &mut Rows,
) -> Result<(), Odd> {
    let stat = match stat {
        Some(line) => Stat::parse(line)
            .ok_or_else(|| Odd::new("a task's numbers as /proc/PID/stat has them", line))?,
        None => Stat::default(),
    };
    let cpus_allowed = cpus_allowed.map(|list| short(list.trim())).transpose()?;
    let comm = stat.comm.map(short).transpose()?;
    let state = stat.state.map(short).transpose()?;
    rows.push(
        SampleTableId::TaskStat,
        cells![
            file.pid,
            file.tid,
            stat.ppid,
            stat.flags,
            stat.nice,
            stat.rt_priority,
            stat.policy,
            cpus_allowed,
            comm,
            state,
            stat.cpu_ticks,
            stat.cpu,
        ],
    );
    Ok(())
}

/// A line of `status`; only the one with the CPUs says something here.
pub(crate) fn status(file: &File, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    match line.strip_prefix("Cpus_allowed_list:") {
        Some(list) => sampled(file, None, Some(list), rows),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::Stat;

    #[test]
    fn fields_are_counted_behind_the_name() {
        let line = "35 (kworker/1:2 (x)) I 2 0 0 0 -1 69238880 0 0 0 0 3 5 0 0 20 0 1 0 150 0 0 18446744073709551615 0 0 0 0 0 0 \
                    0 2147483647 0 0 0 0 17 1 0 0 0 0 0";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.ppid, stat.flags), (Some(2), Some(69_238_880)));
        assert_eq!(
            (stat.comm, stat.state, stat.cpu_ticks, stat.cpu),
            (Some("kworker/1:2 (x)"), Some("I"), Some(8), Some(1))
        );
        assert_eq!(
            (stat.nice, stat.rt_priority, stat.policy),
            (Some(0), Some(0), Some(0))
        );
        assert_eq!(Stat::parse("35 kworker I 2"), None);
        assert_eq!(Stat::parse("35 (x) I 2"), None);
    }
}
