-- NUMA nodes: which CPUs they have, how busy they were, how many tasks waited, what the NUMA balancer tried.

INCLUDE PERFETTO MODULE numalens.tracks;

-- The node of each CPU, as far as the topology is known.
CREATE PERFETTO TABLE numalens_cpu_node(
  cpu LONG,
  nid LONG
) AS
SELECT cpu, cast(substr(processor, 6) AS INTEGER) AS nid
FROM cpu
WHERE processor GLOB 'node [0-9]*' AND cpu IS NOT NULL
ORDER BY cpu;

-- How busy the CPUs of each node were, step by step.
CREATE PERFETTO VIEW numalens_node_busy(
  ts TIMESTAMP,
  -- Length of the step.
  dur DURATION,
  nid LONG,
  -- Of the time of all CPUs of the node.
  percent DOUBLE
) AS
SELECT
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts) - counter.ts AS dur,
  cast(substr(track.parent, 6) AS INTEGER) AS nid,
  counter.value AS percent
FROM numalens_track AS track
JOIN counter ON counter.track_id = track.id
WHERE track.grandparent = 'Nodes' AND track.name = 'busy';

-- How many tasks waited for a CPU of each node, mean of each step.
CREATE PERFETTO VIEW numalens_node_waiting(
  ts TIMESTAMP,
  -- Length of the step.
  dur DURATION,
  nid LONG,
  tasks DOUBLE
) AS
SELECT
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts) - counter.ts AS dur,
  cast(substr(track.parent, 6) AS INTEGER) AS nid,
  counter.value AS tasks
FROM numalens_track AS track
JOIN counter ON counter.track_id = track.id
WHERE track.grandparent = 'Nodes' AND track.name = 'waiting tasks, mean';

-- Attempts of the NUMA balancer to bring a task to another node (task_numa_migrate).
CREATE PERFETTO VIEW numalens_numa_attempt(
  ts TIMESTAMP,
  -- Node that the task was to leave.
  nid LONG,
  -- How it ended: moved, swapped, or why not.
  verdict STRING,
  -- 1 when the task stayed.
  failed BOOL,
  pid LONG,
  comm STRING,
  -- The task's numa group; 0 is none.
  ngid LONG,
  src_cpu LONG,
  -- -1 when no CPU was found.
  dst_cpu LONG,
  -- Node that it was to go to.
  target_nid LONG
) AS
SELECT
  slice.ts,
  cast(substr(track.parent, 6) AS INTEGER) AS nid,
  slice.name AS verdict,
  extract_arg(slice.arg_set_id, 'debug.failed') AS failed,
  extract_arg(slice.arg_set_id, 'debug.pid') AS pid,
  extract_arg(slice.arg_set_id, 'debug.comm') AS comm,
  extract_arg(slice.arg_set_id, 'debug.ngid') AS ngid,
  extract_arg(slice.arg_set_id, 'debug.src_cpu') AS src_cpu,
  extract_arg(slice.arg_set_id, 'debug.dst_cpu') AS dst_cpu,
  extract_arg(slice.arg_set_id, 'debug.target_nid') AS target_nid
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
WHERE track.grandparent = 'Nodes' AND track.name = 'NUMA attempts';
