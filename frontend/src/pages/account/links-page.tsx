import { ownerApi } from "../../api/session/session.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Link } from "../../ui/page/link.tsx";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";
import { useLoad } from "../../ui/use-load.ts";
import { ShareRows } from "../share/share-rows.tsx";
import "./account.css";

const fetchShares = () => ownerApi.shares.all();

/** Everything that was shared, with what may be done about it. */
export function LinksPage() {
  const { answer: shares, problem: unread, reload } = useLoad(fetchShares);
  const { busy, problem, act } = useAct();
  useTitle("Shared links");
  return (
    <div className="page">
      <TopBar here="shared links" />
      <main className="links-page">
        <h1>Shared links</h1>
        <Problem sentence={problem ?? unread} />
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
