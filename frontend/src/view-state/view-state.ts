/**
 * The view as a link: `v=2&w=<from>~<to>&in=<from>~<to>&mk=<t>:<name>&open=0,1&p=nodes,psi,cling:1.5,-ilb,memory
 * &sel=cpu:3@<t>&d=samples&st=psi`, and `d=sql&q=<query>&qt=1&qw=<from>~<to>`.
 *
 * Links are kept in chats and incident notes for years. The version defines the meaning of the other keys;
 * a change of meaning raises CURRENT_VIEW_VERSION and adds one upgrader, and old links still open.
 */

import { CLOCKS, type Clock } from "../lib/clock.ts";
import { formatNav, type NavView, parseNav } from "../lib/navigator.ts";
import { type AbsWindow, encodeRanges, formatWindow, parseRanges, parseWindow } from "../lib/ranges.ts";
import { parseNs } from "../lib/time.ts";
import { PANELS } from "../panels/index.ts";
import { parseRules, type Rules } from "../subjects/psi/lanes/index.tsx";
import { formatArrangement, isUsual, parseArrangement } from "../timeline/arrangement.ts";
import { parsePins } from "../timeline/lanes.ts";
import { encodeMarks, type Mark, parseMarks } from "../timeline/marks.ts";
import type { StageView } from "../timeline/stage/stage-parts.ts";
import { encodeFindingFilter, type FindingFilter, parseFindingFilter } from "./finding-filter.ts";
import {
  DRAWER_VIEWS,
  type DrawerViewName,
  encodeWait,
  isLinked,
  type LatencyView,
  parseDegree,
  parseLatencyView,
  parseQuery,
  parseQueryWindow,
  parseStep,
  parseWait,
  type QueryWindow,
  type WaitKey,
} from "./tab-views.ts";

export const CURRENT_VIEW_VERSION = 2;

export interface ViewState extends StageView {
  /** Moments that the reader named. */
  readonly marks: readonly Mark[];
  /** `none` is folded; null leaves it to the page. */
  readonly drawer: DrawerViewName | "none" | null;
  /** The table of samples that the drawer shows; null leaves it to the page. */
  readonly table: string | null;
  /** Listed raw events; null is all. */
  readonly events: string | null;
  /** The last SQL query; null without one. */
  readonly query: string | null;
  /** True if its rows have a panel on the time axis. */
  readonly queryTrack: boolean;
  readonly queryWindow: QueryWindow;
  /** Key of the opened finding. */
  readonly finding: string | null;
  /** Position among its occurrences, from 0, the worst. */
  readonly occurrence: number;
  /** Window of the tables instead of the timeline's, which has moved on or is wider; null is that window. */
  readonly held: AbsWindow | null;
  /** Filter of the findings; null is all of them. */
  readonly found: FindingFilter | null;
  /** Replays pressure as a kernel with these rules would count it; null is the traced kernel. */
  readonly rules: Rules | null;
  /** View of the list of waits; null leaves it to the page. */
  readonly waits: LatencyView | null;
  readonly wait: WaitKey | null;
  /** Length of a step of the nodes' table, ns; null leaves it to the server. */
  readonly step: number | null;
  /** Cling's degree, percent; null is the recorded one. */
  readonly degree: number | null;
  /** The list of threads on the left. */
  readonly navigator: NavView;
  /** The clock that all times are shown by. */
  readonly clock: Clock;
}

type Params = ReadonlyMap<string, string>;

type Format<T> = (value: T) => string | null;

interface Parameter {
  readonly field: string;
  readonly key: string;
  readonly parse: (text: string | undefined) => unknown;
  /** null leaves it out. */
  readonly format: Format<never>;
}

function parameter<F extends keyof ViewState>(
  field: F,
  key: string,
  parse: (text: string | undefined) => ViewState[F],
  format: Format<ViewState[F]>,
): Parameter {
  return { field, key, parse, format };
}

/** A value that is null is left out. */
const some =
  <T>(format: (value: T) => string): Format<T | null> =>
  (value) =>
    value === null ? null : format(value);

