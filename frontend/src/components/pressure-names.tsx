import { formatPressure } from "../logic/format.ts";
import type { LaneBox } from "../logic/lanes.ts";
import { RULES_WORDS } from "../logic/psi-table.ts";
import { TERMS } from "../logic/terms.ts";
import type { PressureSnapshot } from "../view/pressure-panel.ts";

interface SectionProps {
  readonly box: LaneBox;
  readonly pressure: PressureSnapshot;
  readonly onToggle: () => void;
}

/** The line above the pressure lanes: folds them, and tells both areas apart. */
export function PressureName({ box, pressure, onToggle }: SectionProps) {
  return (
    <div className="section-name" style={{ top: box.y, height: box.height }}>
      <button
        type="button"
        aria-expanded={box.open}
        onClick={onToggle}
        title={`${TERMS.pressure} ${box.open ? "Fold" : "Show"}.`}
      >
        <span className="chevron" />
        pressure
      </button>
      {box.open && pressure.state === "placed" && (
        <span className="legend" data-testid="pressure-legend">
          <span title={TERMS.some}>
            <i className="swatch swatch-some" />
            some
          </span>
          <span title={TERMS.full}>
            <i className="swatch swatch-full" />
            full
          </span>
        </span>
      )}
    </div>
  );
}

interface LaneProps {
  readonly box: LaneBox;
  readonly pressure: PressureSnapshot;
}

export function PressureLaneName({ box, pressure }: LaneProps) {
  const mean = pressure.means.get(box.resource);
  return (
    <div
      className="pressure-name"
      style={{ top: box.y, height: box.height }}
      title={`Share of time that tasks stalled on ${box.resource}: mean of the window, gaps left out. Full height is ${pressure.scale * 100} %.`}
    >
      <b>{box.resource}</b>
      <span className="num" data-testid={`pressure-${box.resource}`}>
        <span className="some">{formatPressure(mean?.some ?? null)}</span>
        <span className="full">{formatPressure(mean?.full ?? null)}</span>
      </span>
    </div>
  );
}

interface NoteProps extends LaneProps {
  readonly onInputs: () => void;
}

/** What the section says where its lanes cannot speak: over the plot, at the height of the section's line. */
export function PressureNote({ box, pressure, onInputs }: NoteProps) {
  const note = noteOf(pressure);
  if (note === null) return null;
  return (
    <p className="section-note" style={{ top: box.y, height: box.height }} data-testid="pressure-note">
      <span>{note}</span>
      {pressure.open &&
        pressure.replayed.map((label) => (
          <span key={label} className="replay-legend" data-testid="replay-legend" title={TERMS[label]}>
            <i className={`line line-${label}`} aria-hidden="true" />
            {label === "what-if" && pressure.rules !== null
              ? `what-if: rules of ${RULES_WORDS[pressure.rules]}`
              : label}
          </span>
        ))}
      {pressure.state === "unplaced" && (
        <button type="button" className="inline" onClick={onInputs}>
          Say where they belong
        </button>
      )}
    </p>
  );
}

function noteOf({ state, open, cgroup, scale, tooMany, problem }: PressureSnapshot): string | null {
  if (state === "none") {
    return open && scale > 0
      ? `not sampled, only what the events tell; full height is ${scale * 100} %`
      : "Not recorded: numalens record samples PSI beside the events.";
  }
  if (state === "unplaced") return "Samples are there, but nothing ties their times to the trace.";
  if (!open) return null;
  if (problem !== null) return problem;
  if (tooMany) return "Too many samples for a window this long: zoom in to see them.";
  const whose = cgroup === "" ? "whole system" : `cgroup ${cgroup}`;
  return scale === 0 ? null : `${whose}, recorded; full height is ${scale * 100} %`;
}
