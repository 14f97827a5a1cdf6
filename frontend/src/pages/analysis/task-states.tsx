import type { Thread } from "../../api/types.ts";
import { formatDuration } from "../../lib/format.ts";
import { TaskButton } from "../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../timeline/stage/stage.ts";

interface Props {
  readonly heading: string;
  readonly rows: readonly Pick<Thread, "pid" | "comm" | "wait_ns" | "run_ns">[];
  readonly stage: Stage;
  readonly testId: string;
}

/** Time that each task waited and ran. */
export function TaskStates({ heading, rows, stage, testId }: Props) {
  return (
    <table className="node-table task-states" data-testid={testId}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          <th scope="col">waited</th>
          <th scope="col">ran</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ pid, comm, wait_ns, run_ns }) => (
          <tr key={pid}>
            <th scope="row">
              <TaskButton pid={pid} comm={comm} stage={stage} />
            </th>
            <td>{formatDuration(wait_ns, 3)}</td>
            <td>{formatDuration(run_ns, 3)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
