-- The nohz idle load balancer: kicks and what became of them, and who balanced.

INCLUDE PERFETTO MODULE numalens.tracks;

-- What the idle load balancer did: kicks that were sent, and passes of CPUs that balanced for others.
CREATE PERFETTO VIEW numalens_ilb_event(
  ts TIMESTAMP,
  -- kick_sent, pass, pick_blocked or stale_next_balance.
  kind STRING,
  -- What became of a kick: handled, dropped, ...; NULL for anything else.
  fate STRING,
  -- CPU that did it; NULL when that is not known.
  cpu LONG,
  -- CPU that a kick went to.
  target LONG,
  -- Why it was sent, where that is known.
  why STRING,
  jiffies LONG,
  -- When it came to its target; NULL when that is not known.
  arrived_ts TIMESTAMP,
  -- From being sent to that.
  delay DURATION,
  -- How it is known.
  label STRING
) AS
SELECT
  slice.ts,
  extract_arg(slice.arg_set_id, 'debug.kind') AS kind,
  nullif(extract_arg(slice.arg_set_id, 'debug.fate'), '') AS fate,
  -- What is not known stands there as an empty text.
  cast(nullif(extract_arg(slice.arg_set_id, 'debug.cpu'), '') AS INTEGER) AS cpu,
  cast(nullif(extract_arg(slice.arg_set_id, 'debug.target'), '') AS INTEGER) AS target,
  nullif(extract_arg(slice.arg_set_id, 'debug.why'), '') AS why,
  cast(nullif(extract_arg(slice.arg_set_id, 'debug.jiffies'), '') AS INTEGER) AS jiffies,
  arrived.ts AS arrived_ts,
  arrived.ts - slice.ts AS delay,
  extract_arg(slice.arg_set_id, 'debug.label') AS label
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
LEFT JOIN flow ON flow.slice_out = slice.id
LEFT JOIN slice AS arrived ON arrived.id = flow.slice_in
WHERE track.parent = 'Idle load balancer' AND track.name = 'Kicks sent';

-- Kicks of an idle CPU that is to balance for others.
CREATE PERFETTO VIEW numalens_ilb_kick(
  ts TIMESTAMP,
  kind STRING,
  -- handled, dropped, ...
  fate STRING,
  -- CPU that sent it; NULL when that is not known.
  cpu LONG,
  target LONG,
  why STRING,
  jiffies LONG,
  arrived_ts TIMESTAMP,
  delay DURATION,
  label STRING
) AS
SELECT * FROM numalens_ilb_event
WHERE kind GLOB 'kick*';
