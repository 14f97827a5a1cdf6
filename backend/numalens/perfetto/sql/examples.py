"""Questions that people with slow machines ask, and that work on every analysis."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Example:
    """A question and its SQL."""

    title: str
    sql: str


EXAMPLES: Final = (
    Example(
        "Which threads waited longest for a CPU, and on which node?",
        """INCLUDE PERFETTO MODULE numalens.latency;

SELECT ts, dur / 1e6 AS ms, thread_name, tid, cpu, nid, kind
FROM numalens_wait
ORDER BY dur DESC
LIMIT 50""",
    ),
    Example(
        "How long do tasks wait on each node?",
        """INCLUDE PERFETTO MODULE numalens.latency;

SELECT nid, kind, waits, total_ns / 1e6 AS total_ms, p50_ns / 1e3 AS p50_us, p99_ns / 1e3 AS p99_us, max_ns / 1e6 AS max_ms
FROM numalens_wait_by_node
ORDER BY nid, kind""",
    ),
    Example(
        "Was one node overloaded while another had time?",
        """INCLUDE PERFETTO MODULE numalens.nodes;

SELECT full.ts, full.dur, full.nid, full.percent, free.nid AS free_nid, free.percent AS free_percent
FROM numalens_node_busy AS full
JOIN numalens_node_busy AS free USING (ts)
WHERE full.percent > 95 AND free.percent < 50
ORDER BY full.ts""",
    ),
    Example(
        "Which tasks changed nodes most?",
        """INCLUDE PERFETTO MODULE numalens.nodes;

WITH stays AS (
  SELECT utid, nid, lag(nid) OVER (PARTITION BY utid ORDER BY sched.ts) AS before
  FROM sched
  JOIN numalens_cpu_node USING (cpu)
)
SELECT thread.name, thread.tid, count() AS changes
FROM stays
JOIN thread USING (utid)
WHERE nid != before AND thread.tid != 0
GROUP BY utid
ORDER BY changes DESC
LIMIT 50""",
    ),
    Example(
        "What costs most, as far as NumaLens found?",
        """INCLUDE PERFETTO MODULE numalens.findings;

SELECT rank, finding, severity, impact_ms, ts, dur, summary
FROM numalens_finding
ORDER BY rank""",
    ),
    Example(
        "How did the NUMA balancer's attempts end, by node?",
        """INCLUDE PERFETTO MODULE numalens.nodes;

SELECT nid, target_nid, verdict, count() AS attempts
FROM numalens_numa_attempt
GROUP BY nid, target_nid, verdict
ORDER BY attempts DESC""",
    ),
    Example(
        "Who uses the CPUs?",
        """SELECT thread.name, thread.tid, count() AS times, sum(dur) / 1e6 AS ms, max(dur) / 1e6 AS longest_ms
FROM sched
JOIN thread USING (utid)
WHERE thread.tid != 0 AND dur > 0
GROUP BY utid
ORDER BY ms DESC
LIMIT 50""",
    ),
    Example(
        "Which events were recorded?",
        """-- A waking with success = 0 was made for the trace processor where only a wake-up was recorded.
SELECT name, count() AS events, min(ts) AS first_ts, max(ts) AS last_ts
FROM ftrace_event
WHERE name != 'sched_waking' OR coalesce(extract_arg(arg_set_id, 'success'), 1) != 0
GROUP BY name
ORDER BY events DESC""",
    ),
)
