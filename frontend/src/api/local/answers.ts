/** Answers the requests of a page as the server does, from an engine that has read a recording. */

import type { AnalysisDetail, AnalysisInput, Info, Note, TimelineInfo } from "../types.ts";
import {
  type Engine,
  type EngineAnswer,
  type EngineInput,
  type EngineRequest,
  type Part,
  refusal,
} from "./engine.ts";

/** The one analysis that a module has. */
export const LOCAL_ID = "local";

export interface LocalAnswer extends EngineAnswer {
  readonly type: string;
}

/** Part of a manifest that the page needs; see `numalens_bundle`. */
interface Manifest extends Omit<TimelineInfo, "nodes" | "topology_source" | "samples" | "window_ns"> {
  readonly inputs: readonly ManifestInput[];
  readonly window_ns: readonly [string, string];
  readonly topology: {
    readonly nodes: TimelineInfo["nodes"];
    readonly source: string;
    readonly sharing?: { readonly llcs: TimelineInfo["llcs"] };
  };
  readonly samples?: TimelineInfo["samples"];
}

interface ManifestInput extends Omit<AnalysisInput, "samples"> {
  readonly stamp_resolution_ns?: number;
  readonly skipped_more?: number;
  readonly samples?: number;
}

/** The schemas of the options of each section. */
type Schemas = Readonly<Record<string, { readonly properties?: Properties }>>;
type Properties = Readonly<Record<string, Schema>>;
type Schema = {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly maximum?: number;
};

const JSON_TYPE = "application/json";
const ARROW = "application/vnd.apache.arrow.stream";
const FORMATS: Readonly<Record<string, string>> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
  arrow: ARROW,
};
/** Most points of a series, as the server has it. */
const MAX_POINTS = 2000;
const MAX_PX = 8192;
const MAX_LANES = 4096;

