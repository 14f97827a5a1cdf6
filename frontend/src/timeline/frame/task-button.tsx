import { taskName } from "../../lib/rank-tasks.ts";
import type { Stage } from "../stage/stage.ts";

interface Props {
  readonly pid: number;
  readonly comm?: string | null | undefined;
  readonly stage: Stage;
}

/** A task that can be gone to; PID 0 is the idle loop of each CPU and has no place to go to. */
export function TaskButton({ pid, comm, stage }: Props) {
  if (pid === 0) return <span className="muted">idle</span>;
  const name = comm ?? taskName(stage.scene.tasks, pid) ?? "";
  return (
    <button
      type="button"
      className="inline"
      onClick={() => void stage.findTask(pid)}
      title="Go to this task in the window"
    >
      {name} <span className="num">{pid}</span>
    </button>
  );
}
