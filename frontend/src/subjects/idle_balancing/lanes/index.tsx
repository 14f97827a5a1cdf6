/** Idle balancing: who was in the idle mask, and what became of kicks. */

import { formatCount, formatCpuList } from "../../../lib/format.ts";
import { type PanelViewProps, panelKind } from "../../../timeline/panel.ts";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import { IlbPanel, type IlbSnapshot } from "./ilb-panel.ts";
import { KICKS, kickStrips, STALE } from "./kicks-lane.ts";
import "./ilb.css";

export { KICKS_LANE } from "./ilb-panel.ts";
export { kickFact } from "./ilb-tracks.ts";

type Props = PanelViewProps<IlbPanel, IlbSnapshot>;

export const panel = panelKind<IlbPanel, IlbSnapshot>({
  id: "ilb",
  order: 4,
  title: "idle balancing",
  means:
    "CPUs in the idle mask, and kicks: a busy CPU asks an idle one to balance for all idle CPUs (kernel: nohz_balancer_kick, nohz_idle_balance).",
  make: (context) => new IlbPanel(context),
  LaneName: KicksName,
  Legend: IlbLegend,
  marks: [KICKS, STALE],
});

function IlbLegend({ shown: { section } }: Props) {
  if (!section) return null;
  const { kicks, model } = section;
  return (
    <>
      <LabelBadge label={kicks.label ?? section.label} missing={kicks.missing ?? section.missing} />
      <span>
        model {model}: <b className="num">{formatCount(kicks.sent)}</b> kicks,{" "}
        <b className="num cost">{formatCount(kicks.dropped)}</b> dropped
      </span>
    </>
  );
}

function KicksName({ box, scene, nodeColour }: Props) {
  const strips = kickStrips(box.height);
  const { nodes } = scene;
  const rows = nodes.reduce((sum, { cpus }) => sum + cpus.length, 0);
  let row = 0;
  const caption = (middle: number) => ({ top: middle - 7, height: 14 });
  return (
    <div className="kicks-name" style={{ top: box.y, height: box.height }} data-testid="kicks-lane">
      <span className="cost" style={caption(strips.lostY)} title="Kicks that were dropped or aborted">
        lost kicks
      </span>
      <span
        style={caption(strips.servedY)}
        title="Kicks that were handled or latched, or whose outcome is unknown"
      >
        served kicks
      </span>
      <span style={caption(strips.staleY)} title="CPU whose next_balance is in the past">
        overdue balance
      </span>
      {nodes.map(({ nid, cpus }) => {
        const top = strips.top + (row * strips.height) / rows;
        row += cpus.length;
        return (
          <span
            key={nid}
            className="mask-node"
            style={{ top, height: (cpus.length * strips.height) / rows }}
            title="Filled while the CPU is in the idle mask"
          >
            <i className="swatch" style={{ backgroundColor: nodeColour(nid) }} />
            cpu {formatCpuList(cpus)}
          </span>
        );
      })}
    </div>
  );
}
