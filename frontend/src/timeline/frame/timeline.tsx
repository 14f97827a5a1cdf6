import {
  createRef,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { formatAbs, formatDuration, formatShare, formatTime, plural } from "../../lib/format.ts";
import { type AbsNs, type Span, spanLength, toAbs } from "../../lib/time.ts";
import { Button } from "../../ui/fields.tsx";
import { oneStop } from "../../ui/one-stop.ts";
import { HEADING, pinnedHeight } from "../lanes.ts";
import type { PlotElements } from "../plot/plot.ts";
import type { Scene } from "../scene.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";
import { LaneName, PanelBorder, PanelHeading, PanelNote, PanelsMenu } from "./panel-heading.tsx";
import { PinButtons, PinnedLanes, usePinnedEdge } from "./pinned-lanes.tsx";
import "./timeline.css";

interface Props {
  /** Name, if a page has several. */
  readonly name?: string;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  readonly onInputs: () => void;
  /** Further tools next to the menu of panels. */
  readonly tools?: ReactNode;
  /** Says by which clock the axis is. */
  readonly clock?: ReactNode;
  /** Number of notes on the minimap. */
  readonly noted: { readonly findings: number; readonly marks: number };
}

/** Elements of the stage for drawing and listening. */
function makeRefs() {
  return {
    scroller: createRef<HTMLDivElement>(),
    plot: createRef<HTMLDivElement>(),
    lanes: createRef<HTMLCanvasElement>(),
    overlay: createRef<HTMLCanvasElement>(),
    minimap: createRef<HTMLCanvasElement>(),
    brush: createRef<SVGGElement>(),
    axis: createRef<SVGSVGElement>(),
    windowLength: createRef<HTMLSpanElement>(),
    crosshairTime: createRef<HTMLDivElement>(),
    tooltip: createRef<HTMLDivElement>(),
  } satisfies { [K in keyof PlotElements]: RefObject<PlotElements[K] | null> };
}

type Refs = ReturnType<typeof makeRefs>;

/** Elements of the stage, and whether they have been measured: lanes that are laid out without a height would move. */
function useStageRefs(stage: Stage): { readonly refs: Refs; readonly measured: boolean } {
  const [refs] = useState(makeRefs);
  const [measured, setMeasured] = useState(false);
  useEffect(() => {
    const elements = Object.entries(refs).map(([name, ref]) => [name, ref.current] as const);
    if (elements.some(([, element]) => element === null)) return undefined;
    const unmount = stage.mount(Object.fromEntries(elements) as unknown as PlotElements);
    setMeasured(true);
    return unmount;
  }, [stage, refs]);
  return { refs, measured };
}

/** The frame of the timeline: names at the left, canvases that the stage draws at the right. */
export function Timeline({
  name = "Timeline",
  stage,
  snapshot,
  noted,
  onInputs,
  tools,
  clock = <span className="muted">trace time, s</span>,
}: Props) {
  const { refs, measured } = useStageRefs(stage);
  const names = useRef<HTMLDivElement>(null);
  const notes = useRef<HTMLDivElement>(null);
  const [scrolled] = useState(() => [names, notes]);
  const { layout, panels } = snapshot;
  useEffect(() => oneStop(names.current), []);
  usePinnedEdge(refs.scroller, scrolled, pinnedHeight(layout));
  const shown = panels.filter(({ hidden }) => !hidden);
  const headed = shown.flatMap((panel) => {
    const box = layout.boxes.find(({ kind, key }) => kind === HEADING && key === panel.id);
    return box ? [{ panel, box }] : [];
  });
  return (
    <section className="timeline" aria-label={name}>
      <MinimapRow refs={refs} stage={stage} snapshot={snapshot} noted={noted} tools={tools} />
      <AxisRow refs={refs} caption={snapshot.loading ? <span className="muted">refining…</span> : clock} />
      <div className="lanes-scroller" ref={refs.scroller} data-testid="lanes">
        <div
          className="lanes-content"
          style={{ minHeight: layout.height, visibility: measured ? undefined : "hidden" }}
        >
          <PinnedLanes stage={stage} snapshot={snapshot} />
          <div className="lane-names" ref={names}>
            {layout.boxes.map((box) => (
              <LaneName key={box.key} box={box} stage={stage} snapshot={snapshot} />
            ))}
            <PinButtons stage={stage} layout={layout} />
            {headed.map(({ panel, box }) => (
              <PanelHeading
                key={panel.id}
                box={box}
                panel={panel}
                layout={layout}
                stage={stage}
                first={panel === shown[0]}
                last={panel === shown.at(-1)}
              />
            ))}
            {shown.map((panel) => (
              <PanelBorder key={panel.id} panel={panel} layout={layout} stage={stage} />
            ))}
          </div>
          <div className="plot" ref={refs.plot} data-testid="plot">
            <canvas ref={refs.lanes} aria-label={lanesSummary(stage.scene, snapshot)} role="img" />
            <canvas ref={refs.overlay} />
          </div>
          <div className="lane-notes" ref={notes}>
            {headed.map(({ panel, box }) => (
              <PanelNote key={panel.id} box={box} panel={panel} stage={stage} onInputs={onInputs} />
            ))}
          </div>
        </div>
      </div>
      {snapshot.problem !== null && (
        <p className="plot-problem problem" role="alert">
          {snapshot.problem}
        </p>
      )}
      <div className="tooltip" ref={refs.tooltip} role="tooltip" hidden />
    </section>
  );
}

function AxisRow({ refs, caption }: { readonly refs: Refs; readonly caption: ReactNode }) {
  return (
    <div className="axis-row">
      <div className="gutter-caption">
        <span ref={refs.windowLength} className="num" data-testid="window-length" />
        {caption}
      </div>
      <div className="axis">
        <svg ref={refs.axis} aria-hidden="true">
          <title>Time axis</title>
          <g className="ticks" />
        </svg>
        <div ref={refs.crosshairTime} className="crosshair-time num" hidden />
      </div>
    </div>
  );
}

interface MinimapProps extends Pick<Props, "stage" | "snapshot" | "noted" | "tools"> {
  readonly refs: Refs;
}

function MinimapRow({ refs, stage, snapshot, noted, tools }: MinimapProps) {
  const { origin, bounds } = stage.scene;
  return (
    <div className="minimap-row">
      <div className="gutter-caption">
        <span>whole trace</span>
        <span className="num muted">{formatDuration(spanLength(bounds))}</span>
        <div className="gutter-tools" ref={oneStop}>
          <PanelsMenu panels={snapshot.panels} stage={stage} />
          {tools}
        </div>
      </div>
      <div className="minimap" data-testid="minimap">
        <canvas
          ref={refs.minimap}
          role="img"
          aria-label={minimapSummary(origin, bounds, snapshot.view, noted.findings, noted.marks)}
        />
        <svg aria-hidden="true">
          <title>Window on the whole trace</title>
          <g ref={refs.brush} className="brush" />
        </svg>
      </div>
    </div>
  );
}

/** Canvases in words, for screen readers. */

/** `Timeline from 12.004 s, 1.2 s long.` and what each panel that is shown says of itself. */
export function lanesSummary(scene: Scene, { view, panels }: Pick<StageSnapshot, "view" | "panels">): string {
  const words = panels.flatMap(({ kind, shown, hidden }) =>
    hidden ? [] : (kind.inWords?.(shown, scene) ?? []),
  );
  const window = `Timeline from ${formatTime(toAbs(scene.origin, view.from), 3)}, ${formatDuration(spanLength(view))} long.`;
  return [window, ...words].join(" ");
}

/** Description of the strip with the whole trace. */
export function minimapSummary(
  origin: AbsNs,
  bounds: Span,
  view: Span,
  findings: number,
  marks: number,
): string {
  const share = Math.min(1, spanLength(view) / Math.max(1, spanLength(bounds)));
  return (
    `The whole trace, ${formatDuration(spanLength(bounds))} from ${formatTime(toAbs(origin, bounds.from), 3)}: ` +
    `waiting tasks above, busy CPUs by node below, with ${plural(findings, "finding")} and ${plural(marks, "mark")}. ` +
    `The window shows ${formatShare(share)}.`
  );
}

/** The committed ranges as breadcrumbs: each is the way back to it. Nothing is shown while there is none. */
export function RangeCrumbs({ stage }: { readonly stage: Stage }) {
  const { ranges } = useSyncExternalStore(stage.subscribe, stage.getSnapshot);
  if (ranges.length === 0) return null;
  const { origin, bounds } = stage.scene;
  return (
    <ol className="ranges" aria-label="Committed ranges" data-testid="ranges">
      <li>
        <Button className="inline" onClick={() => stage.leaveRanges(0)} title="Leave all ranges">
          whole recording <span className="num">{formatDuration(spanLength(bounds))}</span>
        </Button>
      </li>
      {ranges.map((range, place) => {
        const from = formatAbs(toAbs(origin, range.from), 3);
        const to = formatAbs(toAbs(origin, range.to), 3);
        const last = place === ranges.length - 1;
        return (
          <li key={`${range.from} ${range.to}`}>
            <Button
              className="inline"
              aria-current={last ? "location" : undefined}
              onClick={() => (last ? stage.command("fit-all") : stage.leaveRanges(place + 1))}
              title={`${from} to ${to} s: ${last ? "the view stays inside (Esc leaves)" : "back to this range"}`}
            >
              <span className="num">
                {from} + {formatDuration(spanLength(range))}
              </span>
            </Button>
          </li>
        );
      })}
    </ol>
  );
}