/** Parameters of a link, in the order in which they are written. Without its key a field has what `parse` makes of nothing. */
const PARAMETERS: readonly Parameter[] = [
  parameter("window", "w", parseWindow, some(formatWindow)),
  parameter("ranges", "in", parseRanges, (ranges) => encodeRanges(ranges) || null),
  parameter("area", "ar", parseWindow, some(formatWindow)),
  parameter("marks", "mk", parseMarks, (marks) => encodeMarks(marks) || null),
  parameter("pins", "pin", parsePins, (pins) => pins.join(",") || null),
  parameter(
    "panels",
    "p",
    (text) => parseArrangement(text, PANELS),
    (panels) => (panels && !isUsual(panels, PANELS) ? formatArrangement(panels, PANELS) : null),
  ),
  ...PANELS.flatMap(({ link }) => link ?? []),
  parameter(
    "glyph",
    "g",
    parseGlyph,
    some(({ lane, at }) => `${lane}@${at}`),
  ),
  parameter(
    "selection",
    "sel",
    parseSelection,
    some(({ cpu, at }) => `cpu:${cpu}@${at}`),
  ),
  parameter("drawer", "d", parseDrawer, some(String)),
  parameter("table", "st", parseTable, some(String)),
  parameter("events", "ev", parseEventFilter, some(encodeURIComponent)),
  parameter("query", "q", parseQuery, (sql) =>
    sql !== null && isLinked(sql) ? encodeURIComponent(sql) : null,
  ),
  parameter(
    "queryTrack",
    "qt",
    (text) => text === "1",
    (shown) => (shown ? "1" : null),
  ),
  parameter(
    "queryWindow",
    "qw",
    parseQueryWindow,
    some((window) => (window === "shown" ? "1" : formatWindow(window))),
  ),
  parameter(
    "finding",
    "fi",
    parseFinding,
    some((key) => encodeURIComponent(key).replace("%40", "@")),
  ),
  parameter("occurrence", "oc", parseOccurrence, (place) => (place > 0 ? String(place) : null)),
  parameter("held", "hw", parseWindow, some(formatWindow)),
  parameter("found", "ff", parseFindingFilter, some(encodeFindingFilter)),
  parameter("rules", "rules", parseRules, some(String)),
  parameter("waits", "lat", parseLatencyView, some(String)),
  parameter("wait", "wait", parseWait, some(encodeWait)),
  parameter("step", "step", parseStep, some(String)),
  parameter("degree", "deg", parseDegree, some(String)),
  parameter("navigator", "nav", parseNav, formatNav),
  parameter("clock", "t", parseClock, (clock) => (clock === "trace" ? null : clock)),
];

function viewOf(params: Params): ViewState {
  const fields = PARAMETERS.map(({ field, key, parse }) => [field, parse(params.get(key))]);
  return Object.fromEntries(fields) as ViewState;
}

/** Part of a view that belongs to the drawer and not to the stage. */
export interface DrawerState extends Omit<ViewState, keyof StageView | "drawer"> {
  /** null when it is folded. */
  readonly tab: DrawerViewName | null;
}

export const EMPTY_VIEW: ViewState = viewOf(new Map());

export type ParsedView =
  | { readonly kind: "view"; readonly view: ViewState }
  /** Written by a later version of this page; nothing in it can be trusted to mean what it says here. */
  | { readonly kind: "newer"; readonly version: number };

/** Turns the parameters of version n into those of version n + 1. */
export type Upgrader = (params: Params) => Params;

/** Keyed by the version they start from. None yet: version 2 is that of the first release. */
const UPGRADERS: ReadonlyMap<number, Upgrader> = new Map();

/** Applies upgraders one after the other; a version without an upgrader carries over unchanged. */
export function upgradeParams(
  params: Params,
  from: number,
  to: number,
  upgraders: ReadonlyMap<number, Upgrader>,
): Params {
  let current = params;
  for (let version = from; version < to; version += 1) {
    current = upgraders.get(version)?.(current) ?? current;
  }
  return current;
}

export function parseView(query: string): ParsedView {
  const raw = new Map(new URLSearchParams(query));
  const stated = raw.get("v") ?? "";
  const version = /^\d{1,6}$/.test(stated) ? Number(stated) : CURRENT_VIEW_VERSION;
  if (version > CURRENT_VIEW_VERSION) return { kind: "newer", version };
  const params = upgradeParams(raw, version, CURRENT_VIEW_VERSION, UPGRADERS);
  return { kind: "view", view: viewOf(params) };
}

/** The query without a leading `?`. Written by hand: `~`, `,`, `:` and `@` stay readable in a link. */
export function encodeView(view: ViewState): string {
  const parts = [`v=${CURRENT_VIEW_VERSION}`];
  for (const { field, key, format } of PARAMETERS) {
    const text = format(view[field as keyof ViewState] as never);
    if (text !== null) parts.push(`${key}=${text}`);
  }
  return parts.join("&");
}

function parseSelection(text: string | undefined): ViewState["selection"] {
  const match = /^cpu:(\d{1,6})@(-?\d{1,20})$/.exec(text ?? "");
  if (!match?.[1] || !match[2]) return null;
  const at = parseNs(match[2]);
  return at === null ? null : { cpu: Number(match[1]), at };
}

function parseGlyph(text: string | undefined): ViewState["glyph"] {
  const match = /^([a-z]{1,16}:[a-z0-9]{1,16})@(-?\d{1,20})$/.exec(text ?? "");
  if (!match?.[1] || !match[2]) return null;
  const at = parseNs(match[2]);
  return at === null ? null : { lane: match[1], at };
}

function parseClock(text: string | undefined): Clock {
  return CLOCKS.find((clock) => clock === text) ?? "trace";
}

function parseDrawer(text: string | undefined): ViewState["drawer"] {
  return text === "none" ? "none" : (DRAWER_VIEWS.find((view) => view === text) ?? null);
}

/** Text as typed, even empty; null for text that cannot be typed. */
function parseEventFilter(text: string | undefined): string | null {
  return text !== undefined && text.length <= 2000 ? text : null;
}

/** As `findings.ts` writes it: an id, the start, and a number if both repeat. */
function parseFinding(text: string | undefined): string | null {
  return text !== undefined && /^[^\s@]{1,64}@\d{1,20}(\.\d{1,4})?$/.test(text) ? text : null;
}

function parseOccurrence(text: string | undefined): number {
  return /^\d{1,4}$/.test(text ?? "") ? Number(text) : 0;
}

function parseTable(text: string | undefined): string | null {
  return text !== undefined && /^[a-z][a-z0-9_]{0,63}$/.test(text) ? text : null;
}
