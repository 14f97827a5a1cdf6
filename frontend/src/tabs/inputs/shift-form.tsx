import { type FormEvent, type ReactNode, useId, useState } from "react";
import { formatShift } from "../../lib/shift.ts";

interface Props {
  readonly label: ReactNode;
  /** What stands in the field at first. */
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
  /** Further buttons. */
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
