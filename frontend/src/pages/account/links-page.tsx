import { useCallback, useEffect, useState } from "react";
import { isAbort, sentenceOf } from "../../api/errors.ts";
import { ownerApi } from "../../api/session/session.ts";
import type { SharedAnalysis } from "../../api/types.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Link } from "../../ui/page/link.tsx";
import { TopBar } from "../../ui/page/top-bar.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";
import { ShareRows } from "../share/share-rows.tsx";
import "./account.css";

/** Everything that was shared, with what may be done about it. */
export function LinksPage() {
  const [shares, setShares] = useState<readonly SharedAnalysis[] | null>(null);
  const { busy, problem, setProblem, act } = useAct();

  const reload = useCallback(() => {
    ownerApi.shares.all().then(setShares, (error: unknown) => {
      if (!isAbort(error)) setProblem(sentenceOf(error));
    });
  }, [setProblem]);
  useEffect(() => {
    document.title = "Shared links · NumaLens";
    reload();
  }, [reload]);
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
        <Problem sentence={problem} />
        {shares?.length === 0 && <p>Nothing is shared. An analysis has a button for it, at the top right.</p>}
        {shares !== null && shares.length > 0 && (
          <ShareRows
            shares={shares}
            busy={busy}
            onRevoke={(share) => act(ownerApi.shares.revoke(share.analysis_id, share.id), reload)}
            onExtend={(share, seconds) =>
              act(ownerApi.shares.extend(share.analysis_id, share.id, seconds), reload)
            }
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
