import { useEffect, useMemo, useRef, useState } from "react";
import { formatDuration, formatShare, plural } from "../logic/format.ts";
import { rankTasks } from "../logic/rank-tasks.ts";
import { spanLength } from "../logic/time.ts";
import type { Stage, StageSnapshot } from "../view/stage.ts";

interface Props {
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  readonly searches: number;
}

/** More rows than this are found by the filter, not by scrolling. */
const MOST_ROWS = 200;

export function TasksTab({ stage, snapshot, searches }: Props) {
  const [filter, setFilter] = useState("");
  const [missing, setMissing] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (searches > 0) input.current?.focus();
  }, [searches]);

  const { tasks, bounds } = stage.scene;
  const ranked = useMemo(() => rankTasks(tasks, filter), [tasks, filter]);
  const whole = spanLength(bounds);
  const selected = snapshot.selection?.slice?.pid ?? null;
  const go = (pid: number, comm: string) => {
    setMissing(null);
    void stage.findTask(pid).then((found) => {
      if (!found) setMissing(`${comm} (${pid}) has no slice that could be shown.`);
    });
  };
  return (
    <>
      <div className="tab-tools">
        <input
          ref={input}
          type="search"
          placeholder="Name or pid ( / )"
          aria-label="Filter tasks by name or pid"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = ranked[0];
            if (event.key === "Enter" && first !== undefined) {
              go(tasks.pid[first] ?? 0, tasks.comm[first] ?? "");
              event.currentTarget.blur();
            }
          }}
        />
        <span className="muted">
          {ranked.length > MOST_ROWS
            ? `${MOST_ROWS} of ${plural(ranked.length, "task")}, the busiest; filter to find others`
            : plural(ranked.length, "task")}
        </span>
        {missing !== null && <span className="problem">{missing}</span>}
      </div>
      <table className="grid-table" data-testid="tasks-table">
        <thead>
          <tr>
            <th scope="col">task</th>
            <th scope="col" className="right">
              pid
            </th>
            <th scope="col" className="right">
              time on CPU
            </th>
            <th scope="col" className="right" title="Of one CPU over the whole trace">
              of one CPU
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {ranked.slice(0, MOST_ROWS).map((row) => {
            const pid = tasks.pid[row] ?? 0;
            const comm = tasks.comm[row] ?? "";
            const run = tasks.runNs[row] ?? 0;
            return (
              <tr key={row} className={pid === selected ? "selected" : ""}>
                <td>
                  <button
                    type="button"
                    className="inline"
                    onClick={() => go(pid, comm)}
                    title="Select its first slice in the window"
                  >
                    <span
                      className="swatch"
                      style={{ backgroundColor: stage.taskFill(row) ?? "transparent" }}
                    />
                    {comm}
                  </button>
                </td>
                <td className="num right">{pid}</td>
                <td className="num right">{formatDuration(run)}</td>
                <td className="num right">{formatShare(run / whole)}</td>
                <td className="bar-cell">
                  <span
                    className="bar"
                    style={{
                      width: `${Math.min(100, (run / whole) * 100)}%`,
                      backgroundColor: stage.taskFill(row) ?? "",
                    }}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}
