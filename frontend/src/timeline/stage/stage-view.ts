/** A stage's share of a view: what of its panels a link says, and what a link makes of them. */

import { type Span, toAbs, toRel } from "../../lib/time.ts";
import { clampSpan } from "../../lib/viewport.ts";
import type { Panels } from "../../panels/make.ts";
import { defaultOpen } from "../lanes.ts";
import type { PanelStack } from "../panel-stack.ts";
import { placedOf, USUAL_ARRANGEMENT } from "../panels.ts";
import type { Scene } from "../scene.ts";
import type { StageSnapshot, StageView } from "./stage-parts.ts";

/** In whole ns, and never empty. */
export function windowOf(span: Span, { origin }: Scene): NonNullable<StageView["window"]> {
  const from = toAbs(origin, span.from);
  const to = toAbs(origin, span.to);
  return { from, to: to > from ? to : from + 1n };
}

export function spanOf(window: StageView["window"], { origin, bounds, common }: Scene): Span {
  const wanted = window ? { from: toRel(origin, window.from), to: toRel(origin, window.to) } : common;
  return clampSpan(wanted, bounds);
}

type PanelsView = Pick<StageView, "open" | "pressure" | "panels" | "cgroup" | "average" | "groups" | "pins">;

export function panelsView(panels: Panels, stack: PanelStack): PanelsView {
  const { folded } = placedOf(stack.arrangement, "psi");
  return {
    open: [...panels.nodes.open].sort((a, b) => a - b),
    // As links have said it since there were no other panels.
    pressure: folded === null ? null : !folded,
    panels: stack.arrangement.map((placed) => (placed.id === "psi" ? { ...placed, folded: null } : placed)),
    ...panels.psi.shown,
    groups: panels.cling.chosen,
    pins: stack.pins,
  };
}

type PanelSnapshots = Omit<StageSnapshot, "view" | "ranges" | "selection" | "picked" | "loading" | "problem">;

/** What React shows of the panels. */
export function panelSnapshots(panels: Panels, stack: PanelStack, view: Span, width: number): PanelSnapshots {
  return {
    layout: stack.layout,
    open: [...panels.nodes.open],
    panels: stack.snapshots(),
    means: panels.nodes.means(view, width),
    waitScale: panels.nodes.nodeWaitScale,
    pressure: panels.psi.snapshot(view, !stack.isFolded("psi")),
    cling: panels.cling.snapshot(),
    ilb: panels.ilb.snapshot(),
    memory: panels.memory.snapshot(),
    sql: panels.sql.snapshot(),
  };
}

export function applyPanelsView(view: PanelsView, panels: Panels, stack: PanelStack, { nodes }: Scene): void {
  const known = new Set(nodes.map((node) => node.nid));
  panels.nodes.open = new Set((view.open ?? defaultOpen(nodes)).filter((nid) => known.has(nid)));
  panels.cling.chosen = view.groups;
  panels.psi.shown = { cgroup: view.cgroup, average: view.average };
  const { pressure } = view;
  stack.pins = view.pins;
  stack.arrangement = (view.panels ?? USUAL_ARRANGEMENT).map((placed) =>
    placed.id === "psi" && pressure !== null ? { ...placed, folded: !pressure } : placed,
  );
}
