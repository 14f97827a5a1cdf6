import type { ComparedOutcome } from "../../api/types.ts";

type Cell = ComparedOutcome["sides"][number];

/** Half of the window around an example. */
const AROUND_NS = 1_000_000n;

/** Returns whether a side differs from the base beyond noise. */
export function changed({ sides }: Pick<ComparedOutcome, "sides">): boolean {
  return sides.some(({ change }) => change?.significant);
}

/** A share, or the rate of a whole kind. */
export function valueText({ value }: Pick<Cell, "value">, rate: boolean): string {
  if (value === null) return "–";
  return rate ? `${value.toFixed(1)}/s` : `${value.toFixed(1)} %`;
}

/** The example of the side where the outcome is most frequent. */
export function exampleOf({ sides }: Pick<ComparedOutcome, "sides">): Cell["example"] {
  const known = sides.filter(({ example }) => example !== null);
  const most = known.reduce<Cell | null>(
    (best, cell) => (best === null || (cell.value ?? 0) > (best.value ?? 0) ? cell : best),
    null,
  );
  return most?.example ?? null;
}

/** Parameters of a link to a moment. */
export function exampleWindow(at: bigint): string {
  const from = at > AROUND_NS ? at - AROUND_NS : 0n;
  return `v=2&w=${from}~${at + AROUND_NS}`;
}
