-- How long threads waited for a CPU, by thread, CPU and node.

INCLUDE PERFETTO MODULE numalens.nodes;

-- Times in which a thread could run and did not, with the CPU on which it then ran.
--
-- As Perfetto sees it: from sched_waking, or from the switch away of a thread that could still run. The kinds are those of
-- the section latency, each wait is of one.
CREATE PERFETTO TABLE numalens_wait(
  ts TIMESTAMP,
  dur DURATION,
  -- CPU on which the thread ran afterwards; NULL when that was not seen.
  cpu LONG,
  -- Node of that CPU; NULL when the topology is not known.
  nid LONG,
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  -- woken, preempted, or new: woken for the first time.
  began STRING,
  -- How it began, or unfinished: the thread was not seen to get a CPU before its next state or the end of the trace.
  kind STRING,
  -- Who woke the thread; NULL when it was preempted.
  waker_utid JOINID(thread.id)
) AS
WITH pieces AS (
  SELECT
    ts,
    state,
    cpu,
    utid,
    waker_utid,
    -- Woken while it waits after a preemption: that is one wait.
    state IN ('R', 'R+') AND lag(state) OVER threads IN ('R', 'R+') AND lag(dur) OVER threads >= 0 AS goes_on
  FROM thread_state
  WINDOW threads AS (PARTITION BY utid ORDER BY ts)
),
states AS (
  SELECT
    ts,
    state,
    utid,
    waker_utid,
    lead(ts, 1, trace_end()) OVER threads AS next_ts,
    lead(state) OVER threads AS next_state,
    lead(cpu) OVER threads AS next_cpu
  FROM pieces
  WHERE goes_on IS NOT 1
  WINDOW threads AS (PARTITION BY utid ORDER BY ts)
),
first_wakeups AS (
  SELECT DISTINCT ts, extract_arg(arg_set_id, 'pid') AS tid
  FROM ftrace_event
  WHERE name = 'sched_wakeup_new'
),
waits AS (
  SELECT
    states.ts,
    states.next_ts - states.ts AS dur,
    iif(states.next_state = 'Running', states.next_cpu, NULL) AS cpu,
    states.utid,
    thread.tid,
    thread.name AS thread_name,
    -- Perfetto knows a waker of every thread that was woken.
    CASE
      WHEN states.waker_utid IS NULL THEN 'preempted'
      WHEN first_wakeups.tid IS NOT NULL THEN 'new'
      ELSE 'woken'
    END AS began,
    states.next_state IS 'Running' AS ran,
    states.waker_utid
  FROM states
  JOIN thread USING (utid)
  LEFT JOIN first_wakeups ON first_wakeups.ts = states.ts AND first_wakeups.tid = thread.tid
  WHERE states.state IN ('R', 'R+') AND thread.tid != 0
)
SELECT
  waits.ts,
  waits.dur,
  waits.cpu,
  of_cpu.nid,
  waits.utid,
  waits.tid,
  waits.thread_name,
  waits.began,
  iif(waits.ran, waits.began, 'unfinished') AS kind,
  waits.waker_utid
FROM waits
LEFT JOIN numalens_cpu_node AS of_cpu ON of_cpu.cpu = waits.cpu
ORDER BY waits.ts;

-- The waits by node and kind: how many, how long together, and percentiles of their lengths.
CREATE PERFETTO VIEW numalens_wait_by_node(
  nid LONG,
  kind STRING,
  waits LONG,
  total_ns DURATION,
  mean_ns DOUBLE,
  p50_ns DOUBLE,
  p90_ns DOUBLE,
  p99_ns DOUBLE,
  max_ns DURATION
) AS
SELECT
  nid,
  kind,
  count() AS waits,
  sum(dur) AS total_ns,
  avg(dur) AS mean_ns,
  percentile(dur, 50) AS p50_ns,
  percentile(dur, 90) AS p90_ns,
  percentile(dur, 99) AS p99_ns,
  max(dur) AS max_ns
FROM numalens_wait
GROUP BY nid, kind;

-- The waits by thread and kind.
CREATE PERFETTO VIEW numalens_wait_by_thread(
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  kind STRING,
  waits LONG,
  total_ns DURATION,
  p50_ns DOUBLE,
  p99_ns DOUBLE,
  max_ns DURATION
) AS
SELECT
  utid,
  tid,
  thread_name,
  kind,
  count() AS waits,
  sum(dur) AS total_ns,
  percentile(dur, 50) AS p50_ns,
  percentile(dur, 99) AS p99_ns,
  max(dur) AS max_ns
FROM numalens_wait
GROUP BY utid, kind;
