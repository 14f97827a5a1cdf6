//! Names of perf's events.

/// Terms that say how an event is recorded, not which event it is (`perf-list(1)`, `perf-record(1)`).
const TERMS: [&[u8]; 16] = [
    b"aux-action",
    b"aux-output",
    b"aux-sample-size",
    b"branch_type",
    b"call-graph",
    b"freq",
    b"inherit",
    b"max-stack",
    b"name",
    b"no-inherit",
    b"no-overwrite",
    b"overwrite",
    b"percore",
    b"period",
    b"stack-size",
    b"time",
];

/// Returns the name of an event without its modifiers: `sched:sched_switch` of `sched:sched_switch/call-graph=no/u`, `cycles` of `cycles:ppp`.
///
/// The terms of a PMU (`cpu/mem-loads,ldlat=30/P`) say which event it is: such a name stays as it is.
#[must_use]
pub fn perf_event_name(name: &[u8]) -> &[u8] {
    let place = |wanted: u8| name.iter().rposition(|&byte| byte == wanted);
    if let Some(close) = place(b'/')
        && let Some(open) = name.iter().position(|&byte| byte == b'/')
        && open < close
        && are_modifiers(
            name[close + 1..]
                .strip_prefix(b":")
                .unwrap_or(&name[close + 1..]),
        )
    {
        let base = &name[..open];
        let mut terms = name[open + 1..close].split(|&byte| byte == b',');
        let is_term =
            |term: &[u8]| TERMS.contains(&term.split(|&b| b == b'=').next().unwrap_or(term));
        let tracepoint = base.contains(&b':');
        return if !base.is_empty() && (tracepoint || terms.all(is_term)) {
            base
        } else {
            name
        };
    }
    match place(b':') {
        Some(colon) if colon > 0 && colon + 1 < name.len() && are_modifiers(&name[colon + 1..]) => {
            &name[..colon]
        }
        _ => name,
    }
}

/// Returns whether these are letters of modifiers, or none: `u` and `k` for user and kernel, `ppp` for precise and so on.
fn are_modifiers(letters: &[u8]) -> bool {
    letters.len() <= 6
        && letters
            .iter()
            .all(|letter| b"ukhGHIpPSDWeRb".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_are_no_part_of_a_name() {
        for (name, base) in [
            ("sched:sched_switch", "sched:sched_switch"),
            ("sched:sched_switch/call-graph=no/", "sched:sched_switch"),
            (
                "sched:sched_switch/period=1,max-stack=8/u",
                "sched:sched_switch",
            ),
            ("sched:sched_switch//k", "sched:sched_switch"),
            ("sched:sched_switch:ppp", "sched:sched_switch"),
            ("sched:sched_switch/period=1/:u", "sched:sched_switch"),
            ("cpu-clock/freq=999/", "cpu-clock"),
            ("cycles:P", "cycles"),
            ("page-faults", "page-faults"),
            ("cpu/mem-loads,ldlat=30/P", "cpu/mem-loads,ldlat=30/P"),
            ("cpu_core/cycles/", "cpu_core/cycles/"),
            ("arm_spe_0//", "arm_spe_0//"),
            ("power:cpu_idle", "power:cpu_idle"),
            ("mem:0x7f00:rw:u", "mem:0x7f00:rw"),
            ("/u", "/u"),
            (":u", ":u"),
            ("", ""),
        ] {
            assert_eq!(perf_event_name(name.as_bytes()), base.as_bytes(), "{name}");
        }
    }
}
