/** Analyses: to list, make, change, copy, read again, and put side by side. */

import { of, Routes, take } from "../client.ts";
import {
  type Analysis,
  type AnalysisChange,
  type AnalysisDetail,
  type Comparison,
  type CopyWish,
  nsParam,
  type TimeWindow,
} from "../types.ts";

/** Options for importing an analysis again; missing fields keep their values. */
export interface Reading {
  readonly tolerant?: boolean;
  /** Shown name of an input to ns, replaces all earlier ones. */
  readonly offsets?: Readonly<Record<string, string>>;
  /** Finished uploads to be added to the files. */
  readonly uploads?: readonly string[];
}

/** First bytes of all files together, such that a request stays below the service's limit. */
const MOST_HEADS = 600_000;
const MOST_HEAD = 65_536;

export interface CompareQuery {
  /** `,` between sides, `:` between the runs of one. */
  readonly ids: string;
  readonly base: number;
  readonly stepNs: number | null;
  readonly windows: ReadonlyMap<number, TimeWindow>;
}

export class AnalysesApi extends Routes {
  async list(signal?: AbortSignal): Promise<Analysis[]> {
    return (await take(this.routes.GET("/api/v1/analyses", { signal: signal ?? null }))).analyses;
  }

  one(id: string, signal?: AbortSignal): Promise<AnalysisDetail> {
    return take(this.routes.GET("/api/v1/analyses/{analysis_id}", { ...of(id), signal: signal ?? null }));
  }

  /** By file: why it cannot be read, from its first bytes; null for those that can. */
  async refused(files: readonly File[]): Promise<(string | null)[]> {
    const most = Math.min(MOST_HEAD, Math.floor(MOST_HEADS / files.length));
    const starts = files.map(async (file) => ({
      name: file.name,
      bytes: file.size,
      head: base64Of(new Uint8Array(await file.slice(0, most).arrayBuffer())),
    }));
    const body = { files: await Promise.all(starts) };
    return (await take(this.routes.POST("/api/v1/uploads/recognition", { body }))).refused;
  }

  create(uploads: string[], title: string | null): Promise<Analysis> {
    return take(this.routes.POST("/api/v1/analyses", { body: { uploads, title, tolerant: false } }));
  }

  /** Changes fields; missing ones keep their values. */
  change(id: string, change: AnalysisChange): Promise<Analysis> {
    return take(this.routes.PATCH("/api/v1/analyses/{analysis_id}", { ...of(id), body: change }));
  }

  /** Queues a copy for others: an analysis of its own with a part of this one. */
  copy(id: string, wish: CopyWish): Promise<Analysis> {
    return take(this.routes.POST("/api/v1/analyses/{analysis_id}/copies", { ...of(id), body: wish }));
  }

  /** Queues another reading of the stored files; what is there now stays in use until it has succeeded. */
  reread(id: string, { tolerant, offsets, uploads = [] }: Reading): Promise<Analysis> {
    return take(
      this.routes.POST("/api/v1/analyses/{analysis_id}/reread", {
        ...of(id),
        body: { tolerant: tolerant ?? null, offsets: offsets ? { ...offsets } : null, uploads: [...uploads] },
      }),
    );
  }

  async delete(id: string, options: Pick<RequestInit, "keepalive"> = {}): Promise<void> {
    await take(this.routes.DELETE("/api/v1/analyses/{analysis_id}", { ...of(id), ...options }));
  }

  /** Analyses side by side. `windows` are by place among all of them. */
  compare({ ids, base, stepNs, windows }: CompareQuery, signal: AbortSignal): Promise<Comparison> {
    const parts = [...windows].map(([place, { from, to }]) => `${place}:${nsParam(from)}-${nsParam(to)}`);
    return take(
      this.routes.GET("/api/v1/compare", {
        params: {
          query: {
            ids,
            base,
            decisions: true,
            ...(stepNs === null ? {} : { step_ns: stepNs }),
            ...(parts.length === 0 ? {} : { window: parts }),
          },
        },
        signal,
      }),
    );
  }
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
