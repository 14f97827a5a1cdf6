-- How long threads waited for a CPU and for what: the waits that the section latency counts.
--
-- Read from the tracks that NumaLens writes, to the ns the waits of `analyze` over what is loaded: of a wait that crosses an edge
-- of a loaded window, the part inside. numalens_wait_between(from_ts, to_ts) cuts the waits to a shorter window in the same way.

INCLUDE PERFETTO MODULE numalens.nodes;

-- How the waits are known: one row, none in a trace that NumaLens did not write. Where they are not recorded, there is no wait.
CREATE PERFETTO VIEW numalens_wait_source(
  recorded BOOL,
  -- Provenance, and what is missing for knowing them better; or why they are not recorded.
  known_by STRING
) AS
SELECT slice.name = 'recorded' AS recorded, extract_arg(slice.arg_set_id, 'debug.known_by') AS known_by
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
WHERE track.parent = 'NumaLens' AND track.name = 'Waits';

-- Times in which a thread could run and did not.
CREATE PERFETTO TABLE numalens_wait(
  id LONG,
  -- When it began: with the request to wake the thread, with its preemption, ...
  ts TIMESTAMP,
  dur DURATION,
  -- CPU that it got, or for which it waited last.
  cpu LONG,
  -- Node of that CPU; NULL when the topology is not known.
  nid LONG,
  -- NULL when no event names the thread.
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  -- Number of the thread among those that waited; a tid may come to another.
  task LONG,
  -- woken, preempted, new (woken for the first time) or unfinished, which means at least so long.
  kind STRING,
  -- waking, wakeup, preempted, new or resumed (behind lost events).
  began STRING,
  -- ran, recording_end, lost_events or gone.
  ended STRING,
  -- It began before the loaded window.
  begun_before BOOL,
  -- It goes on behind the loaded window.
  open_at_end BOOL,
  -- Who woke the thread; NULL when nobody did, or it is not recorded.
  waker_utid JOINID(thread.id),
  -- Has what it was spent on: see numalens_wait_cause.
  arg_set_id ARGSETID
) AS
WITH threads AS MATERIALIZED (
  SELECT tid, utid, start_ts, lead(start_ts) OVER (PARTITION BY tid ORDER BY utid) AS next_ts
  FROM thread
),
tasks AS MATERIALIZED (
  SELECT
    extract_arg(slice.arg_set_id, 'debug.number') AS number,
    extract_arg(slice.arg_set_id, 'debug.pid') AS tid,
    slice.name
  FROM numalens_track AS track
  JOIN slice ON slice.track_id = track.id
  WHERE track.grandparent = 'NumaLens' AND track.parent = 'Waits' AND track.name GLOB 'Tasks*'
),
waits AS (
  SELECT
    slice.id,
    slice.ts AS end_ts,
    extract_arg(slice.arg_set_id, 'debug.dur') AS dur,
    extract_arg(slice.arg_set_id, 'debug.cpu') AS cpu,
    extract_arg(slice.arg_set_id, 'debug.task') AS task,
    -- Where many end at once, they are on several tracks: new, new 2, ...
    substr(track.name, 1, instr(track.name || ' ', ' ') - 1) AS kind,
    slice.name AS began,
    extract_arg(slice.arg_set_id, 'debug.ended') AS ended,
    extract_arg(slice.arg_set_id, 'debug.begun_before') IS 1 AS begun_before,
    extract_arg(slice.arg_set_id, 'debug.open_at_end') IS 1 AS open_at_end,
    extract_arg(slice.arg_set_id, 'debug.waker') AS waker,
    slice.arg_set_id
  FROM numalens_track AS track
  JOIN slice ON slice.track_id = track.id
  WHERE track.grandparent = 'NumaLens' AND track.parent = 'Waits' AND track.name NOT GLOB 'Tasks*'
)
SELECT
  waits.id,
  waits.end_ts - waits.dur AS ts,
  waits.dur,
  waits.cpu,
  of_cpu.nid,
  thread.utid,
  tasks.tid,
  tasks.name AS thread_name,
  waits.task,
  waits.kind,
  waits.began,
  waits.ended,
  waits.begun_before,
  waits.open_at_end,
  waker.utid AS waker_utid,
  waits.arg_set_id
FROM waits
JOIN tasks ON tasks.number = waits.task
LEFT JOIN numalens_cpu_node AS of_cpu ON of_cpu.cpu = waits.cpu
-- Threads of one tid follow each other.
LEFT JOIN threads AS thread
  ON thread.tid = tasks.tid
  AND (thread.start_ts IS NULL OR thread.start_ts <= waits.end_ts)
  AND (thread.next_ts IS NULL OR thread.next_ts > waits.end_ts)
LEFT JOIN threads AS waker
  ON waker.tid = waits.waker
  AND (waker.start_ts IS NULL OR waker.start_ts <= waits.end_ts - waits.dur)
  AND (waker.next_ts IS NULL OR waker.next_ts > waits.end_ts - waits.dur)
