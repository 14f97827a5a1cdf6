import { type ReactNode, useEffect, useRef, useState } from "react";
import { isAbort, sentenceOf } from "../../../api/client.ts";
import { windowText } from "../../../lib/terms.ts";
import { Link } from "../../../ui/page/link.tsx";
import { Fact, LabelBadge } from "../../../ui/section-parts.tsx";
import type { LiveBlock } from "./report-block.ts";
import { type Numbers, numbersOf, type ReportTable } from "./report-numbers.ts";
import { type ReportFrame, RequestCounter } from "./report-world.ts";

interface Props {
  readonly block: LiveBlock;
  readonly frame: ReportFrame;
  readonly name: string;
  readonly onDrawn: () => void;
}

/** A finding, a table or a query's rows, with the service's current values. */
export function LiveNumbers({ block, frame, name, onDrawn }: Props) {
  const [numbers, setNumbers] = useState<Numbers | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { worlds, pathOf, queue } = frame;
  const drawn = useRef(onDrawn);
  drawn.current = onDrawn;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a block is what its address says
  useEffect(() => {
    const stop = new AbortController();
    setProblem(null);
    numbersOf(new RequestCounter().api(worlds.token), block, stop.signal).then(
      (sentences) => setNumbers(sentences),
      (error: unknown) => {
        if (!isAbort(error) && !stop.signal.aborted) setProblem(sentenceOf(error));
      },
    );
    return () => stop.abort();
  }, [worlds, block.id, block.query, block.kind]);
  const done = numbers !== null || problem !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: for paper it says so again
  useEffect(() => {
    if (done) drawn.current();
  }, [done, queue]);

  if (problem !== null) return <Absent>{problem}</Absent>;
  if (!numbers) return <div className="live-empty low" />;
  const to = pathOf(block.id, block.query);
  const { window } = block.view;
  return (
    <>
      <div className="live-numbers">
        <p className="live-title">
          <b>{numbers.title}</b>
          {numbers.label && <LabelBadge label={numbers.label} missing={numbers.missing} said />}
        </p>
        {numbers.sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {numbers.code !== null && <pre className="live-code">{numbers.code}</pre>}
        {numbers.facts.length > 0 && (
          <dl className="facts">
            {numbers.facts.map(([name, value]) => (
              <div key={name}>
                <Fact name={name} className="num">
                  {value}
                </Fact>
              </div>
            ))}
          </dl>
        )}
        {numbers.table && <Table table={numbers.table} label={`${name}: ${numbers.title}`} />}
        {numbers.note !== null && <p className="muted">{numbers.note}</p>}
      </div>
      <figcaption>
        {block.kind === "table" && window !== null && <span className="num">{windowText(window)}</span>}
        {to !== null && !queue && <Link to={to}>open in the analysis</Link>}
      </figcaption>
    </>
  );
}

function Table({ table, label }: { readonly table: ReportTable; readonly label: string }) {
  const look = (column: number) => (table.right.has(column) ? "num right" : "");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by the keyboard, too
    <section className="live-table" tabIndex={0} aria-label={label}>
      <table className="grid-table">
        <thead>
          <tr>
            {table.head.map((name, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
              <th key={column} scope="col" className={look(column)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never change places
            <tr key={place}>
              {row.map((text, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
                <td key={column} className={look(column)}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Reason for a missing view, in its place. */
export function Absent({ children }: { readonly children: ReactNode }) {
  return (
    <p className="live-absent" role="note">
      This view cannot be drawn. {children}
    </p>
  );
}
