import { view as nodes } from "./nodes/index.tsx";
import { view as tasks } from "./tasks/index.tsx";

export { mailTable, nodeSumTable, stepChoices, stepsFor } from "./nodes/node-table.ts";

export const view = [nodes, tasks];