ORDER BY ts, waits.id;

-- What each wait was spent on: the causes of a wait add up to it.
CREATE PERFETTO VIEW numalens_wait_cause(
  wait_id JOINID(numalens_wait.id),
  ts TIMESTAMP,
  -- Kind of the wait.
  kind STRING,
  -- wake_up, busy, pinned, throttled, idle_same_node, ...
  cause STRING,
  -- How much of the wait.
  dur DURATION,
  -- Whether the cause is a conclusion; the others are known as numalens_wait_source says.
  inferred BOOL
) AS
SELECT
  numalens_wait.id AS wait_id,
  numalens_wait.ts,
  numalens_wait.kind,
  substr(args.key, instr(args.key, '_') + 1) AS cause,
  args.int_value AS dur,
  args.key GLOB 'debug.inferred_*' AS inferred
FROM numalens_wait
JOIN args USING (arg_set_id)
WHERE args.key GLOB 'debug.cause_*' OR args.key GLOB 'debug.inferred_*';

-- The waits cut to a window inside what is loaded, `from_ts` counts and `to_ts` does not: kind and length are those that
-- `analyze --from --to` has. For what cut waits were spent on, load the window itself.
CREATE PERFETTO FUNCTION numalens_wait_between(from_ts TIMESTAMP, to_ts TIMESTAMP)
RETURNS TABLE(
  id LONG,
  ts TIMESTAMP,
  dur DURATION,
  cpu LONG,
  nid LONG,
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  kind STRING,
  began STRING,
  ended STRING,
  begun_before BOOL,
  open_at_end BOOL
) AS
SELECT
  id,
  max(ts, $from_ts) AS ts,
  min(ts + dur, $to_ts) - max(ts, $from_ts) AS dur,
  cpu,
  nid,
  utid,
  tid,
  thread_name,
  iif(ts + dur > $to_ts, 'unfinished', kind) AS kind,
  began,
  ended,
  begun_before OR ts < $from_ts AS begun_before,
  open_at_end OR ts + dur > $to_ts AS open_at_end
FROM numalens_wait
WHERE (ts >= $from_ts AND ts + dur <= $to_ts) OR (ts < $to_ts AND ts + dur > $from_ts);

-- The waits by kind and cause.
CREATE PERFETTO VIEW numalens_wait_by_cause(
  kind STRING,
  cause STRING,
  inferred BOOL,
  -- Waits with some of it.
  waits LONG,
  total_ns DURATION
) AS
SELECT kind, cause, inferred, count() AS waits, sum(dur) AS total_ns
FROM numalens_wait_cause
GROUP BY kind, cause, inferred;

-- The waits by node and kind: how many, how long together, and percentiles of their lengths (nearest rank).
CREATE PERFETTO VIEW numalens_wait_by_node(
  nid LONG,
  kind STRING,
  waits LONG,
  total_ns DURATION,
  mean_ns DOUBLE,
  p50_ns DURATION,
  p90_ns DURATION,
  p99_ns DURATION,
  max_ns DURATION
) AS
WITH ranked AS (
  SELECT
    nid,
    kind,
    dur,
    row_number() OVER (PARTITION BY nid, kind ORDER BY dur) AS rank,
    count() OVER (PARTITION BY nid, kind) AS waits
  FROM numalens_wait
)
SELECT
  nid,
  kind,
  waits,
  sum(dur) AS total_ns,
  avg(dur) AS mean_ns,
  min(iif(100 * rank >= 50 * waits, dur, NULL)) AS p50_ns,
  min(iif(100 * rank >= 90 * waits, dur, NULL)) AS p90_ns,
  min(iif(100 * rank >= 99 * waits, dur, NULL)) AS p99_ns,
  max(dur) AS max_ns
FROM ranked
GROUP BY nid, kind;

-- The waits by thread and kind.
CREATE PERFETTO VIEW numalens_wait_by_thread(
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  kind STRING,
  waits LONG,
  total_ns DURATION,
  p50_ns DURATION,
  p99_ns DURATION,
  max_ns DURATION
) AS
WITH ranked AS (
  SELECT
    task,
    utid,
    tid,
    thread_name,
    kind,
    dur,
    row_number() OVER (PARTITION BY task, kind ORDER BY dur) AS rank,
    count() OVER (PARTITION BY task, kind) AS waits
  FROM numalens_wait
)
SELECT
  max(utid) AS utid,
  tid,
  thread_name,
  kind,
  waits,
  sum(dur) AS total_ns,
  min(iif(100 * rank >= 50 * waits, dur, NULL)) AS p50_ns,
  min(iif(100 * rank >= 99 * waits, dur, NULL)) AS p99_ns,
  max(dur) AS max_ns
FROM ranked
GROUP BY task, kind;
