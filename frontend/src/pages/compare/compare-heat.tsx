import { scaleLinear } from "d3-scale";
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import type { ComparedAnalysis, Comparison } from "../../api/types.ts";
import { formatDuration } from "../../lib/format.ts";
import { Store } from "../../lib/store.ts";
import { asSentence, TERMS } from "../../lib/terms.ts";
import { parseNs } from "../../lib/time.ts";
import { mailTable, stepChoices, stepsFor } from "../../subjects/machine/views/index.ts";
import { type Palette, whatIfPattern } from "../../ui/canvas/palette.ts";
import { paintTicks, setText, strokeLine } from "../../ui/canvas/pen.ts";
import { beginFrame, type Paint, type Surface, useCanvas } from "../../ui/canvas/surface.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { InlineSelect } from "../../ui/fields.tsx";
import { PictureButtons } from "../../ui/picture/picture-buttons.tsx";
import { CsvButton, LabelBadge, Term, ToggleGroup } from "../../ui/section-parts.tsx";
import { type CompareState, withPart } from "./compare-state.ts";
import { heatSays, nodesCsv } from "./compare-table.ts";

interface Props {
  readonly comparison: Comparison;
  readonly state: CompareState;
  readonly onChange: (state: CompareState) => void;
}

const AXES_WORDS = { shared: "one time scale", own: "own time scales" } as const;

/** The per-node tables, one map under the other. */
export function CompareHeat({ comparison, state, onChange }: Props) {
  const [hover] = useState(() => new Store<HeatCursor | null>(null));
  const longest = Math.max(...comparison.analyses.map(({ length_ns }) => length_ns));
  const shared = state.axes === "shared";
  const starts = useMemo(
    () => comparison.analyses.map(({ window_ns }) => parseNs(window_ns[0] ?? "") ?? 0n),
    [comparison],
  );
  const take = (place: number, from: number, to: number) => {
    const places = shared ? comparison.analyses.map((_, each) => each) : [place];
    const reached = places.filter((each) => from < (comparison.analyses[each]?.length_ns ?? 0));
    const next = reached.reduce(
      (state, each) =>
        withPart(state, [each], starts, {
          from,
          to: Math.min(to, comparison.analyses[each]?.length_ns ?? to),
        }),
      state,
    );
    onChange(next);
  };
  return (
    <section aria-label="CPU use by node" className="compare-section" data-picture>
      <h2>
        <Term means={TERMS.utilisation}>CPU use by node</Term>
      </h2>
      <p className="tab-tools">
        <ToggleGroup
          label="Time scales"
          choices={["shared", "own"]}
          chosen={state.axes}
          words={AXES_WORDS}
          onChoose={(axes) => onChange({ ...state, axes })}
        />
        <InlineSelect
          label="step"
          value={String(state.step ?? "")}
          choices={stepChoices(
            stepsFor(longest, state.step),
            state.step === null ? comparison.step_ns : null,
          )}
          onChoose={(value) => onChange({ ...state, step: value === "" ? null : Number(value) })}
        />
        <CsvButton name="compare-nodes" {...nodesCsv(comparison)} />
        <PictureButtons
          name="compare-nodes"
          title={comparison.analyses.map((_, place) => heatSays(comparison, place)).join("; ")}
        />
        <span className="muted">
          Percent of each node's CPU time. To compare only a time range, drag over it, or mark it with{" "}
          <kbd>Shift</kbd> and the arrows and <kbd>Enter</kbd>.
        </span>
      </p>
      {comparison.analyses.map((analysis, place) => (
        <Heat
          key={analysis.key}
          comparison={comparison}
          analysis={analysis}
          place={place}
          spanNs={shared ? longest : analysis.length_ns}
          shared={shared}
          hover={hover}
          onPart={(from, to) => take(place, from, to)}
        />
      ))}
    </section>
  );
}

interface CanvasProps {
  readonly comparison: Comparison;
  readonly place: number;
  readonly spanNs: number;
  readonly shared: boolean;
  readonly hover: Store<HeatCursor | null>;
  readonly onPart: (from: number, to: number) => void;
}

