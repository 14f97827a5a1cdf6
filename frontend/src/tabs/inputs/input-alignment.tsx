import { type FormEvent, type ReactNode, useCallback, useId, useState } from "react";
import { firstStamp } from "../../analysis/sample-rows.ts";
import type { Api } from "../../api/routes/service.ts";
import type { Alignment, AnalysisInput } from "../../api/types.ts";
import { formatSeconds } from "../../lib/format.ts";
import {
  alignmentLook,
  formatShift,
  methodSentence,
  methodWords,
  offsetsWith,
  parseSeconds,
  parseShift,
} from "../../lib/input-words.ts";
import { Button } from "../../ui/fields.tsx";
import type { Rereading } from "../../ui/stage-progress.tsx";
import { useLoad } from "../../ui/use-load.ts";

export interface PlaceProps {
  readonly api: Api;
  readonly id: string;
  readonly input: AnalysisInput;
  readonly place: number;
  readonly offsets: Readonly<Record<string, string>>;
  readonly rereading: Rereading;
  /** The moment that the reader looks at, absolute ns. */
  readonly moment: bigint;
}

/** Alignment of an input, and the owner's offset. */
export function InputPlace(props: PlaceProps & { readonly alignment: Alignment }) {
  const { input, alignment, offsets, rereading } = props;
  const say = (offset: bigint | null) =>
    rereading.start({ offsets: offsetsWith(offsets, input.name, offset) });
  const busy = rereading.step !== null;
  const unplaced = alignment.method === "none";
  return (
    <section aria-label={`Place of ${input.name} in time`}>
      <p>
        <span className={`label label-${alignmentLook(alignment)}`}>
          {unplaced ? methodWords("none") : alignment.label}
        </span>{" "}
        {methodSentence(alignment)}
      </p>
      {rereading.allowed && unplaced && input.samples ? (
        <FirstSampleForm {...props} busy={busy} onOffset={say} />
      ) : (
        rereading.allowed &&
        alignment.method !== "reference" && (
          <ShiftForm
            label="Shift by"
            placeholder="−12.5"
            unit="ms"
            hint="Positive values move it later."
            wrong="A number in ms, or with a unit: ns, µs, ms or s."
            offsetOf={(text) => {
              const shift = parseShift(text);
              return shift === null ? null : BigInt(alignment.offset_ns ?? "0") + shift;
            }}
            busy={busy}
            onOffset={say}
          >
            {input.name in offsets && (
              <Button className="quiet" disabled={busy} onClick={() => say(null)}>
                Remove the offset
              </Button>
            )}
          </ShiftForm>
        )
      )}
    </section>
  );
}

interface FirstSampleProps extends PlaceProps {
  readonly busy: boolean;
  readonly onOffset: (offset: bigint) => void;
}

/** Without evidence the distance of two clocks is unknown, but the user may know when sampling began. */
function FirstSampleForm({ api, id, input, place, moment, busy, onOffset }: FirstSampleProps) {
  const table = Object.keys(input.tables ?? {})[0] ?? null;
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (table === null) return { stamp: null };
      const { body } = await api.downloads.open(api.downloads.samples(id, table, "csv"), signal);
      return { stamp: body && (await firstStamp(body, place)) };
    },
    [api, id, table, place],
  );
  const { answer, problem } = useLoad(load);
  if (problem !== null) return <p className="problem">{problem}</p>;
  if (answer === null) return <p className="muted">Looking up its first sample…</p>;
  const { stamp } = answer;
  if (stamp === null) {
    return <p>Its samples have no times, so no offset can place them.</p>;
  }
  return (
    <ShiftForm
      label={
        <>
          Its first sample (<span className="num">{formatSeconds(stamp.ns)}</span> s on its clock{" "}
          {stamp.clock}) belongs at
        </>
      }
      initial={formatSeconds(moment)}
      unit="s of the trace"
      hint="A time as on the axis (default: the window's start)."
      wrong="A time in s, as the axis shows it."
      offsetOf={(text) => {
        const at = parseSeconds(text);
        return at === null ? null : at - stamp.ns;
      }}
      busy={busy}
      onOffset={onOffset}
    />
  );
}

interface Props {
  readonly label: ReactNode;
  readonly initial?: string;
  readonly placeholder?: string;
  readonly unit: string;
  /** Shown until something is typed. */
  readonly hint: string;
  /** Shown when what was typed cannot be read. */
  readonly wrong: string;
  /** The offset that a text means, null for none. */
  readonly offsetOf: (text: string) => bigint | null;
  readonly busy: boolean;
  readonly onOffset: (offset: bigint) => void;
  readonly children?: ReactNode;
}

/** One number that moves an input in time; it says what the offset will be before it is requested. */
export function ShiftForm(props: Props) {
  const {
    label,
    initial = "",
    placeholder = "",
    unit,
    hint,
    wrong,
    offsetOf,
    busy,
    onOffset,
    children,
  } = props;
  const id = useId();
  const [text, setText] = useState(initial);
  const offset = offsetOf(text);
  const unread = text.trim() !== "" && offset === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (offset !== null) onOffset(offset);
  };
  return (
    <form className="shift-form" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        aria-invalid={unread}
        aria-describedby={`${id}-says`}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <span className="muted">{unit}</span>
      <button type="submit" disabled={offset === null || busy}>
        Read again
      </button>
      {children}
      <span id={`${id}-says`} className={unread ? "problem" : "muted"} role="status">
        {unread ? wrong : offset === null ? hint : `Offset then: ${formatShift(offset)}.`}
      </span>
    </form>
  );
}
