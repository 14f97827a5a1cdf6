import { formatAbs } from "../../lib/format.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LabelBadge } from "../../ui/label-badge.tsx";
import type { PickedFact } from "../panel.ts";
import type { Stage } from "../stage/stage.ts";

interface Props {
  readonly fact: PickedFact;
  readonly stage: Stage;
}

/** The event of a lane that was clicked: what it was, the numbers behind it, and where in the kernel. */
export function PickedFacts({ fact, stage }: Props) {
  const { title, label, rows, note, fn, at } = fact;
  return (
    <div className="picked-facts" data-testid="picked-facts">
      <header>
        <h2>{title}</h2>
        {label !== null && <LabelBadge label={label} />}
      </header>
      <div className="step-buttons">
        <button type="button" onClick={() => stage.command("previous")} title="Previous of its kind (,)">
          ‹ previous
        </button>
        <button type="button" onClick={() => stage.command("fit-selection")} title="Fit it (f)">
          fit
        </button>
        <button type="button" onClick={() => stage.command("next")} title="Next of its kind (.)">
          next ›
        </button>
      </div>
      <dl className="facts">
        <dt>at</dt>
        <dd>
          <span className="num">{formatAbs(at)}</span>
          <CopyButton text={at.toString()} label="Copy at in ns" />
        </dd>
        {rows.map(([name, value]) => (
          <FactRow key={name} name={name} value={value} />
        ))}
        {fn !== null && <FactRow name="kernel" value={fn} />}
      </dl>
      {note !== null && <p className="fact-note">{note}</p>}
    </div>
  );
}

function FactRow({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