export class LocalAnswers {
  readonly #engine: Engine;
  #manifest: Manifest | null = null;
  #detail: AnalysisDetail | null = null;
  #schemas: Schemas | null = null;
  #notes: readonly Note[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async read(inputs: readonly EngineInput[], tolerant: boolean, part?: Part): Promise<LocalAnswer> {
    const names = distinct(inputs.map(({ name }) => name));
    const answer = await this.#engine.read(
      inputs.map((input, at) => ({ ...input, name: names[at] ?? input.name })),
      tolerant,
      part,
    );
    return this.#keep(answer, inputs, tolerant);
  }

  /** Opens a bundle as one file, with the notes that came with it. */
  async open(packed: EngineInput, notes: readonly Note[] = []): Promise<LocalAnswer> {
    this.#notes = notes;
    return this.#keep(await this.#engine.open(packed), [packed], false);
  }

  #keep(answer: EngineAnswer, inputs: readonly EngineInput[], tolerant: boolean): LocalAnswer {
    if (answer.status !== 200) return { ...answer, type: JSON_TYPE };
    this.#manifest = parsed<Manifest>(answer.bytes);
    this.#detail = detail(this.#manifest, inputs, tolerant, this.#wallOffset(this.#manifest));
    return json(this.#detail);
  }

  /** Ns to the wall clock, by the first sample with both stamps, as the server has it; null without one. */
  #wallOffset({ samples, window_ns: [begin] }: Manifest): string | null {
    for (const { table, placed, from_ns } of samples ?? []) {
      if (!placed || from_ns === null) continue;
      const what = { samples: table };
      const to_ns = String(BigInt(from_ns) + 1n);
      const { bytes } = this.#call({ request: "export", what, format: "ndjson", from_ns, to_ns });
      const row = new TextDecoder().decode(bytes);
      // As text: a number of JavaScript has not enough digits.
      const [at, real] = ["ts_ns", "real_ns"].map((name) => row.match(`"${name}":"?(\\d+)`)?.[1]);
      if (at === undefined || real === undefined) continue;
      const offset = BigInt(real) - BigInt(at);
      const year = new Date(Number((BigInt(begin ?? at) + offset) / 1_000_000n)).getUTCFullYear();
      if (year >= 1990 && year < 2200) return String(offset);
    }
    return null;
  }

  /** The answer to a GET of this address. */
  get(url: URL): LocalAnswer {
    const path = url.pathname.replace(/^.*\/api\/v1\//, "");
    const query = url.searchParams;
    if (path === "info") return json(INFO);
    const [, id, name = "", rest] = /^analyses\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(path) ?? [];
    if (id !== LOCAL_ID || !this.#manifest) return failed(404, "This page has no such analysis.");
    switch (name) {
      case "":
        return json(this.#detail);
      case "timeline":
        return this.#call(
          {
            request: "timeline",
            lanes: lanes(query.get("lanes") ?? ""),
            ...window(query),
            px: Number(query.get("px")),
          },
          ARROW,
        );
      case "tasks":
        return this.#call({ request: "tasks" }, ARROW);
      case "slice":
        return this.#slice(rest, query);
      case "sections":
        return this.#section(rest ?? "", query);
      case "report":
        return this.#call({ request: "report" });
      case "event-rows":
        return rest === "export"
          ? this.#export({ found: query.get("filter") ?? "" }, query)
          : this.#events(query);
      case "events":
        return this.#export({ events: decodeURIComponent(rest ?? "") }, query);
      case "samples":
        return this.#export({ samples: decodeURIComponent(rest ?? "") }, query);
      case "trace.pftrace":
        return this.#call(
          { request: "export", what: "trace", format: "", ...window(query) },
          "application/octet-stream",
        );
      case "notes":
        return json({ notes: this.#notes });
      case "reports":
        return json({ reports: [] });
      default:
        return failed(404, "This needs a server: upload the recording there.");
    }
  }

  /** The bundle as a tar. */
  pack(): LocalAnswer {
    return this.#call({ request: "pack" }, "application/x-tar");
  }

  #call(request: EngineRequest, type = JSON_TYPE): LocalAnswer {
    const answer = this.#engine.call(request);
    return { ...answer, type: answer.status === 200 ? type : JSON_TYPE };
  }

  #slice(rest: string | undefined, query: URLSearchParams): LocalAnswer {
    const moment = { t_ns: query.get("t_ns") };
    const next = rest === "next";
    const answer = this.#call(
      next
        ? {
            request: "next_slice",
            pid: Number(query.get("pid")),
            forward: query.get("dir") !== "prev",
            ...moment,
          }
        : { request: "slice_at", cpu: Number(query.get("cpu")), ...moment },
    );
    const none = answer.status === 200 && new TextDecoder().decode(answer.bytes) === "null";
    return none ? failed(404, "No task was seen to run there.") : answer;
  }

  #section(section: string, query: URLSearchParams): LocalAnswer {
    this.#schemas ??= parsed<Schemas>(this.#engine.call({ request: "options" }).bytes);
    const properties = this.#schemas[section]?.properties ?? {};
    const [from, to] = this.#manifest?.window_ns ?? ["0", "0"];
    return this.#call({
      request: "section",
      section,
      from_ns: query.get("from_ns") ?? from,
      to_ns: query.get("to_ns") ?? to,
      options: options(properties, query),
    });
  }

  #events(query: URLSearchParams): LocalAnswer {
    return this.#call({
      request: "events_page",
      filter: query.get("filter") ?? "",
      after: query.get("after")?.split(".") ?? null,
      limit: Number(query.get("limit") ?? 200),
      ...window(query),
    });
  }

  #export(what: Readonly<Record<string, string>>, query: URLSearchParams): LocalAnswer {
    const format = query.get("format") ?? "csv";
    return this.#call({ request: "export", what, format, ...window(query) }, FORMATS[format] ?? JSON_TYPE);
  }
}

/** Values that replace a server's. */
const INFO: Info = {
  version: "",
  limits: {
    max_upload_bytes: 2 ** 31,
    max_files: 1000,
    max_px: MAX_PX,
    max_lanes: MAX_LANES,
    upload_days: 0,
    keep_days: null,
  },
  owner: false,
  look_only: false,
  sign_in: "none",
  person: null,
};

