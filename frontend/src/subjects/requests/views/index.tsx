import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useState } from "react";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import type { DrawerView, TabProps } from "../../../analysis/tab.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { ExplainSection, RequestsSection, SlowRequest } from "../../../api/types.ts";
import { formatDuration, formatTime, plural } from "../../../lib/format.ts";
import { asSentence } from "../../../lib/terms.ts";
import { nsOf, type Span, toRel } from "../../../lib/time.ts";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { WindowAxis } from "../../../ui/canvas/axis.tsx";
import { type Paint, useCanvas } from "../../../ui/canvas/surface.ts";
import { Button } from "../../../ui/fields.tsx";
import { SectionStatus } from "../../../ui/section-parts.tsx";
import { ledgerColour, ledgerMeaning } from "../../off_cpu/lanes/index.ts";
import { causeKey, compareCauses } from "./difference.ts";
import {
  chartScales,
  type LatencyChart,
  nearestPoint,
  paintLatency,
  pointText,
  slowCauses,
  stepPoint,
} from "./latency-chart.ts";
import "./requests.css";

export const view: DrawerView = {
  id: "requests",
  title: "Requests",
  Body: RequestsView,
};

/** Percentiles from which on a request is slow. */
const SLOW = [90, 95, 99, 99.9] as const;
/** Points that are drawn. */
const MOST = 20_000;

/** The requests of the logs among the inputs: their latency over time, and what the slow ones have that typical ones do not. */
function RequestsView({ live }: TabProps) {
  const [slow, setSlow] = useState<number>(99);
  const [task, setTask] = useState("");
  const query = { window: null, slow, ...(task === "" ? {} : { task }) };
  const points = useSection(live.section("requests"), { ...query, listed: MOST });
  const explained = useSection(live.section("explain", "requests"), query);
  const { answer } = points;
  const sums = explained.answer?.available ? explained.answer : null;
  return (
    <div className="requests-view" data-testid="requests-view">
      <p className="tab-tools">
        <Service task={task} onTask={setTask} />
        <label>
          slow from percentile
          <select value={slow} onChange={(event) => setSlow(Number(event.target.value))}>
            {SLOW.map((percentile) => (
              <option key={percentile} value={percentile}>
                {percentile}
              </option>
            ))}
          </select>
        </label>
        {answer?.available && (
          <span className="muted">
            {plural(answer.count, "request")}, {answer.slow} slow
            {answer.left_out > 0 && `; ${plural(answer.points.length, "point")} drawn`}
          </span>
        )}
        <SectionStatus state={points.loading || points.problem !== null ? points : explained} />
      </p>
      {sums?.requests && <p className="requests-summary">{sums.summary}</p>}
      {answer && !answer.available && <Unavailable reason={answer.reason} />}
      {answer?.available && <Latency live={live} answer={answer} />}
      {answer?.available &&
        answer.notes.map((note) => (
          <p key={note} className="muted note">
            {note}
          </p>
        ))}
      {sums?.requests && (
        <div className="requests-tables">
          <Difference requests={sums.requests} />
          <Worst live={live} worst={sums.requests.worst} />
        </div>
      )}
    </div>
  );
}

function Unavailable({ reason }: { readonly reason: string }) {
  return (
    <div className="tab-empty">
      <p>{asSentence(reason)}</p>
      <p className="muted">
        A request log is CSV or NDJSON with start and duration, or the output of pgbench -l: upload it with
        the recording.
      </p>
    </div>
  );
}

/** Chosen with Enter, or when the field is left: each choice is computed. */
function Service({ task, onTask }: { readonly task: string; readonly onTask: (task: string) => void }) {
  const [draft, setDraft] = useState(task);
  return (
    <label>
      service
      <input
        type="text"
        value={draft}
        placeholder="as the log names it"
        title="Name or pid of the tasks that served the requests"
        onChange={(event) => setDraft(event.target.value)}
        onBlur={() => onTask(draft.trim())}
        onKeyDown={(event) => event.key === "Enter" && onTask(draft.trim())}
      />
    </label>
  );
}

interface LatencyProps {
  readonly live: LiveAnalysis;
  readonly answer: RequestsSection;
}

