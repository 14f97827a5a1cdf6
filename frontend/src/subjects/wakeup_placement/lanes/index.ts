/** Wakeups that missed an idle CPU, as ticks at the upper edge of the lanes of the chosen and of the idle CPU. */

import { CATALOGUE } from "../../../lib/catalogue.ts";
import { formatDuration, plural } from "../../../lib/format.ts";
import { parseNs, toRel } from "../../../lib/time.ts";
import { inkOf, markTable } from "../../../timeline/draw/glyphs.ts";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import type { PanelContext, Picked, Place } from "../../../timeline/panel.ts";
import type { Available, WindowSource } from "../../../timeline/tiles/window-source.ts";
import { xOf } from "../../../ui/canvas/surface.ts";

/** Width and height of a tick, CSS pixels. */
const WIDTH = 2;
const TICK = 5;
/** Maximum distance of the pointer from a tick, CSS pixels. */
const REACH = 4;
/** Length of the window around a picked tick, in waits that followed. */
const AROUND = 2;

const Missed = { Placed: 0, Idle: 1 } as const;

export const MISSED = markTable(Missed, {
  Placed: { shape: "above", tone: "cost", means: "idle CPU missed: chosen CPU" },
  Idle: { shape: "above", tone: "muted", means: "its idle CPU" },
});

type Answer = Available<"wakeup_placement">;
type Row = Answer["listed"][number];

interface MissedMark {
  /** Time of the request, ns from the origin. */
  readonly at: number;
  readonly row: Row;
}

export class MissedMarks {
  readonly #source: WindowSource<Answer, readonly MissedMark[]>;

  constructor({ scene: { origin }, windows }: PanelContext) {
    this.#source = windows.make("wakeup_placement", {
      prepare: ({ listed }) =>
        listed
          .filter(({ idle_cpu }) => idle_cpu !== null)
          .map((row) => ({ at: toRel(origin, parseNs(row.t_ns) ?? origin), row })),
      // The longest waits are listed.
      partial: ({ missed, listed }) => missed.reduce((sum, { wakeups }) => sum + wakeups, 0) > listed.length,
    });
  }

  set onChange(listen: () => void) {
    this.#source.onChange = listen;
  }

  readonly want = (view: Parameters<WindowSource<Answer, readonly MissedMark[]>["want"]>[0]) =>
    this.#source.want(view);

  draw({ ctx, scale, box, ink }: LaneCanvas, cpu: number): void {
    for (const { at, row } of this.#source.tracks ?? []) {
      if (row.cpu !== cpu && row.idle_cpu !== cpu) continue;
      const x = Math.round(xOf(scale, at));
      if (x < 0 || x > box.width) continue;
      ctx.fillStyle = inkOf(ink, MISSED, row.cpu === cpu ? Missed.Placed : Missed.Idle);
      ctx.fillRect(x, box.y, WIDTH, TICK);
    }
  }

  pick({ box, y, at, perPixel }: Place): Picked | null {
    if (y > TICK + 1) return null;
    const here = (this.#source.tracks ?? []).filter(
      (mark) =>
        (mark.row.cpu === box.cpu || mark.row.idle_cpu === box.cpu) &&
        Math.abs(mark.at - at) <= REACH * perPixel,
    );
    const [mark] = here.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at));
    if (!mark) return null;
    const { row } = mark;
    const rule = CATALOGUE.missed_by.find(({ id }) => id === row.missed_by);
    const more = here.length > 1 ? `${plural(here.length - 1, "other one")} nearby. ` : "";
    return {
      what: {
        title: "idle CPU missed",
        task: null,
        rows: [
          ["task", `${row.comm} ${row.pid}`],
          ["placed on", `CPU ${row.cpu}`],
          ["idle", `CPU ${row.idle_cpu}`],
          ["missed by", `${rule?.title ?? row.missed_by} (${rule?.rule ?? "-"})`],
          ["then waited", formatDuration(row.wait_ns)],
        ],
        label: row.label,
        note: `${more}${rule?.meaning ?? ""}`,
      },
      swatch: null,
      outline: null,
      taken: null,
      zoom: { from: mark.at - row.wait_ns, to: mark.at + AROUND * row.wait_ns + 1 },
    };
  }

  close(): void {
    this.#source.close();
  }
}
