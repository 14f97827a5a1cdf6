-- How long threads waited for a CPU, by thread, CPU and node.

INCLUDE PERFETTO MODULE numalens.nodes;

-- Times in which a thread could run and did not, with the CPU on which it then ran.
--
-- As Perfetto sees it: from sched_waking, or from the switch away of a thread that could still run. Waits that had no
-- end in the trace are left out.
CREATE PERFETTO TABLE numalens_wait(
  ts TIMESTAMP,
  dur DURATION,
  -- CPU on which the thread ran afterwards.
  cpu LONG,
  -- Node of that CPU; NULL when the topology is not known.
  nid LONG,
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  -- woken or preempted.
  began STRING,
  -- Who woke the thread; NULL when it was preempted.
  waker_utid JOINID(thread.id)
) AS
WITH states AS (
  SELECT
    ts,
    dur,
    state,
    utid,
    waker_utid,
    lead(state) OVER threads AS next_state,
    lead(cpu) OVER threads AS next_cpu
  FROM thread_state
  WINDOW threads AS (PARTITION BY utid ORDER BY ts)
)
SELECT
  states.ts,
  states.dur,
  states.next_cpu AS cpu,
  of_cpu.nid,
  states.utid,
  thread.tid,
  thread.name AS thread_name,
  iif(states.state = 'R+', 'preempted', 'woken') AS began,
  states.waker_utid
FROM states
JOIN thread USING (utid)
LEFT JOIN numalens_cpu_node AS of_cpu ON of_cpu.cpu = states.next_cpu
WHERE states.state IN ('R', 'R+') AND states.next_state = 'Running' AND states.dur >= 0 AND thread.tid != 0
ORDER BY states.ts;

-- The waits by node: how many, how long together, and percentiles of their lengths.
CREATE PERFETTO VIEW numalens_wait_by_node(
  nid LONG,
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
  count() AS waits,
  sum(dur) AS total_ns,
  avg(dur) AS mean_ns,
  percentile(dur, 50) AS p50_ns,
  percentile(dur, 90) AS p90_ns,
  percentile(dur, 99) AS p99_ns,
  max(dur) AS max_ns
FROM numalens_wait
GROUP BY nid;

-- The waits by thread.
CREATE PERFETTO VIEW numalens_wait_by_thread(
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
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
  count() AS waits,
  sum(dur) AS total_ns,
  percentile(dur, 50) AS p50_ns,
  percentile(dur, 99) AS p99_ns,
  max(dur) AS max_ns
FROM numalens_wait
GROUP BY utid;
