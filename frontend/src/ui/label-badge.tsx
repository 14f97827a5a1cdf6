import type { Label } from "../lib/label.ts";
import { missingText } from "../lib/section-words.ts";
import { TERMS } from "../lib/terms.ts";

interface Props {
  readonly label: Label;
  readonly missing?: readonly string[];
  /** What it lacks stands beside it, not only on hover. */
  readonly said?: boolean;
}

/** Where a value comes from, in the one look that it has everywhere. */
export function LabelBadge({ label, missing = [], said = false }: Props) {
  const lacks = missingText(missing);
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
