import { useMemo, useRef, useState } from "react";
import type { DrawerView, TabProps } from "../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import { formatCount, formatDuration, formatShare, plural } from "../../../lib/format.ts";
import { windowText } from "../../../lib/terms.ts";
import { Button } from "../../../ui/fields.tsx";
import { PartPicture } from "../../../ui/picture/picture-buttons.tsx";
import { LabelBadge, SectionStatus, ToggleGroup, Unanswered } from "../../../ui/section-parts.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import {
  FLAME_ORDERS,
  type FlameOrder,
  flameOf,
  matchedSamples,
  matches,
  NO_BOX,
  type StacksSection,
} from "./flame.ts";
import { FlameCanvas } from "./flame-view.tsx";
import {
  eventWord,
  flameSays,
  functionTable,
  leftOutSays,
  missingFilesSay,
  stepSays,
} from "./stack-words.ts";
import "./stacks.css";

export const view: DrawerView = {
  id: "stacks",
  title: "Stacks",
  Body: StacksView,
};

/** Advice for recording the inputs. */
const RECORD =
  "Stacks need perf record -a -g, or trace-cmd record -T. A copy of /proc/kallsyms, read as root, names the kernel functions of a perf.data.";

const ORDER_WORDS = { heavy: "Left-heavy", time: "By time" } as const;

/** Stacks sampled in the window: a flame graph, and its functions. */
function StacksView({ live, snapshot }: TabProps) {
  const { stage } = live;
  const window = shownWindow(stage, snapshot);
  const [event, setEvent] = useState<number | null>(null);
  const [ofTask, setOfTask] = useState(false);
  const task = snapshot.selection?.slice ?? null;
  const pid = ofTask && task ? task.pid : null;
  const query = { window, ...(pid === null ? {} : { pid }), ...(event === null ? {} : { event }) };
  const state = useSection(live.section("stacks"), query);
  const stacks = state.answer?.available ? state.answer : null;
  if (!stacks) return <Unanswered state={state} section="stacks" record={RECORD} />;
  const sampled = stacks.events.flatMap((each, at) => (each.samples > 0 ? [{ each, at }] : []));
  const { label, missing, samples, weight } = stacks;
  return (
    <div className="stacks-view">
      <p className="tab-tools">
        {(sampled.length > 1 || event !== null) && (
          <select
            aria-label="Sampled event"
            value={event ?? ""}
            onChange={({ target }) => setEvent(target.value === "" ? null : Number(target.value))}
          >
            <option value="">all events</option>
            {sampled.map(({ each, at }) => (
              <option key={at} value={at}>
                {eventWord(each)} ({formatCount(each.samples)})
              </option>
            ))}
          </select>
        )}
        {task && (
          <label>
            <input type="checkbox" checked={ofTask} onChange={() => setOfTask(!ofTask)} /> only {task.comm} (
            {task.pid})
          </label>
        )}
        <span data-testid="stacks-sums">
          {plural(samples, "sample")}
          {sampled.length === 1 && sampled[0] && ` of ${eventWord(sampled[0].each)}`}
          {weight !== null && stacks.weight_unit === "ns" && `, ${formatDuration(weight)}`}
          {weight !== null && stacks.weight_unit !== "ns" && `, period ${formatCount(weight)}`} in{" "}
          {windowText(window)}
        </span>{" "}
        <LabelBadge label={label} missing={missing} said />
        <SectionStatus state={state} />
      </p>
      {samples === 0 ? (
        <p className="tab-empty muted">Nothing was sampled in this window.</p>
      ) : (
        <Sampled stacks={stacks} />
      )}
    </div>
  );
}

/** The files to fetch, each with the build that the recording ran. */
function MissingFiles({ stacks }: { readonly stacks: StacksSection }) {
  const says = missingFilesSay(stacks);
  if (says === "") return null;
  return (
    <details className="missing-files" data-testid="missing-files">
      <summary>{says}: import the recording again with them, or with the output of perf archive</summary>
      <ul>
        {stacks.files_without_functions.map(({ file, build_id, places }) => (
          <li key={`${file} ${build_id}`}>
            {file},{" "}
            {build_id === null ? (
              "build id not recorded"
            ) : (
              <>
                build id <code>{build_id}</code>
              </>
            )}
            , {plural(places, "place")}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Sampled({ stacks }: { readonly stacks: StacksSection }) {
  const [order, setOrder] = useState<FlameOrder>("heavy");
  const [text, setText] = useState("");
  const [zoomed, setZoomed] = useState<{ readonly of: unknown; readonly box: number } | null>(null);
  const picture = useRef<HTMLDivElement>(null);
  const flame = useMemo(() => flameOf(stacks, order), [stacks, order]);
  const table = useMemo(() => functionTable(stacks), [stacks]);
  const found = useMemo(() => matches(stacks, text), [stacks, text]);
  // A zoom is of one graph: another window has other boxes.
  const chosen = zoomed?.of === flame ? zoomed.box : NO_BOX;
  const left = leftOutSays(stacks);
  const matched = found && matchedSamples(stacks, found);
  const unset = text.trim() === "";
  return (
    <>
      <p className="tab-tools">
        <ToggleGroup
          label="Order of the flame graph"
          choices={FLAME_ORDERS}
          chosen={order}
          words={ORDER_WORDS}
          onChoose={setOrder}
        />
        <input
          type="search"
          placeholder="Function or file"
          aria-label="Highlight functions by name or file"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <span className="muted" role="status" data-testid="flame-found">
          {!unset &&
            matched !== null &&
            `${plural(found?.size ?? 0, "function")}, ${plural(matched, "sample")}, ${formatShare(matched / Math.max(1, stacks.samples))}`}
        </span>
        {chosen !== NO_BOX && (
          <Button className="inline" onClick={() => setZoomed(null)}>
            whole graph
          </Button>
        )}
        <PartPicture of={picture} title={flameSays(stacks, flame)} name={`stacks-${order}`} />
        <span className="muted">
          {[order === "time" ? stepSays(stacks) : "", left].filter((part) => part !== "").join("; ")}
        </span>
      </p>
      <MissingFiles stacks={stacks} />
      <div className="stacks-parts">
        <div className="flame" ref={picture}>
          <FlameCanvas
            stacks={stacks}
            flame={flame}
            found={found}
            chosen={chosen}
            onChoose={(box) => setZoomed(box === NO_BOX ? null : { of: flame, box })}
          />
        </div>
        <section className="stack-functions" aria-label="Functions">
          <VirtualTable
            label="Functions"
            table={table}
            testId="stack-functions"
            name="stack-functions"
            most={32}
            onPick={(row) => setText(stacks.functions[row]?.name ?? "")}
          />
        </section>
      </div>
    </>
  );
}
