import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A large machine. */
export const NODES = 16;
export const PER_NODE = 24;
export const CPUS = NODES * PER_NODE;

/** Each CPU runs its own task, so that a slice identifies its lane. */
export const taskOf = (cpu: number) => `only-${cpu}`;

const ROUNDS = 24;
const ROUND_US = 10_000;
const RUN_US = 6_000;

/** Writes its trace as tracefs prints it, and its `numactl -H`; returns the files in the order to give them in. */
export async function writeWide(folder: string): Promise<string[]> {
  const lines = ["# tracer: nop", "#"];
  const add = (us: number, cpu: number, from: string, to: string) => {
    const time = `${1000 + Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, "0")}`;
    const [name = "", pid = "0"] = from.split(" ");
    const [next = "", nextPid = "0"] = to.split(" ");
    const head = `${(pid === "0" ? "<idle>" : name).padStart(16)}-${pid.padEnd(7)} [${String(cpu).padStart(3, "0")}]`;
    const state = pid === "0" ? "R" : "S";
    lines.push(
      `${head} d..2. ${time}: sched_switch: prev_comm=${name} prev_pid=${pid} prev_prio=120 prev_state=${state} ==> next_comm=${next} next_pid=${nextPid} next_prio=120`,
    );
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const part of ["begin", "end"]) {
      for (let cpu = 0; cpu < CPUS; cpu += 1) {
        const idle = `swapper/${cpu} 0`;
        const task = `${taskOf(cpu)} ${5000 + cpu}`;
        const at = round * ROUND_US + cpu + (part === "end" ? RUN_US : 0);
        if (part === "begin") add(at, cpu, idle, task);
        else add(at, cpu, task, idle);
      }
    }
  }
  const topology = [`available: ${NODES} nodes (0-${NODES - 1})`];
  for (let node = 0; node < NODES; node += 1) {
    const cpus = Array.from({ length: PER_NODE }, (_, i) => node * PER_NODE + i).join(" ");
    topology.push(`node ${node} cpus: ${cpus}`, `node ${node} size: 96000 MB`, `node ${node} free: 48000 MB`);
  }
  topology.push(
    "node distances:",
    `node ${Array.from({ length: NODES }, (_, n) => String(n).padStart(3)).join(" ")}`,
  );
  for (let a = 0; a < NODES; a += 1) {
    const row = Array.from({ length: NODES }, (_, b) => (a === b ? " 10" : " 21")).join(" ");
    topology.push(`${String(a).padStart(4)}: ${row}`);
  }
  const files = [join(folder, "wide.trace.txt"), join(folder, "wide.numactl-H.txt")] as const;
  await writeFile(files[0], `${lines.join("\n")}\n`);
  await writeFile(files[1], `${topology.join("\n")}\n`);
  return [...files];
}
