import {
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Api } from "../../api/routes/service.ts";
import { formatWhen } from "../../lib/format.ts";
import { fileStem, literal, plainName } from "../../lib/plain-names.ts";
import { analysisPath, reportPath, sharedPath } from "../../lib/routes.ts";
import { saveBlob } from "../../ui/downloads.tsx";
import { Button } from "../../ui/fields.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import { Message, TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { Markdown } from "./blocks/markdown-view.tsx";
import { withLinks } from "./blocks/report-block.ts";
import { PRINT_WIDTH, PrintQueue, ReportContext, type ReportFrame, Worlds } from "./blocks/report-world.ts";
import { ReportShare, RevisionsDialog } from "./report-dialog.tsx";
import { ReportLines, ReportWriting } from "./report-writing.tsx";
import { type LiveReport, useReport } from "./use-report.ts";
import "./report.css";
import { holdTheme } from "../../ui/canvas/theme.ts";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly reportId: string;
  /** Opens with the editor. */
  readonly editing?: boolean;
  /** Banner above the page: that the report is shared, and until when. */
  readonly banner?: ReactNode;
}

type OpenDialog = "share" | "revisions" | null;

/** A report: read by all viewers of the analysis, written by its owner. */
export function ReportPage({ api, id, reportId, editing = false, banner }: Props) {
  const linked = api.token === null;
  const live = useReport(api, id, reportId);
  // Only for its title: a report is read without it.
  const load = useCallback((signal: AbortSignal) => api.analyses.one(id, signal), [api, id]);
  const { answer: analysis } = useLoad(load);
  const owner = analysis?.access === "owner";
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  const sheet = useRef<HTMLElement>(null);
  const printing = usePrint(sheet);
  const { queue } = printing;
  const frame = useFrame(api, id, queue);
  const { report, draft, problem } = live;
  const writing = owner && editing;
  useTitle(plainName(draft?.title ?? ""));

  if (problem !== null || !report || !draft) {
    return <Unshown linked={linked} id={id} problem={problem} banner={banner} />;
  }
  const back = api.token === null ? analysisPath(id, "") : sharedPath(api.token, "");
  const shown = (
    <Sheet
      sheet={sheet}
      title={draft.title}
      text={draft.text}
      changed={report.changed_at}
      printed={queue !== null}
    />
  );
  return (
    <ReportContext value={frame}>
      <div className={writing && !queue ? "page page-full report-page" : "page report-page"}>
        {banner}
        <TopBar
          linked={linked}
          crumbs={
            <>
              {linked && <Link to="/">analyses</Link>}
              <Link to={back}>{analysis?.title ?? "the analysis"}</Link>
              <span className="title">{draft.title}</span>
            </>
          }
          actions={
            <Actions
              live={live}
              owner={owner}
              writing={writing}
              onWrite={(on) => navigate(reportPath(id, reportId, on))}
              onDialog={setDialog}
              onPrint={printing.start}
            />
          }
        />
        {owner && <ReportLines live={live} />}
        {queue && <PrintLine printing={printing} />}
        {writing && !queue ? <ReportWriting live={live}>{shown}</ReportWriting> : shown}
        {dialog === "share" && <ReportShare api={api} id={id} report={reportId} onClose={close} />}
        {dialog === "revisions" && (
          <RevisionsDialog
            api={api}
            id={id}
            report={reportId}
            present={report.revision}
            onTake={({ title: taken, text }) => {
              live.change({ title: taken, text });
              close();
              if (!writing) navigate(reportPath(id, reportId, true));
            }}
            onClose={close}
          />
        )}
      </div>
    </ReportContext>
  );
}

interface UnshownProps extends Pick<Props, "id" | "banner"> {
  readonly linked: boolean;
  /** null while it is on its way. */
  readonly problem: string | null;
}

function Unshown({ linked, id, problem, banner }: UnshownProps) {
  return (
    <div className="page">
      {banner}
      <TopBar linked={linked} />
      {problem === null ? (
        <main className="message" />
      ) : (
        <Message title="This report cannot be shown" sentence={problem}>
          {linked && <Link to={analysisPath(id, "")}>The analysis</Link>}
        </Message>
      )}
    </div>
  );
}

/** Common context of a report's views. */
function useFrame(api: Api, id: string, queue: PrintQueue | null): ReportFrame {
  const worlds = useMemo(() => new Worlds(api), [api]);
  return useMemo(
    () => ({
      worlds,
      queue,
      pathOf: (of: string, query: string) =>
        api.token === null ? analysisPath(of, query) : of === id ? sharedPath(api.token, query) : null,
    }),
    [worlds, queue, api, id],
  );
}