function Latency({ live, answer }: LatencyProps) {
  const { origin, bounds } = live.stage.scene;
  const chart = useMemo((): LatencyChart => {
    const points = answer.points.map(({ start_ns, ns, cause }) => ({
      at: toRel(origin, nsOf(start_ns)),
      ns,
      slow: ns >= answer.slow_from_ns,
      state: cause?.state ?? null,
      cause: cause?.cause ?? null,
      title: cause?.title ?? null,
      by: cause?.by ?? null,
    }));
    return { points, window: bounds, slowFrom: answer.slow > 0 ? answer.slow_from_ns : null };
  }, [answer, origin, bounds]);
  if (chart.points.length === 0) return <p className="tab-empty muted">No request overlaps the recording.</p>;
  return (
    <>
      <LatencyCanvas chart={chart} stage={live.stage} />
      <ul className="requests-key" aria-label="Main causes of slow requests">
        {slowCauses(chart.points).map(({ state, cause, title, count }) => (
          <li key={`${state} ${cause}`} title={ledgerMeaning(state, cause)}>
            <i className={`request-mark ${state}`} style={{ background: ledgerColour(state, cause) }} />
            {state}, {title} <span className="num muted">{count}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A little around a request, so that both its ends are seen. */
function around(at: number, ns: number): Span {
  const air = Math.max(2000, ns / 8);
  return { from: at - air, to: at + ns + air };
}

function LatencyCanvas({ chart, stage }: { readonly chart: LatencyChart; readonly stage: Stage }) {
  const [here, setHere] = useState<number | null>(null);
  const paint = useCallback<Paint>(
    (surface, palette) => paintLatency(surface, chart, here, palette),
    [chart, here],
  );
  const canvas = useCanvas(paint, 0);
  const placeOf = (event: PointerEvent | React.MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const scales = chartScales(chart, box.width, box.height);
    return nearestPoint(chart, scales, [event.clientX - box.left, event.clientY - box.top]);
  };
  const go = (place: number | null) => {
    const point = place === null ? undefined : chart.points[place];
    if (point) void stage.show(around(point.at, point.ns));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") go(here);
    else if (/^(ArrowLeft|ArrowRight|Home|End)$/.test(event.key)) setHere(stepPoint(chart, here, event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const point = here === null ? undefined : chart.points[here];
  return (
    <>
      <canvas
        ref={canvas}
        className="requests-canvas"
        data-testid="requests-chart"
        role="img"
        tabIndex={0}
        aria-label={`Latency over time: ${plural(chart.points.length, "request")} on a log scale`}
        onPointerMove={(event) => setHere(placeOf(event))}
        onPointerLeave={() => setHere(null)}
        onClick={(event) => go(placeOf(event))}
        onKeyDown={press}
      />
      <WindowAxis window={chart.window} origin={stage.scene.origin} />
      <p className="requests-readout muted" aria-live="polite" data-testid="requests-readout">
        {point
          ? pointText(point, stage.scene.origin)
          : "Click a request to go there; arrows step through slow ones, Enter goes there."}
      </p>
    </>
  );
}

type Requests = NonNullable<ExplainSection["requests"]>;

/** Time per request by cause and by the task responsible: slow and typical requests, the largest difference first. */
function Difference({ requests }: { readonly requests: Requests }) {
  const rows = compareCauses(requests).slice(0, 8);
  return (
    <section aria-label="Slow against typical">
      <h3>Time per request</h3>
      <table className="node-table" data-testid="requests-difference">
        <thead>
          <tr>
            <th scope="col">cause</th>
            <th scope="col">{requests.slow.count} slow</th>
            <th scope="col">{requests.typical.count} typical</th>
            <th scope="col">difference</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ state, cause, title, by, through, slowNs, typicalNs }) => (
            <tr key={causeKey({ state, cause, by, through })}>
              <th scope="row" title={ledgerMeaning(state, cause)}>
                <span className="swatch" style={{ background: ledgerColour(state, cause) }} />
                {state}, {title}
                {by !== null && <span className="muted"> · {by}</span>}
                {through !== null && <span className="muted">, through {through}</span>}
              </th>
              <td>{formatDuration(slowNs, 3)}</td>
              <td>{formatDuration(typicalNs, 3)}</td>
              <td className="num">
                {slowNs >= typicalNs ? "+" : "−"}
                {formatDuration(Math.abs(slowNs - typicalNs), 3)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The slowest ones, with their parts, each linked to its place. */
function Worst({ live, worst }: { readonly live: LiveAnalysis; readonly worst: readonly SlowRequest[] }) {
  const { stage } = live;
  return (
    <section aria-label="Slowest requests">
      <h3>Slowest</h3>
      <ol className="requests-worst" data-testid="requests-worst">
        {worst.map((request) => {
          const { start_ns, ms, summary, parts } = request;
          return (
            <li key={start_ns}>
              <Button
                className="inline num"
                title={`Go to it, at ${formatTime(nsOf(start_ns), 3)}`}
                onClick={() =>
                  void stage.show(around(toRel(stage.scene.origin, nsOf(start_ns)), Math.round(ms * 1e6)))
                }
              >
                {formatDuration(ms * 1e6)}
              </Button>{" "}
              {summary}
              <span className="cause-bar" aria-hidden="true">
                {parts.map((part) => (
                  <span
                    key={part.from_ns}
                    style={{
                      flexGrow: Number(nsOf(part.to_ns) - nsOf(part.from_ns)),
                      background: ledgerColour(part.state, part.cause),
                    }}
                    title={`${part.state}, ${part.title}${part.by === null ? "" : ` · ${part.by}`}: ${formatDuration(nsOf(part.to_ns) - nsOf(part.from_ns))}`}
                  />
                ))}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
