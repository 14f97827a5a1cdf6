import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { Api } from "../../api/routes/service.ts";
import { formatWhen } from "../../lib/format.ts";
import { sharedPath } from "../../lib/routes.ts";
import { Message, TopBar } from "../../ui/page/top-bar.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { AnalysisPage } from "../analysis/analysis-page.tsx";
import { allowedWords } from "../share/share-fields.tsx";

interface Props {
  readonly token: string;
  readonly query: string;
  /** The report that it opens; null for the analysis itself. */
  readonly report: string | null;
}

const ReportPage = lazy(async () => ({ default: (await import("../report/report-page.tsx")).ReportPage }));

const RETRY_MS = 2000;
const INCOMPLETE =
  "This link is incomplete: the part after # is missing. Ask for it again, and copy the whole link.";
const ENDED = "It expired or was revoked while you had it open. Ask its owner for a new one.";
const WRONG =
  "This link is wrong: the part after # is not a valid share token. Ask for it again, and copy the whole link.";

const LOOK_MS = 15_000;
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** Reason for which an open link no longer works: checked regularly, and when the user returns to the page. */
function useEnd(api: Api | null, id: string): string | null {
  const [ended, setEnded] = useState<string | null>(null);
  useEffect(() => {
    if (!api) return undefined;
    const stop = new AbortController();
    const look = () =>
      void api.analyses.one(id, stop.signal).catch((error: unknown) => {
        // No answer at all says nothing of the link.
        const status = error instanceof ApiError ? error.status : 0;
        if (GONE.has(status)) setEnded(ENDED);
      });
    const timer = setInterval(look, LOOK_MS);
    window.addEventListener("focus", look);
    return () => {
      stop.abort();
      clearInterval(timer);
      window.removeEventListener("focus", look);
    };
  }, [api, id]);
  return ended;
}

/** A shared link: the token is exchanged once, then the analysis is shown read-only at the stored view. */
export function SharedPage({ token, query, report }: Props) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: query and report change as the reader moves; the link does not
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (token === "") throw new Error(window.location.hash.length > 1 ? WRONG : INCOMPLETE);
      const share = await new Api().shares.open(token);
      // A reload keeps the reader's own window; the first visit takes the sharer's.
      if (query === "" && report === null && !signal.aborted)
        window.history.replaceState(null, "", sharedPath(token, share.view));
      return { share, api: new Api(token) };
    },
    [token],
  );
  const { answer: opened, problem } = useLoad(load, (_, status) => (status === 0 ? RETRY_MS : 0));
  const ended = useEnd(opened?.api ?? null, opened?.share.analysis_id ?? "");
  const path = useCallback((view: string) => sharedPath(token, view), [token]);
  if (opened && ended === null) {
    const until = opened.share.expires_at;
    const banner = (
      <p className="banner" role="status">
        Shared view, for {allowedWords(opened.share.may)}.
        {until === null ? "" : ` The link works until ${formatWhen(until)}.`}
      </p>
    );
    const { analysis_id: id } = opened.share;
    if (report !== null) {
      return (
        <Suspense fallback={<div className="page" />}>
          <ReportPage key={report} api={opened.api} id={id} reportId={report} banner={banner} />
        </Suspense>
      );
    }
    return <AnalysisPage api={opened.api} id={id} path={path} banner={banner} />;
  }
  return (
    <div className="page">
      <TopBar linked={false} />
      {ended !== null ? (
        <Message title="This link has expired or was revoked" sentence={ended} />
      ) : problem === null ? (
        <main className="message" />
      ) : (
        <Message title="This link does not work" sentence={problem} />
      )}
    </div>
  );
}
