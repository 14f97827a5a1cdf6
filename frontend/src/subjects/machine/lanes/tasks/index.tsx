/** Tasks as lanes: pinned from wherever a task is named. */

import { formatShare } from "../../../../lib/format.ts";
import { LOST, UNKNOWN } from "../../../../timeline/draw/strips.ts";
import { linkParameter, type PanelViewProps, panelKind } from "../../../../timeline/panel.ts";
import { ledgerColour, ledgerMeaning, ledgerTitle } from "../../../off_cpu/lanes/index.ts";
import { formatPath, PATH, parsePath } from "../../../waits/lanes/index.ts";
import { STATE_KEYS } from "./state-lane.ts";
import { TasksPanel, type TasksSnapshot } from "./tasks-panel.ts";
import { WOKEN_BY } from "./wake-arrows.ts";
import "./tasks.css";

export const panel = panelKind<TasksPanel, TasksSnapshot>({
  id: "tasks",
  order: 0.5,
  title: "tasks",
  means:
    "Pinned tasks, processes and cgroups: running, waiting for a CPU, asleep, and their wakers (kernel: __schedule, try_to_wake_up).",
  transient: true,
  urgent: true,
  inWords: tasksInWords,
  link: [linkParameter("path", { key: "cp", parse: parsePath, format: formatPath })],
  make: (context) => new TasksPanel(context),
  LaneName: TaskLaneName,
  marks: [WOKEN_BY, PATH, LOST, UNKNOWN],
  Legend: ({ shown }) => (
    <>
      {[...shown.shares.values()].some((share) => share?.together) && (
        <StateKey look="threads">threads that ran, waited, were blocked</StateKey>
      )}
      {Object.entries(STATE_KEYS).map(([state, [look, means]]) =>
        state === "Sleeping" && shown.asleep.length > 0 ? null : (
          <StateKey key={state} look={look}>
            {means}
          </StateKey>
        ),
      )}
      {shown.asleep.map((cause) => (
        <span key={cause} className="glyph-key" title={ledgerMeaning("asleep", cause)}>
          <i className="state-key" aria-hidden="true" style={{ background: ledgerColour("asleep", cause) }} />
          asleep, {ledgerTitle("asleep", cause)}
        </span>
      ))}
    </>
  ),
});

function StateKey({ look, children }: { readonly look: string; readonly children: string }) {
  return (
    <span className="glyph-key">
      <i className={`state-key state-${look}`} aria-hidden="true" />
      {children}
    </span>
  );
}

function TaskLaneName({ box, shown: { shares } }: PanelViewProps<TasksPanel, TasksSnapshot>) {
  const share = shares.get(box.key);
  return (
    <div
      className="task-name"
      style={{ top: box.y, height: box.height }}
      title={box.title ?? ""}
      data-testid="task-lane"
    >
      <span>{box.title}</span>
      <span
        className="muted"
        title={
          share?.together ? "Threads, on average over the visible time" : "Shares of the time that is shown"
        }
      >
        {share?.together ? (
          <>
            {share.ran.toFixed(2)} run,{" "}
            <span className={share.waited > 0 ? "cost" : ""}>{share.waited.toFixed(2)}</span> wait
          </>
        ) : share ? (
          <>
            ran {formatShare(share.ran)}, waited{" "}
            <span className={share.waited > 0 ? "cost" : ""}>{formatShare(share.waited)}</span>
          </>
        ) : (
          (share === null && "not in this recording") || "–"
        )}
      </span>
    </div>
  );
}

/** `ng_A 774: ran 9 %, waited 72 %. …` */
export function tasksInWords({ shares }: TasksSnapshot): string {
  return [...shares.values()]
    .flatMap((share) => share ?? [])
    .map(({ title, together, ran, waited }) =>
      together
        ? `${title}: ${ran.toFixed(2)} threads ran, ${waited.toFixed(2)} waited.`
        : `${title}: ran ${formatShare(ran)}, waited ${formatShare(waited)}.`,
    )
    .join(" ");
}
