/**
 * Which panels the timeline shows, in what order, how high, and which are folded: an arrangement, as a link writes it.
 *
 * `nodes,cling:1.5,psi,-ilb,_memory`: `-` hidden, `_` folded, `~` unfolded although it would be folded by itself, `:f` its height
 * times f. Panels that a link does not name follow in the usual order, so that links of before a panel was made show it.
 */

/** The rows of a query come first: who asked for them looks for them. */
export const PANEL_IDS = ["sql", "nodes", "cling", "psi", "ilb", "memory"] as const;
export type PanelId = (typeof PANEL_IDS)[number];

export interface Placed {
  readonly id: PanelId;
  readonly hidden: boolean;
  /** null leaves it to the panel: folded where it has nothing to show. */
  readonly folded: boolean | null;
  /** Its lanes' heights are those that fit, times this. */
  readonly factor: number;
}

/** Every panel once, from top to bottom. */
export type Arrangement = readonly Placed[];

export const LEAST_FACTOR = 0.5;
export const MOST_FACTOR = 4;
/** What a key makes a panel higher by. */
export const FACTOR_STEP = 1.25;

const usual = (id: PanelId): Placed => ({ id, hidden: false, folded: null, factor: 1 });

export const USUAL_ARRANGEMENT: Arrangement = PANEL_IDS.map(usual);

/** null for what is no arrangement at all; of one that is, names that this page does not know are left out. */
export function parseArrangement(text: string | undefined): Arrangement | null {
  if (text === undefined) return null;
  const found = new Map<PanelId, Placed>();
  for (const part of text.split(",").slice(0, 64)) {
    const match = /^([-_~]?)([a-z]{1,16})(?::(\d{1,2}(?:\.\d{1,3})?))?$/.exec(part);
    const id = PANEL_IDS.find((known) => known === match?.[2]);
    if (!match || !id || found.has(id)) continue;
    const [, sign, , factor] = match;
    found.set(id, {
      id,
      hidden: sign === "-",
      folded: sign === "_" ? true : sign === "~" ? false : null,
      factor: factor === undefined ? 1 : clampFactor(Number(factor)),
    });
  }
  if (found.size === 0) return null;
  const unnamed = PANEL_IDS.filter((id) => !found.has(id)).map(usual);
  return [...unnamed.filter(isQuery), ...found.values(), ...unnamed.filter((placed) => !isQuery(placed))];
}

/** The panel of a query is there only now and then: as the first one and as usual it is not named. */
export function formatArrangement(arrangement: Arrangement): string {
  const [first, ...others] = arrangement;
  const named = first && isQuery(first) ? others : arrangement;
  return named
    .map(({ id, hidden, folded, factor }) => {
      const sign = hidden ? "-" : folded === true ? "_" : folded === false ? "~" : "";
      return `${sign}${id}${factor === 1 ? "" : `:${factor}`}`;
    })
    .join(",");
}

function isQuery({ id, hidden, folded, factor }: Placed): boolean {
  return id === "sql" && !hidden && folded === null && factor === 1;
}

export function isUsual(arrangement: Arrangement): boolean {
  return formatArrangement(arrangement) === formatArrangement(USUAL_ARRANGEMENT);
}

/** Two digits: what a link says is what is shown. */
export function clampFactor(factor: number): number {
  return Math.round(Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor)) * 100) / 100;
}

export function placedOf(arrangement: Arrangement, id: PanelId): Placed {
  return arrangement.find((placed) => placed.id === id) ?? usual(id);
}

export type ArrangeChange =
  | { readonly kind: "move"; readonly id: PanelId; readonly by: -1 | 1 }
  /** Before another panel; to the end with null. */
  | { readonly kind: "place"; readonly id: PanelId; readonly before: PanelId | null }
  | { readonly kind: "hide"; readonly id: PanelId; readonly hidden: boolean }
  | { readonly kind: "fold"; readonly id: PanelId; readonly folded: boolean | null }
  /** Shown and unfolded, whatever it was. */
  | { readonly kind: "reveal"; readonly id: PanelId }
  | { readonly kind: "factor"; readonly id: PanelId; readonly factor: number }
  | { readonly kind: "reset" };

export function arrange(arrangement: Arrangement, change: ArrangeChange): Arrangement {
  if (change.kind === "reset") return USUAL_ARRANGEMENT;
  const { id } = change;
  const own = placedOf(arrangement, id);
  switch (change.kind) {
    case "move":
      return place(arrangement, id, neighbour(arrangement, id, change.by));
    case "place":
      return place(arrangement, id, change.before);
    case "hide":
      return replace(arrangement, { ...own, hidden: change.hidden });
    case "fold":
      return replace(arrangement, { ...own, folded: change.folded });
    case "reveal":
      return replace(arrangement, { ...own, hidden: false, folded: own.folded === true ? null : own.folded });
    case "factor":
      return replace(arrangement, { ...own, factor: clampFactor(change.factor) });
  }
}

/** The panel that stands behind `id` after a step; hidden ones are stepped over. Its own id: it cannot go further. */
function neighbour(arrangement: Arrangement, id: PanelId, by: -1 | 1): PanelId | null {
  const at = arrangement.findIndex((placed) => placed.id === id);
  // The panel of a query is hardly ever there: others step over it.
  const shown = arrangement.filter((placed) => placed.id === id || !(placed.hidden || placed.id === "sql"));
  const here = shown.findIndex((placed) => placed.id === id);
  const other = shown[here + by];
  if (!other) return id;
  if (by < 0) return other.id;
  const behind = arrangement.findIndex((placed) => placed.id === other.id) + 1;
  return behind <= at ? id : (arrangement[behind]?.id ?? null);
}

function place(arrangement: Arrangement, id: PanelId, before: PanelId | null): Arrangement {
  if (before === id) return arrangement;
  const own = placedOf(arrangement, id);
  const others = arrangement.filter((placed) => placed.id !== id);
  const at = before === null ? others.length : others.findIndex((placed) => placed.id === before);
  return [...others.slice(0, at), own, ...others.slice(at)];
}

function replace(arrangement: Arrangement, own: Placed): Arrangement {
  return arrangement.map((placed) => (placed.id === own.id ? own : placed));
}