/** The map of one analysis under its name. */
function Heat({ analysis, ...rest }: CanvasProps & { readonly analysis: ComparedAnalysis }) {
  const { comparison, place } = rest;
  const use = comparison.utilisation[place];
  return (
    <div className="compare-heat">
      <p className="compare-heat-head">
        <b className="compare-key">{analysis.key}</b> {analysis.title}
        {use?.available && (
          <>
            <LabelBadge label={use.label} missing={use.missing} said />
            <span className="copy-place">
              <CopyButton
                text={mailTable({
                  step_ns: comparison.step_ns,
                  nodes: mailNodes(use.nodes),
                  imbalance: [],
                })}
                label={`Copy the table of ${analysis.key} as text`}
                word="copy as text"
              />
            </span>
          </>
        )}
      </p>
      {use?.available ? (
        <HeatCanvas {...rest} />
      ) : (
        <p className="tab-empty">{use && asSentence(use.reason)}</p>
      )}
    </div>
  );
}

function mailNodes(nodes: readonly { nid: number; average: number | null; percent: (number | null)[] }[]) {
  return nodes.map((node) => ({ ...node, busy_ns: 0, idle_ns: 0, unknown_ns: 0 }));
}

/** A drag shorter than this is a click. */
const DRAG_PX = 4;

function HeatCanvas({ comparison, place, spanNs, shared, hover, onPart }: CanvasProps) {
  const use = comparison.utilisation[place];
  const lengthNs = comparison.analyses[place]?.length_ns ?? 0;
  const map = useMemo<HeatMap>(
    () => ({
      nodes: use?.available ? use.nodes : [],
      stepNs: comparison.step_ns,
      lengthNs,
      spanNs,
    }),
    [use, comparison.step_ns, lengthNs, spanNs],
  );
  const mine = useCallback(
    (cursor: HeatCursor | null) => (cursor && (shared || cursor.place === place) ? cursor : null),
    [shared, place],
  );
  const paint = useCallback<Paint>(
    (surface, palette) => {
      const cursor = mine(hover.getSnapshot());
      const part = cursor && cursor.since !== null ? ordered(cursor.since, cursor.at) : null;
      const at = cursor && cursor.at <= lengthNs ? cursor.at : null;
      paintHeatMap(surface, map, { at, part: part && clipped(part, lengthNs) }, palette);
    },
    [map, hover, mine, lengthNs],
  );
  const canvas = useCanvas(paint, map.nodes.length, hover.subscribe);
  const timeOf = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(lengthNs, heatTimeAt(map, box.width, event.clientX - box.left));
  };
  const drag = useDrag(place, hover, timeOf, onPart);
  const press = (event: KeyboardEvent) => {
    const cursor = hover.getSnapshot()?.place === place ? hover.getSnapshot() : null;
    const next = keyed(event, cursor, { place, stepNs: comparison.step_ns, lengthNs });
    if (next === undefined) return;
    event.preventDefault();
    if (next === "take") {
      if (cursor && cursor.since !== null) {
        const { from, to } = ordered(cursor.since, cursor.at);
        hover.set({ ...cursor, since: null });
        onPart(from, to);
      }
      return;
    }
    hover.set(next);
  };
  return (
    <>
      <canvas
        ref={canvas}
        className="compare-canvas"
        style={{ height: heatHeight(map.nodes.length) }}
        data-testid="heat-map"
        role="img"
        tabIndex={0}
        aria-label={heatSays(comparison, place)}
        onKeyDown={press}
        {...drag}
      />
      <HeatReadout comparison={comparison} place={place} hover={hover} mine={mine} />
    </>
  );
}

/** The pointer on a map: where it is, and the interval over which it was dragged. */
function useDrag(
  place: number,
  hover: Store<HeatCursor | null>,
  timeOf: (event: PointerEvent) => number,
  onPart: CanvasProps["onPart"],
) {
  const [startX, setStartX] = useState(0);
  return {
    onPointerMove: (event: PointerEvent) => {
      const cursor = hover.getSnapshot();
      hover.set({ place, at: timeOf(event), since: cursor?.place === place ? cursor.since : null });
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setStartX(event.clientX);
      hover.set({ place, at: timeOf(event), since: timeOf(event) });
    },
    onPointerUp: (event: PointerEvent) => {
      const since = hover.getSnapshot()?.since ?? null;
      hover.set({ place, at: timeOf(event), since: null });
      if (since === null || Math.abs(event.clientX - startX) < DRAG_PX) return;
      const { from, to } = ordered(since, timeOf(event));
      onPart(from, to);
    },
    onPointerLeave: () => {
      if (hover.getSnapshot()?.since === null) hover.set(null);
    },
  };
}

