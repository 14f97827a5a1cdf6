-- Tracks that NumaLens wrote, with the names of the tracks above them. The other modules are made of it.

-- A track below the one called NumaLens. A recording of which nothing was replayed has none.
CREATE PERFETTO TABLE numalens_track(
  -- As in `slice.track_id` and `counter.track_id`.
  id JOINID(track.id),
  name STRING,
  -- Name of the track above.
  parent STRING,
  -- Name of the track above that.
  grandparent STRING,
  -- Place among the tracks of the same parent, from 0.
  place LONG,
  -- How its values are known.
  description STRING
) AS
WITH RECURSIVE below(id, name, parent, grandparent, source_arg_set_id) AS (
  SELECT id, name, NULL, NULL, source_arg_set_id
  FROM track
  WHERE parent_id IS NULL AND name = 'NumaLens' AND type GLOB 'global_*track_event'
  UNION ALL
  SELECT track.id, track.name, below.name, below.parent, track.source_arg_set_id
  FROM below
  JOIN track ON track.parent_id = below.id
)
SELECT
  id,
  name,
  parent,
  grandparent,
  coalesce(extract_arg(source_arg_set_id, 'sibling_order_rank'), 0) AS place,
  extract_arg(source_arg_set_id, 'description') AS description
FROM below
ORDER BY id;
