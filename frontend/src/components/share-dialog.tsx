import { useCallback, useEffect, useId, useState } from "react";
import { type Api, sentenceOf } from "../data/api.ts";
import type { Analysis, CreatedShare, May, Share } from "../data/types.ts";
import { type CopyChoice, copyView, copyWish, isCopy, WHOLE } from "../logic/copy-wish.ts";
import { formatAbs } from "../logic/format.ts";
import type { AbsWindow } from "../logic/ranges.ts";
import { EXPIRIES, expirySeconds, USUAL_EXPIRY } from "../logic/share-ends.ts";
import { encodeView, type ViewState } from "../logic/view-state.ts";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { PeoplePart } from "./people-part.tsx";
import { ShareRows } from "./share-rows.tsx";
import { useWho } from "./tab.ts";

interface Props {
  readonly api: Api;
  readonly id: string;
  /** The view that the link opens. */
  readonly view: ViewState;
  readonly window: AbsWindow;
  /** The task that is selected. */
  readonly task: { readonly pid: number; readonly name: string } | null;
  readonly onClose: () => void;
}

const RIGHTS: readonly (readonly [May, string])[] = [
  ["comment", "write notes"],
  ["download", "download events"],
];

export function ShareDialog({ api, id, view, window, task, onClose }: Props) {
  const [shares, setShares] = useState<readonly Share[]>([]);
  const [created, setCreated] = useState<CreatedShare | null>(null);
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState(USUAL_EXPIRY);
  const [may, setMay] = useState<readonly May[]>([]);
  const [whole, setWhole] = useState(false);
  const [part, setPart] = useState(WHOLE);
  const [copying, setCopying] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useId();
  const named = (useWho().info?.sign_in ?? "none") !== "none";

  const reload = useCallback(() => {
    api.shares(id).then(setShares, (error: unknown) => setProblem(sentenceOf(error)));
  }, [api, id]);
  useEffect(reload, [reload]);

  const act = (work: Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    work
      .catch((error: unknown) => setProblem(sentenceOf(error)))
      .finally(() => {
        setBusy(false);
        reload();
      });
  };
  const create = async () => {
    const wish = { name, may: [...may], expires_in_s: expirySeconds(expiry) };
    if (!isCopy(part)) return api.createShare(id, { ...wish, view: whole ? "" : encodeView(view) });
    setCopying(true);
    try {
      const copy = await untilReady(api, await api.createCopy(id, copyWish(part, window, task?.pid ?? null)));
      return await api.createShare(copy, { ...wish, view: whole ? "" : copyView(view) });
    } finally {
      setCopying(false);
    }
  };
  const choice = (key: keyof CopyChoice, words: string) => (
    <label>
      <input
        type="checkbox"
        checked={part[key]}
        onChange={(event) => setPart({ ...part, [key]: event.currentTarget.checked })}
      />{" "}
      {words}
    </label>
  );
  const link = created ? new URL(created.url, location.origin).href : null;
  return (
    <Dialog title="Share this view" onClose={onClose} className="share-dialog">
      {named && <PeoplePart id={id} />}
      {named && <h3>By a link, without signing in</h3>}
      <p className="muted">
        Whoever has the link sees this analysis: names of tasks and cgroups are part of it. Nobody sees
        another one by it.
      </p>
      <div className="share-create">
        <label htmlFor={`${field}-name`}>for</label>
        <input
          id={`${field}-name`}
          value={name}
          maxLength={120}
          placeholder="whom or what (only you see it)"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <label htmlFor={`${field}-view`}>opens</label>
        <select
          id={`${field}-view`}
          value={whole ? "whole" : "view"}
          onChange={(event) => setWhole(event.currentTarget.value === "whole")}
        >
          <option value="view">exactly this view</option>
          <option value="whole">the analysis from its beginning</option>
        </select>
        <label htmlFor={field}>expires after</label>
        <select id={field} value={expiry} onChange={(event) => setExpiry(event.currentTarget.value)}>
          {EXPIRIES.map(([word]) => (
            <option key={word}>{word}</option>
          ))}
        </select>
        {/* biome-ignore lint/a11y/useSemanticElements: a legend cannot stand on the line of what it names */}
        <div role="group" aria-labelledby={`${field}-rights`}>
          <span id={`${field}-rights`}>may also</span>
          {RIGHTS.map(([right, words]) => (
            <label key={right}>
              <input
                type="checkbox"
                checked={may.includes(right)}
                onChange={(event) =>
                  setMay([
                    ...may.filter((had) => had !== right),
                    ...(event.currentTarget.checked ? [right] : []),
                  ])
                }
              />{" "}
              {words}
            </label>
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a legend cannot stand on the line of what it names */}
        <div role="group" aria-labelledby={`${field}-part`}>
          <span id={`${field}-part`}>of a copy with</span>
          {choice("window", `only ${formatAbs(window.from, 3)} to ${formatAbs(window.to, 3)} s`)}
          {task && choice("task", `only ${task.name} ${task.pid}`)}
          {choice("pseudonyms", "pseudonyms for names")}
        </div>
        <button
          type="button"
          className="primary"
          onClick={() => act(create().then(setCreated))}
          disabled={busy}
        >
          {copying ? "Copying…" : "Create link"}
        </button>
      </div>
      {isCopy(part) && (
        <p className="muted">
          The copy is an analysis of its own, replayed from what it has: nothing that was left out is in it.
          {part.task && !part.pseudonyms && " Names of sampled cgroups stay, unless pseudonyms are chosen."}{" "}
          Links to it are revoked and extended under “Shared links”.
        </p>
      )}
      {link !== null && (
        <div className="share-link">
          <input
            readOnly
            value={link}
            aria-label="Link to this view"
            data-testid="share-link"
            onFocus={(event) => event.currentTarget.select()}
          />
          <CopyButton text={link} label="Copy the link" word="Copy link" />
          <p className="muted">This address is shown only now; the server keeps no copy of it.</p>
        </div>
      )}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {shares.length > 0 && (
        <>
          <h3>Links of this analysis</h3>
          <ShareRows
            shares={shares}
            busy={busy}
            onRevoke={(share) => act(api.revokeShare(id, share.id))}
            onExtend={(share, seconds) => act(api.extendShare(id, share.id, seconds))}
          />
        </>
      )}
    </Dialog>
  );
}

/** Copies of large recordings take a while; the reader waits here. */
const LOOK_MS = 700;

/** The id of an analysis once it is read. Raises why it could not be. */
async function untilReady(api: Api, analysis: Analysis): Promise<string> {
  let now: Analysis = analysis;
  while (now.status !== "ready") {
    if (now.status === "failed") throw new Error(now.error?.sentence ?? "The copy could not be made.");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    now = await api.analysis(now.id);
  }
  return now.id;
}
