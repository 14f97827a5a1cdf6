import { type ReactNode, useCallback, useState } from "react";
import { useAnalysis } from "../../analysis/live-analysis.ts";
import { type Badge, trustBadges } from "../../analysis/trust.ts";
import { firstAddresses, startEarly } from "../../api/prefetch.ts";
import type { Api } from "../../api/routes/service.ts";
import type { PickedFile } from "../../api/session/file-handles.ts";
import { peopleApi, uploads } from "../../api/session/session.ts";
import type { AnalysisDetail, TimelineInfo } from "../../api/types.ts";
import { plural } from "../../lib/format.ts";
import { plainName } from "../../lib/plain-names.ts";
import { comparePath } from "../../lib/routes.ts";
import { RangeCrumbs } from "../../timeline/frame/timeline.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Button } from "../../ui/fields.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import { Message, TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { OwnerContext, PermissionContext } from "../../ui/permissions.ts";
import { Problem } from "../../ui/section-parts.tsx";
import { type Rereading, StageLine, useProgress, useReread } from "../../ui/stage-progress.tsx";
import { TitleField } from "../../ui/title-field.tsx";
import { useDrop } from "../../ui/use-drop.ts";
import { useAct, useLoad } from "../../ui/use-load.ts";
import { AnalysisView, type OpenDialog } from "./analysis-view.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly path: (query: string) => string;
  /** Banner above the page: that the view is shared, and until when. */
  readonly banner?: ReactNode;
}

/** The status of a failure that may pass. */
const AWAY = 0;
const RETRY_MS = 2000;

/** One analysis, in whichever state it is. */
export function AnalysisPage({ api, id, path, banner }: Props) {
  const linked = api.token === null;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [analysis, { limits }] = await Promise.all([api.analyses.one(id, signal), api.info()]);
      return { analysis, limits: { maxLanes: limits.max_lanes, maxPx: limits.max_px } };
    },
    [api, id],
  );
  const { answer, setAnswer, problem, status, reload } = useLoad(load, (_, status) =>
    status === AWAY ? RETRY_MS : 0,
  );
  useTitle(plainName(answer?.analysis.title ?? ""));

  if (problem !== null && !answer) {
    return (
      <Frame linked={linked} banner={banner}>
        <Message title={status === AWAY ? "No answer" : "This analysis cannot be shown"} sentence={problem}>
          {linked && <Link to="/">All analyses</Link>}
        </Message>
      </Frame>
    );
  }
  if (!answer) return <Frame linked={linked} banner={banner} />;
  const { analysis, limits } = answer;
  const owner = analysis.access === "owner";
  const timeline = analysis.timeline;
  if (timeline) {
    return (
      <PermissionContext value={analysis.may}>
        <OwnerContext value={owner}>
          <ReadyAnalysis
            api={api}
            analysis={analysis}
            timeline={timeline}
            limits={limits}
            path={path}
            banner={banner}
            onRenamed={(title) => setAnswer({ ...answer, analysis: { ...analysis, title } })}
            onRead={reload}
          />
        </OwnerContext>
      </PermissionContext>
    );
  }
  return (
    <Frame linked={linked} banner={banner} title={analysis.title}>
      {analysis.status === "failed" ? (
        <FailedAnalysis api={api} analysis={analysis} owner={owner} onRead={reload} />
      ) : (
        <PendingAnalysis analysis={analysis} live={linked} onDone={reload} />
      )}
    </Frame>
  );
}

interface FrameProps {
  /** A shared view has no list to go back to. */
  readonly linked: boolean;
  readonly banner: ReactNode;
  readonly title?: string;
  readonly children?: ReactNode;
}

function Frame({ linked, banner, title, children }: FrameProps) {
  return (
    <div className="page">
      {banner}
      <TopBar
        linked={linked}
        crumbs={
          <>
            {linked && <Link to="/">analyses</Link>}
            {title !== undefined && <span className="title">{title}</span>}
          </>
        }
      />
      {children ?? <main className="message" />}
    </div>
  );
}

function PendingAnalysis({
  analysis,
  live,
  onDone,
}: {
  analysis: AnalysisDetail;
  live: boolean;
  onDone: () => void;
}) {
  const ended = useCallback(
    (ready: boolean) => {
      // What the timeline requests first is under way while the page still makes it.
      if (ready) startEarly(firstAddresses(window.location));
      onDone();
    },
    [onDone],
  );
  const step = useProgress(analysis, live, ended);
  return (
    <main className="message">
      <h1>{analysis.title}</h1>
      {step && <StageLine step={step} />}
      <p className="muted">
        The timeline opens here automatically. You may close this page; the import continues.
      </p>
    </main>
  );
}

