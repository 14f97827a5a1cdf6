//! `/proc/schedstat`: what the load balancer has counted in each scheduling domain of each CPU (`show_schedstat`,
//! `kernel/sched/stats.c`; `Documentation/scheduler/sched-stats.rst`), versions 15 to 17.
//!
//! Version 16 puts busy before idle, version 17 names the domain and counts four kinds of imbalance instead of one. Linux 6.1
//! prints 15, 6.12 prints 16, 7.2 prints 17.

use crate::SampleTableId;
use crate::number::{Odd, number, short};
use crate::rows::Rows;

/// Versions that are read.
const VERSIONS: std::ops::RangeInclusive<u32> = 15..=17;
/// Counters of active balancing and of placement after those of balancing.
const BEHIND: usize = 12;

/// Position in a sample.
#[derive(Debug, Default)]
pub(crate) struct Schedstat {
    version: Option<u32>,
    cpu: i32,
}

/// Version of a sample, by its first line.
fn version(line: &str) -> Option<u32> {
    let version = line.strip_prefix("version ")?.trim().parse().ok()?;
    VERSIONS.contains(&version).then_some(version)
}

impl Schedstat {
    /// A line; those of other versions are passed over, and so are the CPUs' own counters.
    pub(crate) fn line(&mut self, line: &str, rows: &mut Rows) -> Result<(), Odd> {
        if line.starts_with("version ") {
            self.version = version(line);
            return Ok(());
        }
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        if let Some(cpu) = name.strip_prefix("cpu") {
            self.cpu = number(cpu, "a CPU")?;
            return Ok(());
        }
        let (Some(version), Some(domain)) = (self.version, name.strip_prefix("domain")) else {
            return Ok(());
        };
        let domain: i32 = number(domain, "the number of a domain")?;
        let called = if version >= 17 { words.next() } else { None };
        let called = called.map(short).transpose()?;
        let cpus = short(words.next().unwrap_or_default())?;
        let counts = words
            .map(|word| number(word, "a counter"))
            .collect::<Result<Vec<u64>, Odd>>()?;
        let kinds = if version == 15 {
            ["idle", "busy", "newidle"]
        } else {
            ["busy", "idle", "newidle"]
        };
        let imbalances = if version >= 17 { 4 } else { 1 };
        let each = 7 + imbalances;
        if counts.len() != kinds.len() * each + BEHIND {
            return Err(Odd::new("the counters of a domain", line));
        }
        let (balancing, active) = counts.split_at(kinds.len() * each);
        let mut push = |kind: &str,
                        count: u64,
                        balanced: Option<u64>,
                        failed: u64,
                        gained: u64,
                        hot: Option<u64>| {
            rows.sampled(
                SampleTableId::Schedstat,
                &format!("{} {domain} {kind}", self.cpu),
            );
            rows.push(
                SampleTableId::Schedstat,
                cells![
                    self.cpu, domain, called, cpus, kind, count, balanced, failed, gained, hot
                ],
            );
        };
        for (kind, counts) in kinds.into_iter().zip(balancing.chunks_exact(each)) {
            let behind = &counts[3 + imbalances..];
            push(
                kind,
                counts[0],
                Some(counts[1]),
                counts[2],
                behind[0],
                Some(behind[1]),
            );
        }
        push("active", active[0], None, active[1], active[2], None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_with_known_columns_are_read() {
        assert_eq!(version("version 17"), Some(17));
        assert_eq!(version("version 14"), None);
        assert_eq!(version("version 170"), None);
    }
}