function window(query: URLSearchParams) {
  return { from_ns: query.get("from_ns"), to_ns: query.get("to_ns") };
}

function lanes(text: string): (readonly [string, number])[] {
  return text.split(",").map((lane) => {
    const [kind = "", number = ""] = lane.split(":");
    return [kind, Number(number)] as const;
  });
}

/** The options of a section's query as the engine takes them, with those that the server sets. */
function options(properties: Properties, query: URLSearchParams): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const text = query.get(name);
    if (text === null || name === "points" || name === "decisions") continue;
    const kinds = [schema.type ?? []].flat();
    const whole = kinds.includes("integer") && /^-?\d{1,20}$/.test(text);
    const number = kinds.includes("number") && /^-?\d{1,20}(\.\d{1,20})?$/.test(text);
    found[name] = whole || number ? Number(text) : text;
  }
  if ("points" in properties) found["points"] = MAX_POINTS;
  if ("decisions" in properties) found["decisions"] = found["limit"] ?? properties["limit"]?.default;
  return found;
}

function detail(
  manifest: Manifest,
  files: readonly EngineInput[],
  tolerant: boolean,
  wallOffset: string | null,
): AnalysisDetail {
  const { origin_ns, end_ns, window_ns, topology, notes, event_counts, samples, reference } = manifest;
  const [first = "", ...others] = files.map(({ name }) => name);
  return {
    id: LOCAL_ID,
    title: others.length === 0 ? first : `${first} and ${others.length} more`,
    status: "ready",
    created_at: new Date().toISOString(),
    sample: false,
    description: "",
    tags: [],
    incident: null,
    keep: false,
    access: "view",
    may: ["download"],
    owners: [],
    handed_over: false,
    error: null,
    progress: null,
    tolerant,
    offsets: {},
    rereadable: false,
    inputs: manifest.inputs.map(readInput),
    timeline: {
      origin_ns,
      end_ns,
      window_ns: [...window_ns],
      nodes: topology.nodes,
      llcs: topology.sharing?.llcs ?? [],
      topology_source: topology.source,
      wall_offset_ns: wallOffset,
      notes,
      event_counts,
      // Where a table lies inside of the bundle is nothing for a page.
      samples: (samples ?? []).map(({ table, rows, placed, from_ns, to_ns }) => ({
        table,
        rows,
        placed,
        from_ns,
        to_ns,
      })),
      reference: reference ?? null,
    },
  };
}

function readInput(input: ManifestInput): AnalysisInput {
  const skipped = input.skipped ?? [];
  return {
    name: input.name,
    kind: input.kind ?? null,
    bytes: input.bytes,
    events: input.events ?? null,
    samples: input.samples ?? null,
    rows: input.rows ?? null,
    tables: input.tables ?? {},
    lost_events: input.lost_events ?? null,
    lost_marks: input.lost_marks ?? null,
    clock: input.clock ?? null,
    kernel: input.kernel ?? null,
    cpus: input.cpus ?? null,
    resolution_ns: input.resolution_ns ?? input.stamp_resolution_ns ?? null,
    skipped_count: skipped.length + (input.skipped_more ?? 0),
    skipped,
    alignment: input.alignment ?? null,
    facts: input.facts ?? {},
  };
}

/** The names, repeated ones with a number appended: `trace.dat`, `trace.dat (2)`. */
function distinct(names: readonly string[]): string[] {
  const used = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let chosen = name;
    for (let number = 2; seen.has(chosen) || (chosen !== name && used.has(chosen)); number += 1)
      chosen = `${name} (${number})`;
    seen.add(chosen);
    return chosen;
  });
}

function parsed<T>(bytes: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

function json(value: unknown): LocalAnswer {
  return { status: 200, type: JSON_TYPE, bytes: new TextEncoder().encode(JSON.stringify(value)) };
}

function failed(status: number, sentence: string): LocalAnswer {
  return { ...refusal(status, sentence), type: JSON_TYPE };
}
