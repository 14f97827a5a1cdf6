-- What threads slept for, and what requests of a service spent their time on, as the sections sleeps and requests have it.
--
-- Read from the tracks that NumaLens writes. Of a sleep that crosses an edge of a loaded window, the part inside.

INCLUDE PERFETTO MODULE numalens.tracks;

-- Sleeps of threads: times in which they neither ran nor waited for a CPU.
CREATE PERFETTO TABLE numalens_sleep(
  id LONG,
  ts TIMESTAMP,
  dur DURATION,
  -- NULL when no event names the thread.
  utid JOINID(thread.id),
  tid LONG,
  thread_name STRING,
  -- Letter of the state as the kernel prints it: S, D, T, ...; NULL where no event has it.
  state STRING,
  -- disk, memory, user_lock, kernel_lock, socket, timer, ...
  cause STRING,
  -- What was waited for: a lock, a device, a function, a system call, ...
  resource STRING,
  -- Thread that ended the sleep; 0 for an interrupt or a timer.
  waker_tid LONG,
  waker STRING,
  -- Thread that held the lock longest.
  holder_tid LONG,
  holder STRING,
  -- observed, replayed, inferred or not recorded.
  known_by STRING,
  -- It began before the loaded window.
  begun_before BOOL,
  -- It goes on behind the loaded window.
  open_at_end BOOL
) AS
WITH threads AS MATERIALIZED (
  SELECT tid, utid, start_ts, lead(start_ts) OVER (PARTITION BY tid ORDER BY utid) AS next_ts
  FROM thread
),
sleeps AS (
  SELECT
    slice.id,
    slice.ts AS end_ts,
    extract_arg(slice.arg_set_id, 'debug.dur') AS dur,
    extract_arg(slice.arg_set_id, 'debug.pid') AS tid,
    slice.name AS cause,
    slice.arg_set_id
  FROM numalens_track AS track
  JOIN slice ON slice.track_id = track.id
  WHERE track.grandparent = 'NumaLens' AND track.parent = 'Sleeps'
)
SELECT
  sleeps.id,
  sleeps.end_ts - sleeps.dur AS ts,
  sleeps.dur,
  thread.utid,
  sleeps.tid,
  extract_arg(sleeps.arg_set_id, 'debug.comm') AS thread_name,
  extract_arg(sleeps.arg_set_id, 'debug.state') AS state,
  sleeps.cause,
  extract_arg(sleeps.arg_set_id, 'debug.resource') AS resource,
  extract_arg(sleeps.arg_set_id, 'debug.waker_pid') AS waker_tid,
  extract_arg(sleeps.arg_set_id, 'debug.waker') AS waker,
  extract_arg(sleeps.arg_set_id, 'debug.holder_pid') AS holder_tid,
  extract_arg(sleeps.arg_set_id, 'debug.holder') AS holder,
  extract_arg(sleeps.arg_set_id, 'debug.known_by') AS known_by,
  extract_arg(sleeps.arg_set_id, 'debug.begun_before') IS 1 AS begun_before,
  extract_arg(sleeps.arg_set_id, 'debug.open_at_end') IS 1 AS open_at_end
FROM sleeps
-- Threads of one tid follow each other.
LEFT JOIN threads AS thread
  ON thread.tid = sleeps.tid
  AND (thread.start_ts IS NULL OR thread.start_ts <= sleeps.end_ts)
  AND (thread.next_ts IS NULL OR thread.next_ts > sleeps.end_ts)
ORDER BY ts, sleeps.id;

-- Requests of the logs among the inputs, and what took most of each slow one.
CREATE PERFETTO TABLE numalens_request(
  id LONG,
  ts TIMESTAMP,
  dur DURATION,
  -- Among the slowest 1 %.
  slow BOOL,
  -- running, runnable or asleep; NULL for requests that are not slow.
  state STRING,
  cause STRING,
  -- How much of the request.
  cause_dur DURATION,
  -- Task or interrupt behind the cause.
  caused_by STRING
) AS
SELECT
  slice.id,
  slice.ts - extract_arg(slice.arg_set_id, 'debug.dur') AS ts,
  extract_arg(slice.arg_set_id, 'debug.dur') AS dur,
  extract_arg(slice.arg_set_id, 'debug.slow') AS slow,
  extract_arg(slice.arg_set_id, 'debug.state') AS state,
  extract_arg(slice.arg_set_id, 'debug.cause') AS cause,
  extract_arg(slice.arg_set_id, 'debug.cause_ns') AS cause_dur,
  extract_arg(slice.arg_set_id, 'debug.by') AS caused_by
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
WHERE track.grandparent = 'NumaLens' AND track.parent = 'Requests'
ORDER BY ts, slice.id;
