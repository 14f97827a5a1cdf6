/** Everything that has a name in an analysis, and what choosing it does. */

import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { otherPart, PART_WORDS, usualPart, whyPart } from "../../analysis/perfetto-ui.ts";
import type { Api } from "../../api/routes/service.ts";
import type { ClingGroup, Finding } from "../../api/types.ts";
import { parseMoment } from "../../lib/clock.ts";
import { impactText, type Keyed, keyFindings, kindText } from "../../lib/findings.ts";
import { formatCpuList, formatDuration, formatTime, plural } from "../../lib/format.ts";
import { rankTasks, taskName } from "../../lib/rank-tasks.ts";
import { TERMS } from "../../lib/terms.ts";
import { groupName } from "../../subjects/cling/lanes/index.tsx";
import { viewOf } from "../../tabs/index.ts";
import { type Command, HELD, KEY_ROWS } from "../../timeline/keys.ts";
import { DRAWER_TABS } from "../../view-state/tab-views.ts";

/** An entry and its action. An action that returns text shows it instead of navigating. */
export interface FinderAction extends Entry {
  // biome-ignore lint/suspicious/noConfusingVoidType: most deeds say nothing
  readonly act: () => string | void;
}

/** Requested names; an analysis without them has no such entries. */
export interface Names {
  readonly groups: readonly ClingGroup[];
  readonly cgroups: readonly string[];
}

export const NO_NAMES: Names = { groups: [], cgroups: [] };

/** Names of numa groups and cgroups of the whole recording. */
export async function fetchNames(api: Api, id: string, signal: AbortSignal): Promise<Names> {
  const [cling, latency] = await Promise.allSettled([
    api.sections.get("cling", id, { window: null }, signal),
    api.sections.get("latency", id, { window: null }, signal),
  ]);
  return {
    groups: cling.status === "fulfilled" && cling.value.available ? cling.value.groups : [],
    cgroups:
      latency.status === "fulfilled" && latency.value.available
        ? latency.value.by_cgroup.map(({ cgroup }) => cgroup)
        : [],
  };
}

/** Commands, tabs and findings: what the palette offers. */
export function commandActions(
  live: LiveAnalysis,
  run: (command: Command) => void,
  canDownload: boolean,
): readonly FinderAction[] {
  const commands = KEY_ROWS.filter(({ command }) => !HELD.has(command) && command !== "palette");
  return [
    ...commands.map(({ command, keys, does }) => ({
      kind: "command" as const,
      id: command,
      name: does,
      detail: "",
      keys,
      act: () => run(command),
    })),
    ...DRAWER_TABS.flatMap((tab) =>
      tab.views.map((id) => ({
        kind: "tab" as const,
        id,
        name: viewOf(id)?.title ?? id,
        detail: tab.views.length > 1 ? `open it in ${tab.title}` : "open the tab",
        act: () => live.setDrawer({ tab: id }),
      })),
    ),
    ...(canDownload ? perfettoActions(live) : []),
    ...panelActions(live),
    ...pinActions(live),
    ...findingActions(live),
    ...pinTaskActions(live),
  ];
}

/** Everything else that has a name. */
export function nameActions(live: LiveAnalysis, names: Names): readonly FinderAction[] {
  return [
    ...markActions(live),
    ...findingActions(live),
    ...laneActions(live),
    ...names.groups.map((group) => ({
      kind: "group" as const,
      id: String(group.number),
      name: groupName(group),
      detail: "numa group",
      act: () => live.setDrawer({ tab: "cling" }),
    })),
    ...cgroupsOf(live, names).map((cgroup) => ({
      kind: "cgroup" as const,
      id: cgroup,
      name: cgroup,
      detail: "its waits",
      act: () => live.setDrawer({ tab: "latency", waits: "cgroup" }),
    })),
    ...taskActions(live),
    ...Object.entries(TERMS).map(([name, means]) => ({
      kind: "term" as const,
      id: name,
      // `busyNode` as `busy node`.
      name: name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      detail: means,
      act: () => means,
    })),
  ];
}

