import { useCallback, useMemo, useState } from "react";
import { ApiError } from "../../api/client.ts";
import type { Api } from "../../api/routes/service.ts";
import type { AnalysisDetail, Finding, ListedReport, Revision } from "../../api/types.ts";
import { keyFindings } from "../../lib/findings.ts";
import { formatCount, formatWhen } from "../../lib/format.ts";
import { reportPath, sharedReportPath } from "../../lib/routes.ts";
import { viewOf } from "../../tabs/index.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Button, InlineSelect } from "../../ui/fields.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import type { DrawerViewName } from "../../view-state/tab-views.ts";
import { encodeView, type ViewState } from "../../view-state/view-state.ts";
import { appended, blockText, type ViewKind } from "./blocks/report-block.ts";
import { skeleton, skeletonTitle } from "./report-skeleton.ts";
import "./report.css";
import { Problem } from "../../ui/section-parts.tsx";
import { useAct, useLoad } from "../../ui/use-load.ts";
import { ExpiryField, expirySeconds, ForField, NewLink, USUAL_EXPIRY } from "../share/share-fields.tsx";

interface Props {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly view: ViewState;
  /** The window in one sentence; null while unknown. */
  readonly headline: string | null;
  readonly findings: readonly Finding[];
  readonly onClose: () => void;
}

/** The reports about an analysis: to read, to begin one, and to put what is shown into one. */
export default function ReportDialog({ api, analysis, view, headline, findings, onClose }: Props) {
  const { id } = analysis;
  const { token } = api;
  const load = useCallback(() => api.reports.list(id), [api, id]);
  const { answer: reports, problem: unread } = useLoad(load);
  const { busy, problem, act } = useAct();
  const [kind, setKind] = useState<ViewKind>("timeline");
  const [put, setPut] = useState<string | null>(null);
  const ranked = useMemo(() => keyFindings(findings), [findings]);

  const start = async () => {
    const text = skeleton({ analysis, headline, findings: ranked, chosen: view.finding, view });
    const { id: made } = await api.reports.create(id, skeletonTitle({ analysis }), text);
    navigate(reportPath(id, made, true));
  };
  const insert = async (report: string) => {
    await insertView(api, id, report, blockText(kind, id, encodeView(view)));
    setPut(report);
  };
  const owner = analysis.access === "owner";
  return (
    <Dialog title="Reports" onClose={onClose} className="report-dialog">
      <p className="muted">
        {owner
          ? "A report is text with interactive views: readers can move them. Everyone with a link to this analysis may read its reports."
          : "Reports about this analysis."}
      </p>
      {owner && (
        <div className="report-start">
          <Button className="primary" disabled={busy} onClick={() => act(start())}>
            Start a report
          </Button>
          <span className="muted">
            {ranked.length === 0
              ? "with this view"
              : view.finding === null
                ? "from the worst findings"
                : "from the chosen finding and the worst others"}
          </span>
        </div>
      )}
      {reports !== null && reports.length > 0 && owner && (
        <p>
          <InlineSelect label="Put into a report:" value={kind} choices={kindsOf(view)} onChoose={setKind} />
        </p>
      )}
      {reports !== null && reports.length === 0 && <p className="muted">No reports yet.</p>}
      {reports !== null && reports.length > 0 && (
        <table className="grid-table" data-testid="report-list">
          <tbody>
            {reports.map((report) => (
              <ReportRow
                key={report.id}
                report={report}
                to={token === null ? reportPath(id, report.id) : sharedReportPath(token, report.id)}
                inserted={put === report.id}
                busy={busy}
                onInsert={owner ? () => act(insert(report.id)) : null}
              />
            ))}
          </tbody>
        </table>
      )}
      <Problem sentence={problem ?? unread} />
    </Dialog>
  );
}

interface RowProps {
  readonly report: ListedReport;
  readonly to: string;
  readonly inserted: boolean;
  readonly busy: boolean;
  /** null without that right. */
  readonly onInsert: (() => void) | null;
}

