/** Cling: how often migrations of numa groups failed, and what that allowed. */

import { formatCount } from "../../../lib/format.ts";
import { formatNumbers, parseNumbers } from "../../../lib/ranges.ts";
import { windowText } from "../../../lib/terms.ts";
import { toAbs } from "../../../lib/time.ts";
import { LaneText } from "../../../timeline/frame/panel-heading.tsx";
import { linkParameter, type PanelViewProps, panelKind } from "../../../timeline/panel.ts";
import { Menu } from "../../../ui/menu.tsx";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import { DECISIONS, FLIPS } from "./cling-lane.ts";
import { ClingPanel, type ClingSnapshot } from "./cling-panel.ts";
import { DegreeSlider } from "./degree-slider.tsx";
import "./cling.css";

export { groupName } from "./cling-tracks.ts";

type Props = PanelViewProps<ClingPanel, ClingSnapshot>;

export const panel = panelKind<ClingPanel, ClingSnapshot>({
  id: "cling",
  order: 2,
  title: "cling",
  means:
    "Share of failed migrations of each numa group by node, with the degree. While the share exceeds the degree, the group's busiest node is busy (kernel: busy_node).",
  link: [linkParameter("groups", { key: "cg", parse: parseNumbers, format: formatNumbers })],
  make: (context) => new ClingPanel(context),
  LaneName: GroupName,
  Legend: ClingLegend,
  marks: [FLIPS, DECISIONS],
});

function ClingLegend({ panel: cling, shown }: Props) {
  const { groups, all, degree, recordedDegree } = shown;
  const chosen = new Set(groups.map(({ number }) => number));
  const toggle = (number: number) => {
    const next = chosen.has(number) ? [...chosen].filter((each) => each !== number) : [...chosen, number];
    cling.choose(next.sort((a, b) => a - b));
  };
  return (
    <>
      {degree !== null && (
        <DegreeSlider
          degree={degree}
          recorded={recordedDegree}
          preview={cling.preview}
          onReset={() => cling.onDegree(null)}
          name="lanes"
        />
      )}
      <Menu
        name="Numa groups with a lane"
        text={`${groups.length} of ${all.length} groups`}
        items={[
          ...all.map(({ number, name, attempts }) => ({
            name: `${name}, ${formatCount(attempts)} attempts`,
            checked: chosen.has(number),
            onPick: () => toggle(number),
          })),
          { name: "Groups with the most attempts", onPick: () => cling.choose(null) },
        ]}
      />
    </>
  );
}

function GroupName({ box, shown, scene, nodeColour }: Props) {
  const { groups, span, whatIf } = shown;
  const group = groups.find(({ number }) => String(number) === box.resource);
  if (!group) return null;
  const { origin } = scene;
  const when = span && windowText({ from: toAbs(origin, span.from), to: toAbs(origin, span.to) });
  return (
    <LaneText box={box} testId="cling-lane">
      <span className="group-head">
        <b title={`Group number ${group.number}`}>{group.name}</b>
        <LabelBadge label={whatIf ? "what-if" : group.label} missing={group.missing} />
      </span>
      <span
        className="muted num"
        title={`Attempts to reach the preferred node, and failed ones${when ? `: ${when}` : ""}`}
      >
        {formatCount(group.failures)}/{formatCount(group.attempts)} failed
      </span>
      <span className="group-nodes">
        {group.nodes.map(({ nid }, place) => (
          <span key={nid}>
            <i
              className={`node-mark node-mark-${place % 3}`}
              style={{ borderColor: nodeColour(nid) }}
              aria-hidden="true"
            />
            node {nid}
          </span>
        ))}
      </span>
    </LaneText>
  );
}
