//! One wait, from its begin to its end.

use std::collections::HashMap;

use numalens_bundle::Open;
use numalens_replay::waits::{CauseNs, WaitRow};

use crate::latency::{Story, StoryLogs, StoryOf, story};
use crate::sections::data::{EARLIER, Named};
use crate::sections::numa::Known;
use crate::sections::options::OneWait;
use crate::sections::section::{Stop, Window};
use crate::window::Names;

pub(super) fn wait(open: &Open, window: Window, options: OneWait) -> Result<Story, Stop> {
    let known = Known::of(open)?;
    let parts = known.parts;
    let Some((requests, spans)) = parts.wakes(open)? else {
        return Err(Stop::unavailable(EARLIER));
    };
    let names = Named {
        open,
        groups: parts.groups.as_ref(),
    };
    let mut found: Option<(WaitRow, Vec<CauseNs>)> = None;
    parts
        .waits
        .scan(window.from_ns, window.to_ns, |wait, causes| {
            let (pid, _) = names.task(wait.task);
            let asked = (wait.start_ns, wait.end_ns) == (window.from_ns, window.to_ns)
                && options.pid.is_none_or(|asked| asked == pid)
                && options.cpu.is_none_or(|asked| asked == wait.cpu);
            if asked && found.is_none() {
                found = Some((*wait, causes.to_vec()));
            }
        })?;
    let Some((wait, causes)) = found else {
        return Err(Stop::unavailable(
            "no wait of that task has just these ends",
        ));
    };
    let logs = StoryLogs {
        index: &open.index,
        states: &parts.states,
        spans,
        requests,
        migrations: known.migration_log(),
        groups: parts.groups.as_ref(),
    };
    let of = StoryOf {
        wait: &wait,
        causes: &causes,
    };
    // Events of NUMA balancing name a task's group; the last one by then holds.
    let mut numa_groups: HashMap<i32, i32> = HashMap::new();
    for attempt in known.attempts(open.index.origin_ns(), wait.end_ns)? {
        if attempt.ngid > 0 {
            numa_groups.insert(attempt.pid, attempt.ngid);
        }
    }
    let group_of = |pid: i32| numa_groups.get(&pid).copied();
    let source = &known.evidence.run_state;
    Ok(story(logs, of, source, &names, group_of)?)
}
