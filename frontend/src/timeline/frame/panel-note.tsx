import type { ReactNode } from "react";
import { formatCount, plural } from "../../lib/format.ts";
import type { DegreePreview } from "../../panels/cling/degree-preview.ts";
import { DegreeSlider } from "../../panels/cling/degree-slider.tsx";
import { FATE_WORDS } from "../../panels/ilb/describe-ilb.ts";
import { FATES } from "../../panels/ilb/ilb-tracks.ts";
import { stepText } from "../../panels/memory/memory-panel.ts";
import { PressureNote } from "../../panels/psi/pressure-names.tsx";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { LaneBox } from "../lanes.ts";
import type { PanelSnapshot } from "../panel-stack.ts";
import type { Stage } from "../stage/stage.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";

interface Props {
  readonly box: LaneBox;
  readonly panel: PanelSnapshot;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  readonly preview: DegreePreview;
  readonly onDegree: (degree: number | null) => void;
  readonly onInputs: () => void;
}

/** What a panel says beside its name, over the plot: its legend and switches, what it lacks, what went wrong. */
export function PanelNote(props: Props) {
  const { box, panel, stage, snapshot, onInputs } = props;
  if (panel.id === "psi") {
    return <PressureNote box={box} pressure={snapshot.pressure} stage={stage} onInputs={onInputs} />;
  }
  const { state, folded } = panel;
  return (
    <div
      className="section-note"
      style={{ top: box.y, height: box.height }}
      data-testid={`note-${panel.id}`}
      data-state={state.kind}
    >
      {!folded && state.kind !== "none" && <Legend {...props} />}
      {state.kind === "loading" && <span>reckoning…</span>}
      {state.note !== null && !(folded && state.kind === "ready") && (
        <span className={state.kind === "failed" ? "problem sentence" : "sentence"} title={state.note}>
          {state.note}
        </span>
      )}
    </div>
  );
}

function Legend(props: Props): ReactNode {
  switch (props.panel.id) {
    case "nodes":
      return (
        <>
          <Key glyph="✕" cost>
            attempt failed
          </Key>
          <Key glyph="▸">moved</Key>
          <Key glyph="⧓">swapped</Key>
          <Key glyph="▾" cost>
            worst wait
          </Key>
        </>
      );
    case "cling":
      return <ClingLegend {...props} />;
    case "ilb":
      return <IlbLegend {...props} />;
    case "memory":
      return <MemoryLegend {...props} />;
    case "sql":
      return <QueryLegend {...props} />;
    default:
      return null;
  }
}

function Key({
  glyph,
  cost = false,
  look,
  children,
}: {
  readonly glyph: string;
  readonly cost?: boolean;
  readonly look?: string;
  readonly children: ReactNode;
}) {
  return (
    <span className="glyph-key">
      <i className={cost ? "cost" : (look ?? "")} aria-hidden="true">
        {glyph}
      </i>
      {children}
    </span>
  );
}

function ClingLegend({ stage, snapshot, preview, onDegree }: Props) {
  const { cling } = snapshot;
  const chosen = new Set(cling.groups.map(({ number }) => number));
  const choose = (number: number) => {
    const next = chosen.has(number) ? [...chosen].filter((each) => each !== number) : [...chosen, number];
    stage.setGroups(next.sort((a, b) => a - b));
  };
  return (
    <>
      {cling.degree !== null && (
        <DegreeSlider
          degree={cling.degree}
          recorded={cling.recordedDegree}
          preview={preview}
          onReset={() => onDegree(null)}
          name="lanes"
        />
      )}
      <Menu
        name="Numa groups with a lane"
        text={`${cling.groups.length} of ${cling.all.length} groups`}
        items={[
          ...cling.all.map(({ number, name, attempts }) => ({
            name: `${name}, ${formatCount(attempts)} attempts`,
            checked: chosen.has(number),
            onPick: () => choose(number),
          })),
          { name: "Those that tried most", onPick: () => stage.setGroups(null) },
        ]}
      />
      <Key glyph="▽" cost>
        busy
      </Key>
      <Key glyph="■" look="accent">
        clings
      </Key>
      <Key glyph="◆" look="warn">
        released
      </Key>
    </>
  );
}

const SIGNS: Readonly<Record<(typeof FATES)[number], string>> = {
  dropped: "✕",
  aborted: "❙",
  latched: "●",
  handled: "▸",
  not_seen: "○",
};

function IlbLegend({ snapshot }: Props) {
  const { section } = snapshot.ilb;
  if (!section) return null;
  const { kicks, model } = section;
  return (
    <>
      <LabelBadge label={kicks.label ?? section.label} missing={kicks.missing ?? section.missing} />
      <span>
        model {model}: <b className="num">{formatCount(kicks.sent)}</b> kicks,{" "}
        <b className="num cost">{formatCount(kicks.dropped)}</b> dropped
      </span>
      {FATES.toReversed().map((fate) => (
        <Key
          key={fate}
          glyph={SIGNS[fate]}
          cost={fate === "dropped" || fate === "aborted"}
          look={fate === "latched" ? "accent" : ""}
        >
          {FATE_WORDS[fate].replace(/^kick,? /, "")}
        </Key>
      ))}
      <Key glyph="◆" look="warn">
        overdue
      </Key>
    </>
  );
}

const KIND_WORDS = { slices: "ts and dur", counter: "ts and value", moments: "ts" } as const;

function QueryLegend({ snapshot }: Props) {
  const { track } = snapshot.sql;
  if (!track) return null;
  return (
    <>
      <span>
        {plural(track.answer.rows.length, "row")} by {KIND_WORDS[track.kind]}
      </span>
      {track.kind === "slices" && (
        <Key glyph="×" look="">
          that many in one
        </Key>
      )}
    </>
  );
}

function MemoryLegend({ stage, snapshot }: Props) {
  const { tracks } = snapshot.memory;
  if (!tracks) return null;
  return (
    <>
      {tracks.byNode.map(({ nid }) => (
        <span key={nid} className="glyph-key">
          <i className="swatch" style={{ backgroundColor: stage.nodeColour(nid) }} />
          to node {nid}
        </span>
      ))}
      <span className="glyph-key">
        <i className="swatch swatch-some" />
        just too late
      </span>
      <span>{stepText(tracks.step)}</span>
    </>
  );
}
