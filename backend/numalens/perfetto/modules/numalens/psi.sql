-- Pressure: the averages over 10 s, replayed and as the kernel told them.

INCLUDE PERFETTO MODULE numalens.tracks;

-- The averages of each resource over time; the kernel's own are there when /proc/pressure was sampled.
CREATE PERFETTO VIEW numalens_psi(
  ts TIMESTAMP,
  -- Until the next value.
  dur DURATION,
  -- cpu, memory or io.
  resource STRING,
  -- some or full.
  half STRING,
  percent DOUBLE,
  -- replayed or recorded.
  known_by STRING
) AS
SELECT
  counter.ts,
  lead(counter.ts, 1, trace_end()) OVER (PARTITION BY counter.track_id ORDER BY counter.ts) - counter.ts AS dur,
  substr(track.name, 1, instr(track.name, ' ') - 1) AS resource,
  iif(instr(track.name, ' full '), 'full', 'some') AS half,
  counter.value AS percent,
  iif(track.parent = 'Recorded', 'recorded', 'replayed') AS known_by
FROM numalens_track AS track
JOIN counter ON counter.track_id = track.id
WHERE (track.parent = 'Pressure' OR track.grandparent = 'Pressure') AND track.name GLOB '* avg10';
