import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import { type Badge, trustBadges } from "../../analysis/trust.ts";
import { useAnalysis } from "../../analysis/use-analysis.ts";
import { isAbort, sentenceOf } from "../../api/errors.ts";
import type { Api } from "../../api/routes/service.ts";
import { peopleApi } from "../../api/session/session.ts";
import type { AnalysisDetail, Info, TimelineInfo } from "../../api/types.ts";
import { plainName } from "../../lib/plain-names.ts";
import { comparePath } from "../../lib/routes.ts";
import { RangeCrumbs } from "../../timeline/frame/range-crumbs.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import { Message } from "../../ui/page/message.tsx";
import { TopBar } from "../../ui/page/top-bar.tsx";
import { OwnerContext, PermissionContext } from "../../ui/permissions.ts";
import { StageLine, useProgress } from "../../ui/stage-progress.tsx";
import { TitleField } from "../../ui/title-field.tsx";
import { type Rereading, useReread } from "../../ui/use-reread.ts";
import { AnalysisView, type OpenDialog } from "./analysis-view.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly path: (query: string) => string;
  /** Stands above everything: that the view is shared, and until when. */
  readonly banner?: ReactNode;
}

const DEFAULT_LIMITS = { maxLanes: 64, maxPx: 4096 };
const RETRY_MS = 2000;

