import { hasEngine, NO_ENGINE } from "../../api/local/module.ts";
import { localSession, useLocalRecording } from "../../api/session/local.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Button } from "../../ui/fields.tsx";
import { replaceAddress } from "../../ui/page/link.tsx";
import { Message, TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { StageLine } from "../../ui/stage-progress.tsx";
import { AnalysisPage } from "../analysis/analysis-page.tsx";
import { BatchProgress, DropZone } from "../list/upload-list.tsx";
import { type FollowedUpload, useUpload } from "./use-upload.ts";

interface Props {
  /** The page's address for a view. */
  readonly path: (query: string) => string;
}

const HINT =
  "Files dropped together make one analysis. They stay in this tab: nothing is sent anywhere. Files are identified by content, not by name.";

/** A recording that this tab reads by itself; without one, where to drop it. */
export function LocalPage({ path }: Props) {
  const recording = useLocalRecording();
  const upload = useUpload(localSession.batch, goOver);
  if (recording.state === "ready") {
    const { api, analysis } = recording;
    return <AnalysisPage api={api} id={analysis.id} path={path} banner={<LocalBanner upload={upload} />} />;
  }
  return <Waiting recording={recording} />;
}

function Waiting({
  recording,
}: {
  readonly recording: Exclude<ReturnType<typeof useLocalRecording>, { state: "ready" }>;
}) {
  useTitle("");
  return (
    <div className="page">
      <TopBar linked={false} />
      {recording.state === "reading" && (
        <main className="message">
          <h1>{recording.names}</h1>
          <StageLine step={recording.step ?? { stage: "decoding", done: 0, total: 0 }} />
          <Button onClick={() => localSession.close()}>Cancel</Button>
        </main>
      )}
      {recording.state === "failed" && (
        <Message title="This recording could not be read" sentence={recording.sentence}>
          {recording.retry && (
            <Button className="primary" onClick={recording.retry}>
              Read the undamaged parts
            </Button>
          )}
          <Button onClick={() => localSession.close()}>Another file</Button>
        </Message>
      )}
      {recording.state === "none" && (
        <main className="list-page">
          {hasEngine ? (
            <DropZone onPick={async (picked) => localSession.offer(picked)} hint={HINT} />
          ) : (
            <p>{NO_ENGINE}</p>
          )}
        </main>
      )}
    </div>
  );
}

/** Opens the same view of the server's analysis instead of this one. */
function goOver(id: string): void {
  const query = window.location.search.replace(/^\?/, "");
  replaceAddress(analysisPath(id, query));
  localSession.close();
}

function LocalBanner({ upload }: { readonly upload: FollowedUpload | null }) {
  if (upload) {
    return (
      <div className="banner reread" data-testid="upload-banner">
        <span>
          Read in this tab during the upload; the view switches to the server's analysis when it is ready.
        </span>
        {upload.problem !== null && <span className="problem">{upload.problem}</span>}
        {upload.problem === null && upload.batch && <BatchProgress files={upload.batch.files} />}
        {upload.problem === null && !upload.batch && (
          <span className="muted">The server is importing it.</span>
        )}
      </div>
    );
  }
  return (
    <p className="banner" role="status">
      Read in this tab; nothing was sent anywhere. SQL, notes, reports and links need a server.
      <Button className="quiet" onClick={() => localSession.close()}>
        Another file
      </Button>
    </p>
  );
}
