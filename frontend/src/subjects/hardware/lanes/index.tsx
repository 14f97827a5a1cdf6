/** Hardware: frequencies, idle states and interrupts of the CPUs, and what took them from their kernel. */

import { formatDuration, formatShare, plural } from "../../../lib/format.ts";
import { LaneText } from "../../../timeline/frame/panel-heading.tsx";
import { type PanelViewProps, panelKind } from "../../../timeline/panel.ts";
import { HardwarePanel, type HardwareSnapshot } from "./hardware-panel.ts";
import { Drawn, drawnAs, hardwareSays, KIND_WORDS, LEVELS, laneKey, scaleText } from "./hardware-tracks.ts";

type Props = PanelViewProps<HardwarePanel, HardwareSnapshot>;

export const panel = panelKind<HardwarePanel, HardwareSnapshot>({
  id: "hardware",
  order: 6,
  title: "hardware",
  means:
    "Frequency, idle state, interrupts and softirqs of each CPU, time taken by host or hardware, and timer latency (kernel: cpu_frequency, cpu_idle, handle_irq_event, handle_softirqs, record_steal_time, run_osnoise, timerlat_irq).",
  off: true,
  make: (context) => new HardwarePanel(context),
  LaneName: HardwareName,
  Legend: HardwareLegend,
  marks: [LEVELS],
  inWords: ({ tracks }) => (tracks ? hardwareSays(tracks) : ""),
});

function HardwareLegend({ shown: { tracks } }: Props) {
  if (!tracks) return null;
  return <span>step {formatDuration(tracks.answer.step_ns)}</span>;
}

function HardwareName({ box, shown: { tracks } }: Props) {
  const track = tracks?.byKey.get(box.key);
  const lane = laneKey(box.key);
  if (!lane) return null;
  const { kind, cpu } = lane;
  const word = KIND_WORDS[kind];
  const length = tracks ? tracks.span.to - tracks.span.from : 0;
  const taken = drawnAs(kind) === Drawn.Time;
  const caption =
    !track || !tracks
      ? "nothing here"
      : kind === "frequency"
        ? `up to ${scaleText(tracks, "frequency")}`
        : `${formatShare(track.ns / Math.max(1, length))}${taken ? `, ${plural(track.count, "time")}` : `, up to ${scaleText(tracks, "idle")}`}`;
  return (
    <LaneText box={box} testId={`hardware-${kind}`} title={`${word} of CPU ${cpu}`}>
      <span className="group-head hardware-name">
        <b>
          CPU {cpu} {word}
        </b>
      </span>
      <span className="muted num hardware-name">{caption}</span>
    </LaneText>
  );
}
