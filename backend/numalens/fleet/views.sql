-- What questions are asked of: `recordings`, `facts`, `waits`, `nodes`, `distances`, `findings`. Times of day are UTC.
-- Made of `rows` (the summaries) and `catalog` (the analyses as they are filed now); an analysis that is in only one of the two is in none.

CREATE TEMP TABLE recordings AS
WITH described AS (
    SELECT
        analysis,
        max(text) FILTER (WHERE name = 'host') AS host,
        max(text) FILTER (WHERE name = 'kernel') AS kernel,
        max(value) FILTER (WHERE name = 'kernel_major')::INTEGER AS major,
        max(value) FILTER (WHERE name = 'kernel_minor')::INTEGER AS minor,
        max(value) FILTER (WHERE name = 'kernel_patch')::INTEGER AS patch,
        max(moment) FILTER (WHERE name = 'recorded_at') AS recorded_at,
        max(text) FILTER (WHERE name = 'topology') AS topology,
        max(value) FILTER (WHERE name = 'nodes')::INTEGER AS nodes,
        max(value) FILTER (WHERE name = 'cpus')::INTEGER AS cpus,
        max(value) FILTER (WHERE name = 'length') AS seconds,
        max(value) FILTER (WHERE name = 'events')::BIGINT AS events,
        max(value) FILTER (WHERE name = 'lost_events')::BIGINT AS lost_events,
        max(text) FILTER (WHERE name = 'made_by') AS made_by
    FROM fleet.rows
    WHERE part = 'recording'
    GROUP BY analysis
)
SELECT
    analysis,
    title,
    tags,
    incident,
    coalesce(recorded_at, uploaded_at) AS time,
    recorded_at,
    uploaded_at,
    -- A tag says what no input told, and is believed where both speak: a machine keeps its name when it is renamed.
    coalesce(
        list_filter(tags, lambda tag: starts_with(tag, 'machine:'))[1][9:],
        host,
        format('unnamed, {} x {} CPUs', nodes, cpus // greatest(nodes, 1))
    ) AS machine,
    host,
    coalesce(kernel, 'unknown') AS kernel,
    [major, minor, patch] AS kernel_version,
    topology,
    nodes,
    cpus,
    seconds,
    events,
    lost_events,
    made_by
FROM described JOIN catalog USING (analysis);

CREATE TEMP VIEW facts AS
SELECT analysis, name, rows.title, value, rows.seconds, unit, better, label, missing
FROM fleet.rows SEMI JOIN recordings USING (analysis)
WHERE part = 'fact';

CREATE TEMP VIEW waits AS
SELECT analysis, bucket, least AS least_ns, below AS below_ns, count, label
FROM fleet.rows SEMI JOIN recordings USING (analysis)
WHERE part = 'bucket' AND name = 'wakeup';

CREATE TEMP VIEW nodes AS
SELECT analysis, node, name, value, unit, label, missing
FROM fleet.rows SEMI JOIN recordings USING (analysis)
WHERE part = 'node';

CREATE TEMP VIEW distances AS
SELECT analysis, node, other, value::INTEGER AS distance, label
FROM fleet.rows SEMI JOIN recordings USING (analysis)
WHERE part = 'distance';

CREATE TEMP VIEW findings AS
SELECT analysis, name AS kind, text AS severity, node, count, value AS cost_ms, most AS worst_ms, label, missing
FROM fleet.rows SEMI JOIN recordings USING (analysis)
WHERE part = 'finding';
