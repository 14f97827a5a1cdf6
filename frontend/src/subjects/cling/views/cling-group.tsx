import { scaleLinear } from "d3-scale";
import { type MouseEvent, memo, useCallback, useMemo } from "react";
import type { ClingGroup } from "../../../api/types.ts";
import { formatDuration, formatTime } from "../../../lib/format.ts";
import { type RelNs, type Span, toAbs, toRel } from "../../../lib/time.ts";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { type Paint, useCanvas } from "../../../ui/canvas/surface.ts";
import { PictureButtons } from "../../../ui/picture/picture-buttons.tsx";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import {
  type BusySpan,
  type FlipMark,
  groupName,
  groupSentence,
  holdsAt,
  type NodeTrack,
  nodeLines,
  recordedFlips,
  recordedSpans,
} from "../lanes/cling-tracks.ts";
import type { DegreePreview } from "../lanes/degree-slider.tsx";
import { BAND, paintRatioChart } from "./ratio-chart.ts";

interface Props {
  readonly group: ClingGroup;
  readonly stage: Stage;
  /** Common window of the charts, relative. */
  readonly window: Span;
  readonly degree: number;
  /** True if the group's intervals are the engine's for this degree. */
  readonly computed: boolean;
  readonly whatIf: boolean;
  readonly parts: RelNs | null;
  /** One of several charts says it in words. */
  readonly saysParts: boolean;
  readonly preview: DegreePreview;
  /** True if the window is held: the part on the timeline is then marked. */
  readonly held: boolean;
  readonly onGo: (span: Span) => void;
}

const TOP = 12;
/** CSS pixels around the pointer in which something is meant. */
const REACH = 4;
/** Around a flip, ns. */
const AROUND = 5e6;

interface Settled {
  readonly busy: readonly BusySpan[];
  readonly flips: readonly FlipMark[];
}

const SCAN_PERIODS = "What-if: without cling, task_scan_max scales with the tasks that share memory (G20)";

/** Of a degree that the engine has not answered for, only the line is drawn. */
const NOT_COMPUTED: Settled = { busy: [], flips: [] };

/** A numa group: how often migrations to each node failed, and when that made the node busy. */
export const ClingGroupChart = memo(function ClingGroupChart(props: Props) {
  const { group, stage, window, degree, computed, whatIf, onGo } = props;
  const { origin } = stage.scene;
  const lines = useMemo(() => nodeLines(group, origin), [group, origin]);
  const settled = useMemo(
    () =>
      computed ? { busy: recordedSpans(group, origin), flips: recordedFlips(group, origin) } : NOT_COMPUTED,
    [computed, group, origin],
  );
  const canvas = useRatioChart(props, lines, settled);

  const hit = (event: MouseEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const perPixel = (window.to - window.from) / Math.max(1, box.width);
    const t = window.from + (event.clientX - box.left) * perPixel;
    return {
      t,
      found: event.clientY - box.top < TOP ? null : nearest(settled.busy, t, REACH * perPixel),
      perPixel,
    };
  };
  const click = (event: MouseEvent<HTMLCanvasElement>) => {
    const { t, found, perPixel } = hit(event);
    if (found) return onGo(found);
    const flip = settled.flips.find((each) => Math.abs(each.t - t) <= REACH * perPixel);
    if (flip) onGo({ from: flip.t - AROUND, to: flip.t + AROUND });
  };
  const hover = (event: MouseEvent<HTMLCanvasElement>) => {
    const { t, found } = hit(event);
    const says = lines.map((line) => {
      const step = holdsAt(line.t, t);
      return step < 0
        ? ""
        : `node ${line.nid}: F ${line.failures[step]} of T ${line.total[step]}, ${line.ratio[step]} %`;
    });
    const busy = found ? `node ${found.nid} busy for ${formatDuration(found.to - found.from)}; ` : "";
    event.currentTarget.title = `${formatTime(toAbs(origin, t), 6)}: ${busy}${says.filter((text) => text !== "").join("; ")}`;
    event.currentTarget.style.cursor = found ? "pointer" : "";
  };
  const sentence = groupSentence(group, computed ? settled.busy : null, degree);
  return (
    <div className="cling-group" data-testid="cling-group" data-picture>
      <div className="cling-name">
        <b title={`number ${group.number}, id ${group.gid}`}>{groupName(group)}</b>
        <LabelBadge label={whatIf ? "what-if" : group.label} missing={group.missing} />
        {group.nodes.map(({ nid, attempts, failures }, place) => (
          <span
            key={nid}
            className="cling-node"
            title={`${failures} of ${attempts} attempts to reach it failed`}
          >
            <span
              className={`node-mark node-mark-${place % 3}`}
              style={{ borderColor: stage.nodeColour(nid) }}
            />
            node {nid}{" "}
            <span className="num muted">
              {failures}/{attempts} failed
            </span>
          </span>
        ))}
        {group.scan_periods && (
          <span className="num muted" title={SCAN_PERIODS}>
            without cling, scan periods ×{group.scan_periods.factor.toFixed(1)}
          </span>
        )}
        <PictureButtons name={`cling-group-${group.number}`} title={sentence} />
      </div>
      <canvas
        ref={canvas}
        className="cling-chart"
        role="img"
        aria-label={sentence}
        onClick={click}
        onMouseMove={hover}
      />
    </div>
  );
});

/** The canvas of a group; it follows the degree that is tried, and the timeline while the window is held. */
function useRatioChart(props: Props, lines: readonly NodeTrack[], settled: Settled) {
  const { group, stage, window, degree, whatIf, parts, saysParts, preview, held } = props;
  const { origin } = stage.scene;
  const known = useMemo(
    () => ({
      from: Math.max(window.from, toRel(origin, BigInt(group.from_ns))),
      to: Math.min(window.to, toRel(origin, BigInt(group.to_ns))),
    }),
    [group, origin, window],
  );
  const paint = useCallback<Paint>(
    (surface, palette) => {
      const tried = preview.value ?? degree;
      const { view } = stage.getSnapshot();
      const bottom = surface.height - 4 - BAND * lines.length;
      paintRatioChart(
        surface,
        {
          lines,
          colours: lines.map(({ nid }) => stage.nodeColour(nid)),
          ...(tried === degree ? settled : NOT_COMPUTED),
          degree: tried,
          whatIf: tried === degree ? whatIf : true,
          parts: tried === degree ? parts : null,
          saysParts,
          known,
          shown: held ? view : null,
        },
        scaleLinear([window.from, window.to], [0, surface.width]),
        scaleLinear([0, 100], [bottom, TOP]),
        palette,
      );
    },
    [lines, settled, degree, whatIf, parts, saysParts, known, window, preview, stage, held],
  );
  const follow = useCallback(
    (listener: () => void) => {
      const stops = [preview.subscribe(listener), held ? stage.subscribe(listener) : () => {}];
      return () => {
        for (const stop of stops) stop();
      };
    },
    [preview, stage, held],
  );
  return useCanvas(paint, lines.length, follow);
}

/** The shortest interval around a moment, else one that is near. */
function nearest(spans: readonly BusySpan[], t: RelNs, reach: number): BusySpan | null {
  const around = spans.filter(({ from, to }) => from <= t && t <= to);
  const close =
    around.length > 0 ? around : spans.filter(({ from, to }) => from - reach <= t && t <= to + reach);
  return close.reduce<BusySpan | null>(
    (best, span) => (best === null || span.to - span.from < best.to - best.from ? span : best),
    null,
  );
}
