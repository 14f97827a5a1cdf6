//! Counters of the whole machine: `/proc/vmstat` and its variants for a node, `/proc/stat`, `/proc/loadavg`.

use crate::SampleTableId;
use crate::files::File;
use crate::number::{Odd, decimal, number, short};
use crate::rows::Rows;

/// Name and value of a `name value` line.
pub(crate) fn pair(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    let (name, value) = (words.next()?, words.next()?);
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let numeric = value.strip_prefix('-').unwrap_or(value);
    let numeric = !numeric.is_empty() && numeric.bytes().all(|byte| byte.is_ascii_digit());
    (words.next().is_none() && plain && numeric).then_some((name, value))
}

/// A line of vmstat: `nr_free_pages 964825` (`mm/vmstat.c`).
pub(crate) fn vmstat(
    file: &File,
    nid: Option<i32>,
    line: &str,
    rows: &mut Rows,
) -> Result<(), Odd> {
    let (name, value) = pair(line).ok_or_else(|| Odd::new("a counter's name and value", line))?;
    let value: i64 = number(value, "a counter below 2^63")?;
    let name = short(name)?;
    // A node has two files with some of the names in both.
    let key = nid.map_or_else(
        || name.to_owned(),
        |nid| format!("{} {nid} {name}", file.name),
    );
    rows.sampled(SampleTableId::Vmstat, &key);
    rows.push(SampleTableId::Vmstat, cells![name, value, nid]);
    Ok(())
}

/// The other lines of `/proc/stat`: they are not used.
pub(crate) fn passes_in_stat(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    [
        "intr",
        "ctxt",
        "btime",
        "processes",
        "procs_running",
        "procs_blocked",
        "softirq",
        "page",
        "swap",
    ]
    .contains(&name)
}

/// The CPU of a line of `/proc/stat`: -1 for all together.
pub(crate) fn stat_cpu(line: &str) -> Option<(i32, &str)> {
    let (name, rest) = line.strip_prefix("cpu")?.split_once(' ')?;
    let cpu = if name.is_empty() {
        -1
    } else {
        number::<i32>(name, "").ok().filter(|cpu| *cpu >= 0)?
    };
    let numbers = rest.split_whitespace();
    let plain = numbers
        .clone()
        .all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    (plain && numbers.count() >= 4).then_some((cpu, rest))
}

/// A line of `/proc/stat`: `cpu0 218 0 232 447 0 0 5 0 0 0`, in ticks of 1/100 s (`fs/proc/stat.c`).
pub(crate) fn stat(line: &str, rows: &mut Rows) -> Result<(), Odd> {
    if passes_in_stat(line) {
        return Ok(());
    }
    let (cpu, rest) = stat_cpu(line).ok_or_else(|| Odd::new("a line of /proc/stat", line))?;
    let mut ticks = [None; 10];
    for (place, word) in ticks.iter_mut().zip(rest.split_whitespace()) {
        *place = Some(number::<u64>(word, "a number of ticks")?);
    }
    let [
        user,
        nice,
        system,
        idle,
        iowait,
        irq,
        softirq,
        steal,
        guest,
        guest_nice,
    ] = ticks;
    rows.sampled(SampleTableId::Stat, &cpu.to_string());
    rows.push(
        SampleTableId::Stat,
        cells![
            cpu, user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice
        ],
    );
    Ok(())
}

/// `0.82 0.19 0.06 3/88 506` (`fs/proc/loadavg.c`); the last number is the newest task's and is not used.
pub(crate) fn loadavg(line: &str, rows: &mut Rows) -> Result<(), Odd> {
    let odd = || Odd::new("a line of /proc/loadavg", line);
    let mut words = line.split_whitespace();
    let mut average = || decimal(words.next().unwrap_or_default(), "a load average");
    let (one, five, fifteen) = (average()?, average()?, average()?);
    let (running, total) = words
        .next()
        .and_then(|word| word.split_once('/'))
        .ok_or_else(odd)?;
    let running: u32 = number(running, "a number of running tasks")?;
    let total: u32 = number(total, "a number of tasks")?;
    rows.sampled(SampleTableId::Loadavg, "");
    rows.push(
        SampleTableId::Loadavg,
        cells![one, five, fifteen, running, total],
    );
    Ok(())
}

/// Returns whether a line can be one of `/proc/loadavg`.
pub(crate) fn is_loadavg(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    words.len() == 5
        && words[..3]
            .iter()
            .all(|word| word.contains('.') && decimal(word, "").is_ok())
        && words[3].contains('/')
}
