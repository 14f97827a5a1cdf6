import { useCallback, useEffect, useState } from "react";
import { Link } from "../components/link.tsx";
import { ShareRows } from "../components/share-rows.tsx";
import { ownerApi } from "../components/tab.ts";
import { TopBar } from "../components/top-bar.tsx";
import { isAbort, sentenceOf } from "../data/api.ts";
import type { SharedAnalysis } from "../data/types.ts";
import { analysisPath } from "../logic/routes.ts";

/** Everything that was shared, with what may be done about it. */
export function LinksPage() {
  const [shares, setShares] = useState<readonly SharedAnalysis[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const reload = useCallback(() => {
    ownerApi.allShares().then(setShares, (error: unknown) => {
      if (!isAbort(error)) setProblem(sentenceOf(error));
    });
  }, []);
  useEffect(() => {
    document.title = "Shared links · NumaLens";
    reload();
  }, [reload]);
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
  return (
    <div className="page">
      <TopBar
        crumbs={
          <>
            <Link to="/">analyses</Link>
            <span>shared links</span>
          </>
        }
      />
      <main className="links-page">
        <h1>Shared links</h1>
        {problem !== null && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {shares?.length === 0 && <p>Nothing is shared. An analysis has a button for it, at the top right.</p>}
        {shares !== null && shares.length > 0 && (
          <ShareRows
            shares={shares}
            busy={busy}
            onRevoke={(share) => act(ownerApi.revokeShare(share.analysis_id, share.id))}
            onExtend={(share, seconds) => act(ownerApi.extendShare(share.analysis_id, share.id, seconds))}
            lead={{
              name: "analysis",
              of: (share) => (
                <Link to={analysisPath(share.analysis_id, share.view)}>{share.analysis_title}</Link>
              ),
            }}
          />
        )}
      </main>
    </div>
  );
}
