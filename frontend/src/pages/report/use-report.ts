import { useCallback, useEffect, useMemo, useState } from "react";
import { browserStore } from "../../analysis/live-sql.ts";
import { ApiError, isAbort, sentenceOf } from "../../api/client.ts";
import type { Api } from "../../api/routes/service.ts";
import type { WrittenReport } from "../../api/types.ts";

/** A report that is read, written and saved: its current text, the writer's draft, and the actions when both changed. */

/** Another user saved since the writer began. */
export interface Clash {
  readonly sentence: string;
  readonly theirs: WrittenReport;
}

export interface LiveReport {
  /** Report as readers see it; null until it is loaded. */
  readonly report: WrittenReport | null;
  readonly problem: string | null;
  /** Draft of the writer; the report's text until it is edited. */
  readonly draft: Draft | null;
  readonly unsaved: boolean;
  /** True for text from an earlier session that was not saved then. */
  readonly found: boolean;
  readonly saving: boolean;
  readonly refused: string | null;
  readonly clash: Clash | null;
  readonly change: (words: Partial<Pick<Draft, "title" | "text">>) => void;
  readonly save: () => void;
  /** Overwrites another user's text, which stays among the revisions. */
  readonly saveOver: () => void;
  /** Discards the writer's own text in favor of the published one. */
  readonly discard: () => void;
}

const KEEP_MS = 400;

export function useReport(api: Api, id: string, reportId: string): LiveReport {
  const [report, setReport] = useState<WrittenReport | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [found, setFound] = useState(false);
  const [saving, setSaving] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const [clash, setClash] = useState<Clash | null>(null);
  const owner = api.token === null;
  const store = useMemo(() => new DraftStore(owner ? browserStore() : null, reportId), [owner, reportId]);

  useEffect(() => {
    const stop = new AbortController();
    api.reports.one(id, reportId, stop.signal).then(
      (saved) => {
        const kept = store.read();
        setReport(saved);
        setDraft(kept && differs(kept, saved) ? kept : wordsOf(saved));
        setFound(kept !== null && differs(kept, saved));
      },
      (error: unknown) => {
        if (!isAbort(error) && !stop.signal.aborted) setProblem(sentenceOf(error));
      },
    );
    return () => stop.abort();
  }, [api, id, reportId, store]);

  const unsaved = report !== null && draft !== null && differs(draft, report);
  useKept(store, report && draft, unsaved);

  const saveFrom = useCallback(
    (words: Draft) => {
      setSaving(true);
      setRefused(null);
      api.reports
        .save(id, reportId, words)
        .then(
          (saved) => {
            setReport(saved);
            setClash(null);
            setFound(false);
            // What was typed in the meantime continues from here.
            setDraft((now) => (now ? { ...now, revision: saved.revision } : now));
          },
          async (error: unknown) => {
            if (error instanceof ApiError && error.status === 409 && "kept" in error.details) {
              const theirs = await api.reports.one(id, reportId, new AbortController().signal);
              setClash({ sentence: error.message, theirs });
            } else setRefused(sentenceOf(error));
          },
        )
        .catch((error: unknown) => setRefused(sentenceOf(error)))
        .finally(() => setSaving(false));
    },
    [api, id, reportId],
  );

  return {
    report,
    problem,
    draft,
    unsaved,
    found,
    saving,
    refused,
    clash,
    change: (words) => setDraft((now) => now && { ...now, ...words }),
    save: () => {
      if (draft && unsaved && !saving) saveFrom(draft);
    },
    saveOver: () => {
      if (draft && clash) saveFrom({ ...draft, revision: clash.theirs.revision });
    },
    discard: () => {
      const now = clash?.theirs ?? report;
      if (!now) return;
      setReport(now);
      setDraft(wordsOf(now));
      setClash(null);
      setFound(false);
    },
  };
}

/** Keeps unsaved text beyond the page; `draft` is null before the report is loaded. */
function useKept(store: DraftStore, draft: Draft | null, unsaved: boolean) {
  useEffect(() => {
    if (!draft) return undefined;
    if (!unsaved) {
      store.clear();
      return undefined;
    }
    const keep = () => store.write(draft);
    const timer = setTimeout(keep, KEEP_MS);
    const request = (event: BeforeUnloadEvent) => {
      keep();
      event.preventDefault();
    };
    window.addEventListener("beforeunload", request);
    return () => {
      clearTimeout(timer);
      keep();
      window.removeEventListener("beforeunload", request);
    };
  }, [store, draft, unsaved]);
}

function wordsOf({ title, text, revision }: WrittenReport): Draft {
  return { title, text, revision };
}

function differs(draft: Draft, { title, text }: WrittenReport): boolean {
  return draft.title !== title || draft.text !== text;
}

/** Unsaved text: a closed browser, or an unavailable server, must not lose it. */

export interface Draft {
  readonly title: string;
  readonly text: string;
  /** The revision that they began from. */
  readonly revision: number;
}

const PREFIX = "numalens.report-draft.";

export class DraftStore {
  readonly #store: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  readonly #key: string;

  /** @param store null where the browser has none */
  constructor(store: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null, report: string) {
    this.#store = store;
    this.#key = PREFIX + report;
  }

  /** null without a draft, and for an invalid one. */
  read(): Draft | null {
    try {
      const parsed: unknown = JSON.parse(this.#store?.getItem(this.#key) ?? "null");
      if (typeof parsed !== "object" || parsed === null) return null;
      const { title, text, revision } = parsed as Partial<Record<keyof Draft, unknown>>;
      if (typeof title !== "string" || typeof text !== "string" || typeof revision !== "number") return null;
      return { title, text, revision };
    } catch {
      return null;
    }
  }

  /** A store that is full keeps what it had; the words are still in the editor. */
  write(draft: Draft): void {
    try {
      this.#store?.setItem(this.#key, JSON.stringify(draft));
    } catch {
      this.#store?.removeItem(this.#key);
    }
  }

  clear(): void {
    this.#store?.removeItem(this.#key);
  }
}
