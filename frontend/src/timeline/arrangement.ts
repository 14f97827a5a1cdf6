/**
 * Arrangement of the timeline's panels in a link: visible ones, order, heights, and collapsed ones.
 *
 * `nodes,cling:1.5,psi,-ilb,_memory`: `-` hidden, `_` folded, `~` unfolded although it would be folded by itself, `:f` its height
 * times f. Panels that a link does not name follow in the usual order, so that links made before a panel existed show it.
 */

/** As links name it: `nodes`, `cling`. */
export type PanelId = string;

/** Properties of a panel that an arrangement needs. */
export interface ArrangedPanel {
  readonly id: PanelId;
  /** True if it exists only at times. */
  readonly transient?: boolean;
  /** True if it is hidden by default. */
  readonly off?: boolean;
}

export interface Placed {
  readonly id: PanelId;
  readonly hidden: boolean;
  /** null leaves it to the panel: folded where it has nothing to show. */
  readonly collapsed: boolean | null;
  /** Factor for the heights of its lanes, which fit by default. */
  readonly factor: number;
}

/** Every panel once, from top to bottom. */
export type Arrangement = readonly Placed[];

export const LEAST_FACTOR = 0.5;
export const MOST_FACTOR = 4;
/** Factor by which a key makes a panel higher. */
export const FACTOR_STEP = 1.25;

const usual = ({ id, off = false }: ArrangedPanel): Placed => ({
  id,
  hidden: off,
  collapsed: null,
  factor: 1,
});

/** @param panels all there are, in the usual order; so for all functions here */
export function usualArrangement(panels: readonly ArrangedPanel[]): Arrangement {
  return panels.map(usual);
}

/** null for text other than an arrangement; unknown names inside are left out. */
export function parseArrangement(
  text: string | undefined,
  panels: readonly ArrangedPanel[],
): Arrangement | null {
  if (text === undefined) return null;
  const found = new Map<PanelId, Placed>();
  for (const part of text.split(",").slice(0, 64)) {
    const match = /^([-_~]?)([a-z]{1,16})(?::(\d{1,2}(?:\.\d{1,3})?))?$/.exec(part);
    const id = panels.find((known) => known.id === match?.[2])?.id;
    if (!match || !id || found.has(id)) continue;
    const [, sign, , factor] = match;
    found.set(id, {
      id,
      hidden: sign === "-",
      collapsed: sign === "_" ? true : sign === "~" ? false : null,
      factor: factor === undefined ? 1 : clampFactor(Number(factor)),
    });
  }
  if (found.size === 0) return null;
  const unnamed = panels.filter(({ id }) => !found.has(id));
  return [
    ...unnamed.filter(({ transient }) => transient).map(usual),
    ...found.values(),
    ...unnamed.filter(({ transient }) => !transient).map(usual),
  ];
}

/** Panels that are there only now and then are not named before all others and as usual. */
export function formatArrangement(arrangement: Arrangement, panels: readonly ArrangedPanel[]): string {
  const place = (id: PanelId | undefined) => panels.findIndex((panel) => panel.id === id);
  const named = arrangement.findIndex(
    (placed, i) =>
      !isTransient(placed.id, panels) || !isPlain(placed) || place(placed.id) < place(arrangement[i - 1]?.id),
  );
  return arrangement
    .slice(named < 0 ? arrangement.length : named)
    .map(({ id, hidden, collapsed, factor }) => {
      const sign = hidden ? "-" : collapsed === true ? "_" : collapsed === false ? "~" : "";
      return `${sign}${id}${factor === 1 ? "" : `:${factor}`}`;
    })
    .join(",");
}

function isPlain({ hidden, collapsed, factor }: Placed): boolean {
  return !hidden && collapsed === null && factor === 1;
}

function isTransient(id: PanelId, panels: readonly ArrangedPanel[]): boolean {
  return panels.some((panel) => panel.id === id && panel.transient === true);
}

export function isUsual(arrangement: Arrangement, panels: readonly ArrangedPanel[]): boolean {
  return formatArrangement(arrangement, panels) === formatArrangement(usualArrangement(panels), panels);
}

/** Two digits: what a link says is what is shown. */
export function clampFactor(factor: number): number {
  return Math.round(Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor)) * 100) / 100;
}

export function placedOf(arrangement: Arrangement, id: PanelId): Placed {
  return arrangement.find((placed) => placed.id === id) ?? usual({ id });
}

export type ArrangeChange =
  | { readonly kind: "move"; readonly id: PanelId; readonly by: -1 | 1 }
  /** Before another panel; to the end with null. */
  | { readonly kind: "place"; readonly id: PanelId; readonly before: PanelId | null }
  | { readonly kind: "hide"; readonly id: PanelId; readonly hidden: boolean }
  | { readonly kind: "collapse"; readonly id: PanelId; readonly collapsed: boolean | null }
  /** Shown and unfolded, whatever it was. */
  | { readonly kind: "reveal"; readonly id: PanelId }
  | { readonly kind: "factor"; readonly id: PanelId; readonly factor: number }
  | { readonly kind: "reset" };

export function arrange(
  arrangement: Arrangement,
  change: ArrangeChange,
  panels: readonly ArrangedPanel[],
): Arrangement {
  if (change.kind === "reset") return usualArrangement(panels);
  const { id } = change;
  const own = placedOf(arrangement, id);
  switch (change.kind) {
    case "move":
      return place(arrangement, id, neighbour(arrangement, id, change.by, panels));
    case "place":
      return place(arrangement, id, change.before);
    case "hide":
      return replace(arrangement, { ...own, hidden: change.hidden });
    case "collapse":
      return replace(arrangement, { ...own, collapsed: change.collapsed });
    case "reveal":
      return replace(arrangement, {
        ...own,
        hidden: false,
        collapsed: own.collapsed === true ? null : own.collapsed,
      });
    case "factor":
      return replace(arrangement, { ...own, factor: clampFactor(change.factor) });
  }
}

/** The panel after `id` in a direction; hidden ones are skipped. Its own id means that it cannot move further. */
function neighbour(
  arrangement: Arrangement,
  id: PanelId,
  by: -1 | 1,
  panels: readonly ArrangedPanel[],
): PanelId | null {
  const at = arrangement.findIndex((placed) => placed.id === id);
  const skipped = (placed: Placed) => placed.hidden || isTransient(placed.id, panels);
  const shown = arrangement.filter((placed) => placed.id === id || !skipped(placed));
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
