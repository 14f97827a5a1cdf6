import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { type Label, TERMS } from "../../lib/terms.ts";
import { Button } from "../../ui/fields.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { FACTOR_STEP, LEAST_FACTOR, MOST_FACTOR, type PanelId } from "../arrangement.ts";
import { DASHES, type MarkTable, SIGNS } from "../draw/glyphs.ts";
import { dropPlace, HEADING, type LaneBox, type LaneLayout } from "../lanes.ts";
import type { PanelState } from "../panel.ts";
import type { PanelSnapshot } from "../panel-stack.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";

interface Props {
  readonly box: LaneBox;
  readonly panel: PanelSnapshot;
  readonly layout: LaneLayout;
  readonly stage: Stage;
  /** True for the first or the last visible panel. */
  readonly first: boolean;
  readonly last: boolean;
}

/** Below this distance a press is a click, CSS pixels. */
const SLOP = 4;

/** The line above a panel's lanes: folds it; dragged, or by its menu, it moves the panel. */
export function PanelHeading({ box, panel, layout, stage, first, last }: Props) {
  const { id, kind, collapsed } = panel;
  const drag = useDrag(id, layout, stage);
  const scale = (by: number) => stage.arrange({ kind: "factor", id, factor: panel.factor * by });
  const items: MenuItem[] = [
    { name: "Move up", disabled: first, onPick: () => stage.arrange({ kind: "move", id, by: -1 }) },
    { name: "Move down", disabled: last, onPick: () => stage.arrange({ kind: "move", id, by: 1 }) },
    { name: "Higher", disabled: panel.factor >= MOST_FACTOR, onPick: () => scale(FACTOR_STEP) },
    { name: "Lower", disabled: panel.factor <= LEAST_FACTOR, onPick: () => scale(1 / FACTOR_STEP) },
    {
      name: "Reset height",
      disabled: panel.factor === 1,
      onPick: () => stage.arrange({ kind: "factor", id, factor: 1 }),
    },
    {
      name: "Hide",
      disabled: first && last,
      onPick: () => stage.arrange({ kind: "hide", id, hidden: true }),
    },
  ];
  return (
    <div
      className="section-name"
      style={{ top: box.y, height: box.height }}
      data-testid={`panel-${id}`}
      onPointerDown={drag}
    >
      <span className="grip" aria-hidden="true" title="Drag to move this panel" />
      <Button
        aria-expanded={!collapsed}
        onClick={() => stage.arrange({ kind: "collapse", id, collapsed: !collapsed })}
        title={`${kind.means} ${collapsed ? "Expand" : "Collapse"}.`}
      >
        <span className="chevron" />
        {kind.title}
      </Button>
      <Menu name={`Arrange ${kind.title}`} items={items} />
    </div>
  );
}

/** A heading that is dragged shows where it would go; let go it is there. A fast pointer leaves the element, so the window listens. */
function useDrag(id: PanelId, layout: LaneLayout, stage: Stage) {
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  return (event: PointerEvent<HTMLDivElement>) => {
    const heading = event.currentTarget;
    const column = heading.parentElement;
    const isControl = event.target instanceof Element && event.target.closest('[role="menu"], .menu-button');
    if (event.button !== 0 || isControl || !column) return;
    const from = event.clientY;
    const done = new AbortController();
    stop.current = done;
    const mark = document.createElement("div");
    mark.className = "drop-mark";
    done.signal.addEventListener("abort", () => {
      heading.classList.remove("dragged");
      mark.remove();
    });
    let before: PanelId | null = id;
    const follow = ({ clientY }: globalThis.PointerEvent) => {
      if (!mark.isConnected && Math.abs(clientY - from) < SLOP) return;
      if (!mark.isConnected) {
        heading.classList.add("dragged");
        column.append(mark);
      }
      before = dropPlace(layout, clientY - column.getBoundingClientRect().top);
      const at = layout.panels.find((panel) => panel.id === before)?.y ?? layout.height;
      mark.style.top = `${at - 1}px`;
    };
    const { signal } = done;
    window.addEventListener("pointermove", follow, { signal });
    window.addEventListener("pointercancel", () => done.abort(), { signal });
    window.addEventListener(
      "pointerup",
      () => {
        const moved = mark.isConnected;
        done.abort();
        if (moved) stage.arrange({ kind: "place", id, before });
      },
      { signal },
    );
  };
}

