/** Tasks as lanes: pinned from wherever a task is named. */

import { GlyphKey } from "../../timeline/frame/panel-heading.tsx";
import { type PanelViewProps, panelKind } from "../../timeline/panel.ts";
import { TasksPanel } from "./tasks-panel.ts";
import "./tasks.css";

export const panel = panelKind<TasksPanel, null>({
  id: "tasks",
  order: 0.5,
  title: "tasks",
  means:
    "What pinned tasks did: ran, waited for a CPU, slept, and who woke them (kernel: __schedule, try_to_wake_up).",
  transient: true,
  urgent: true,
  make: (context) => new TasksPanel(context),
  LaneName: TaskLaneName,
  Legend: () => (
    <>
      <StateKey look="running">ran, in its node&apos;s colour</StateKey>
      <StateKey look="woken">runnable, woken</StateKey>
      <StateKey look="preempted">runnable, preempted</StateKey>
      <StateKey look="throttled">throttled</StateKey>
      <StateKey look="blocked">uninterruptible sleep (D)</StateKey>
      <StateKey look="sleeping">sleeping</StateKey>
      <GlyphKey glyph="↓">woken by</GlyphKey>
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

function TaskLaneName({ box }: PanelViewProps<TasksPanel, null>) {
  return (
    <div
      className="task-name"
      style={{ top: box.y, height: box.height }}
      title={box.title ?? ""}
      data-testid="task-lane"
    >
      {box.title}
    </div>
  );
}