interface FailedProps {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly owner: boolean;
  readonly onRead: () => void;
}

function FailedAnalysis({ api, analysis, owner, onRead }: FailedProps) {
  const { problem, act } = useAct();
  const rereading = useReread(api, analysis, onRead);
  const remove = () => act(api.analyses.delete(analysis.id).then(() => navigate("/")));
  const { error } = analysis;
  if (rereading.step) {
    return (
      <main className="message">
        <h1>{analysis.title}</h1>
        <StageLine step={rereading.step} />
      </main>
    );
  }
  // A failure with a place is damage, and damage can be left out; at the very begin it is a file of another kind. A full disk
  // says nothing of the files; other failures would only come again.
  const again = rereading.allowed && error?.again === true;
  const mendable = rereading.allowed && !analysis.tolerant && (error?.offset ?? 0) > 0;
  return (
    <Message
      title="This recording could not be read"
      sentence={error?.sentence ?? "The reason was not recorded."}
    >
      <p className="muted">{adviceFor(mendable, again)}</p>
      {again && (
        <Button className="primary" onClick={() => rereading.start({})}>
          Read again
        </Button>
      )}
      {mendable && (
        <Button className="primary" onClick={() => rereading.start({ tolerant: true })}>
          Read the undamaged parts
        </Button>
      )}
      {owner && (
        <>
          <Button onClick={remove}>Delete this analysis</Button>
          <Link to="/">All analyses</Link>
        </>
      )}
      {(problem ?? rereading.problem) !== null && (
        <span className="problem">{problem ?? rereading.problem}</span>
      )}
    </Message>
  );
}

function adviceFor(mendable: boolean, again: boolean): string {
  if (again) return "The files are fine: they are kept, and can be imported again.";
  if (mendable) {
    return "The parts before and after the damage may still be readable; the page then lists the parts left out. Otherwise check that the file was copied completely, or record again.";
  }
  return "Check by size or checksum that the file was copied completely; otherwise record again.";
}

interface ReadyProps {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly limits: { readonly maxLanes: number; readonly maxPx: number };
  readonly path: (query: string) => string;
  readonly banner: ReactNode;
  readonly onRenamed: (title: string) => void;
  readonly onRead: () => void;
}

const DIALOGS = [
  ["search", "Search", "Find by name (/)"],
  ["palette", "Commands", "Commands (Ctrl k)"],
  ["keys", "Shortcuts", "Shortcuts (?)"],
  ["report", "Reports", "Reports about this analysis (r)"],
  ["save", "Save as HTML", "Save the page with this recording as one file"],
] as const;

function ReadyAnalysis(props: ReadyProps) {
  const { api, analysis, timeline, limits, path, banner, onRenamed, onRead } = props;
  const linked = api.token === null;
  const owner = analysis.access === "owner";
  const state = useAnalysis({ api, id: analysis.id, timeline, inputs: analysis.inputs, limits, path });
  const rereading = useReread(api, analysis, onRead);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const live = state.kind === "live" ? state.live : null;
  const badges = trustBadges(timeline.topology_source, analysis.inputs, timeline.notes);
  return (
    <div className="page page-full">
      {banner}
      <TopBar
        linked={linked}
        crumbs={
          <>
            {linked && <Link to="/">analyses</Link>}
            {owner ? (
              <TitleField api={api} id={analysis.id} title={analysis.title} onRenamed={onRenamed} />
            ) : (
              <span className="title">{analysis.title}</span>
            )}
            {live && <RangeCrumbs stage={live.stage} />}
            <Badges badges={badges} onOpen={() => live?.setDrawer({ tab: "inputs" })} />
          </>
        }
        actions={live && <Actions api={api} analysis={analysis} onDialog={setDialog} onRead={onRead} />}
      />
      <RereadLine rereading={rereading} />
      {linked && <UploadNote note={uploads.noteOf(analysis.id)} />}
      {owner && linked && api.lacks.size === 0 && <DroppedFiles analysis={analysis} />}
      {state.kind === "failed" && <Message title="The timeline cannot be shown" sentence={state.sentence} />}
      {state.kind === "newer" && (
        <Message
          title="This link is newer than this page"
          sentence="The link was made by a later version of NumaLens. Reload the page; if that does not help, update the server."
        />
      )}
      {live && (
        <AnalysisView
          api={api}
          analysis={analysis}
          timeline={timeline}
          live={live}
          dialog={dialog}
          onDialog={setDialog}
          canShare={owner}
          rereading={rereading}
        />
      )}
    </div>
  );
}

