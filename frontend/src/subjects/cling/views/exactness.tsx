import { useMemo } from "react";
import type { ClingSection, Reproduced } from "../../../api/types.ts";
import { formatCount, formatTime, plural } from "../../../lib/format.ts";
import { TERMS } from "../../../lib/terms.ts";
import { Fact, Term } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { describeTable, type TextTable } from "../../../ui/table/described-table.ts";
import { CHECKS, reproducedText } from "../lanes/cling-tracks.ts";

/** The column of what does not agree. */
const OFF = 5;
const MOST_VIOLATIONS = 20;

/** Accuracy of cling's replay, compared with the kernel's output and with samples. */
export function Exactness({ section }: { readonly section: ClingSection }) {
  const { checked, from_events: events, from_everything: everything, readings } = section;
  const kinds = useMemo(
    () => checked?.kinds.filter((kind) => kind.compared + kind.adopted > 0) ?? [],
    [checked],
  );
  const table = useMemo(() => checkedTable(kinds), [kinds]);
  const reached = readings.exactly + readings.reordered + readings.timer_shifted;
  return (
    <section className="exactness" aria-label="Accuracy of the replay">
      <h3>
        <Term means={TERMS.exactness}>Accuracy of the replay</Term>
      </h3>
      {checked ? (
        <DataGrid
          label="Accuracy of the replay"
          table={table}
          name="cling-exactness"
          testId="checked-table"
          cellClass={(row, column) => {
            const kind = kinds[row];
            return column === OFF && kind && kind.compared > kind.exact + kind.near ? "cost" : "";
          }}
        />
      ) : (
        <p className="muted">The kernel printed nothing about cling to compare with.</p>
      )}
      {checked && (
        <p data-testid="violations">
          {checked.violations_all === 0
            ? "The replay agrees with everything printed."
            : `${plural(checked.violations_all, "line")} of the recording do not agree with the replay.`}
        </p>
      )}
      {checked && checked.violations.length > 0 && (
        <ul>
          {checked.violations.slice(0, MOST_VIOLATIONS).map((found) => (
            <li key={`${found.t_ns} ${found.check} ${found.printed}`}>
              <span className="num">{formatTime(BigInt(found.t_ns), 6)}</span>, group {found.group},{" "}
              {CHECKS[found.check] ?? found.check}: printed {found.printed}, replayed {found.replayed} (
              {found.reason})
            </li>
          ))}
        </ul>
      )}
      <dl className="facts wide">
        {events && (
          <>
            <Reproduction name="attempts, from scheduler events alone" part={events.attempts} />
            <Reproduction name="counters, from scheduler events alone" part={events.counters} />
            <Reproduction name="flips, from scheduler events alone" part={events.flips} />
          </>
        )}
        {everything && (
          <>
            <Reproduction name="attempts, with probes and samples" part={everything.attempts} />
            <Reproduction name="counters, with probes and samples" part={everything.counters} />
            <Reproduction name="flips, with probes and samples" part={everything.flips} />
          </>
        )}
        <Fact name="samples of files">
          {readings.all === 0
            ? "none recorded"
            : `${formatCount(reached)} of ${formatCount(readings.all)} reached by events, ${formatCount(readings.adopted)} used as a starting point, ${formatCount(readings.not)} not reached`}
        </Fact>
      </dl>
    </section>
  );
}

function Reproduction({ name, part }: { readonly name: string; readonly part: Reproduced }) {
  return (
    <Fact name={name} term="fromEvents">
      {reproducedText(part)}
    </Fact>
  );
}

/** Output of the kernel about cling compared with the replay, kind by kind. */

type Checked = NonNullable<ClingSection["checked"]>;
type Kind = Checked["kinds"][number];

export function checkedTable(kinds: readonly Kind[]): TextTable {
  return describeTable<Kind>(
    [
      { name: "what the kernel printed", exact: "check", show: ({ check }) => CHECKS[check] ?? check },
      { name: "compared", exact: "compared", unit: "count" },
      { name: "exact", exact: "exact", unit: "count" },
      {
        name: "near",
        exact: "near",
        unit: "count",
        title: "As replayed shortly before or after: read without the group's lock",
      },
      {
        name: "first printed",
        exact: "adopted",
        unit: "count",
        title: "Nothing to compare with: printed for the first time",
      },
      {
        name: "off",
        exact: "off",
        unit: "count",
        value: ({ compared, exact, near }) => compared - exact - near,
      },
    ],
    kinds,
  );
}
