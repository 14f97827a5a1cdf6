import { useEffect, useRef } from "react";
import { nodeStrips } from "../draw/node-lane.ts";
import { formatCount, formatCpuList, formatDuration, formatShare } from "../logic/format.ts";
import type { LaneBox } from "../logic/lanes.ts";
import { spanLength } from "../logic/time.ts";
import type { NodeMeans } from "../view/scene.ts";
import type { Stage } from "../view/stage.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { PressureLaneName, PressureName, PressureNote } from "./pressure-names.tsx";

interface Props {
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  /** The reader wants to see the inputs. */
  readonly onInputs: () => void;
}

/** The frame of the timeline: names at the left, canvases that the stage draws at the right. */
export function Timeline({ stage, snapshot, onInputs }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const brush = useRef<SVGGElement>(null);
  const axis = useRef<SVGSVGElement>(null);
  const crosshairTime = useRef<HTMLDivElement>(null);
  const tooltip = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const elements = {
      scroller: scroller.current,
      plot: plot.current,
      lanes: lanes.current,
      overlay: overlay.current,
      minimap: minimap.current,
      brush: brush.current,
      axis: axis.current,
      crosshairTime: crosshairTime.current,
      tooltip: tooltip.current,
    };
    return allPresent(elements) ? stage.mount(elements) : undefined;
  }, [stage]);

  const { layout } = snapshot;
  const section = layout.boxes.find(({ kind }) => kind === "section");
  return (
    <section className="timeline" aria-label="Timeline">
      <div className="minimap-row">
        <div className="gutter-caption">
          <span>whole trace</span>
          <span className="num muted">{formatDuration(spanLength(stage.scene.bounds))}</span>
        </div>
        <div className="minimap" data-testid="minimap">
          <canvas ref={minimap} />
          <svg aria-hidden="true">
            <title>Window on the whole trace</title>
            <g ref={brush} className="brush" />
          </svg>
        </div>
      </div>
      <div className="axis-row">
        <div className="gutter-caption">
          <span className="num" data-testid="window-length">
            {formatDuration(spanLength(snapshot.view))}
          </span>
          <span className="muted">{snapshot.loading ? "refining…" : "trace clock, s"}</span>
        </div>
        <div className="axis">
          <svg ref={axis} aria-hidden="true">
            <title>Time of the trace clock in seconds</title>
            <g className="ticks" />
          </svg>
          <div ref={crosshairTime} className="crosshair-time num" hidden />
        </div>
      </div>
      <div className="lanes-scroller" ref={scroller} data-testid="lanes">
        <div className="lanes-content" style={{ minHeight: layout.height }}>
          <div className="lane-names">
            {layout.boxes.map((box) => (
              <LaneName key={box.key} box={box} stage={stage} snapshot={snapshot} />
            ))}
          </div>
          <div className="plot" ref={plot} data-testid="plot">
            <canvas
              ref={lanes}
              aria-label={`Lanes of ${layout.boxes.length} nodes and CPUs over time`}
              role="img"
            />
            <canvas ref={overlay} />
          </div>
          <div className="lane-notes">
            {section && <PressureNote box={section} pressure={snapshot.pressure} onInputs={onInputs} />}
          </div>
        </div>
      </div>
      {snapshot.problem !== null && (
        <p className="plot-problem problem" role="alert">
          {snapshot.problem}
        </p>
      )}
      <div className="tooltip" ref={tooltip} role="tooltip" hidden />
    </section>
  );
}

interface LaneNameProps {
  readonly box: LaneBox;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

function LaneName({ box, stage, snapshot }: LaneNameProps) {
  const { means, waitScale, pressure } = snapshot;
  switch (box.kind) {
    case "node":
      return <NodeName box={box} stage={stage} mean={means.get(box.nid)} waitScale={waitScale} />;
    case "cpu":
      return (
        <div className="cpu-name" style={{ top: box.y, height: box.height }}>
          cpu {box.cpu}
        </div>
      );
    case "section":
      return <PressureName box={box} pressure={pressure} onToggle={() => stage.togglePressure()} />;
    case "pressure":
      return <PressureLaneName box={box} pressure={pressure} />;
  }
}

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

type Filled<T> = { [K in keyof T]: NonNullable<T[K]> };

function allPresent<T extends object>(elements: T): elements is T & Filled<T> {
  return Object.values(elements).every((element) => element !== null);
}
