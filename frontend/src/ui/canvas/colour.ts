/**
 * Colours of nodes and tasks.
 *
 * Nodes take a colour-blind-safe set in topology order. Tasks take a hue by process group with the
 * lightness varied. Red, and the hues next to it, are kept for cost and never given to either.
 */

export type Theme = "light" | "dark";

/** OKLCH to `#rrggbb`; chroma is lowered until the colour fits sRGB. Björn Ottosson's OKLab matrices. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  for (let c = chroma; ; c -= 0.005) {
    const rgb = toLinear(lightness, Math.max(0, c), hue);
    if (c <= 0 || rgb.every((v) => v >= -1e-4 && v <= 1.0001)) {
      return `#${rgb.map((v) => byteHex(gamma(Math.min(1, Math.max(0, v))))).join("")}`;
    }
  }
}

function toLinear(lightness: number, chroma: number, hue: number): [number, number, number] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function gamma(v: number): number {
  return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
}

function byteHex(v: number): string {
  return Math.round(v * 255)
    .toString(16)
    .padStart(2, "0");
}

/** WCAG 2 relative luminance of `#rrggbb`. */
export function luminance(hex: string): number {
  const part = (at: number) => {
    const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

export function contrast(a: string, b: string): number {
  const la = luminance(a);
  const lb = luminance(b);
  return (Math.max(la, lb) + 0.05) / (Math.min(la, lb) + 0.05);
}

/**
 * Blue, amber, teal, violet, sky, olive, plum, slate: distinct in hue and lightness under the common colour
 * blindnesses.
 */
const NODE_SET: Record<Theme, readonly string[]> = {
  light: ["#2166ac", "#c77700", "#0f8a72", "#8250b8", "#3f9fd0", "#7d7a12", "#a44a8c", "#5a6b7b"],
  dark: ["#5ba3e6", "#e8a33d", "#3fbf9f", "#b08ae6", "#8fd0f2", "#bdb84a", "#d98ac4", "#9db0c2"],
};

/** @param index place of the node in topology order */
export function nodeColour(index: number, theme: Theme): string {
  const set = NODE_SET[theme];
  return set[index % set.length] ?? "#808080";
}

export interface TaskName {
  readonly pid: number;
  readonly comm: string;
}

/**
 * The process group of a task according to its name: threads of one program share a stem (`worker-3`, `worker-12`;
 * `kworker/2:1`).
 */
export function groupOf(comm: string): string {
  // The pseudonyms of a copy differ in their numbers alone: each stands for a name of its own.
  if (/^task-\d+$/.test(comm)) return comm;
  const stem = comm.replace(/[/:].*$/, "").replace(/[-_.#\s]*\d+$/, "");
  return stem === "" ? comm : stem;
}

const KERNEL =
  /^(kworker|ksoftirqd|migration|rcu|kcompactd|kswapd|khugepaged|kthreadd|cpuhp|idle_inject|watchdog|irq|jbd2|kblockd|oom_reaper|ksmd|kauditd|khungtaskd|swapper|scsi_eh|writeback|kdevtmpfs)/;

export function isKernelThread(comm: string): boolean {
  return KERNEL.test(comm);
}

/** Hues of OKLCH, neighbours in the list distant on the circle; 350..45 (reds) are left out. */
const HUES: readonly number[] = [255, 75, 165, 305, 210, 110, 335, 140, 280, 60, 190, 235];
const TONES = 5;

export interface TaskColour {
  readonly fill: string;
  /** Text on the fill, AA contrast. */
  readonly ink: string;
}

/**
 * One colour per row of the task table. Groups with the most CPU time get the most distinct hues; threads of one group differ in lightness; kernel threads stay grey.
 * @param runNs CPU time of each task, same order
 */
export function taskColours(
  tasks: readonly TaskName[],
  runNs: ArrayLike<number>,
  theme: Theme,
): TaskColour[] {
  const totals = new Map<string, number>();
  tasks.forEach((task, i) => {
    const group = groupOf(task.comm);
    if (!isKernelThread(task.comm)) totals.set(group, (totals.get(group) ?? 0) + (runNs[i] ?? 0));
  });
  const ranked = [...totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([group]) => group);
  const rank = new Map(ranked.map((group, i) => [group, i]));
  const made = new Map<string, TaskColour>();
  const seen = new Map<string, number>();
  return tasks.map((task) => {
    const group = groupOf(task.comm);
    const place = rank.get(group) ?? -1;
    const nth = seen.get(group) ?? 0;
    seen.set(group, nth + 1);
    const tone = nth % TONES;
    const key = `${place}/${tone}`;
    let colour = made.get(key);
    if (!colour) {
      colour = makeTaskColour(place, tone, theme);
      made.set(key, colour);
    }
    return colour;
  });
}

function makeTaskColour(place: number, tone: number, theme: Theme): TaskColour {
  // Neighbouring threads of a group alternate between lighter and darker.
  const shift = [0, 0.06, -0.06, 0.1, -0.03][tone] ?? 0;
  const lightness = (theme === "light" ? 0.71 : 0.66) + shift;
  const hue = HUES[Math.max(0, place) % HUES.length] ?? 0;
  // Past the first round of hues the chroma falls: many small groups should not shout.
  const chroma = place < 0 ? 0.012 : place < HUES.length ? 0.115 : 0.05;
  const fill = oklch(lightness, chroma, hue);
  const ink = contrast(fill, "#101418") >= contrast(fill, "#ffffff") ? "#101418" : "#ffffff";
  return { fill, ink };
}
