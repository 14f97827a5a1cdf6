//! The NUMA fields of `/proc/PID/sched` (`proc_sched_show_task` in `kernel/sched/debug.c`).

use crate::SampleTableId;
use crate::files::File;
use crate::number::{Odd, decimal, node, number, short};
use crate::rows::Rows;

/// The task that the lines are about, as the file's first line names it.
#[derive(Debug, Default)]
pub(crate) struct SchedRows {
    task: Option<(i64, String)>,
}

/// The numbers of hinting faults by node.
const FAULTS: [&str; 4] = [
    "task_private",
    "task_shared",
    "group_private",
    "group_shared",
];

/// Name and number of a first line: `numawork (764, #threads: 2)`.
pub(crate) fn head(line: &str) -> Option<(i64, &str)> {
    let (before, threads) = line.strip_suffix(')')?.rsplit_once(", #threads: ")?;
    let (comm, tid) = before.rsplit_once(" (")?;
    threads.parse::<u32>().ok()?;
    Some((i64::from(tid.parse::<u32>().ok()?), comm))
}

/// Name and value of a line: `numa_pages_migrated    :   969`.
fn field(line: &str) -> Option<(&str, &str)> {
    // A name may have a colon of its own ("nr_migrations::cold"), so the last one counts.
    let (name, value) = line.rsplit_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    (!name.is_empty() && decimal(value, "").is_ok()).then_some((name, value))
}

/// Returns whether a line can follow the first one.
fn passes(line: &str) -> bool {
    line.bytes().all(|byte| byte == b'-') || field(line).is_some() || line.starts_with("numa_")
}

impl SchedRows {
    /// Another file begins.
    pub(crate) fn reset(&mut self) {
        self.task = None;
    }

    pub(crate) fn line(&mut self, file: &File, line: &str, rows: &mut Rows) -> Result<(), Odd> {
        if let Some((tid, comm)) = head(line) {
            self.task = Some((tid, short(comm)?.to_owned()));
            rows.sampled(SampleTableId::ProcSched, &tid.to_string());
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("numa_faults node=") {
            return self.faults(file, rest, rows);
        }
        if line.starts_with("current_node=") {
            for part in line.split(',') {
                let (name, value) = part
                    .split_once('=')
                    .ok_or_else(|| Odd::new("current_node= and numa_group_id=", line))?;
                self.push(file, name.trim(), value.trim(), rows)?;
            }
            return Ok(());
        }
        match field(line) {
            Some((name, value)) if name.contains("numa") => self.push(file, name, value, rows),
            _ if passes(line) => Ok(()),
            _ => Err(Odd::new("a line of /proc/PID/sched", line)),
        }
    }

    /// Process, thread and name of the task: what the file's path or record says, else what its first line says.
    fn task<'a>(&'a self, file: &'a File) -> (Option<i64>, Option<i64>, Option<&'a str>) {
        let own = self.task.as_ref();
        let tid = own.map(|(tid, _)| *tid);
        let comm = own.map(|(_, comm)| comm.as_str());
        (file.pid, file.tid.or(tid), comm.or(file.comm.as_deref()))
    }

    fn push(&self, file: &File, name: &str, value: &str, rows: &mut Rows) -> Result<(), Odd> {
        let (pid, tid, comm) = self.task(file);
        let value = decimal(value, "a task's number")?;
        let name = short(name)?;
        let key = format!("{:?} {name}", tid.or(pid));
        rows.sampled(SampleTableId::ProcSched, &key);
        rows.push(
            SampleTableId::ProcSched,
            cells![pid, tid, comm, name, value],
        );
        Ok(())
    }

    /// `0 task_private=4 task_shared=0 group_private=4 group_shared=0`
    fn faults(&self, file: &File, rest: &str, rows: &mut Rows) -> Result<(), Odd> {
        let (nid, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let nid = node(nid)?;
        let mut counts = [None; 4];
        for word in rest.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let at = FAULTS
                .iter()
                .position(|known| *known == name)
                .ok_or_else(|| Odd::new("a number of hinting faults", word))?;
            counts[at] = Some(number::<u64>(value, "a number of hinting faults")?);
        }
        let (pid, tid, comm) = self.task(file);
        let [task_private, task_shared, group_private, group_shared] = counts;
        rows.sampled(
            SampleTableId::ProcSchedFaults,
            &format!("{:?} {nid}", tid.or(pid)),
        );
        rows.push(
            SampleTableId::ProcSchedFaults,
            cells![
                pid,
                tid,
                comm,
                nid,
                task_private,
                task_shared,
                group_private,
                group_shared
            ],
        );
        Ok(())
    }
}
