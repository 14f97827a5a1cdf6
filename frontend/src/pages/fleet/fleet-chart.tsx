import { useCallback, useMemo, useSyncExternalStore } from "react";
import { nodeColour } from "../../ui/canvas/colour.ts";
import { currentTheme, subscribeTheme } from "../../ui/canvas/theme.ts";
import { type Paint, useCanvas } from "../../ui/canvas/use-canvas.ts";
import { paintFleetChart } from "./draw-fleet-chart.ts";
import { amountText, type FleetLine } from "./fleet-tables.ts";

interface Props {
  readonly lines: readonly FleetLine[];
  /** How many there are besides. */
  readonly more: number;
  readonly unit: string;
  readonly title: string;
}

/** Groups over time, and what their letters mean. */
export function FleetChart({ lines, more, unit, title }: Props) {
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  const colours = useMemo(() => lines.map((_, place) => nodeColour(place, theme)), [lines, theme]);
  const paint = useCallback<Paint>(
    (surface, palette) =>
      paintFleetChart(surface, { lines, colours, say: (value) => amountText(value, unit) }, palette),
    [lines, colours, unit],
  );
  const canvas = useCanvas(paint, lines.length);
  const names = lines.map(({ key, name }) => `${key} ${name}`).join(", ");
  return (
    <figure className="fleet-figure" data-testid="fleet-chart">
      <canvas
        ref={canvas}
        className="fleet-chart"
        role="img"
        aria-label={`${title} over time: ${names}; the table below has the numbers`}
      />
      <figcaption>
        {lines.map(({ key, name }, place) => (
          <span key={name}>
            <span className="swatch" style={{ backgroundColor: colours[place] }} /> {key} {name}
          </span>
        ))}
        {more > 0 && <span className="muted">and {more} more in the table</span>}
        <span className="muted">the larger a mark, the more recordings</span>
      </figcaption>
    </figure>
  );
}