interface BorderProps {
  readonly panel: PanelSnapshot;
  readonly layout: LaneLayout;
  readonly stage: Stage;
}

/** The lower border of a panel: dragged, or with arrows, it makes the panel higher or lower. */
export function PanelBorder({ panel, layout, stage }: BorderProps) {
  const { id, kind, factor } = panel;
  const from = useRef<{ y: number; height: number; factor: number } | null>(null);
  const box = layout.panels.find((placed) => placed.id === id);
  const lanes = layout.boxes.filter((lane) => lane.panel === id && lane.kind !== HEADING);
  const height = lanes.reduce((sum, lane) => sum + lane.height, 0);
  if (!box || box.collapsed || lanes.length === 0) return null;
  const resize = (event: PointerEvent, step: boolean) => {
    const start = from.current;
    if (!start) return;
    const share = Math.max(0.1, 1 + (event.clientY - start.y) / Math.max(1, start.height));
    stage.arrange({ kind: "factor", id, factor: start.factor * share }, step);
  };
  const key = (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? FACTOR_STEP : event.key === "ArrowUp" ? 1 / FACTOR_STEP : null;
    if (by === null) return;
    event.preventDefault();
    event.stopPropagation();
    stage.arrange({ kind: "factor", id, factor: factor * by });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that can be moved is no <hr>
    <div
      className="panel-border"
      role="separator"
      aria-orientation="horizontal"
      aria-label={`Height of ${kind.title}`}
      aria-valuemin={LEAST_FACTOR * 100}
      aria-valuemax={MOST_FACTOR * 100}
      aria-valuenow={Math.round(factor * 100)}
      aria-valuetext={`${Math.round(factor * 100)} %`}
      title="Drag, or ArrowUp and ArrowDown: height of this panel"
      // No stop of its own: the panel's menu does the same.
      tabIndex={-1}
      style={{ top: box.y + box.height - 4 }}
      onKeyDown={key}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { y: event.clientY, height, factor };
      }}
      onPointerMove={(event) => resize(event, false)}
      onPointerUp={(event) => {
        resize(event, true);
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
      }}
    />
  );
}

interface PanelsMenuProps {
  readonly panels: readonly PanelSnapshot[];
  readonly stage: Stage;
}

export function PanelsMenu({ panels, stage }: PanelsMenuProps) {
  const shown = panels.filter(({ hidden }) => !hidden).length;
  // Panels that were not requested are not missing.
  const usual = panels.filter(({ hidden, kind }) => !(hidden && kind.off)).length;
  const items: MenuItem[] = panels.map(({ id, kind, hidden }) => ({
    name: kind.title,
    checked: !hidden,
    disabled: !hidden && shown === 1,
    onPick: () => stage.arrange({ kind: "hide", id, hidden: !hidden }),
  }));
  items.push({ name: "Reset layout", onPick: () => stage.arrange({ kind: "reset" }) });
  return (
    <Menu
      name="Panels"
      items={items}
      text={shown === usual ? "panels" : `panels ${shown}/${panels.length}`}
    />
  );
}

// What is next to the lanes of a panel: their names, and its note next to the heading.

