import { useEffect, useId, useRef, useSyncExternalStore } from "react";
import { Delay, Store } from "../../../lib/store.ts";
import { TERMS } from "../../../lib/terms.ts";
import { Button } from "../../../ui/fields.tsx";
import { LabelBadge, Term } from "../../../ui/section-parts.tsx";

interface Props {
  readonly degree: number;
  /** null: the kernel has no cling, so that every degree is a what-if. */
  readonly recorded: number | null;
  readonly preview: DegreePreview;
  readonly onReset: () => void;
  /** Distinguishes sliders on the same page. */
  readonly name?: string;
}

/** Tries another degree. The field keeps its own value while it is moved: nothing is rendered for it. */
export function DegreeSlider({ degree, recorded, preview, onReset, name }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const shown = useRef<HTMLOutputElement>(null);
  const whatIf = useSyncExternalStore(preview.subscribe, () => (preview.value ?? degree) !== recorded);
  useEffect(() => {
    preview.settle();
    if (field.current) field.current.value = String(degree);
    if (shown.current) shown.current.textContent = `${degree} %`;
  }, [degree, preview]);
  // Another field may be the one that is moved.
  useEffect(
    () =>
      preview.subscribe(() => {
        const { value } = preview;
        if (value === null) return;
        if (field.current) field.current.value = String(value);
        if (shown.current) shown.current.textContent = `${value} %`;
      }),
    [preview],
  );
  return (
    <span className="degree">
      <label htmlFor={id}>
        <Term means={TERMS.degree}>degree</Term>
        {name !== undefined && <span className="visually-hidden"> of the {name}</span>}
      </label>
      <input
        ref={field}
        id={id}
        type="range"
        min={0}
        max={100}
        step={1}
        defaultValue={degree}
        onChange={(event) => {
          preview.move(Number(event.currentTarget.value));
        }}
      />
      <output
        ref={shown}
        htmlFor={id}
        className="num"
        data-testid={name === undefined ? "degree" : `degree-${name}`}
      />
      {whatIf && <LabelBadge label="what-if" />}
      {recorded !== null && whatIf && (
        <Button className="inline" onClick={onReset}>
          {name === undefined ? `as recorded (${recorded} %)` : `back to ${recorded} %`}
        </Button>
      )}
    </span>
  );
}

/**
 * The degree during a drag, before it becomes the view's. Charts follow it with every pixel of the slider without
 * React; the address and the service get it when it has come to rest.
 */

const REST_MS = 250;

export class DegreePreview extends Store<number | null> {
  readonly #commit: (degree: number) => void;
  readonly #delay = new Delay();

  constructor(commit: (degree: number) => void) {
    super(null);
    this.#commit = commit;
  }

  /** null while it is the view's. */
  get value(): number | null {
    return this.getSnapshot();
  }

  move(degree: number): void {
    this.#delay.start(() => this.#commit(degree), REST_MS);
    this.#show(degree);
  }

  /** The view has a degree of its own now, by whatever way. */
  settle(): void {
    this.#delay.stop();
    this.#show(null);
  }

  #show(value: number | null): void {
    if (value !== this.value) this.set(value);
  }
}