/** Files that were left out of the upload. */
function UploadNote({ note }: { readonly note: string | null }) {
  const [read, setRead] = useState(false);
  if (note === null || read) return null;
  return (
    <p className="banner" role="status" data-testid="upload-note">
      {note}
      <Button className="quiet" onClick={() => setRead(true)}>
        Dismiss
      </Button>
    </p>
  );
}

/** Files dropped on an open analysis: asked once, they are added to it or become another one. */
function DroppedFiles({ analysis: { id, rereadable } }: { readonly analysis: AnalysisDetail }) {
  const [picked, setPicked] = useState<readonly PickedFile[]>([]);
  const { busy, problem, act } = useAct();
  const over = useDrop(setPicked);
  if (over) return <p className="drop-veil">Drop to read the files</p>;
  const [first] = picked;
  if (!first) return null;
  const others = picked.length - 1;
  const upload = (target: string | null) => act(uploads.offer(picked, target).then(() => navigate("/")));
  return (
    <Dialog title="Read these files" onClose={() => setPicked([])}>
      <p>
        {first.file.name}
        {others > 0 && ` and ${plural(others, "more file")}`}: add to this analysis, which is then imported
        again, or make a new one?
      </p>
      <Problem sentence={problem} />
      <p>
        {rereadable && (
          <Button className="primary" disabled={busy} onClick={() => upload(id)}>
            Add to this analysis
          </Button>
        )}{" "}
        <Button disabled={busy} onClick={() => upload(null)}>
          Make a new one
        </Button>{" "}
        <Button className="quiet" onClick={() => setPicked([])}>
          Cancel
        </Button>
      </p>
    </Dialog>
  );
}

interface ActionProps extends Pick<ReadyProps, "api" | "analysis" | "onRead"> {
  readonly onDialog: (dialog: OpenDialog) => void;
}

function Actions({ api, analysis, onDialog, onRead }: ActionProps) {
  const linked = api.token === null;
  const absent = new Set<string>();
  if (api.lacks.has("reports")) absent.add("report");
  if (!analysis.may.includes("download")) absent.add("save");
  return (
    <>
      {DIALOGS.filter(([name]) => !absent.has(name)).map(([name, words, title]) => (
        <Button key={name} className="quiet" onClick={() => onDialog(name)} title={title}>
          {words}
        </Button>
      ))}
      {linked && (
        <Link className="quiet-link" to={comparePath(`ids=${analysis.id}`)}>
          Compare with…
        </Link>
      )}
      {analysis.handed_over && <OwnershipTransfer id={analysis.id} onBack={onRead} />}
      {analysis.access === "owner" && (
        <Button className="primary" onClick={() => onDialog("share")} title="Share this view (l)">
          Share
        </Button>
      )}
    </>
  );
}

/** Progress and end of an import while the timeline is open, which stays unchanged until the new one is ready. */
function RereadLine({ rereading: { step, problem } }: { readonly rereading: Rereading }) {
  if (step) {
    return (
      <div className="banner reread">
        <span>The files are being imported again; the current view stays until then.</span>
        <StageLine step={step} />
      </div>
    );
  }
  if (problem === null) return null;
  return (
    <p className="banner problem" role="alert">
      The new import failed; the previous results are shown. {problem}
    </p>
  );
}

/** Always visible: facts that a reader must know before trusting the view. */
export function Badges({
  badges,
  onOpen,
}: {
  readonly badges: readonly Badge[];
  readonly onOpen: () => void;
}) {
  return (
    <span className="badges">
      {badges.map((badge) => (
        <Button key={badge.key} className={`badge badge-${badge.key}`} title={badge.detail} onClick={onOpen}>
          {badge.text}
        </Button>
      ))}
    </span>
  );
}

interface OwnershipTransferProps {
  readonly id: string;
  readonly onBack: () => void;
}

/** Lets a previous owner reclaim a transferred analysis, until its new owner ends that right. */
export function OwnershipTransfer({ id, onBack }: OwnershipTransferProps) {
  const { problem, act } = useAct();
  const take = () => act(peopleApi.takeBack(id).then(onBack));
  return (
    <Button className="quiet" onClick={take} title="You transferred this analysis">
      {problem ?? "Take back"}
    </Button>
  );
}
