import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { ApiError, sentenceOf } from "../../api/errors.ts";
import { Api } from "../../api/routes/service.ts";
import type { OpenedShare } from "../../api/types.ts";
import { formatWhen } from "../../lib/format.ts";
import { sharedPath } from "../../lib/routes.ts";
import { Message } from "../../ui/page/message.tsx";
import { TopBar } from "../../ui/page/top-bar.tsx";
import { AnalysisPage } from "../analysis/analysis-page.tsx";
import { allowedWords } from "../share/share-expiry.ts";

interface Props {
  readonly token: string;
  readonly query: string;
  /** The report that it opens; null for the analysis itself. */
  readonly report: string | null;
}

const ReportPage = lazy(async () => ({ default: (await import("../report/report-page.tsx")).ReportPage }));

const RETRY_MS = 2000;

/** A shared link: the token is exchanged once, then the analysis is shown read-only at the stored view. */
export function SharedPage({ token, query, report }: Props) {
  const [opened, setOpened] = useState<{ share: OpenedShare; api: Api } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: query and report change as the reader moves; the link does not
  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (token === "") {
      setProblem(
        "This link is incomplete: the part after # is missing. Ask for it again, and copy all of it.",
      );
      return undefined;
    }
    new Api().shares.open(token).then(
      (share) => {
        if (stopped) return;
        // A reload keeps the reader's own window; the first visit takes the sharer's.
        if (query === "" && report === null)
          window.history.replaceState(null, "", sharedPath(token, share.view));
        setOpened({ share, api: new Api(token) });
      },
      (error: unknown) => {
        if (stopped) return;
        setProblem(sentenceOf(error));
        if (error instanceof ApiError && error.status === 0)
          timer = setTimeout(() => setAttempt((n) => n + 1), RETRY_MS);
      },
    );
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [token, attempt]);

  const path = useCallback((view: string) => sharedPath(token, view), [token]);
  if (opened) {
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
      {problem === null ? (
        <main className="message" />
      ) : (
        <Message title="This link opens nothing" sentence={problem} />
      )}
    </div>
  );
}