function ReportRow({ report, to, inserted, busy, onInsert }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <Link to={to}>{report.title}</Link>
      </th>
      <td className="muted">{formatWhen(report.changed_at)}</td>
      {onInsert && (
        <td>
          <Button disabled={busy} onClick={onInsert} aria-label={`Insert this view into ${report.title}`}>
            Insert this view
          </Button>{" "}
          {inserted && <span role="status">Inserted.</span>}
        </td>
      )}
    </tr>
  );
}

/** Appends the view to the report. If another user saved first, it is tried again on top of their text. */
async function insertView(api: Api, id: string, report: string, block: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { title, text, revision } = await api.reports.one(id, report, new AbortController().signal);
    try {
      await api.reports.save(id, report, { title, text: appended(text, block), revision });
      return;
    } catch (error) {
      if (tries >= 2 || !(error instanceof ApiError) || error.status !== 409) throw error;
    }
  }
}

/** Views whose table a report can show. */
const TABLES: ReadonlySet<DrawerViewName | "none"> = new Set([
  "findings",
  "latency",
  "pressure",
  "nodes",
  "ops",
  "vmstat",
]);

function kindsOf(view: ViewState): readonly (readonly [ViewKind, string])[] {
  const { drawer, finding, query } = view;
  const shown = drawer !== null && drawer !== "none" && TABLES.has(drawer) ? viewOf(drawer) : undefined;
  return [
    ["timeline", "the timeline"],
    ...(finding === null ? [] : [["finding", "the chosen finding"] as const]),
    ...(shown ? [["table", `the table of ${shown.title}`] as const] : []),
    ...(query === null ? [] : [["sql", "the rows of the query"] as const]),
  ];
}

interface RevisionsDialogProps {
  readonly api: Api;
  readonly id: string;
  readonly report: string;
  /** Number of the published revision. */
  readonly present: number;
  readonly onTake: (revision: Revision) => void;
  readonly onClose: () => void;
}

/** All revisions of a report, including those set aside by another user's save. */
export function RevisionsDialog({ api, id, report, present, onTake, onClose }: RevisionsDialogProps) {
  const load = useCallback(() => api.reports.revisions(id, report), [api, id, report]);
  const { answer: revisions, problem: unread } = useLoad(load);
  const [shown, setShown] = useState<Revision | null>(null);
  const { problem, act } = useAct();
  const show = (number: number) => act(api.reports.revision(id, report, number).then(setShown));
  return (
    <Dialog title="Revisions" onClose={onClose} className="revisions-dialog">
      <div className="revision-list">
        <table className="grid-table" data-testid="revisions">
          <tbody>
            {revisions?.map(({ number, title, aside, saved_at, length }) => (
              <tr key={number} className={shown?.number === number ? "selected" : ""}>
                <th scope="row">
                  <Button className="inline" onClick={() => show(number)}>
                    Revision {number}
                  </Button>
                </th>
                <td>
                  {number === present ? "what readers see" : aside ? "saved aside, never published" : ""}
                </td>
                <td className="muted">{formatWhen(saved_at)}</td>
                <td className="num right">{formatCount(length)} characters</td>
                <td className="muted">{title}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown && (
        <>
          <p>
            <Button className="primary" onClick={() => onTake(shown)}>
              Take revision {shown.number} into the editor
            </Button>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by the keyboard, too */}
          <pre className="revision-text" tabIndex={0}>
            {shown.text}
          </pre>
        </>
      )}
      <Problem sentence={problem ?? unread} />
    </Dialog>
  );
}

interface ReportShareProps {
  readonly api: Api;
  readonly id: string;
  readonly report: string;
  readonly onClose: () => void;
}

/** A link that opens the report, and by it the analysis that its views are of. */
export function ReportShare({ api, id, report, onClose }: ReportShareProps) {
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
        Everyone with the link can read this report and see its analysis, with the names of tasks and cgroups.
        Views of other analyses stay closed. Links are revoked under “Shared links”.
      </p>
      <div className="share-create">
        <ForField value={name} onChange={setName} hint="recipient or purpose (only you see it)" />
        <ExpiryField value={expiry} onChange={setExpiry} />
        <Button className="primary" onClick={() => act(create())}>
          Create link
        </Button>
      </div>
      {link !== null && <NewLink secret={link} label="Link to this report" testId="share-link" />}
      <Problem sentence={problem} />
    </Dialog>
  );
}
