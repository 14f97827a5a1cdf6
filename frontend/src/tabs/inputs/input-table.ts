/** The inputs of an analysis as a described table. */

import type { AnalysisInput } from "../../api/types.ts";
import { formatCount, plural } from "../../lib/format.ts";
import { contentText, methodWords, offsetText, uncertaintyText } from "../../lib/input-words.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

export function inputTable(inputs: readonly AnalysisInput[]): TextTable {
  return describeTable<AnalysisInput>(
    [
      { name: "file", exact: "name", value: ({ name }) => name },
      { name: "kind", exact: "kind", value: ({ kind }) => kind },
      {
        name: "holds",
        exact: "events",
        unit: "count",
        value: ({ events }) => events,
        show: (input) => contentText(input),
      },
      {
        name: "lost",
        exact: "lost_events",
        unit: "count",
        value: ({ lost_events }) => lost_events,
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
        name: "place in time",
        exact: "alignment",
        value: ({ alignment }) => alignment?.method,
        show: ({ alignment }) =>
          alignment
            ? `${methodWords(alignment.method)} ${offsetText(alignment)} ${uncertaintyText(alignment)}`
            : "",
        title: "How its times came onto the clock of the analysis",
      },
      {
        name: "clock",
        exact: "clock",
        value: (input) => input.clock ?? input.alignment?.clock ?? "",
        title: "The clock that it counts, and the step in which it tells times",
      },
      { name: null, exact: "resolution_ns", unit: "ns", value: ({ resolution_ns }) => resolution_ns },
    ],
    inputs,
  );
}

function lostText({ lost_events: events, lost_marks: marks }: AnalysisInput): string {
  if (events) return formatCount(events);
  if (marks) return `in ${plural(marks, "place")}`;
  return events === 0 ? "0" : "";
}