interface LaneProps {
  readonly box: LaneBox;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

/** Name next to a lane; a heading is its panel's. */
export function LaneName({ box, stage, snapshot }: LaneProps) {
  const panel = snapshot.panels.find(({ id }) => id === box.panel);
  if (!panel || box.kind === HEADING) return null;
  const { LaneName: Name } = panel.kind;
  return <Name {...viewProps(panel, box, stage)} />;
}

interface LineProps {
  readonly box: LaneBox;
  readonly state: PanelState["kind"];
  readonly children: ReactNode;
}

/**
 * The line next to a panel's name, over the plot. What does not fit wraps, and a button unfolds the further lines over the lanes:
 * nothing is cut in the middle.
 */
export function NoteLine({ box, state, children }: LineProps) {
  const parts = useRef<HTMLDivElement>(null);
  const [wraps, setWraps] = useState(false);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const element = parts.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWraps(element.offsetHeight > box.height));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box.height]);
  const unfolded = open && wraps;
  return (
    <div
      className={unfolded ? "section-note unfolded" : "section-note"}
      style={{ top: box.y, [unfolded ? "minHeight" : "height"]: box.height }}
      data-testid={`note-${box.panel}`}
      data-state={state}
    >
      <div className="note-parts" ref={parts}>
        {children}
      </div>
      {wraps && (
        <Button
          className="note-more"
          aria-expanded={unfolded}
          title={unfolded ? "Show one line of the legend" : "Show the whole legend"}
          onClick={() => setOpen(!open)}
        >
          {unfolded ? "less" : "more"}
        </Button>
      )}
    </div>
  );
}

interface NoteProps {
  readonly box: LaneBox;
  readonly panel: PanelSnapshot;
  readonly stage: Stage;
  readonly onInputs: () => void;
}

/** Note next to a panel's name, over the plot: its legend and switches, missing inputs, errors. */
export function PanelNote({ box, panel, stage, onInputs }: NoteProps) {
  const { kind, state, collapsed } = panel;
  const { Note, Legend } = kind;
  const props = { ...viewProps(panel, box, stage), onInputs };
  if (Note) return <Note {...props} />;
  return (
    <NoteLine box={box} state={state.kind}>
      {!collapsed && state.kind !== "none" && (
        <>
          {Legend && <Legend {...props} />}
          <MarkKeys marks={kind.marks ?? []} />
        </>
      )}
      {state.kind === "loading" && <span>Computing…</span>}
      {state.note !== null && !(collapsed && state.kind === "ready") && (
        <span className={state.kind === "failed" ? "problem sentence" : "sentence"}>{state.note}</span>
      )}
    </NoteLine>
  );
}

function viewProps({ panel, shown, state, collapsed }: PanelSnapshot, box: LaneBox, stage: Stage) {
  return { panel, shown, state, collapsed, box, scene: stage.scene, nodeColour: stage.colourOf };
}

/** Keys of a legend: each mark and its meaning. */
export function MarkKeys({ marks }: { readonly marks: readonly MarkTable[] }) {
  return marks.flat().map(({ shape, tone, means, title }) => (
    <span key={means} className="glyph-key" title={title}>
      <i style={{ color: `var(--${tone})` }} aria-hidden="true">
        {SIGNS[shape]}
      </i>
      {means}
    </span>
  ));
}

interface LineKeyProps {
  readonly label: Label;
  readonly children: ReactNode;
}

/** Key of a line with open marks, as lanes draw it for a label. */
export function LineKey({ label, children }: LineKeyProps) {
  return (
    <span className="glyph-key" data-testid="replay-legend" title={TERMS[label]}>
      <svg className={`line-key line-${label}`} viewBox="0 0 30 9" aria-hidden="true">
        <path d="M0 4.5H30" strokeDasharray={DASHES[label].join(" ")} />
        <circle cx="15" cy="4.5" r="2.5" />
      </svg>
      {children}
    </span>
  );
}

interface LaneTextProps {
  readonly box: LaneBox;
  readonly testId: string;
  readonly title?: string;
  readonly children: ReactNode;
}

/** The name of a lane over a line about it. */
export function LaneText({ box, testId, title, children }: LaneTextProps) {
  return (
    <div
      className="group-name"
      style={{ top: box.y, height: box.height }}
      data-testid={testId}
      {...(title === undefined ? {} : { title })}
    >
      {children}
    </div>
  );
}
