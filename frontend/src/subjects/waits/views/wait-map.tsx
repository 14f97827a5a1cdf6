import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useRef, useState } from "react";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { useOptionalSection, useSection } from "../../../analysis/use-section.ts";
import type { TimeWindow, Wait } from "../../../api/types.ts";
import { plural } from "../../../lib/format.ts";
import { TERMS } from "../../../lib/terms.ts";
import { toRel } from "../../../lib/time.ts";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { type Paint, useCanvas } from "../../../ui/canvas/surface.ts";
import { PartPicture } from "../../../ui/picture/picture-buttons.tsx";
import {
  AbsentSection,
  CsvButton,
  LabelBadge,
  SectionStatus,
  Term,
  ToggleGroup,
} from "../../../ui/section-parts.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import { worstTable } from "./latency-table.ts";
import {
  cellText,
  columnEdges,
  HEAT_HEAD,
  HEAT_KINDS,
  HEAT_WORDS,
  type HeatKind,
  type HeatPlace,
  heatCell,
  heatPlaceAt,
  heatRows,
  mapSays,
  paintWaitHeat,
  stepPlace,
  type WaitMap,
  waitMap,
} from "./wait-heat.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly stage: Stage;
  /** Window of the map: it stays while one of its columns is selected. */
  readonly window: TimeWindow;
  /** Keeps the map's window while the timeline moves. */
  readonly onHold: () => void;
  readonly onWait: (wait: Wait) => void;
}

/** Number of waits by time and length, and the waits of a part. */
export function WaitMapView({ live, stage, window, onHold, onWait }: Props) {
  const state = useSection(live.section("wait_heat"), { window });
  const [kind, setKind] = useState<HeatKind>("wakeups");
  const [chosen, setChosen] = useState<HeatPlace | null>(null);
  const picture = useRef<HTMLDivElement>(null);
  const { answer } = state;
  const map = useMemo(() => (answer?.available ? waitMap(answer, kind) : null), [answer, kind]);
  const choose = (place: HeatPlace) => {
    if (!map) return;
    const { origin } = stage.scene;
    const [from, to] = columnEdges(map, place.column);
    setChosen(place);
    onHold();
    void stage.show({ from: toRel(origin, from), to: toRel(origin, to) });
  };
  if (answer && !answer.available) return <AbsentSection section="latency" reason={answer.reason} />;
  return (
    <>
      <p className="tab-tools">
        <ToggleGroup
          label="Waits that began with"
          choices={HEAT_KINDS}
          chosen={kind}
          words={HEAT_WORDS}
          onChoose={(next) => {
            setKind(next);
            setChosen(null);
          }}
        />
        {map && <CsvButton name={`wait-map-${kind}`} head={HEAT_HEAD} rows={heatRows(map)} />}
        {map && <PartPicture of={picture} title={mapSays(map)} name={`wait-map-${kind}`} />}
        {answer?.available && <LabelBadge label={answer.label} missing={answer.missing} />}
        <SectionStatus state={state} />
      </p>
      {map && map.count === 0 && <p className="tab-empty muted">No such wait in this window.</p>}
      {map && map.count > 0 && (
        <>
          <div ref={picture} className="wait-map">
            <MapCanvas map={map} chosen={chosen} onChoose={choose} />
          </div>
          <CellWaits live={live} map={map} chosen={chosen} window={window} onWait={onWait} />
        </>
      )}
    </>
  );
}

interface CanvasProps {
  readonly map: WaitMap;
  readonly chosen: HeatPlace | null;
  readonly onChoose: (place: HeatPlace) => void;
}

function MapCanvas({ map, chosen, onChoose }: CanvasProps) {
  const [here, setHere] = useState<HeatPlace | null>(null);
  const paint = useCallback<Paint>(
    (surface, palette) => paintWaitHeat(surface, map, { here, chosen }, palette),
    [map, here, chosen],
  );
  const canvas = useCanvas(paint, 0);
  const placeOf = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return heatPlaceAt(map, box.width, box.height, event.clientX - box.left, event.clientY - box.top);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") {
      if (here) onChoose(here);
    } else if (event.key === "Escape" && here) setHere(null);
    else if (/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key))
      setHere(stepPlace(map, here, event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = here ?? chosen;
  return (
    <>
      <canvas
        ref={canvas}
        className="wait-map-canvas"
        data-testid="wait-map"
        role="img"
        tabIndex={0}
        aria-label={mapSays(map)}
        onPointerMove={(event) => setHere(placeOf(event))}
        onPointerLeave={() => setHere(null)}
        onClick={(event) => {
          const place = placeOf(event as unknown as PointerEvent);
          if (place) onChoose(place);
        }}
        onKeyDown={press}
      />
      <p className="wait-readout muted" aria-live="polite" data-testid="wait-map-readout">
        {shown
          ? cellText(map, shown)
          : "Darker: more waits. Click a cell, or select it with the arrows and press Enter, to see its time and waits."}
      </p>
    </>
  );
}

interface CellProps {
  readonly live: LiveAnalysis;
  readonly map: WaitMap;
  readonly chosen: HeatPlace | null;
  readonly window: TimeWindow;
  readonly onWait: (wait: Wait) => void;
}

function CellWaits({ live, map, chosen, window, onWait }: CellProps) {
  const query = chosen ? { window, cell: heatCell(map, chosen) } : null;
  const state = useOptionalSection(live.section("waits"), query);
  const section = chosen && state.answer?.available ? state.answer : null;
  const table = useMemo(() => (section ? worstTable(section.waits, "worst") : null), [section]);
  if (!chosen) return null;
  return (
    <section className="cell-waits" aria-label="Waits of the cell">
      <p className="tab-tools">
        <Term means={TERMS.waking}>Waits of the cell</Term>
        {section && (
          <span className="muted">
            {section.count > section.waits.length
              ? `the longest ${section.waits.length} of ${plural(section.count, "wait")}`
              : plural(section.count, "wait")}
          </span>
        )}
        <SectionStatus state={state} />
      </p>
      {table && section && table.rows.length > 0 && (
        <VirtualTable
          label="Waits of the cell"
          table={table}
          testId="cell-waits"
          name="cell-waits"
          onPick={(row) => {
            const wait = section.waits[row];
            if (wait) onWait(wait);
          }}
        />
      )}
    </section>
  );
}