function perfettoActions({ perfetto: { events, open } }: LiveAnalysis): FinderAction[] {
  const usual = usualPart(events);
  const other = otherPart(usual);
  return [
    {
      kind: "command",
      id: "perfetto",
      name: "open in Perfetto",
      detail: whyPart(events),
      act: () => open(usual),
    },
    {
      kind: "command",
      id: `perfetto-${other}`,
      name: `open in Perfetto: ${PART_WORDS[other]}`,
      detail: "in a new window",
      act: () => open(other),
    },
  ];
}

function panelActions(live: LiveAnalysis): FinderAction[] {
  return live.stage.getSnapshot().panels.map(({ id, kind, hidden }) => ({
    kind: "tab",
    id: `panel-${id}`,
    name: `${kind.title} lanes`,
    detail: hidden ? "show the panel" : "hide the panel",
    act: () => live.stage.arrange({ kind: "hide", id, hidden: !hidden }),
  }));
}

/** Every lane that is shown, and the CPUs of nodes that are not open. */
function pinActions({ stage }: LiveAnalysis): FinderAction[] {
  const { layout } = stage.getSnapshot();
  const action = (key: string, title: string, pinned: boolean): FinderAction => ({
    kind: "command",
    id: `pin-${key}`,
    name: `${pinned ? "unpin" : "pin"} ${title}`,
    detail: pinned ? "unpin it" : "pin it to the top",
    act: () => stage.togglePin(key),
  });
  const shown = layout.boxes.filter(({ title }) => title !== null);
  const known = new Set([...shown, ...layout.pinned].map(({ key }) => key));
  const cpus = stage.scene.nodes.flatMap((node) => node.cpus).filter((cpu) => !known.has(`cpu:${cpu}`));
  return [
    ...layout.pinned.map((box) => action(box.key, box.title ?? "", true)),
    ...shown.map((box) => action(box.key, box.title ?? "", false)),
    ...cpus.map((cpu) => action(`cpu:${cpu}`, `cpu ${cpu}`, false)),
  ];
}

function rankedFindings(live: LiveAnalysis): readonly Keyed<Finding>[] {
  const { answer } = live.section("findings").getSnapshot();
  return answer?.available ? keyFindings(answer.findings) : [];
}

function findingActions(live: LiveAnalysis): FinderAction[] {
  return rankedFindings(live).map((keyed) => ({
    kind: "finding",
    id: keyed.key,
    name: kindText(keyed.finding.id),
    detail: `${impactText(keyed.finding.impact_ms)} · ${keyed.finding.summary}`,
    act: () => live.openFinding(keyed),
  }));
}

/** Goes to a time that was typed: of the wall clock, or in seconds. */
export function timeActions(live: LiveAnalysis, question: string): readonly FinderAction[] {
  const at = parseMoment(question, live.clocks);
  if (at === null) return [];
  return [
    {
      kind: "time",
      id: String(at),
      name: `go to ${formatTime(at)}`,
      detail: `${formatDuration(at - live.clocks.origin)} into the recording`,
      act: () => live.goToMark(at),
    },
  ];
}

function markActions(live: LiveAnalysis): FinderAction[] {
  return live.drawer().marks.map(({ at, name }) => ({
    kind: "mark",
    id: String(at),
    name,
    detail: `${formatTime(at, 6)}`,
    act: () => live.goToMark(at),
  }));
}

function laneActions(live: LiveAnalysis): FinderAction[] {
  const { stage } = live;
  const { nodes } = stage.scene;
  return [
    ...nodes.map(({ nid, cpus }) => ({
      kind: "node" as const,
      id: String(nid),
      name: `node ${nid}`,
      detail: `${plural(cpus.length, "CPU")}: ${formatCpuList(cpus)}`,
      act: () => void stage.showLane({ nid }),
    })),
    ...nodes.flatMap(({ nid, cpus }) =>
      cpus.map((cpu) => ({
        kind: "cpu" as const,
        id: String(cpu),
        name: `cpu ${cpu}`,
        detail: `node ${nid}`,
        act: () => void stage.showLane({ cpu }),
      })),
    ),
  ];
}