/** One analysis, in whichever state it is. */
export function AnalysisPage({ api, id, path, banner }: Props) {
  const [analysis, setAnalysis] = useState<AnalysisDetail | null>(null);
  const [info, setInfo] = useState<Info | null>(null);
  const [problem, setProblem] = useState<{ sentence: string; passing: boolean } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const linked = api.token === null;

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Asked anew whenever `attempt` counts up: after the parsing is done, or after a failure that may pass.
    void attempt;
    Promise.all([api.analyses.one(id, stop.signal), api.info()]).then(
      ([found, server]) => {
        if (stop.signal.aborted) return;
        setAnalysis(found);
        setInfo(server);
        setProblem(null);
      },
      (error: unknown) => {
        if (isAbort(error) || stop.signal.aborted) return;
        const passing = (error as { status?: number }).status === 0;
        setProblem({ sentence: sentenceOf(error), passing });
        if (passing) timer = setTimeout(() => setAttempt((n) => n + 1), RETRY_MS);
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, id, attempt]);

  useEffect(() => {
    document.title = analysis ? `${plainName(analysis.title)} · NumaLens` : "NumaLens";
  }, [analysis]);

  const again = useCallback(() => setAttempt((n) => n + 1), []);
  const limits = useMemo(
    () => (info ? { maxLanes: info.limits.max_lanes, maxPx: info.limits.max_px } : DEFAULT_LIMITS),
    [info],
  );

  if (problem && !analysis) {
    return (
      <Frame linked={linked} banner={banner}>
        <Message
          title={problem.passing ? "No answer" : "This analysis cannot be shown"}
          sentence={problem.sentence}
        >
          {linked && <Link to="/">All analyses</Link>}
        </Message>
      </Frame>
    );
  }
  if (!analysis) return <Frame linked={linked} banner={banner} />;
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
            onRenamed={(title) => setAnalysis({ ...analysis, title })}
            onRead={again}
          />
        </OwnerContext>
      </PermissionContext>
    );
  }
  return (
    <Frame linked={linked} banner={banner} title={analysis.title}>
      {analysis.status === "failed" ? (
        <FailedAnalysis api={api} analysis={analysis} owner={owner} onRead={again} />
      ) : (
        <PendingAnalysis analysis={analysis} live={linked} onDone={again} />
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
  const step = useProgress(analysis, live, onDone);
  return (
    <main className="message">
      <h1>{analysis.title}</h1>
      {step && <StageLine step={step} />}
      <p className="muted">The timeline opens here by itself. You may close this page; the work goes on.</p>
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
  const [problem, setProblem] = useState<string | null>(null);
  const rereading = useReread(api, analysis, onRead);
  const remove = () => {
    api.analyses.delete(analysis.id).then(
      () => navigate("/"),
      (error: unknown) => setProblem(sentenceOf(error)),
    );
  };
  const { error } = analysis;
  if (rereading.step) {
    return (
      <main className="message">
        <h1>{analysis.title}</h1>
        <StageLine step={rereading.step} />
      </main>
    );
  }
  // A failure with a place is damage, and damage can be left out; a full disk says nothing of the files; other failures would
  // only come again.
  const again = rereading.allowed && error?.again === true;
  const mendable = rereading.allowed && !analysis.tolerant && typeof error?.offset === "number";
  return (
    <Message
      title="This recording could not be read"
      sentence={error?.sentence ?? "The reason was not recorded."}
    >
      <p className="muted">{adviceFor(mendable, again)}</p>
      {again && (
        <button type="button" className="primary" onClick={() => rereading.start({})}>
          Read again
        </button>
      )}
      {mendable && (
        <button type="button" className="primary" onClick={() => rereading.start({ tolerant: true })}>
          Read what can be read
        </button>
      )}
      {owner && (
        <>
          <button type="button" onClick={remove}>
            Delete this analysis
          </button>
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
  if (again) return "Nothing is wrong with the files: they are kept, and can be read again.";
  if (mendable) {
    return "What lies before and behind the damage may still be good: it can be read without the damaged parts, and the page then says which were left out. Otherwise check that the file was copied whole, or record again.";
  }
  return "Check that the file was copied whole, by its size or checksum; else record it again.";
}

interface ReadyProps {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly limits: { readonly maxLanes: number; readonly maxPx: number };
  readonly path: (query: string) => string;
  readonly banner: ReactNode;
  readonly onRenamed: (title: string) => void;
  /** The files were read again. */
  readonly onRead: () => void;
}

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
        actions={
          live && (
            <>
              <button
                type="button"
                className="quiet"
                onClick={() => setDialog("search")}
                title="Find anything by name (/)"
              >
                Search
              </button>
              <button
                type="button"
                className="quiet"
                onClick={() => setDialog("palette")}
                title="Every command by name (Ctrl k)"
              >
                Commands
              </button>
              <button type="button" className="quiet" onClick={() => setDialog("keys")} title="Shortcuts (?)">
                Shortcuts
              </button>
              <button
                type="button"
                className="quiet"
                onClick={() => setDialog("report")}
                title="Reports about this analysis (r)"
              >
                Reports
              </button>
              {linked && (
                <Link className="quiet-link" to={comparePath(`ids=${analysis.id}`)}>
                  Compare with…
                </Link>
              )}
              {analysis.handed_over && <OwnershipTransfer id={analysis.id} onBack={onRead} />}
              {owner && (
                <button
                  type="button"
                  className="primary"
                  onClick={() => setDialog("share")}
                  title="Share this view (l)"
                >
                  Share
                </button>
              )}
            </>
          )
        }
      />
      <RereadLine rereading={rereading} />
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

/** Progress and end of a reading behind the timeline, which stays as it was until the new one is there. */
function RereadLine({ rereading: { step, problem } }: { readonly rereading: Rereading }) {
  if (step) {
    return (
      <div className="banner reread">
        <span>The files are read again; what you see stays until then.</span>
        <StageLine step={step} />
      </div>
    );
  }
  if (problem === null) return null;
  return (
    <p className="banner problem" role="alert">
      Reading again came to nothing, what was there before is shown. {problem}
    </p>
  );
}

/** Quiet, but never absent: what a reader must know before trusting the picture. */
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
        <button
          key={badge.key}
          type="button"
          className={`badge badge-${badge.key}`}
          title={badge.detail}
          onClick={onOpen}
        >
          {badge.text}
        </button>
      ))}
    </span>
  );
}

interface OwnershipTransferProps {
  readonly id: string;
  readonly onBack: () => void;
}

/** For who handed an analysis over: it can be theirs again until its new owner changes that. */
export function OwnershipTransfer({ id, onBack }: OwnershipTransferProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const take = () => {
    peopleApi.takeBack(id).then(onBack, (error: unknown) => setProblem(sentenceOf(error)));
  };
  return (
    <button type="button" className="quiet" onClick={take} title="You handed this analysis over">
      {problem ?? "Take back"}
    </button>
  );
}
