import { useState } from "react";
import type { Api } from "../../api/routes/service.ts";
import { sharedReportPath } from "../../lib/routes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct } from "../../ui/use-act.ts";
import { expirySeconds, USUAL_EXPIRY } from "../share/share-expiry.ts";
import { ExpiryField, ForField, NewLink } from "../share/share-fields.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly report: string;
  readonly onClose: () => void;
}

/** A link that opens the report, and by it the analysis that its views are of. */
export function ReportShare({ api, id, report, onClose }: Props) {
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState(USUAL_EXPIRY);
  const [link, setLink] = useState<string | null>(null);
  const { problem, act } = useAct();
  const create = async () => {
    const wish = { name, may: [], expires_in_s: expirySeconds(expiry), view: "" };
    const { token } = await api.shares.create(id, wish);
    setLink(new URL(sharedReportPath(token, report), location.origin).href);
  };
  return (
    <Dialog title="Share this report" onClose={onClose} className="share-dialog">
      <p className="muted">
        Whoever has the link reads this report and sees its analysis, with the names of tasks and cgroups.
        Views of other analyses stay closed to them. Links are revoked under “Shared links”.
      </p>
      <div className="share-create">
        <ForField value={name} onChange={setName} hint="recipient or purpose (only you see it)" />
        <ExpiryField value={expiry} onChange={setExpiry} />
        <button type="button" className="primary" onClick={() => act(create())}>
          Create link
        </button>
      </div>
      {link !== null && <NewLink secret={link} label="Link to this report" testId="share-link" />}
      <Problem sentence={problem} />
    </Dialog>
  );
}
