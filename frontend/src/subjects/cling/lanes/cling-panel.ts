/** Numa groups: how often migrations to each node failed, when that made a node busy, and what cling decided. */

import type { ClingSection } from "../../../api/types.ts";
import { bothDurations, formatTime, plural } from "../../../lib/format.ts";
import { absentText, type Label, missingText } from "../../../lib/terms.ts";
import { type AbsNs, type RelNs, type Span, toAbs } from "../../../lib/time.ts";
import { countTitles, type EventFact, factList, type Marks, pickMark } from "../../../timeline/event-fact.ts";
import type { LaneBox, LaneSpec } from "../../../timeline/lanes.ts";
import {
  type Described,
  type FactList,
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelFields,
  type PanelState,
  type Picked,
  type Place,
} from "../../../timeline/panel.ts";
import type { WindowSource } from "../../../timeline/tiles/window-source.ts";
import { type ClingLook, clingStrips, paintClingLane } from "./cling-lane.ts";
import {
  type ClingTracks,
  clingTracks,
  type GroupTrack,
  holdsAt,
  intervalNear,
  rankGroups,
  shownGroups,
} from "./cling-tracks.ts";
import { decisionFact, flipFact } from "./decision-facts.ts";
import { DegreePreview } from "./degree-slider.tsx";

type ClingSource = WindowSource<ClingSection, ClingTracks>;

declare module "../../../timeline/panel.ts" {
  interface PanelFields {
    /** Numbers of the numa groups that have a lane, ascending; null leaves it to the page. */
    readonly groups: readonly number[] | null;
  }
}

export interface ClingSnapshot {
  readonly groups: readonly GroupTrack[];
  readonly all: readonly { readonly number: number; readonly name: string; readonly attempts: number }[];
  readonly degree: number | null;
  /** null: the kernel has no cling. */
  readonly recordedDegree: number | null;
  readonly whatIf: boolean;
  /** Range of the counts of attempts; it may be wider than the view. */
  readonly span: Span | null;
}

/** A series of this many points was thinned by the service: a narrower window has more. */
const THINNED = 2000;
const MIN = 92;
const MAX = 190;

export class ClingPanel implements Panel<ClingSnapshot> {
  readonly #context: PanelContext;
  readonly #origin: AbsNs;
  /** As recorded, and with the degree that the reader tries. */
  readonly #recorded: ClingSource;
  readonly #tried: ClingSource;
  /** The degree under the reader's pointer, here as in the tab. */
  readonly preview = new DegreePreview((degree) => this.onDegree(this.#isRecorded(degree) ? null : degree));
  #degree: number | null = null;
  #chosen: readonly number[] | null = null;
  #ranking: readonly number[] = [];
  #view: Span | null = null;
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  /** The reader wants another degree, percent; null is the recorded one. */
  onDegree: (degree: number | null) => void = () => {};

  constructor(context: PanelContext) {
    this.#context = context;
    this.#origin = context.scene.origin;
    this.#recorded = this.#source();
    this.#tried = this.#source();
    const changed = () => {
      this.#layLanes();
      this.onChange();
    };
    this.#recorded.onChange = changed;
    this.#tried.onChange = changed;
    this.preview.subscribe(() => this.onChange());
  }

  #source(): ClingSource {
    return this.#context.windows.make("cling", {
      prepare: (answer, span) => clingTracks(answer, this.#origin, span),
      // Of another degree no decisions are listed.
      partial: ({ what_if, decisions_more, groups }) =>
        (what_if === null && decisions_more > 0) || groups.some(({ series }) => series.length >= THINNED),
    });
  }

