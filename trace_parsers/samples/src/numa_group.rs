//! The cling kernel's `cpu.numa_group` (`show_tg_numa_group` of the NUMA cling series).

use crate::SampleTableId;
use crate::number::{Odd, node, number};
use crate::rows::Rows;

/// The group's own line.
#[derive(Debug)]
struct Group {
    cgroup: String,
    gid: Option<i64>,
    nr_tasks: Option<i64>,
    active_nodes: Option<i64>,
    busiest_nid: Option<i64>,
    degree: Option<i64>,
    /// A node's row carries it already.
    written: bool,
}

/// A node's line. The labels are those of the text.
#[derive(Debug, Default)]
struct NodeLine {
    mem_private: Option<u64>,
    mem_shared: Option<u64>,
    cpu_private: Option<u64>,
    cpu_shared: Option<u64>,
    failure_scaled: Option<u64>,
    total_scaled: Option<u64>,
    ratio_percent: Option<u64>,
}

/// Joins the line of a group with those of its nodes.
#[derive(Debug, Default)]
pub(crate) struct GroupRows {
    group: Option<Group>,
}

/// Returns whether a line is one of this text.
pub(crate) fn recognises(line: &str) -> bool {
    line == "disabled"
        || line.starts_with("id ") && line.contains(" nr_tasks ")
        || line.starts_with("node ") && line.contains(" mem_private ")
}

impl GroupRows {
    pub(crate) fn line(
        &mut self,
        cgroup: &str,
        degree: Option<i64>,
        line: &str,
        rows: &mut Rows,
    ) -> Result<(), Odd> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("disabled") if words.next().is_none() => {
                self.finish(rows);
                rows.sampled(SampleTableId::NumaGroup, cgroup);
                push(
                    rows,
                    &Group::new(cgroup, degree),
                    false,
                    None,
                    &NodeLine::default(),
                );
                Ok(())
            }
            Some("id") => {
                let group = Group::parse(cgroup, degree, line)?;
                self.finish(rows);
                rows.sampled(SampleTableId::NumaGroup, cgroup);
                self.group = Some(group);
                Ok(())
            }
            Some("node") => {
                let (nid, values) = NodeLine::parse(line)?;
                let group = self
                    .group
                    .as_mut()
                    .filter(|group| group.cgroup == cgroup)
                    .ok_or_else(|| {
                        Odd::new("the group's own line (id ...) before its nodes", line)
                    })?;
                group.written = true;
                push(rows, group, true, Some(nid), &values);
                Ok(())
            }
            _ => Err(Odd::new(
                "a line of cpu.numa_group (disabled, id ..., node ...)",
                line,
            )),
        }
    }

    /// Ends the group: one that has no nodes makes a row of its own.
    pub(crate) fn finish(&mut self, rows: &mut Rows) {
        if let Some(group) = self.group.take().filter(|group| !group.written) {
            push(rows, &group, true, None, &NodeLine::default());
        }
    }
}

impl Group {
    fn new(cgroup: &str, degree: Option<i64>) -> Self {
        Self {
            cgroup: cgroup.to_owned(),
            gid: None,
            nr_tasks: None,
            active_nodes: None,
            busiest_nid: None,
            degree,
            written: false,
        }
    }

    /// `id 745 nr_tasks 7 active_nodes 1 busiest_nid -1`; the first versions of the series have no `busiest_nid`.
    fn parse(cgroup: &str, degree: Option<i64>, line: &str) -> Result<Self, Odd> {
        let mut group = Self::new(cgroup, degree);
        let mut words = line.split_whitespace();
        while let Some(key) = words.next() {
            let value = Some(number(
                words.next().unwrap_or_default(),
                "a group's number",
            )?);
            match key {
                "id" => group.gid = value,
                "nr_tasks" => group.nr_tasks = value,
                "active_nodes" => group.active_nodes = value,
                "busiest_nid" => group.busiest_nid = value,
                _ => {}
            }
        }
        Ok(group)
    }
}

impl NodeLine {
    /// `node 0 mem_private 1 mem_shared 2 cpu_private 3 cpu_shared 4 migrate_stat 5 6 7`; the first versions of the
    /// series have no `migrate_stat`.
    fn parse(line: &str) -> Result<(i32, Self), Odd> {
        let mut words = line.split_whitespace();
        let mut values = Self::default();
        let mut nid = None;
        while let Some(key) = words.next() {
            let mut value = || words.next().unwrap_or_default();
            let mut count = || number::<u64>(value(), "a number of faults");
            match key {
                "node" => nid = Some(node(value())?),
                "mem_private" => values.mem_private = Some(count()?),
                "mem_shared" => values.mem_shared = Some(count()?),
                "cpu_private" => values.cpu_private = Some(count()?),
                "cpu_shared" => values.cpu_shared = Some(count()?),
                "migrate_stat" => {
                    values.failure_scaled = Some(count()?);
                    values.total_scaled = Some(count()?);
                    values.ratio_percent = Some(count()?);
                }
                _ => return Err(Odd::new("a field of a node's line", key)),
            }
        }
        let nid = nid.ok_or_else(|| Odd::new("a node's number", line))?;
        Ok((nid, values))
    }
}

/// Writes a row. The kernel counts private faults at the index that the text calls shared and the other way round, so
/// what is meant is the other label's number.
fn push(rows: &mut Rows, group: &Group, enabled: bool, nid: Option<i32>, values: &NodeLine) {
    rows.push(
        SampleTableId::NumaGroup,
        cells![
            group.cgroup.as_str(),
            enabled,
            group.gid,
            group.nr_tasks,
            group.active_nodes,
            group.busiest_nid,
            nid,
            values.mem_shared,
            values.mem_private,
            values.cpu_shared,
            values.cpu_private,
            values.mem_private,
            values.mem_shared,
            values.cpu_private,
            values.cpu_shared,
            values.failure_scaled,
            values.total_scaled,
            values.ratio_percent,
            group.degree,
        ],
    );
}
