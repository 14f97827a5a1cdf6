import { useEffect, useRef, useSyncExternalStore } from "react";
import { TERMS } from "../logic/terms.ts";
import type { DegreePreview } from "../view/degree-preview.ts";
import { LabelBadge } from "./label-badge.tsx";
import { Term } from "./section-parts.tsx";

interface Props {
  /** What the view says. */
  readonly degree: number;
  /** null: the kernel has no cling, so that every degree is a what-if. */
  readonly recorded: number | null;
  readonly preview: DegreePreview;
  readonly onReset: () => void;
}

/** Tries another degree. The field keeps its own value while it is moved: nothing is rendered for it. */
export function DegreeSlider({ degree, recorded, preview, onReset }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const shown = useRef<HTMLOutputElement>(null);
  const whatIf = useSyncExternalStore(preview.subscribe, () => (preview.value ?? degree) !== recorded);
  const tell = (value: number) => {
    if (shown.current) shown.current.textContent = `${value} %`;
  };
  useEffect(() => {
    preview.settle();
    if (field.current) field.current.value = String(degree);
    if (shown.current) shown.current.textContent = `${degree} %`;
  }, [degree, preview]);
  return (
    <span className="degree">
      <label htmlFor="cling-degree">
        <Term means={TERMS.degree}>degree</Term>
      </label>
      <input
        ref={field}
        id="cling-degree"
        type="range"
        min={0}
        max={100}
        step={1}
        defaultValue={degree}
        onChange={(event) => {
          const value = Number(event.currentTarget.value);
          tell(value);
          preview.move(value);
        }}
      />
      <output ref={shown} htmlFor="cling-degree" className="num" data-testid="degree" />
      {whatIf && <LabelBadge label="what-if" />}
      {recorded !== null && whatIf && (
        <button type="button" className="inline" onClick={onReset}>
          as recorded ({recorded} %)
        </button>
      )}
    </span>
  );
}
