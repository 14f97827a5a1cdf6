import { useEffect, useRef, useState } from "react";
import { formatAbs, formatDuration, formatShare, plural } from "../../lib/format.ts";
import { type AbsNs, type Span, spanLength, toAbs } from "../../lib/time.ts";
import { HEADING, pinnedHeight } from "../lanes.ts";
import type { Scene } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";
import { PanelBorder, PanelHeading, PanelsMenu } from "./panel-heading.tsx";
import { LaneName, PanelNote } from "./panel-parts.tsx";
import { PinButtons, PinnedLanes, pinAt, usePinnedEdge } from "./pinned-lanes.tsx";
import "./timeline.css";

interface Props {
  /** Where there are several on a page. */
  readonly name?: string;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  /** The reader wants to see the inputs. */
  readonly onInputs: () => void;
  /** How much is noted on the minimap. */
  readonly noted: { readonly findings: number; readonly marks: number };
}

/** The frame of the timeline: names at the left, canvases that the stage draws at the right. */
export function Timeline({ name = "Timeline", stage, snapshot, noted, onInputs }: Props) {
  const { origin, bounds } = stage.scene;
  const scroller = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const names = useRef<HTMLDivElement>(null);
  const notes = useRef<HTMLDivElement>(null);
  const [scrolled] = useState(() => [names, notes]);
  const lanes = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const brush = useRef<SVGGElement>(null);
  const axis = useRef<SVGSVGElement>(null);
  const windowLength = useRef<HTMLSpanElement>(null);
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
      windowLength: windowLength.current,
      crosshairTime: crosshairTime.current,
      tooltip: tooltip.current,
    };
    return allPresent(elements) ? stage.mount(elements) : undefined;
  }, [stage]);

  const { layout, panels } = snapshot;
  usePinnedEdge(scroller, scrolled, pinnedHeight(layout));
  const shown = panels.filter(({ hidden }) => !hidden);
  const headings = layout.boxes.filter(({ kind }) => kind === HEADING);
  return (
    <section className="timeline" aria-label={name}>
      <div className="minimap-row">
        <div className="gutter-caption">
          <span>whole trace</span>
          <span className="num muted">{formatDuration(spanLength(stage.scene.bounds))}</span>
          <PanelsMenu panels={panels} stage={stage} />
        </div>
        <div className="minimap" data-testid="minimap">
          <canvas
            ref={minimap}
            role="img"
            aria-label={minimapSummary(origin, bounds, snapshot.view, noted.findings, noted.marks)}
          />
          <svg aria-hidden="true">
            <title>Window on the whole trace</title>
            <g ref={brush} className="brush" />
          </svg>
        </div>
      </div>
      <div className="axis-row">
        <div className="gutter-caption">
          <span ref={windowLength} className="num" data-testid="window-length" />
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
          <PinnedLanes stage={stage} snapshot={snapshot} />
          {/* biome-ignore lint/a11y/noStaticElementInteractions: what it does stands on buttons, too */}
          <div
            className="lane-names"
            ref={names}
            onContextMenu={(event) => pinAt(event, layout.boxes, stage)}
          >
            {layout.boxes.map((box) => (
              <LaneName key={box.key} box={box} stage={stage} snapshot={snapshot} />
            ))}
            <PinButtons stage={stage} layout={layout} />
            {shown.map((panel, i) => {
              const box = headings.find(({ key }) => key === panel.id);
              return (
                box && (
                  <PanelHeading
                    key={panel.id}
                    box={box}
                    panel={panel}
                    layout={layout}
                    stage={stage}
                    first={i === 0}
                    last={i === shown.length - 1}
                  />
                )
              );
            })}
            {shown.map((panel) => (
              <PanelBorder key={panel.id} panel={panel} layout={layout} stage={stage} />
            ))}
          </div>
          <div className="plot" ref={plot} data-testid="plot">
            <canvas ref={lanes} aria-label={lanesSummary(stage.scene, snapshot)} role="img" />
            <canvas ref={overlay} />
          </div>
          <div className="lane-notes" ref={notes}>
            {shown.map((panel) => {
              const box = headings.find(({ key }) => key === panel.id);
              return (
                box && <PanelNote key={panel.id} box={box} panel={panel} stage={stage} onInputs={onInputs} />
              );
            })}
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

type Filled<T> = { [K in keyof T]: NonNullable<T[K]> };

function allPresent<T extends object>(elements: T): elements is T & Filled<T> {
  return Object.values(elements).every((element) => element !== null);
}

/** Canvases in words, for who does not see them. */

/** `Timeline from 12.004 s, 1.2 s long.` and what each panel that is shown says of itself. */
export function lanesSummary(scene: Scene, { view, panels }: Pick<StageSnapshot, "view" | "panels">): string {
  const words = panels.flatMap(({ kind, shown, hidden }) =>
    hidden ? [] : (kind.inWords?.(shown, scene) ?? []),
  );
  const window = `Timeline from ${formatAbs(toAbs(scene.origin, view.from), 3)} s, ${formatDuration(spanLength(view))} long.`;
  return [window, ...words].join(" ");
}

/** What the strip with the whole trace shows. */
export function minimapSummary(
  origin: AbsNs,
  bounds: Span,
  view: Span,
  findings: number,
  marks: number,
): string {
  const share = Math.min(1, spanLength(view) / Math.max(1, spanLength(bounds)));
  return (
    `The whole trace, ${formatDuration(spanLength(bounds))} from ${formatAbs(toAbs(origin, bounds.from), 3)} s: ` +
    `waiting tasks above, busy CPUs by node below, with ${plural(findings, "finding")} and ${plural(marks, "mark")}. ` +
    `The window is ${formatShare(share)} of it.`
  );
}
