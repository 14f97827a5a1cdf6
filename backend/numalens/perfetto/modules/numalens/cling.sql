-- NUMA cling: failed migrations by numa group, when a node was busy for a group, what cling decided.

INCLUDE PERFETTO MODULE numalens.tracks;

-- The numa groups, in the order in which their tracks stand.
CREATE PERFETTO VIEW numalens_cling_group(
  -- From 1.
  number LONG,
  gid LONG,
  -- NULL when it is not known.
  cgroup STRING,
  -- How its values are known.
  known_by STRING
) AS
SELECT
  place + 1 AS number,
  cast(substr(name, 7) AS INTEGER) AS gid,
  nullif(trim(substr(name, 7 + length(cast(cast(substr(name, 7) AS INTEGER) AS TEXT)))), '') AS cgroup,
  description AS known_by
FROM numalens_track
WHERE parent = 'NUMA cling' AND name GLOB 'Group *';

-- A group's migrations to a node that failed, in percent of those that were tried, from each change to the next.
CREATE PERFETTO VIEW numalens_cling_failures(
  ts TIMESTAMP,
  dur DURATION,
  gid LONG,
  -- Node that its tasks were to go to.
  nid LONG,
  percent DOUBLE
) AS
SELECT
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts) - counter.ts AS dur,
  cast(substr(track.parent, 7) AS INTEGER) AS gid,
  cast(substr(track.name, 18) AS INTEGER) AS nid,
  counter.value AS percent
FROM numalens_track AS track
JOIN counter ON counter.track_id = track.id
WHERE track.grandparent = 'NUMA cling' AND track.name GLOB 'failures to node *';

-- When a node was busy for a group: as long as that lasts its tasks cling to where they are.
CREATE PERFETTO VIEW numalens_cling_busy(
  ts TIMESTAMP,
  dur DURATION,
  gid LONG,
  nid LONG
) AS
SELECT
  slice.ts,
  slice.dur,
  cast(substr(track.parent, 7) AS INTEGER) AS gid,
  cast(substr(track.name, 6) AS INTEGER) AS nid
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
WHERE track.grandparent = 'NUMA cling' AND track.name GLOB 'node * busy';

-- What cling decided about tasks that were to change nodes.
CREATE PERFETTO VIEW numalens_cling_decision(
  ts TIMESTAMP,
  -- Who wanted to move the task: load_balance, wake_affine, ...
  kind STRING,
  -- What became of it.
  outcome STRING,
  -- Function of the kernel that asked.
  function STRING,
  gid LONG,
  pid LONG,
  -- Node of the task.
  snid LONG,
  -- Node that it was to go to.
  dnid LONG,
  -- How the decision is known.
  label STRING
) AS
SELECT
  slice.ts,
  extract_arg(slice.arg_set_id, 'debug.kind') AS kind,
  extract_arg(slice.arg_set_id, 'debug.outcome') AS outcome,
  extract_arg(slice.arg_set_id, 'debug.function') AS function,
  of_group.gid,
  extract_arg(slice.arg_set_id, 'debug.pid') AS pid,
  extract_arg(slice.arg_set_id, 'debug.snid') AS snid,
  extract_arg(slice.arg_set_id, 'debug.dnid') AS dnid,
  extract_arg(slice.arg_set_id, 'debug.label') AS label
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
LEFT JOIN numalens_cling_group AS of_group ON of_group.number = extract_arg(slice.arg_set_id, 'debug.group')
WHERE track.parent = 'NUMA cling' AND track.name = 'Decisions';