  #isRecorded(degree: number): boolean {
    const { tracks } = this.#recorded;
    return tracks !== null && tracks.knownBy !== "what_if" && tracks.degree === degree;
  }

  /** Nothing is placed between the nodes of a machine that has one. */
  get absent(): boolean {
    return this.#context.scene.nodes.length < 2;
  }

  get state(): PanelState {
    const [recorded, tried] = [this.#recorded, this.#tried];
    const problem = recorded.problem ?? tried.problem;
    if (problem !== null) return { kind: "failed", note: problem };
    if (recorded.missing !== null) return { kind: "none", note: absentText("cling", recorded.missing) };
    const { tracks } = recorded;
    if (!tracks) return { kind: "loading", note: null };
    if (tracks.groups.length === 0) return { kind: "none", note: "No numa groups in this window." };
    const more =
      tracks.more > 0
        ? `${plural(tracks.more, "decision")} more than are listed: zoom in to see them.`
        : null;
    return { kind: "ready", note: more };
  }

  /** The view's, percent; null is the recorded one. */
  set degree(degree: number | null) {
    if (degree === null || degree === this.preview.value) this.preview.settle();
    this.#degree = degree;
    if (this.#view) this.want(this.#view);
    this.onChange();
  }

  /** Numbers of the groups to show, as the reader chose; null leaves it to the page. */
  choose(groups: readonly number[] | null): void {
    this.adopt({ groups });
    this.#context.commit();
  }

  fields() {
    return { groups: this.#chosen };
  }

  adopt({ groups }: Pick<PanelFields, "groups">): void {
    this.#chosen = groups;
    this.#layLanes();
  }

  want(view: Span): void {
    this.#view = view;
    const [recorded, tried] = [this.#recorded, this.#tried];
    recorded.want(view);
    const wanted = this.#triedDegree();
    if (wanted !== null) tried.want(view, wanted);
  }

  /** The degree to try: the view's, or on a kernel without cling the usual one. */
  #triedDegree(): number | null {
    const { tracks } = this.#recorded;
    if (!tracks) return null;
    const none = tracks.knownBy === "what_if";
    const degree = this.#degree ?? tracks.degree;
    return none || degree !== tracks.degree ? degree : null;
  }

  #layLanes(): void {
    const { tracks } = this.#recorded;
    if (tracks) this.#ranking = rankGroups(this.#ranking, tracks);
    const groups = shownGroups(tracks, this.#ranking, this.#chosen);
    const keys = groups.map(({ number }) => `cling:${number}`);
    if (keys.join() === this.lanes.map(({ key }) => key).join()) return;
    this.lanes = keys.map((key, i) => ({
      key,
      kind: "cling",
      title: `numa group ${groups[i]?.number}`,
      resource: String(groups[i]?.number ?? ""),
      min: MIN,
      max: MAX,
      gap: 2,
    }));
  }

  /** Drawn values of a group: of the tried degree once the engine has computed it. */
  #shown(box: LaneBox): {
    readonly group: GroupTrack;
    readonly tracks: ClingTracks;
    readonly look: Omit<ClingLook, "colours">;
  } | null {
    const [recorded, tried] = [this.#recorded, this.#tried];
    const wanted = this.#triedDegree();
    const answer = wanted !== null && tried.degree === wanted ? tried.tracks : null;
    const tracks = (wanted === null ? recorded.tracks : answer) ?? recorded.tracks;
    const find = (from: ClingTracks | null) =>
      from?.groups.find(({ number }) => String(number) === box.resource);
    const group = find(tracks);
    const source = answer ? tried : recorded;
    if (!tracks || !group || !source.span) return null;
    const own = wanted ?? tracks.degree;
    const degree = this.preview.value ?? own;
    const computed = degree === own && (wanted === null || answer !== null);
    // Decisions are those that were recorded; what is requested another degree has none of its own.
    const decided = find(recorded.tracks) ?? group;
    return {
      tracks,
      group:
        computed && answer ? { ...group, decisions: decided.decisions, decision: decided.decision } : group,
      look: {
        degree,
        whatIf: wanted !== null || !computed,
        computed,
        parts: computed ? tracks.parts : null,
        span: source.span,
        listedTo: recorded.tracks?.listedTo ?? source.span.to,
      },
    };
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const shown = this.#shown(box);
    if (!shown) return;
    const colours = shown.group.nodes.map(({ nid }) => frame.nodeColour(nid));
    paintClingLane(laneCanvas(frame, box, top), shown.group, { ...shown.look, colours });
  }

  pick(place: Place): Picked | null {
    const shown = this.#shown(place.box);
    if (!shown) return null;
    const { group, look } = shown;
    const strips = clingStrips(place.box.height, group.nodes.length);
    const label: Label = look.whatIf ? "what-if" : group.label;
    if (look.computed && place.y < strips.plotTop) {
      const factAt = (i: number) => this.#flip(group, i, label);
      const found = this.#pick(place, { track: group.flips, middle: strips.flipY, word: "flip", factAt });
      if (found) return found;
    }
    if (look.computed && place.y > strips.noteY - 8) {
      const factAt = (i: number) => this.#decision(group, i);
      const found = this.#pick(place, {
        track: group.decisions,
        middle: strips.noteY,
        word: "decision",
        factAt,
      });
      if (found) return found;
    }
    return this.#pickLine(place, group, label, look.computed);
  }

  #pick(place: Place, marks: Omit<Marks, "sum">): Picked | null {
    return pickMark(place, { ...marks, sum: countTitles }, "cling", this.#origin);
  }

  #flip(group: GroupTrack, i: number, label: Label): EventFact | null {
    const flip = group.flip(i);
    return flip && flipFact(flip, group.name, label, group.missing);
  }

  #decision(group: GroupTrack, i: number): EventFact | null {
    const note = group.decision(i);
    return note && decisionFact(note, group.name, (pid) => this.#taskName(pid));
  }

  #taskName(pid: number): string | null {
    const { comm, pid: pids } = this.#context.scene.tasks;
    return comm[pids.indexOf(pid)] ?? null;
  }

  facts(lane: string): readonly FactList[] {
    const group = this.#recorded.tracks?.groups.find(({ number }) => `cling:${number}` === lane);
    if (!group) return [];
    const list = (length: number, factAt: (i: number) => EventFact | null) =>
      factList(length, factAt, "cling", lane, this.#origin);
    return [
      list(group.flips.glyphs.length, (i) => this.#flip(group, i, group.label)),
      list(group.decisions.glyphs.length, (i) => this.#decision(group, i)),
    ];
  }

  #pickLine(place: Place, group: GroupTrack, label: Label, computed: boolean): Picked {
    const { at, perPixel, box } = place;
    const busy = computed ? busyAt(group, at, 3 * perPixel) : null;
    const strips = clingStrips(box.height, group.nodes.length);
    return {
      what: this.#lineWords(group, at, label, busy),
      swatch: null,
      outline: busy && { span: busy, top: strips.plotTop, height: strips.plotHeight },
      taken: null,
      zoom: busy,
    };
  }

  #lineWords(group: GroupTrack, at: RelNs, label: Label, busy: BusyInterval | null): Described {
    const origin = this.#origin;
    const rows: [string, string][] = [];
    if (at >= group.known.from && at <= group.known.to) {
      for (const { nid, t, ratio, failures, total } of group.nodes) {
        const i = holdsAt(t, at);
        if (i >= 0) rows.push([`node ${nid}`, `${ratio[i]} %, F ${failures[i]} of T ${total[i]}`]);
      }
    }
    rows.push(["start", `${formatTime(toAbs(origin, at))}`]);
    if (busy) rows.push([`node ${busy.nid} busy`, bothDurations(busy.to - busy.from)]);
    const lacking = missingText(group.missing);
    return {
      title: group.name,
      task: null,
      rows,
      label,
      note: lacking === "" ? null : `It ${lacking}.`,
    };
  }

  snapshot(): ClingSnapshot {
    const { tracks } = this.#recorded;
    const wanted = this.#triedDegree();
    return {
      groups: shownGroups(tracks, this.#ranking, this.#chosen),
      all: tracks?.groups.map(({ number, name, attempts }) => ({ number, name, attempts })) ?? [],
      degree: wanted ?? tracks?.degree ?? null,
      recordedDegree: !tracks || tracks.knownBy === "what_if" ? null : tracks.degree,
      whatIf: wanted !== null,
      span: tracks?.span ?? null,
    };
  }

  close(): void {
    this.preview.settle();
    this.#recorded.close();
    this.#tried.close();
  }
}

interface BusyInterval extends Span {
  readonly nid: number;
}

/** The shortest busy interval at a moment. */
function busyAt(group: GroupTrack, at: RelNs, reach: number): BusyInterval | null {
  let best: BusyInterval | null = null;
  for (const track of group.busy) {
    const i = intervalNear(track, at, reach);
    if (i < 0) continue;
    const found = { nid: track.nid, from: track.from[i] ?? 0, to: track.to[i] ?? 0 };
    if (!best || found.to - found.from < best.to - best.from) best = found;
  }
  return best;
}
