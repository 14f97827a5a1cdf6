/** Memory: pages and tasks that went to other nodes, and where numa groups ran. */

import { formatCount, formatDuration } from "../../../lib/format.ts";
import { UNKNOWN } from "../../../timeline/draw/strips.ts";
import { LaneText } from "../../../timeline/frame/panel-heading.tsx";
import type { LaneBox } from "../../../timeline/lanes.ts";
import { type PanelViewProps, panelKind } from "../../../timeline/panel.ts";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import { MemoryPanel, type MemorySnapshot, RATES } from "./memory-panel.ts";
import { type PlacedRow, sharesText } from "./memory-tracks.ts";

type Props = PanelViewProps<MemoryPanel, MemorySnapshot>;

export const panel = panelKind<MemoryPanel, MemorySnapshot>({
  id: "memory",
  order: 5,
  title: "memory",
  means:
    "Pages migrated on fault, and tasks that moved to another node, per interval (kernel: migrate_misplaced_page, set_task_cpu).",
  make: (context) => new MemoryPanel(context),
  LaneName: RateName,
  Legend: MemoryLegend,
  marks: [RATES, UNKNOWN],
});

function MemoryLegend({ scene, shown: { tracks }, nodeColour }: Props) {
  return (
    <>
      {tracks && <span>per {formatDuration(tracks.step)}</span>}
      {scene.nodes.map(({ nid }) => (
        <span key={nid} className="glyph-key">
          <i className="swatch" style={{ backgroundColor: nodeColour(nid) }} />
          node {nid}
        </span>
      ))}
    </>
  );
}

function RateName({ box, shown }: Props) {
  const row = shown.placement?.rows.find(({ key }) => key === box.resource);
  if (row) return <GroupName box={box} row={row} cpus={shown.cpus} />;
  const { tracks, scales } = shown;
  const pages = box.resource === "pages";
  const label = tracks?.label[pages ? "pages" : "moves"];
  const most = pages ? scales.pages : scales.moves;
  return (
    <LaneText
      box={box}
      testId={`rate-${box.resource}`}
      title={
        pages
          ? "Pages migrated on fault per second, by target node; red: pages whose task left too soon."
          : "Tasks that moved to another node, per second."
      }
    >
      <span className="group-head">
        <b>{pages ? "pages moved" : "tasks moved"}</b>
        {label && <LabelBadge label={label} missing={pages ? (tracks?.missing.pages ?? []) : []} />}
      </span>
      <span className="muted num">full height {formatCount(most)}/s</span>
    </LaneText>
  );
}

interface GroupProps {
  readonly box: LaneBox;
  readonly row: PlacedRow;
  readonly cpus: number;
}

/** A numa group: which nodes' CPUs it used. */
function GroupName({ box, row, cpus }: GroupProps) {
  return (
    <LaneText
      box={box}
      testId="placed-lane"
      title={`CPUs used by its tasks, by node: ${sharesText(row)}. Full height is ${formatCount(cpus)} CPUs.`}
    >
      <b>{row.name}</b>
      <span className="group-head">
        <span className="muted num">{sharesText(row, 1)}</span>
        <LabelBadge label={row.label} />
      </span>
    </LaneText>
  );
}
