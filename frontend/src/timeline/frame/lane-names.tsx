import { memo } from "react";
import { formatCount, formatCpuList, formatShare } from "../../lib/format.ts";
import { windowText } from "../../lib/section-words.ts";
import { type Span, toAbs } from "../../lib/time.ts";
import type { GroupTrack } from "../../panels/cling/cling-tracks.ts";
import { kickStrips } from "../../panels/ilb/kicks-lane.ts";
import { type PlacedRow, sharesText } from "../../panels/memory/placement-tracks.ts";
import { nodeStrips } from "../../panels/nodes/node-lane.ts";
import { PressureLaneName } from "../../panels/psi/pressure-names.tsx";
import { laneCaption } from "../../panels/sql/sql-panel.ts";
import type { SqlLane } from "../../panels/sql/sql-track.ts";
import { LabelBadge } from "../../ui/label-badge.tsx";
import type { LaneBox } from "../lanes.ts";
import type { NodeMeans } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";

interface Props {
  readonly box: LaneBox;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

/** What stands beside a lane; a section's heading is its panel's. */
export function LaneName({ box, stage, snapshot }: Props) {
  switch (box.kind) {
    case "node":
      return (
        <NodeName box={box} stage={stage} mean={snapshot.means.get(box.nid)} waitScale={snapshot.waitScale} />
      );
    case "cpu":
      return <CpuName cpu={box.cpu} y={box.y} height={box.height} />;
    case "pressure":
      return <PressureLaneName box={box} pressure={snapshot.pressure} />;
    case "cling": {
      const group = snapshot.cling.groups.find(({ number }) => String(number) === box.resource);
      return group ? (
        <GroupName
          box={box}
          group={group}
          span={snapshot.cling.span}
          whatIf={snapshot.cling.whatIf}
          stage={stage}
        />
      ) : null;
    }
    case "kicks":
      return <KicksName box={box} stage={stage} />;
    case "rate":
      return <RateName box={box} memory={snapshot.memory} />;
    case "query":
      return <QueryName box={box} lane={snapshot.sql.track?.lanes[Number(box.resource)]} />;
    case "section":
      return null;
  }
}

/** Of hundreds of CPUs none is rendered anew because the window moved. */
const CpuName = memo(function CpuName({ cpu, y, height }: { cpu: number; y: number; height: number }) {
  return (
    <div className="cpu-name" style={{ top: y, height }}>
      cpu {cpu}
    </div>
  );
});

interface NodeNameProps {
  readonly box: LaneBox;
  readonly stage: Stage;
  readonly mean: NodeMeans | undefined;
  readonly waitScale: number;
}

function NodeName({ box, stage, mean, waitScale }: NodeNameProps) {
  const cpus = stage.scene.nodes.find((node) => node.nid === box.nid)?.cpus ?? [];
  const strips = nodeStrips(box.height);
  return (
    <div className="node-name" style={{ top: box.y, height: box.height }}>
      <button
        type="button"
        aria-expanded={box.open}
        onClick={() => stage.toggleNode(box.nid)}
        title={box.open ? "Hide the CPUs of this node" : "Show the CPUs of this node"}
      >
        <span className="chevron" aria-hidden="true" />
        <span className="swatch" style={{ backgroundColor: stage.nodeColour(box.nid) }} />
        node {box.nid}
      </button>
      <span className="node-cpus muted" title={`CPUs ${formatCpuList(cpus)}`}>
        {cpus.length === 1 ? "1 CPU" : `${cpus.length} CPUs`} · {formatCpuList(cpus)}
      </span>
      <span
        className="strip-caption waiting"
        style={{ top: strips.waitTop, height: strips.waitHeight }}
        title={`Runnable tasks that wait for a CPU of this node: mean of the window. Solid: mean, faint: peak; full height is ${formatCount(waitScale)}.`}
      >
        <span>
          <b className="num">{mean ? mean.wait.toFixed(mean.wait < 10 ? 2 : 1) : "–"}</b> waiting
        </span>
        <i className="num muted">max {mean ? formatCount(mean.peak) : "–"}</i>
      </span>
      <span
        className="strip-caption busy"
        style={{ top: strips.busyTop, height: strips.busyHeight }}
        title="Share of this node's CPUs that ran a task: mean of the window."
      >
        <span>
          <b className="num">{mean ? formatShare(mean.busy) : "–"}</b> busy
        </span>
      </span>
    </div>
  );
}

interface GroupNameProps {
  readonly box: LaneBox;
  readonly group: GroupTrack;
  readonly span: Span | null;
  readonly whatIf: boolean;
  readonly stage: Stage;
}

function GroupName({ box, group, span, whatIf, stage }: GroupNameProps) {
  const { origin } = stage.scene;
  const when = span && windowText({ from: toAbs(origin, span.from), to: toAbs(origin, span.to) });
  return (
    <div className="group-name" style={{ top: box.y, height: box.height }} data-testid="cling-lane">
      <span className="group-head">
        <b title={`Group number ${group.number}`}>{group.name}</b>
        <LabelBadge label={whatIf ? "what-if" : group.label} missing={group.missing} />
      </span>
      <span
        className="muted num"
        title={`Attempts to reach the node of their choice, and how many failed${when ? `: ${when}` : ""}`}
      >
        {formatCount(group.failures)}/{formatCount(group.attempts)} failed
      </span>
      <span className="group-nodes">
        {group.nodes.map(({ nid }, place) => (
          <span key={nid}>
            <i
              className={`node-mark node-mark-${place % 3}`}
              style={{ borderColor: stage.nodeColour(nid) }}
              aria-hidden="true"
            />
            node {nid}
          </span>
        ))}
      </span>
    </div>
  );
}

function KicksName({ box, stage }: { readonly box: LaneBox; readonly stage: Stage }) {
  const strips = kickStrips(box.height);
  const { nodes } = stage.scene;
  const rows = nodes.reduce((sum, { cpus }) => sum + cpus.length, 0);
  let row = 0;
  const caption = (middle: number) => ({ top: middle - 7, height: 14 });
  return (
    <div className="kicks-name" style={{ top: box.y, height: box.height }} data-testid="kicks-lane">
      <span className="cost" style={caption(strips.lostY)} title="Kicks that were dropped or aborted">
        lost kicks
      </span>
      <span
        style={caption(strips.servedY)}
        title="Kicks that were handled or latched, or of which the end is not known"
      >
        served kicks
      </span>
      <span style={caption(strips.staleY)} title="A CPU whose next_balance lay in the past">
        overdue balance
      </span>
      {nodes.map(({ nid, cpus }) => {
        const top = strips.top + (row * strips.height) / rows;
        row += cpus.length;
        return (
          <span
            key={nid}
            className="mask-node"
            style={{ top, height: (cpus.length * strips.height) / rows }}
            title="Filled while the CPU is in the idle mask"
          >
            <i className="swatch" style={{ backgroundColor: stage.nodeColour(nid) }} />
            cpu {formatCpuList(cpus)}
          </span>
        );
      })}
    </div>
  );
}

function QueryName({ box, lane }: { readonly box: LaneBox; readonly lane: SqlLane | undefined }) {
  if (!lane) return null;
  return (
    <div className="group-name" style={{ top: box.y, height: box.height }} data-testid="query-lane">
      <span className="group-head">
        <b title={lane.name}>{lane.name === "" ? "rows" : lane.name}</b>
      </span>
      <span className="muted num">{laneCaption(lane)}</span>
    </div>
  );
}

interface RateNameProps {
  readonly box: LaneBox;
  readonly memory: StageSnapshot["memory"];
}

/** A numa group: which nodes' CPUs it used. */
function PlacedName({
  box,
  row,
  cpus,
}: {
  readonly box: LaneBox;
  readonly row: PlacedRow;
  readonly cpus: number;
}) {
  return (
    <div
      className="group-name"
      style={{ top: box.y, height: box.height }}
      data-testid="placed-lane"
      title={`CPUs that tasks of it used, by node: ${sharesText(row)}. Full height is ${formatCount(cpus)} CPUs.`}
    >
      <span className="group-head">
        <b>{row.name}</b>
        <LabelBadge label={row.label} />
      </span>
      <span className="muted num">{sharesText(row)}</span>
    </div>
  );
}

function RateName({ box, memory }: RateNameProps) {
  const row = memory.placement?.rows.find(({ key }) => key === box.resource);
  if (row) return <PlacedName box={box} row={row} cpus={memory.cpus} />;
  const { tracks, scales } = memory;
  const pages = box.resource === "pages";
  const label = tracks?.label[pages ? "pages" : "moves"];
  const most = pages ? scales.pages : scales.moves;
  return (
    <div
      className="group-name"
      style={{ top: box.y, height: box.height }}
      data-testid={`rate-${box.resource}`}
      title={
        pages
          ? "Pages migrated on fault per second, by the node they came to; red: those whose task left too soon."
          : "Tasks that went to a CPU of another node, per second."
      }
    >
      <span className="group-head">
        <b>{pages ? "pages moved" : "tasks moved"}</b>
        {label && <LabelBadge label={label} missing={pages ? (tracks?.missing.pages ?? []) : []} />}
      </span>
      <span className="muted num">full height {formatCount(most)}/s</span>
    </div>
  );
}
