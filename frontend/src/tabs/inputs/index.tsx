import { useMemo, useState } from "react";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import { topologySentence } from "../../analysis/trust.ts";
import type { AnalysisInput } from "../../api/types.ts";
import {
  formatAbs,
  formatBytes,
  formatCount,
  formatCpuList,
  formatDuration,
  formatTime,
  plural,
} from "../../lib/format.ts";
import {
  alignmentLook,
  contentText,
  methodSentence,
  methodWords,
  offsetText,
  skippedPlace,
  uncertaintyText,
} from "../../lib/input-words.ts";
import { toAbs } from "../../lib/time.ts";
import { Button } from "../../ui/fields.tsx";
import { Fact } from "../../ui/section-parts.tsx";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { InputPlace, type PlaceProps } from "./input-alignment.tsx";
import "./inputs.css";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

export const view: DrawerView = {
  id: "inputs",
  title: "Inputs",
  Body: InputsTab,
};

/** As notes on files begin that were set aside. */
const NOT_READ = "not read: ";
/** Column of the alignment, with its badge. */
const PLACE = 5;
const CLOCK = 6;

/** Inputs of the analysis, their alignment, and the assumptions. */
function InputsTab({ api, analysis, timeline, rereading, live, snapshot }: TabProps) {
  const [from, to] = timeline.window_ns;
  const { inputs } = analysis;
  const unread = timeline.notes.filter((note) => note.startsWith(NOT_READ));
  const notes = timeline.notes.filter((note) => !note.startsWith(NOT_READ));
  const table = useMemo(() => inputTable(inputs), [inputs]);
  // What needs the reader's word is open.
  const [open, setOpen] = useState<ReadonlySet<number>>(
    () => new Set(analysis.inputs.flatMap((input, i) => (input.alignment?.method === "none" ? [i] : []))),
  );
  const toggle = (place: number) => {
    const next = new Set(open);
    if (!next.delete(place)) next.add(place);
    setOpen(next);
  };
  return (
    <div className="inputs-tab">
      <DataGrid
        label="Inputs"
        table={table}
        name="inputs"
        testId="inputs-table"
        cell={(row, column) => {
          const input = inputs[row];
          if (!input) return undefined;
          if (column === 0) {
            return (
              <Button className="inline mono" aria-expanded={open.has(row)} onClick={() => toggle(row)}>
                <span className="chevron" />
                {input.name}
              </Button>
            );
          }
          if (column === PLACE) return <PlaceInTime alignment={input.alignment ?? null} />;
          return column === CLOCK ? <Clock input={input} /> : undefined;
        }}
        below={(row) => {
          const input = inputs[row];
          return (
            input &&
            open.has(row) && (
              <InputDetails
                api={api}
                id={analysis.id}
                input={input}
                place={row}
                offsets={analysis.offsets}
                rereading={rereading}
                moment={toAbs(live.stage.scene.origin, snapshot.view.from)}
              />
            )
          );
        }}
      />
      <dl className="facts wide">
        <Fact name="topology">
          {topologySentence(timeline.topology_source)}{" "}
          {timeline.nodes.map((node) => `node ${node.nid}: CPUs ${formatCpuList(node.cpus)}`).join("; ")}
        </Fact>
        <Fact name="common window" title="Time range for which every CPU's buffer has events" className="num">
          {formatAbs(BigInt(from ?? "0"))} to {formatTime(BigInt(to ?? "0"))}
        </Fact>
        <NotesFact name="not read" notes={unread} testId="not-read" />
        <NotesFact name="warnings" notes={notes} />
      </dl>
    </div>
  );
}

interface NotesProps {
  readonly name: string;
  readonly notes: readonly string[];
  readonly testId?: string;
}

function NotesFact({ notes, ...rest }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <Fact {...rest}>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Fact>
  );
}

function Clock({ input }: { readonly input: AnalysisInput }) {
  const clock = input.clock ?? input.alignment?.clock ?? "";
  return (
    <>
      {clock}
      {input.resolution_ns ? (
        <span className="muted">
          {clock === "" ? "" : " · "}
          {formatDuration(input.resolution_ns)}
        </span>
      ) : null}
    </>
  );
}

function PlaceInTime({ alignment }: { readonly alignment: AnalysisInput["alignment"] }) {
  if (!alignment) return null;
  return (
    <span className="place-in-time" title={methodSentence(alignment)}>
      <span className={`label label-${alignmentLook(alignment)}`}>{methodWords(alignment.method)}</span>{" "}
      <span className="num">
        {offsetText(alignment)} {uncertaintyText(alignment)}
      </span>
    </span>
  );
}

/** Everything that is known of one input, and the owner's time offset. */
export function InputDetails(props: PlaceProps) {
  const { input } = props;
  const { alignment, cpus, kernel, facts = {}, tables = {}, skipped = [] } = input;
  const known: (readonly [string, string])[] = [
    ["size", formatBytes(input.bytes)],
    ...(cpus ? ([["CPUs", formatCount(cpus)]] as const) : []),
    ...(kernel ? ([["kernel", kernel]] as const) : []),
    ...Object.entries(tables).map(([table, rows]) => [`rows of ${table}`, formatCount(rows)] as const),
    ...Object.entries(facts),
  ];
  return (
    <div className="input-details">
      {alignment && <InputPlace {...props} alignment={alignment} />}
      {skipped.length > 0 && (
        <section aria-label={`Parts of ${input.name} that were left out`}>
          <h3>Left out</h3>
          <ul>
            {skipped.map((part) => (
              <li key={`${part.from}/${part.to}/${part.cpu}`}>
                <span className="num">{skippedPlace(part)}</span>: {part.why}
              </li>
            ))}
            {input.skipped_count > skipped.length && (
              <li className="muted">and {formatCount(input.skipped_count - skipped.length)} more</li>
            )}
          </ul>
        </section>
      )}
      <dl className="facts">
        {known.map(([name, value]) => (
          <div key={name}>
            <Fact name={name}>{value}</Fact>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The inputs of an analysis as a described table. */

export function inputTable(inputs: readonly AnalysisInput[]): TextTable {
  return describeTable<AnalysisInput>(
    [
      { name: "file", exact: "name" },
      { name: "kind", exact: "kind" },
      { name: "holds", exact: "events", unit: "count", show: (input) => contentText(input) },
      {
        name: "lost",
        exact: "lost_events",
        unit: "count",
        show: lostText,
        title: "Events that the kernel or the recorder dropped",
      },
      {
        name: "left out",
        exact: "parts_left_out",
        unit: "count",
        value: ({ skipped_count }) => skipped_count,
        show: ({ skipped_count: count }) => (count ? plural(count, "part") : ""),
        title: "Damaged parts that were not read",
      },
      {
        name: "time alignment",
        exact: "alignment",
        value: ({ alignment }) => alignment?.method,
        show: ({ alignment }) =>
          alignment
            ? `${methodWords(alignment.method)} ${offsetText(alignment)} ${uncertaintyText(alignment)}`
            : "",
        title: "Alignment of its times with the clock of the analysis",
      },
      {
        name: "clock",
        exact: "clock",
        value: (input) => input.clock ?? input.alignment?.clock ?? "",
        title: "Its clock, and the resolution of its times",
      },
      { name: null, exact: "resolution_ns", unit: "ns" },
    ],
    inputs,
  );
}

function lostText({ lost_events: events, lost_marks: marks }: AnalysisInput): string {
  if (events) return formatCount(events);
  if (marks) return `in ${plural(marks, "place")}`;
  return events === 0 ? "0" : "";
}
