//! Functions of probes.

/// The function of a probe, by its event's name, and whether the probe is on its return; users choose the group's name
/// freely. Names are those of functions with the additions of `perf probe`, the kernel's `kprobe_events` and the compiler:
/// `p_sched_setnuma_0`, `task_numa_migrate__return`, `task_numa_migrate_isra_0`.
#[must_use]
pub fn probed(event: &str) -> (&str, bool) {
    let (mut name, mut returns) = match event.strip_prefix("r_") {
        Some(name) => (name, true),
        None => (event.strip_prefix("p_").unwrap_or(event), false),
    };
    loop {
        let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let plain = (digits.len() < name.len())
            .then(|| digits.strip_suffix('_'))
            .flatten();
        let added = ["_isra", "_constprop", "_part", "__entry"];
        let plain = plain.or_else(|| added.iter().find_map(|end| name.strip_suffix(end)));
        if let Some(plain) = plain {
            name = plain;
            continue;
        }
        let ends = ["__return", "__exit", "_return", "_ret"];
        let Some(plain) = ends.iter().find_map(|end| name.strip_suffix(end)) else {
            return (name, returns);
        };
        (name, returns) = (plain, true);
    }
}

#[cfg(test)]
mod tests {
    use super::probed;

    #[test]
    fn what_tools_add_is_taken_off() {
        for (event, expected) in [
            ("sched_setnuma", ("sched_setnuma", false)),
            ("p_sched_setnuma_0", ("sched_setnuma", false)),
            ("r_task_numa_migrate_0", ("task_numa_migrate", true)),
            ("task_numa_migrate__return", ("task_numa_migrate", true)),
            ("task_numa_migrate_ret", ("task_numa_migrate", true)),
            ("task_numa_migrate_isra_0", ("task_numa_migrate", false)),
            ("nohz_csd_func", ("nohz_csd_func", false)),
        ] {
            assert_eq!(probed(event), expected, "{event}");
        }
    }
}