function HeatReadout({
  comparison,
  place,
  hover,
  mine,
}: Pick<CanvasProps, "comparison" | "place" | "hover"> & {
  readonly mine: (cursor: HeatCursor | null) => HeatCursor | null;
}) {
  const cursor = mine(useSyncExternalStore(hover.subscribe, hover.getSnapshot));
  const use = comparison.utilisation[place];
  const step = cursor ? Math.floor(cursor.at / comparison.step_ns) : 0;
  const here = use?.available ? use.nodes.filter(({ percent }) => step < percent.length) : [];
  const text =
    cursor && here.length > 0
      ? `${formatDuration(step * comparison.step_ns)} – ${formatDuration((step + 1) * comparison.step_ns)}: ${here
          .map(
            ({ nid, percent }) =>
              `node ${nid} ${percent[step] == null ? "not recorded" : `${percent[step]} %`}`,
          )
          .join(", ")}`
      : "";
  const spoken = cursor?.place === place;
  return (
    <p className="compare-readout muted" {...(spoken ? { "aria-live": "polite" } : {})}>
      {text}
    </p>
  );
}

function ordered(a: number, b: number): { from: number; to: number } {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

function clipped(part: { from: number; to: number }, end: number): { from: number; to: number } | null {
  return part.from < end ? { from: part.from, to: Math.min(part.to, end) } : null;
}

interface Keyed {
  readonly place: number;
  readonly stepNs: number;
  readonly lengthNs: number;
}

/** Target of a key: another cursor, `take` for the marked interval, undefined for other keys. */
function keyed(
  { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  cursor: HeatCursor | null,
  { place, stepNs, lengthNs }: Keyed,
): HeatCursor | null | "take" | undefined {
  if (key === "Enter") return "take";
  if (key === "Escape") return null;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const at = cursor?.at ?? 0;
  const way = key === "ArrowRight" ? 1 : -1;
  // To borders of steps, so that a marked interval holds whole ones.
  const next = Math.min(lengthNs, Math.max(0, (Math.round(at / stepNs) + way) * stepNs));
  return { place, at: cursor ? next : 0, since: shiftKey ? (cursor?.since ?? at) : null };
}

export interface HeatCursor {
  /** Map of the cursor. */
  readonly place: number;
  /** Distance from the start of its window, ns. */
  readonly at: number;
  /** Start of an interval. */
  readonly since: number | null;
}

// The per-node table as a heat map: a row for each node, a cell for each step, its percent in the cell.

export interface HeatMap {
  readonly nodes: readonly {
    readonly nid: number;
    readonly average: number | null;
    readonly percent: readonly (number | null)[];
  }[];
  readonly stepNs: number;
  readonly lengthNs: number;
  /** Time at the right edge: the longest window's, where all share one scale. */
  readonly spanNs: number;
}

/** Marks over the map, ns after the start of the window. */
export interface HeatMarks {
  readonly at: number | null;
  readonly part: { readonly from: number; readonly to: number } | null;
}

export const HEAT_GUTTER = 104;
const AXIS = 22;
const HEAD = 18;
const RIGHT = 8;
const CELL_TEXT = 24;

export function heatHeight(nodes: number): number {
  // Many nodes still fit one look.
  const row = nodes > 12 ? 14 : nodes > 6 ? 18 : 24;
  return HEAD + Math.max(1, nodes) * row + AXIS;
}

/** ns at a CSS pixel of the map; beyond its ends they are those of the ends. */
export function heatTimeAt(map: HeatMap, width: number, x: number): number {
  return timeScaleOf(map, width).clamp(true).invert(x);
}

function timeScaleOf(map: HeatMap, width: number) {
  return scaleLinear()
    .domain([0, Math.max(1, map.spanNs)])
    .range([HEAT_GUTTER, Math.max(HEAT_GUTTER + 1, width - RIGHT)]);
}

export function paintHeatMap(surface: Surface, map: HeatMap, marks: HeatMarks, palette: Palette): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const x = timeScaleOf(map, width);
  const bottom = height - AXIS;
  const row = (bottom - HEAD) / Math.max(1, map.nodes.length);
  paintGutter(ctx, map, palette, row);
  const end = x(map.lengthNs);
  ctx.fillStyle = palette.track;
  ctx.fillRect(HEAT_GUTTER, HEAD, end - HEAT_GUTTER, bottom - HEAD);
  if (end < x(map.spanNs) - 1) {
    ctx.fillStyle = whatIfPattern(ctx, palette.line, surface.ratio);
    ctx.fillRect(end, HEAD, x(map.spanNs) - end, bottom - HEAD);
  }
  // Light for little, full colour for all: one hue, so that it reads without colour too.
  const strength = scaleLinear().domain([0, 100]).range([0.03, 0.92]).clamp(true);
  const cell = x(map.stepNs) - x(0);
  setText(ctx, `11px ${palette.font}`, palette.text, "center");
  for (const [place, { percent }] of map.nodes.entries()) {
    const top = HEAD + place * row;
    for (const [step, value] of percent.entries()) {
      if (value === null) continue;
      const left = x(step * map.stepNs);
      const right = Math.min(x((step + 1) * map.stepNs), end);
      const gap = cell > 6 ? 1 : 0;
      ctx.globalAlpha = strength(value);
      ctx.fillStyle = palette.accent;
      ctx.fillRect(left, top + 0.5, Math.max(0.5, right - left - gap), row - 1);
      ctx.globalAlpha = 1;
      if (right - left < CELL_TEXT || row < 14) continue;
      ctx.fillStyle = value > 55 ? palette.ground : palette.text;
      ctx.fillText(String(value), (left + right - gap) / 2, top + row / 2 + 0.5);
    }
  }
  paintAxis(ctx, map, palette, width, bottom);
  paintMarks(ctx, marks, palette, x, bottom);
}

function paintGutter(ctx: CanvasRenderingContext2D, map: HeatMap, palette: Palette, row: number): void {
  setText(ctx, `11px ${palette.font}`, palette.muted, "right");
  ctx.fillText("avg", HEAT_GUTTER - 8, HEAD / 2);
  for (const [place, { nid, average }] of map.nodes.entries()) {
    const middle = HEAD + (place + 0.5) * row;
    ctx.fillStyle = palette.nodes[place] ?? palette.muted;
    ctx.fillRect(0, middle - 4, 8, 8);
    setText(ctx, `12px ${palette.font}`, palette.text);
    ctx.fillText(`node ${nid}`, 14, middle + 0.5);
    setText(ctx, `600 12px ${palette.font}`, palette.text, "right");
    ctx.fillText(String(average ?? "–"), HEAT_GUTTER - 8, middle + 0.5);
  }
}

function paintAxis(
  ctx: CanvasRenderingContext2D,
  map: HeatMap,
  palette: Palette,
  width: number,
  bottom: number,
): void {
  const seconds = scaleLinear()
    .domain([0, Math.max(1, map.spanNs) / 1e9])
    .range([HEAT_GUTTER, width - RIGHT]);
  const ticks = seconds.ticks(Math.max(2, Math.floor((width - HEAT_GUTTER) / 90)));
  const format = seconds.tickFormat(ticks.length);
  const marks = ticks.map((tick) => {
    const at = seconds(tick);
    const words = tick === 0 ? "0 s" : format(tick);
    // The last one would leave the canvas.
    return { at, words: Math.round(at) + 0.5 < width - 14 ? words : null };
  });
  paintTicks(ctx, palette, marks, bottom, [HEAT_GUTTER + 8, width]);
}

function paintMarks(
  ctx: CanvasRenderingContext2D,
  { at, part }: HeatMarks,
  palette: Palette,
  x: (ns: number) => number,
  bottom: number,
): void {
  if (part) {
    ctx.fillStyle = palette.beyond;
    ctx.strokeStyle = palette.text;
    const [left, right] = [x(part.from), x(part.to)];
    ctx.fillRect(left, HEAD, right - left, bottom - HEAD);
    ctx.strokeRect(left + 0.5, HEAD + 0.5, Math.max(1, right - left - 1), bottom - HEAD - 1);
  }
  if (at !== null) {
    ctx.strokeStyle = palette.text;
    const here = Math.round(x(at)) + 0.5;
    strokeLine(ctx, here, HEAD - 4, here, bottom + 4);
  }
}
