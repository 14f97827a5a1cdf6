import type { AnalysisDetail, TimelineInfo } from "../data/types.ts";
import { formatAbs, formatBytes, formatCount, formatCpuList } from "../logic/format.ts";
import { topologySentence } from "../logic/trust.ts";

interface Props {
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
}

/** What the analysis was made of, and what had to be assumed. */
export function InputsTab({ analysis, timeline }: Props) {
  const [from, to] = timeline.window_ns;
  return (
    <div className="inputs-tab">
      <table className="grid-table" data-testid="inputs-table">
        <thead>
          <tr>
            <th scope="col">file</th>
            <th scope="col">kind</th>
            <th scope="col" className="right">
              size
            </th>
            <th scope="col" className="right">
              events
            </th>
            <th scope="col" className="right">
              lost
            </th>
            <th scope="col">clock</th>
            <th scope="col" className="right">
              CPUs
            </th>
            <th scope="col">kernel</th>
          </tr>
        </thead>
        <tbody>
          {analysis.inputs.map((input, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat and the list never changes
            <tr key={i}>
              <td className="mono">{input.name}</td>
              <td>{input.kind ?? ""}</td>
              <td className="num right">{formatBytes(input.bytes)}</td>
              <td className="num right">{optional(input.events)}</td>
              <td className="num right">{lostText(input.lost_events, input.lost_marks)}</td>
              <td>{input.clock ?? ""}</td>
              <td className="num right">{optional(input.cpus)}</td>
              <td>{input.kernel ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
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

function optional(count: number | null | undefined): string {
  return count === null || count === undefined ? "" : formatCount(count);
}

function lostText(events: number | null | undefined, marks: number | null | undefined): string {
  if (!events && !marks) return optional(events);
  return events ? formatCount(events) : `in ${formatCount(marks ?? 0)} places`;
}
