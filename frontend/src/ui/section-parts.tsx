import type { ReactNode } from "react";
import type { SectionState } from "../api/routes/section-source.ts";
import type { TimeWindow } from "../api/types.ts";
import { csvText, type Field } from "../lib/csv.ts";
import {
  asSentence,
  howToRecord,
  type Label,
  missingText,
  type Recordable,
  TERMS,
  windowText,
} from "../lib/terms.ts";
import { saveBlob } from "./downloads.tsx";
import { Button } from "./fields.tsx";
import { oneStop } from "./one-stop.ts";

/** State of a section's request, and its error: one line, at the end of the tools. */
export function SectionStatus({
  state,
}: {
  readonly state: Pick<SectionState<unknown>, "loading" | "problem">;
}) {
  return (
    <span className="section-status" role="status">
      {state.problem !== null ? (
        <span className="problem">{state.problem}</span>
      ) : (
        state.loading && <span className="muted">Computing…</span>
      )}
    </span>
  );
}

/** The window that a table keeps while the timeline's moves on, and the way back to that. */
export function HeldWindow({
  window,
  onFollow,
}: {
  readonly window: TimeWindow;
  readonly onFollow: () => void;
}) {
  return (
    <span className="muted held">
      of {windowText(window)}{" "}
      <Button className="inline" onClick={onFollow}>
        follow the window
      </Button>
    </span>
  );
}

type AbsentProps = Recordable & { readonly reason: string };

/** A section without its inputs: why, and how to have it. */
export function AbsentSection(props: AbsentProps) {
  const how = props.record === undefined ? howToRecord(props.section) : props.record;
  return (
    <div className="tab-empty" data-testid={`${props.section}-absent`}>
      <p>{asSentence(props.reason)}</p>
      <p className="muted">{how}</p>
    </div>
  );
}

type UnansweredProps = Recordable & {
  readonly state: SectionState<{ readonly available: boolean; readonly reason?: string }>;
};

/** Replacement for a missing section: its progress, error, or missing inputs. */
export function Unanswered({ state, ...section }: UnansweredProps) {
  const { answer, problem } = state;
  if (problem === null && answer?.reason !== undefined) {
    return <AbsentSection {...section} reason={answer.reason} />;
  }
  return (
    <p className="tab-tools" aria-busy={problem === null}>
      <SectionStatus state={state} />
    </p>
  );
}

interface CsvProps {
  readonly name: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Field[])[];
}

/** A table with its exact numbers, as a file. */
export function CsvButton({ name, head, rows }: CsvProps) {
  const save = () => saveBlob(new Blob([csvText(head, rows)], { type: "text/csv" }), `${name}.csv`);
  return (
    <Button className="inline download" onClick={save} title="Save the table with exact numbers">
      CSV
    </Button>
  );
}

interface ToggleGroupProps<T extends string> {
  readonly label: string;
  readonly choices: readonly T[];
  readonly chosen: T;
  readonly words: Readonly<Record<T, string>>;
  readonly onChoose: (choice: T) => void;
}

/** A few choices side by side, one of which is selected. */
export function ToggleGroup<T extends string>({
  label,
  choices,
  chosen,
  words,
  onChoose,
}: ToggleGroupProps<T>) {
  return (
    <fieldset className="toggle-group" aria-label={label} ref={oneStop}>
      {choices.map((choice) => (
        <Button key={choice} aria-pressed={choice === chosen} onClick={() => onChoose(choice)}>
          {words[choice]}
        </Button>
      ))}
    </fieldset>
  );
}

/** A word of the field with its definition, which mouse, keyboard and touch reach. */
export function Term({ means, children }: { readonly means: string; readonly children: ReactNode }) {
  return (
    <Button className="term" title={means}>
      {children}
    </Button>
  );
}

interface FactProps {
  readonly name: ReactNode;
  /** The word that the name is, with its definition. */
  readonly term?: keyof typeof TERMS | undefined;
  readonly title?: string;
  /** Of the value. */
  readonly className?: string;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** A name and its value in a list of facts. */
export function Fact({ name, term, title, className, testId, children }: FactProps) {
  return (
    <>
      <dt title={title}>{term ? <Term means={TERMS[term]}>{name}</Term> : name}</dt>
      <dd className={className} data-testid={testId}>
        {children}
      </dd>
    </>
  );
}

interface Props {
  /** null while all is well. */
  readonly sentence: string | null;
}

/** An error, read out at once. */
export function Problem({ sentence }: Props) {
  if (sentence === null) return null;
  return (
    <p className="problem" role="alert">
      {sentence}
    </p>
  );
}

interface LabelBadgeProps {
  readonly label: Label;
  readonly missing?: readonly string[];
  /** If true, missing inputs are shown next to it, not only on hover. */
  readonly said?: boolean;
}

/** Provenance of a value, in the same look everywhere; nothing for what was observed whole. */
export function LabelBadge({ label, missing = [], said = false }: LabelBadgeProps) {
  const lacks = missingText(missing);
  if (label === "observed" && lacks === "") return null;
  return (
    <>
      <span
        className={`label label-${label}`}
        title={lacks === "" ? TERMS[label] : `${TERMS[label]} This one ${lacks}.`}
      >
        {label}
      </span>
      {said && lacks !== "" && <span className="muted lacks">{lacks}</span>}
    </>
  );
}
