/** The rows of the SQL tab's query on the time axis. */

import { formatCount, plural } from "../../lib/format.ts";
import { LaneText } from "../../timeline/frame/panel-heading.tsx";
import { type PanelViewProps, panelKind } from "../../timeline/panel.ts";
import { ROWS } from "./query-lane.ts";
import { SqlPanel, type SqlSnapshot } from "./sql-panel.ts";
import type { SqlLane } from "./sql-track.ts";

type Props = PanelViewProps<SqlPanel, SqlSnapshot>;

/** First panel: the user of a query looks for its rows. */
export const panel = panelKind<SqlPanel, SqlSnapshot>({
  id: "sql",
  order: 0,
  title: "query",
  means: "Rows of the SQL tab's query, at their ts. Remove the panel in that tab.",
  transient: true,
  make: (context) => new SqlPanel(context),
  LaneName: QueryName,
  Legend: QueryLegend,
  marks: [ROWS],
});

const KIND_WORDS = { slices: "ts and dur", counter: "ts and value", moments: "ts" } as const;

function QueryLegend({ shown: { track } }: Props) {
  if (!track) return null;
  return (
    <>
      <span>
        {plural(track.answer.rows.length, "row")} by {KIND_WORDS[track.kind]}
      </span>
      {track.kind === "slices" && <span>×N: N rows in one mark</span>}
    </>
  );
}

function QueryName({ box, shown: { track } }: Props) {
  const lane = track?.lanes[Number(box.resource)];
  if (!lane) return null;
  return (
    <LaneText box={box} testId="query-lane">
      <span className="group-head">
        <b title={lane.name}>{lane.name === "" ? "rows" : lane.name}</b>
      </span>
      <span className="muted num">{laneCaption(lane)}</span>
    </LaneText>
  );
}

/** Full height of a lane, or its number of rows. */
function laneCaption(lane: SqlLane): string {
  if (lane.kind !== "counter") return plural(lane.count, "row");
  const { low, high } = lane.scale;
  return `${low === 0 ? "up" : `${shortNumber(low)}`} to ${shortNumber(high)}`;
}

function shortNumber(value: number): string {
  return Number.isInteger(value) ? formatCount(value) : value.toPrecision(4);
}
