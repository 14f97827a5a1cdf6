/** What stands next to the lanes of a panel: their names, and its note next to the heading. */

import type { ReactNode } from "react";
import { HEADING, type LaneBox } from "../lanes.ts";
import type { PanelSnapshot } from "../panel-stack.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";

interface LaneProps {
  readonly box: LaneBox;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

/** What stands next to a lane; a heading is its panel's. */
export function LaneName({ box, stage, snapshot }: LaneProps) {
  const panel = snapshot.panels.find(({ id }) => id === box.panel);
  if (!panel || box.kind === HEADING) return null;
  const { LaneName: Name } = panel.kind;
  return <Name {...viewProps(panel, box, stage)} />;
}

interface NoteProps {
  readonly box: LaneBox;
  readonly panel: PanelSnapshot;
  readonly stage: Stage;
  readonly onInputs: () => void;
}

/** What a panel says next to its name, over the plot: its legend and switches, what it lacks, what went wrong. */
export function PanelNote({ box, panel, stage, onInputs }: NoteProps) {
  const { kind, state, collapsed } = panel;
  const { Note, Legend } = kind;
  const props = { ...viewProps(panel, box, stage), onInputs };
  if (Note) return <Note {...props} />;
  return (
    <div
      className="section-note"
      style={{ top: box.y, height: box.height }}
      data-testid={`note-${kind.id}`}
      data-state={state.kind}
    >
      {!collapsed && state.kind !== "none" && Legend && <Legend {...props} />}
      {state.kind === "loading" && <span>Computing…</span>}
      {state.note !== null && !(collapsed && state.kind === "ready") && (
        <span className={state.kind === "failed" ? "problem sentence" : "sentence"} title={state.note}>
          {state.note}
        </span>
      )}
    </div>
  );
}

function viewProps({ panel, shown, state, collapsed }: PanelSnapshot, box: LaneBox, stage: Stage) {
  return { panel, shown, state, collapsed, box, scene: stage.scene, nodeColour: stage.colourOf };
}

interface KeyProps {
  readonly glyph: string;
  readonly cost?: boolean;
  readonly look?: string;
  readonly children: ReactNode;
}

/** A mark of a panel and what it means. */
export function GlyphKey({ glyph, cost = false, look, children }: KeyProps) {
  return (
    <span className="glyph-key">
      <i className={cost ? "cost" : (look ?? "")} aria-hidden="true">
        {glyph}
      </i>
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