function PrintLine({ printing }: { readonly printing: Printing }) {
  const { ready, drawn, views, end } = printing;
  return (
    <div className="banner report-printing" role="status" data-testid="printing" data-ready={ready}>
      <span>{ready ? "Print preview." : `Drawing the views for paper: ${drawn} of ${views}.`}</span>
      <Button disabled={!ready} onClick={() => window.print()}>
        Print
      </Button>
      <Button onClick={end}>Back to the report</Button>
    </div>
  );
}

interface SheetProps {
  readonly sheet: { current: HTMLElement | null };
  readonly title: string;
  readonly text: string;
  readonly changed: string;
  readonly printed: boolean;
}

function Sheet({ sheet, title, text, changed, printed }: SheetProps) {
  // Typing comes before what it gives.
  const later = useDeferredValue(text);
  return (
    <main
      className={printed ? "report printed" : "report"}
      ref={sheet}
      {...(printed ? { style: { width: PRINT_WIDTH } } : {})}
      data-testid="report"
    >
      <h1>{title}</h1>
      <p className="muted report-when">{formatWhen(changed)}</p>
      <Markdown text={later} />
    </main>
  );
}

interface ActionProps {
  readonly live: LiveReport;
  readonly owner: boolean;
  readonly writing: boolean;
  readonly onWrite: (on: boolean) => void;
  readonly onDialog: (dialog: OpenDialog) => void;
  readonly onPrint: () => void;
}

function Actions({ live, owner, writing, onWrite, onDialog, onPrint }: ActionProps) {
  const { draft, unsaved, saving, save, report } = live;
  const file = () => {
    if (!draft) return;
    const text = `# ${literal(draft.title)}\n\n${withLinks(draft.text, location.origin)}`;
    saveBlob(new Blob([text], { type: "text/markdown;charset=utf-8" }), `${fileStem(draft.title)}.md`);
  };
  return (
    <>
      {owner && writing && (
        <>
          <span className="muted" role="status" data-testid="saved">
            {saving ? "saving…" : unsaved ? "not saved" : `saved, revision ${report?.revision ?? 1}`}
          </span>
          <Button
            className="primary"
            disabled={!unsaved || saving || draft?.title.trim() === ""}
            onClick={save}
            title="Save (Ctrl s)"
          >
            Save
          </Button>
        </>
      )}
      {owner && (
        <Button className="quiet" onClick={() => onWrite(!writing)}>
          {writing ? "Read" : "Edit"}
        </Button>
      )}
      {owner && (
        <Button className="quiet" onClick={() => onDialog("revisions")}>
          Revisions
        </Button>
      )}
      <Button className="quiet" onClick={file} title="Save as Markdown, views as links">
        .md
      </Button>
      <Button className="quiet" onClick={onPrint} title="Draws every view first (Ctrl p)">
        Print / PDF
      </Button>
      {owner && (
        <Button className="primary" onClick={() => onDialog("share")}>
          Share
        </Button>
      )}
    </>
  );
}

/** Makes a report ready to be printed: every view drawn, in light colours, before the browser prints. */

export interface Printing {
  /** null on the screen. */
  readonly queue: PrintQueue | null;
  readonly drawn: number;
  readonly views: number;
  /** All of them are drawn. */
  readonly ready: boolean;
  readonly start: () => void;
  readonly end: () => void;
}

const LOOK_MS = 120;
const AT_SCREEN = { drawn: 0, views: 0, ready: false };

/** @param sheet where the views are */
export function usePrint(sheet: RefObject<HTMLElement | null>): Printing {
  const [queue, setQueue] = useState<PrintQueue | null>(null);
  const [state, setState] = useState(AT_SCREEN);
  useEffect(() => {
    if (!queue) return undefined;
    holdTheme("light");
    const timer = setInterval(() => {
      const views = [...(sheet.current?.querySelectorAll<HTMLElement>(".live-view") ?? [])];
      const drawn = views.filter((view) => view.dataset["drawn"] === "true").length;
      const ready = sheet.current !== null && drawn === views.length;
      setState({ drawn, views: views.length, ready });
      if (!ready) return;
      clearInterval(timer);
      // What says so is on the page before the browser's own dialog holds everything up.
      setTimeout(() => window.print(), LOOK_MS);
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
      holdTheme(null);
      setState(AT_SCREEN);
    };
  }, [queue, sheet]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "p" || queue) return;
      // The browser would print what happens to be drawn.
      event.preventDefault();
      setQueue(new PrintQueue());
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [queue]);
  return {
    queue,
    ...state,
    start: () => setQueue(new PrintQueue()),
    end: () => setQueue(null),
  };
}
