-- Findings of NumaLens, worst first.

INCLUDE PERFETTO MODULE numalens.tracks;

-- A finding and the time that it is about.
CREATE PERFETTO VIEW numalens_finding(
  ts TIMESTAMP,
  dur DURATION,
  -- From 1, worst first.
  rank LONG,
  -- Its kind, such as NUMA_NODE_STACKING.
  finding STRING,
  severity STRING,
  impact_ms DOUBLE,
  -- What was found, one sentence.
  summary STRING,
  -- How it is known.
  label STRING
) AS
SELECT
  slice.ts,
  slice.dur,
  extract_arg(slice.arg_set_id, 'debug.rank') AS rank,
  slice.name AS finding,
  extract_arg(slice.arg_set_id, 'debug.severity') AS severity,
  extract_arg(slice.arg_set_id, 'debug.impact_ms') AS impact_ms,
  extract_arg(slice.arg_set_id, 'debug.summary') AS summary,
  extract_arg(slice.arg_set_id, 'debug.label') AS label
FROM numalens_track AS track
JOIN slice ON slice.track_id = track.id
WHERE track.parent = 'Findings' AND slice.category = 'finding';
