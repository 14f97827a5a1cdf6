/** Pressure stall information: what the kernel counted, and what the events give. */

import { formatPressure } from "../../../lib/format.ts";
import { UNKNOWN } from "../../../timeline/draw/strips.ts";
import { LineKey, MarkKeys, NoteLine } from "../../../timeline/frame/panel-heading.tsx";
import {
  linkParameter,
  type PanelNoteProps,
  type PanelViewProps,
  panelKind,
} from "../../../timeline/panel.ts";
import { Button, Select } from "../../../ui/fields.tsx";
import { ToggleGroup } from "../../../ui/section-parts.tsx";
import { AVERAGES } from "./pressure.ts";
import { STALLS } from "./pressure-lane.ts";
import { type PressureSnapshot, PsiPanel } from "./psi-panel.ts";
import { RULES_WORDS } from "./psi-table.ts";

export { parseRules, type Rules, systemRows } from "./psi-table.ts";

type Props = PanelViewProps<PsiPanel, PressureSnapshot>;
type NoteProps = PanelNoteProps<PsiPanel, PressureSnapshot>;

export const panel = panelKind<PsiPanel, PressureSnapshot>({
  id: "psi",
  order: 3,
  title: "pressure",
  means:
    "Pressure stall information: time in which tasks waited for a resource, counted by the kernel (kernel: psi_group_change).",
  link: [
    linkParameter("cgroup", {
      key: "pc",
      // A path below the cgroup root, as the samples have it.
      parse: (text) => (text !== undefined && text.length <= 4096 && text.startsWith("/") ? text : null),
      format: (cgroup) => cgroup && encodeURIComponent(cgroup).replaceAll("%2F", "/"),
    }),
    linkParameter("average", {
      key: "pa",
      parse: (text) => AVERAGES.find((seconds) => String(seconds) === text) ?? null,
      format: (average) => (average === null ? null : String(average)),
    }),
  ],
  make: (context) => new PsiPanel(context),
  LaneName: PressureName,
  Note: PressureNote,
});

function PressureName({ box, shown: pressure }: Props) {
  const mean = pressure.means.get(box.resource);
  const what =
    pressure.average === null
      ? `Share of time that tasks stalled on ${box.resource}`
      : `The kernel's average over ${pressure.average} s of the share of time that tasks stalled on ${box.resource}`;
  return (
    <div
      className="pressure-name"
      style={{ top: box.y, height: box.height }}
      title={`${what}: mean of the window, gaps left out. Full height is ${pressure.scale * 100} %.`}
    >
      <b>{box.resource}</b>
      <span className="num" data-testid={`pressure-${box.resource}`}>
        {(["some", "full"] as const).map((kind) => (
          // Without stalls nothing is drawn in the color.
          <span key={kind} className={mean?.[kind] ? kind : "muted"}>
            {formatPressure(mean?.[kind] ?? null)}
          </span>
        ))}
      </span>
    </div>
  );
}

/** Note next to the section's name, over the plot: the meaning of areas and lines, and their limits. */
function PressureNote({ box, shown: pressure, panel: psi, onInputs }: NoteProps) {
  const note = noteOf(pressure);
  return (
    <NoteLine box={box} state={pressure.open ? psi.state.kind : "none"}>
      {pressure.open && <Switches pressure={pressure} panel={psi} />}
      {note !== null && (
        <span className="sentence" data-testid="pressure-note">
          {note}
        </span>
      )}
      {pressure.open &&
        pressure.replayed.map((label) => (
          <LineKey key={label} label={label}>
            {label === "what-if" && pressure.rules !== null
              ? `what-if: rules of ${RULES_WORDS[pressure.rules]}`
              : label}
          </LineKey>
        ))}
      {pressure.state === "unplaced" && (
        <Button className="inline" onClick={onInputs}>
          Set time offset…
        </Button>
      )}
    </NoteLine>
  );
}

const READINGS = ["stall", "avg10", "avg60", "avg300"] as const;
const READING_WORDS = { stall: "stall", avg10: "avg10", avg60: "avg60", avg300: "avg300" };

interface SwitchesProps {
  readonly pressure: PressureSnapshot;
  readonly panel: PsiPanel;
}

function Switches({ pressure, panel: psi }: SwitchesProps) {
  const { average, cgroup, cgroups, state } = pressure;
  return (
    <>
      {state === "placed" && <MarkKeys marks={[STALLS, UNKNOWN]} />}
      <ToggleGroup
        label="Average of the pressure"
        choices={READINGS}
        chosen={average === null ? "stall" : `avg${average}`}
        words={READING_WORDS}
        onChoose={(chosen) =>
          psi.show({
            cgroup: cgroup === "" ? null : cgroup,
            average: AVERAGES.find((seconds) => `avg${seconds}` === chosen) ?? null,
          })
        }
      />
      {cgroups.length > 1 && (
        <Select
          name="Whose pressure"
          value={cgroup}
          choices={cgroups.map((path): [string, string] => [path, path === "" ? "whole system" : path])}
          onChoose={(chosen) => psi.show({ cgroup: chosen === "" ? null : chosen, average })}
        />
      )}
    </>
  );
}

function noteOf({ state, open, cgroup, average, scale, tooMany, problem }: PressureSnapshot): string | null {
  if (state === "none") {
    return open && scale > 0
      ? `whole system, not sampled, from events only; full height is ${scale * 100} %`
      : "Not recorded: numalens record samples PSI with the events.";
  }
  if (state === "unplaced") return "Samples exist, but their times cannot be aligned with the trace.";
  if (!open) return null;
  if (problem !== null) return problem;
  if (tooMany) return "Too many samples for a window this long: zoom in to see them.";
  const whose = cgroup === "" ? "whole system" : `cgroup ${cgroup}`;
  const what = average === null ? "recorded" : `the kernel's avg${average}`;
  return scale === 0 ? null : `${whose}, ${what}; full height is ${scale * 100} %`;
}
