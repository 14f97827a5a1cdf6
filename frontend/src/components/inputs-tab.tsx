import { Fragment, useState } from "react";
import type { Api } from "../data/api.ts";
import type { AnalysisDetail, AnalysisInput, TimelineInfo } from "../data/types.ts";
import { formatAbs, formatCount, formatCpuList, formatDuration, plural } from "../logic/format.ts";
import {
  alignmentLook,
  contentText,
  methodSentence,
  methodWords,
  offsetText,
  uncertaintyText,
} from "../logic/input-words.ts";
import { topologySentence } from "../logic/trust.ts";
import { GridTable } from "./grid-table.tsx";
import { InputDetails } from "./input-details.tsx";
import type { Rereading } from "./use-reread.ts";

interface Props {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly rereading: Rereading;
  /** The moment that the reader looks at, absolute ns. */
  readonly moment: bigint;
}

const COLUMNS = [
  { name: "file" },
  { name: "kind" },
  { name: "holds", right: true },
  { name: "lost", right: true, title: "Events that the kernel or the recorder dropped" },
  { name: "left out", right: true, title: "Damaged parts that were not read" },
  { name: "place in time", title: "How its times came onto the clock of the analysis" },
  { name: "clock", title: "The clock that it counts, and the step in which it tells times" },
];

/** What the analysis was made of, how its parts came onto one clock, and what had to be assumed. */
export function InputsTab({ api, analysis, timeline, rereading, moment }: Props) {
  const [from, to] = timeline.window_ns;
  // What needs the reader's word stands open.
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
      <GridTable columns={COLUMNS} testId="inputs-table">
        {analysis.inputs.map((input, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat and the list never changes
          <Fragment key={i}>
            <InputRow input={input} open={open.has(i)} onToggle={() => toggle(i)} />
            {open.has(i) && (
              <tr className="details">
                <td colSpan={COLUMNS.length}>
                  <InputDetails
                    api={api}
                    id={analysis.id}
                    input={input}
                    place={i}
                    offsets={analysis.offsets}
                    rereading={rereading}
                    moment={moment}
                  />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </GridTable>
      <dl className="facts wide">
        <dt>topology</dt>
        <dd>
          {topologySentence(timeline.topology_source)}{" "}
          {timeline.nodes.map((node) => `node ${node.nid}: CPUs ${formatCpuList(node.cpus)}`).join("; ")}
        </dd>
        <dt title="The stretch for which every CPU's buffer has events">common window</dt>
        <dd className="num">
          {formatAbs(BigInt(from ?? "0"))} to {formatAbs(BigInt(to ?? "0"))} s
        </dd>
        {timeline.notes.length > 0 && (
          <>
            <dt>notes</dt>
            <dd>
              <ul>
                {timeline.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

interface RowProps {
  readonly input: AnalysisInput;
  readonly open: boolean;
  readonly onToggle: () => void;
}

function InputRow({ input, open, onToggle }: RowProps) {
  const clock = input.clock ?? input.alignment?.clock ?? "";
  return (
    <tr>
      <td className="mono">
        <button type="button" className="inline" aria-expanded={open} onClick={onToggle}>
          <span className="chevron" />
          {input.name}
        </button>
      </td>
      <td>{input.kind ?? ""}</td>
      <td className="num right">{contentText(input)}</td>
      <td className="num right">{lostText(input.lost_events, input.lost_marks)}</td>
      <td className="num right">{input.skipped_count ? plural(input.skipped_count, "part") : ""}</td>
      <td>
        <PlaceInTime alignment={input.alignment ?? null} />
      </td>
      <td>
        {clock}
        {input.resolution_ns ? (
          <span className="muted">
            {clock === "" ? "" : " · "}
            {formatDuration(input.resolution_ns)}
          </span>
        ) : null}
      </td>
    </tr>
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

function lostText(events: number | null | undefined, marks: number | null | undefined): string {
  if (events) return formatCount(events);
  if (marks) return `in ${plural(marks, "place")}`;
  return events === 0 ? "0" : "";
}
