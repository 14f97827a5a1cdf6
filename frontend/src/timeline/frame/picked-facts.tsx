import { formatAbs } from "../../lib/format.ts";
import { taskName } from "../../lib/rank-tasks.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LabelBadge } from "../../ui/section-parts.tsx";
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
        <dt>start</dt>
        <dd>
          <span className="num">{formatAbs(at)}</span>
          <CopyButton text={at.toString()} label="Copy start in ns" />
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

interface TaskButtonProps {
  readonly pid: number;
  readonly comm?: string | null | undefined;
  readonly stage: Stage;
}

/** A task that can be gone to; PID 0 is the idle loop of each CPU and has no place to go to. */
export function TaskButton({ pid, comm, stage }: TaskButtonProps) {
  if (pid === 0) return <span className="muted">idle</span>;
  const name = comm ?? taskName(stage.scene.tasks, pid) ?? "";
  return (
    <button
      type="button"
      className="inline"
      onClick={() => void stage.findTask(pid)}
      title="Go to this task in the window"
    >
      {name} <span className="num">{pid}</span>
    </button>
  );
}
