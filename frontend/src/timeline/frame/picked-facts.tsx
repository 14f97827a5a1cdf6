import { formatAbs, formatTime } from "../../lib/format.ts";
import { taskName } from "../../lib/rank-tasks.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Button } from "../../ui/fields.tsx";
import { oneStop } from "../../ui/one-stop.ts";
import { Fact, LabelBadge } from "../../ui/section-parts.tsx";
import type { PickedFact } from "../panel.ts";
import type { Stage } from "../stage/stage.ts";
import { PinTask } from "./pinned-lanes.tsx";

interface Props {
  readonly fact: PickedFact;
  readonly stage: Stage;
}

/** The clicked event of a lane: description, numbers, and kernel function. */
export function PickedFacts({ fact, stage }: Props) {
  const { title, label, rows, note, fn, at, merged = [] } = fact;
  return (
    <div className="picked-facts" data-testid="picked-facts">
      <header>
        <h2>{title}</h2>
        {label !== null && <LabelBadge label={label} />}
      </header>
      <StepButtons
        titles={["Previous of its kind (,)", "Fit it (f)", "Next of its kind (.)"]}
        onStep={(step) => stage.command(step)}
      />
      <dl className="facts" ref={oneStop}>
        <TimeFact name="start" ns={at.toString()} />
        {rows.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        {fn !== null && <Fact name="kernel">{fn}</Fact>}
      </dl>
      {note !== null && <p className="fact-note">{note}</p>}
      {merged.length > 1 && <MergedFacts merged={merged} stage={stage} />}
    </div>
  );
}

/** More are seen by zooming in. */
const MOST_MERGED = 50;

/** Events of a merged mark, each with a button. */
function MergedFacts({ merged, stage }: { readonly merged: readonly PickedFact[]; readonly stage: Stage }) {
  const more = merged.length - MOST_MERGED;
  return (
    <section aria-label="Merged here">
      <h3>{merged.length} in this mark</h3>
      <ol className="merged-facts" data-testid="merged-facts" ref={oneStop}>
        {merged.slice(0, MOST_MERGED).map((one, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several may have one time and title, and none changes places
          <li key={place}>
            <Button className="inline num" onClick={() => stage.choose(one)}>
              {formatTime(one.at, 6)}
            </Button>{" "}
            {one.title}
          </li>
        ))}
      </ol>
      {more > 0 && <p className="muted">and {more} more: fit the mark (f) to see them separately</p>}
    </section>
  );
}

interface TimeFactProps {
  readonly name: string;
  /** Absolute ns. */
  readonly ns: string;
  /** Else it is only where the recording begins or ends. */
  readonly known?: boolean;
}

/** A moment, with its exact ns to be copied. */
export function TimeFact({ name, ns, known = true }: TimeFactProps) {
  return (
    <Fact name={name}>
      <span className="num">{formatAbs(BigInt(ns))}</span>
      {known ? (
        <CopyButton text={ns} label={`Copy ${name} in ns`} />
      ) : (
        <span className="muted"> edge of the recording</span>
      )}
    </Fact>
  );
}

const STEPS = [
  ["previous", "‹ previous"],
  ["fit-selection", "fit"],
  ["next", "next ›"],
] as const;

interface StepProps {
  readonly titles: readonly [string, string, string];
  readonly onStep: (step: (typeof STEPS)[number][0]) => void;
}

/** Buttons for the previous occurrence, this whole one, and the next. */
export function StepButtons({ titles, onStep }: StepProps) {
  return (
    <div className="step-buttons" ref={oneStop}>
      {STEPS.map(([step, words], place) => (
        <Button key={step} onClick={() => onStep(step)} title={titles[place]}>
          {words}
        </Button>
      ))}
    </div>
  );
}

interface TaskButtonProps {
  readonly pid: number;
  readonly comm?: string | null | undefined;
  readonly stage: Stage;
}

/** A task with buttons that go to it and pin its lane; PID 0 is the idle loop of each CPU and has none. */
export function TaskButton({ pid, comm, stage }: TaskButtonProps) {
  if (pid === 0) return <span className="muted">idle</span>;
  const name = comm ?? taskName(stage.scene.tasks, pid) ?? "";
  return (
    <span className="task-button">
      <Button
        className="inline"
        onClick={() => void stage.findTask(pid)}
        title="Go to this task in the window"
      >
        {name} <span className="num">{pid}</span>
      </Button>
      <PinTask pid={pid} name={name} stage={stage} />
    </span>
  );
}
