//! `/sys/kernel/sched_ext`: whether a BPF scheduler is loaded, which, and what it has counted (`scx_attr_*_show`,
//! `kernel/sched/ext.c`, 6.12 to 7.2).
//!
//! `state`, `switch_all`, `nr_rejected`, `hotplug_seq` and `enable_seq` are the machine's. A scheduler has a directory with its name
//! (`root/ops`) and, since 6.15, counters (`root/events`: a name and a number a line).

use crate::SampleTableId;
use crate::files::File;
use crate::number::{Odd, number, short};
use crate::rows::Rows;

/// A line of one of the files.
pub(crate) fn line(file: &File, line: &str, rows: &mut Rows) -> Result<(), Odd> {
    let scheduler = short(&file.cgroup)?;
    let mut push = |name: &str, value: Option<i64>, text: Option<&str>| {
        rows.sampled(SampleTableId::SchedExt, &format!("{scheduler} {name}"));
        rows.push(
            SampleTableId::SchedExt,
            cells![scheduler, name, value, text],
        );
    };
    match file.name.as_str() {
        "state" | "ops" => push(&file.name, None, Some(short(line)?)),
        "events" => {
            let (name, value) = line
                .rsplit_once(char::is_whitespace)
                .ok_or_else(|| Odd::new("a counter of sched_ext and its value", line))?;
            push(short(name.trim())?, Some(number(value, "a counter")?), None);
        }
        name => push(name, Some(number(line, "a number of sched_ext")?), None),
    }
    Ok(())
}