function cgroupsOf(live: LiveAnalysis, names: Names): readonly string[] {
  const found = rankedFindings(live).flatMap(({ finding }) => finding.cgroup ?? []);
  return [...new Set([...names.cgroups, ...found])].sort((a, b) => a.localeCompare(b));
}

function taskActions({ stage }: LiveAnalysis): FinderAction[] {
  const { tasks } = stage.scene;
  return rankTasks(tasks, "").map((row) => {
    const pid = tasks.pid[row] ?? 0;
    return {
      kind: "task",
      id: String(row),
      name: tasks.comm[row] ?? "",
      detail: `pid ${pid} · ${formatDuration(tasks.runNs[row] ?? 0)} on CPU`,
      act: () => void stage.findTask(pid),
    };
  });
}

function pinTaskActions({ stage }: LiveAnalysis): FinderAction[] {
  const { tasks } = stage.scene;
  const pids = new Set(rankTasks(tasks, "").map((row) => tasks.pid[row] ?? 0));
  return [...pids].map((pid) => {
    const lane = `task:${pid}`;
    const pinned = stage.pins.includes(lane);
    return {
      kind: "task",
      id: `pin-${lane}`,
      name: `${pinned ? "unpin" : "pin"} ${taskName(tasks, pid) ?? ""} ${pid}`,
      detail: pinned ? "remove its lane" : "add a lane with its states and wakers",
      act: () => stage.togglePin(lane),
    };
  });
}

/** One field that finds everything that has a name: how entries are matched and ranked. */

export const ENTRY_KINDS = [
  "time",
  "command",
  "tab",
  "mark",
  "finding",
  "node",
  "cpu",
  "group",
  "cgroup",
  "task",
  "term",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface Entry {
  readonly kind: EntryKind;
  /** Names it among those of its kind. */
  readonly id: string;
  readonly name: string;
  /** Shown after the name, and searched as well. */
  readonly detail: string;
  readonly keys?: readonly string[];
}

export interface Prepared {
  readonly entry: Entry;
  readonly name: string;
  readonly detail: string;
  /** Words of the name and of the detail. */
  readonly words: readonly string[];
}

/** Lower case once, not at each key. */
export function prepare(entries: readonly Entry[]): readonly Prepared[] {
  return entries.map((entry) => {
    const name = entry.name.toLowerCase();
    const detail = entry.detail.toLowerCase();
    return { entry, name, detail, words: `${name} ${detail}`.split(/[\s·,()]+/) };
  });
}

const EXACT = 100;
const EXACT_WORD = 80;
const START = 60;
const WORD_START = 40;
const INSIDE = 20;
const IN_DETAIL = 8;
const LETTERS = 3;

/** Score of a word of the query; 0 for no match. */
function pointsOf({ name, detail, words, entry }: Prepared, word: string): number {
  if (name === word) return EXACT;
  if (words.includes(word)) return EXACT_WORD;
  if (name.startsWith(word)) return START;
  const at = name.indexOf(word);
  if (at > 0) return /[\p{L}\p{N}]/u.test(name[at - 1] ?? "") ? INSIDE : WORD_START;
  if (detail.includes(word)) return IN_DETAIL;
  // Commands are few: the first letters of their words are enough, as `fw` for fit the window.
  const loose = entry.kind === "command" || entry.kind === "tab";
  return loose && word.length > 1 && inOrder(name, word) ? LETTERS : 0;
}

function inOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The best first; every word must fit. Among equals the order they came in. Without a question: as they came. */
export function findEntries(prepared: readonly Prepared[], question: string, most: number): readonly Entry[] {
  const wanted = question
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const whole = wanted.join(" ");
  const found: { readonly entry: Entry; readonly score: number; readonly place: number }[] = [];
  for (const [place, each] of prepared.entries()) {
    let score = each.name === whole ? EXACT : each.name.startsWith(whole) ? START : 0;
    for (const word of wanted) {
      const points = pointsOf(each, word);
      score = points === 0 ? Number.NaN : score + points;
    }
    if (!Number.isNaN(score)) found.push({ entry: each.entry, score, place });
  }
  found.sort((a, b) => b.score - a.score || a.place - b.place);
  return found.slice(0, most).map(({ entry }) => entry);
}
