import { panel as nodesKind } from "./nodes/index.tsx";
import { panel as tasksKind } from "./tasks/index.tsx";

export { withLlcs } from "./nodes/node-lane.ts";
export { pathQuery, type Together, taskOfLane, threadsOfLane } from "./tasks/tasks-panel.ts";
export { nodesKind, tasksKind };

export const panel = [nodesKind, tasksKind];
