/** Nodes and CPUs: who ran where, the first panel of all. */

import { memo } from "react";
import { formatCount, formatCpuList, formatShare } from "../../../../lib/format.ts";
import { formatNumbers, parseNumbers } from "../../../../lib/ranges.ts";
import { LOST, UNKNOWN } from "../../../../timeline/draw/strips.ts";
import { linkParameter, type PanelViewProps, panelKind } from "../../../../timeline/panel.ts";
import type { Scene } from "../../../../timeline/scene.ts";
import { Button } from "../../../../ui/fields.tsx";
import { MARKS } from "../../../numa_balancing/lanes/index.ts";
import { SAMPLE } from "../../../stacks/lanes/index.ts";
import { MISSED } from "../../../wakeup_placement/lanes/index.ts";
import { HIGHER_CLASS } from "./cpu-lane.ts";
import { nodeStrips } from "./node-lane.ts";
import { NodesPanel, type NodesSnapshot } from "./nodes-panel.ts";
import "./nodes.css";

type Props = PanelViewProps<NodesPanel, NodesSnapshot>;

export const panel = panelKind<NodesPanel, NodesSnapshot>({
  id: "nodes",
  order: 1,
  title: "nodes",
  means:
    "Each node's waiting tasks above its busy CPUs; when open, its CPUs with the running tasks (kernel: __schedule). Marks: NUMA balancing attempts, and the worst waits.",
  urgent: true,
  inWords: nodesInWords,
  link: [linkParameter("open", { key: "open", parse: parseNumbers, format: formatNumbers })],
  make: (context) => new NodesPanel(context),
  LaneName: (props) =>
    props.box.kind === "cpu" ? (
      <CpuName cpu={props.box.cpu} y={props.box.y} height={props.box.height} />
    ) : (
      <NodeName {...props} />
    ),
  marks: [MARKS, HIGHER_CLASS, MISSED, SAMPLE, LOST, UNKNOWN],
});

/** Of hundreds of CPUs none is rendered again because the window moved. */
const CpuName = memo(function CpuName({ cpu, y, height }: { cpu: number; y: number; height: number }) {
  return (
    <div className="cpu-name" style={{ top: y, height }}>
      cpu {cpu}
    </div>
  );
});

function NodeName({ box, panel: nodes, shown, scene, nodeColour }: Props) {
  const cpus = scene.nodes.find((node) => node.nid === box.nid)?.cpus ?? [];
  const mean = shown.means.get(box.nid);
  const captions = captionPlaces(box.height);
  return (
    <div className="node-name" style={{ top: box.y, height: box.height }}>
      <Button
        aria-expanded={box.open}
        onClick={() => nodes.toggle(box)}
        title={box.open ? "Hide the CPUs of this node" : "Show the CPUs of this node"}
      >
        <span className="chevron" aria-hidden="true" />
        <span className="swatch" style={{ backgroundColor: nodeColour(box.nid) }} />
        node {box.nid}
      </Button>
      <span className="node-cpus muted" title={`CPUs ${formatCpuList(cpus)}`}>
        {cpus.length === 1 ? "1 CPU" : `${cpus.length} CPUs`} · {formatCpuList(cpus)}
      </span>
      <span
        className="strip-caption waiting"
        style={captions.waiting}
        title={`Runnable tasks that wait for a CPU of this node: mean of the window. Solid: mean, faint: peak; full height is ${formatCount(shown.waitScale)}.`}
      >
        <span>
          <b className="num">{mean ? mean.wait.toFixed(mean.wait < 10 ? 2 : 1) : "–"}</b> waiting
        </span>
        {captions.peak && <i className="num muted">max {mean ? formatCount(mean.peak) : "–"}</i>}
      </span>
      <span
        className="strip-caption busy"
        style={captions.busy}
        title="Share of this node's CPUs that ran a task: mean of the window."
      >
        <span>
          <b className="num">{mean ? formatShare(mean.busy) : "–"}</b> busy
        </span>
      </span>
    </div>
  );
}

/** Height of a line of a caption, CSS pixels. */
const CAPTION = 15;

/** Captions are next to their strips; for strips lower than a line, below each other. */
function captionPlaces(height: number) {
  const { waitTop, waitHeight, busyTop, busyHeight } = nodeStrips(height);
  const low = waitHeight < CAPTION;
  return {
    /** There is a second line for it. */
    peak: waitHeight >= 2 * CAPTION,
    waiting: { top: waitTop, height: low ? CAPTION : waitHeight },
    busy: low ? { top: waitTop + CAPTION, height: CAPTION } : { top: busyTop, height: busyHeight },
  };
}

/** `Node 0: 97 % busy, 17.2 tasks waiting on average, 33 at most. …` */
export function nodesInWords(
  { means }: Pick<NodesSnapshot, "means">,
  { nodes }: Pick<Scene, "nodes">,
): string {
  const words = nodes.map(({ nid }) => {
    const mean = means.get(nid);
    if (!mean) return `Node ${nid}: nothing known yet.`;
    const waiting = mean.wait.toFixed(mean.wait < 10 ? 2 : 1);
    return `Node ${nid}: ${formatShare(mean.busy)} busy, ${waiting} tasks waiting on average, ${formatCount(mean.peak)} at most.`;
  });
  return words.join(" ");
}
