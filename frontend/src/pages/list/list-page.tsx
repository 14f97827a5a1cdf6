import { useEffect, useState } from "react";
import { hasEngine, NO_ENGINE, prepareEngine } from "../../api/local/module.ts";
import type { PickedFile } from "../../api/session/file-handles.ts";
import { localSession } from "../../api/session/local.ts";
import { ownerApi, uploads, useUploads } from "../../api/session/session.ts";
import { isUnderWay } from "../../api/session/upload-record.ts";
import type { UploadBatch } from "../../api/session/uploads.ts";
import type { Analysis, Info } from "../../api/types.ts";
import { formatBytes } from "../../lib/format.ts";
import {
  ACCOUNT_PATH,
  analysisPath,
  comparePath,
  fleetPath,
  LINKS_PATH,
  LOCAL_PATH,
} from "../../lib/routes.ts";
import { Button, Check } from "../../ui/fields.tsx";
import { Link, navigate } from "../../ui/page/link.tsx";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { Problem } from "../../ui/section-parts.tsx";
import { GridTable } from "../../ui/table/data-grid.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { byIncident, foundBy, tagsOf } from "./analysis-details.ts";
import { AnalysisRow } from "./analysis-row.tsx";
import { CaptureRecipe } from "./capture-recipe.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { DropZone, FileDialog, UploadList } from "./upload-list.tsx";
import "./list.css";

/** Browsers keep six connections to one server; the streams of progress must leave some free. */
const FOLLOWED = 2;
/** Tags above the list; the others are found by typing. */
const MOST_TAGS = 12;
/** A list that could not be had, and analyses beyond those that are followed live, are requested again after this time. */
const POLL_MS = 2500;

const COLUMNS = [
  { name: "" },
  { name: "title" },
  { name: "size", right: true },
  { name: "events", right: true },
  { name: "samples", right: true },
  { name: "CPUs", right: true },
  { name: "added" },
  { name: "" },
];

async function fetchList(signal: AbortSignal): Promise<readonly [readonly Analysis[], Info]> {
  const [list, info] = await Promise.all([ownerApi.analyses.list(signal), ownerApi.info()]);
  uploads.maxBytes = info.limits.max_upload_bytes;
  return [list, info];
}

/** An upload that became an analysis is opened, or at least listed. */
function useCreated(reload: () => void) {
  useEffect(() => {
    uploads.onCreated = (analysis) => {
      // With nothing else under way the reader wants to see this one; what was left behind or refused waits.
      if (!isUnderWay(uploads.getSnapshot()) && window.location.pathname === "/")
        navigate(analysisPath(analysis.id, ""));
      else reload();
    };
    return () => {
      uploads.onCreated = () => {};
    };
  }, [reload]);
}

export function ListPage() {
  const { answer, problem, reload } = useLoad(fetchList, (answer) =>
    answer === null || answer[0].filter(isPending).length > FOLLOWED ? POLL_MS : 0,
  );
  const [analyses, info] = answer ?? [null, null];
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [search, setSearch] = useState(() => new URLSearchParams(window.location.search).get("q") ?? "");
  const [described, setDescribed] = useState<Analysis | null>(null);
  const batches = useUploads();

  useTitle("Analyses");
  useCreated(reload);
  const followed = (analyses ?? []).filter(isPending).slice(0, FOLLOWED);
  const found = foundBy(analyses ?? [], search);
  const look = (words: string) => {
    setSearch(words);
    // A search can be sent to a colleague; typing it makes no steps for Back.
    const query = words.trim() === "" ? "" : `?q=${encodeURIComponent(words)}`;
    window.history.replaceState(null, "", `/${query}`);
  };
  const choose = (id: string, on: boolean) =>
    setChosen((ids) => [...ids.filter((each) => each !== id), ...(on ? [id] : [])]);
  return (
    <div className="page">
      <TopBar crumbs={<span>analyses</span>} actions={info?.owner && <OtherPages info={info} />} />
      <main className="list-page">
        <h1 className="off-screen">Analyses</h1>
        <div className="list-main">
          <Problem sentence={problem} />
          {info?.owner === false && (
            <p className="problem" role="alert">
              Only its owner may use this server. Ask for a shared link.
            </p>
          )}
          <UploadList batches={batches} uploads={uploads} onLook={hasEngine ? lookAt : null} />
          {analyses !== null && batches.length === 0 && <FirstSteps analyses={analyses} />}
          {analyses !== null && analyses.length > 0 && (
            <section aria-label="Analyses">
              <CompareBar
                chosen={chosen.filter((id) => analyses.some((analysis) => analysis.id === id))}
                possible={analyses.filter(({ status }) => status === "ready").length > 1}
                onNone={() => setChosen([])}
              />
              <ListSearch all={analyses} found={found} search={search} onSearch={look} />
              <GridTable columns={COLUMNS} className="analyses" testId="analyses">
                {byIncident(found)
                  .flat()
                  .map((analysis) => (
                    <AnalysisRow
                      key={analysis.id}
                      analysis={analysis}
                      live={followed.includes(analysis)}
                      chosen={chosen.includes(analysis.id)}
                      onChoose={(on) => choose(analysis.id, on)}
                      onChange={reload}
                      onDescribe={() => setDescribed(analysis)}
                      onSearch={look}
                    />
                  ))}
              </GridTable>
            </section>
          )}
        </div>
        <ListSide info={info} />
      </main>
      {described && (
        <FileDialog
          analysis={described}
          incidents={[...new Set(analyses?.flatMap(({ incident }) => incident ?? []))].sort()}
          keepDays={info?.limits.keep_days ?? null}
          onChange={(change) => ownerApi.analyses.change(described.id, change).then(reload)}
          onClose={() => setDescribed(null)}
        />
      )}
    </div>
  );
}

/** Reads what is uploaded here as well. */
function lookAt({ id }: UploadBatch, files: readonly File[]): void {
  void localSession.read(files, id);
  navigate(LOCAL_PATH);
}

function ListSide({ info }: { readonly info: Info | null }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const here = hasEngine && (chosen ?? info?.look_only ?? false);
  useEffect(() => {
    if (here) prepareEngine();
  }, [here]);
  const pick = async (picked: readonly PickedFile[]) => {
    if (!here) return uploads.offer(picked);
    const note = localSession.offer(picked);
    navigate(LOCAL_PATH);
    return note;
  };
  const limit = info && !here ? `; up to ${formatBytes(info.limits.max_upload_bytes)} each` : "";
  return (
    <aside className="list-side">
      <DropZone
        onPick={pick}
        hint={`Files dropped together make one analysis${limit}. Files are identified by content, not by name.`}
      >
        {!hasEngine && <p className="muted">{NO_ENGINE}</p>}
        {hasEngine && (
          <>
            <Check checked={here} onCheck={setChosen}>
              Analyze in this browser (no upload)
            </Check>
            {here && (
              <p className="muted">
                This browser reads up to 2 GiB and sends nothing. Lanes, findings, tables, exports and an HTML
                file for others work. Perfetto traces, SQL, notes, reports and links need an upload.
              </p>
            )}
          </>
        )}
      </DropZone>
      <CaptureRecipe />
    </aside>
  );
}

/** Links to an owner's other pages. */
function OtherPages({ info }: { readonly info: Info }) {
  return (
    <>
      {(info.person === null || info.person.admin) && (
        <Link className="quiet-link" to={fleetPath("")}>
          Fleet
        </Link>
      )}
      <Link className="quiet-link" to={LINKS_PATH}>
        Shared links
      </Link>
      {info.person === null && (
        <Link className="quiet-link" to={ACCOUNT_PATH}>
          API tokens
        </Link>
      )}
    </>
  );
}

function isPending(analysis: Analysis): boolean {
  return analysis.status === "queued" || analysis.status === "parsing";
}

interface CompareBarProps {
  /** In the order in which they were chosen: the first is the baseline. */
  readonly chosen: readonly string[];
  readonly possible: boolean;
  readonly onNone: () => void;
}

function CompareBar({ chosen, possible, onNone }: CompareBarProps) {
  const go = () => navigate(comparePath(`ids=${chosen.join(",")}`));
  return (
    <div className="compare-bar">
      <h2>Analyses</h2>
      {chosen.length > 0 ? (
        <>
          <Button className="primary" disabled={chosen.length < 2} onClick={go}>
            Compare {chosen.length}
          </Button>
          <Button className="quiet" onClick={onNone}>
            None
          </Button>
          {chosen.length === 1 && <span className="muted">choose one more</span>}
        </>
      ) : (
        possible && (
          <span className="muted">Choose two or more to compare them; the first is the baseline.</span>
        )
      )}
    </div>
  );
}

interface SearchProps {
  readonly all: readonly Analysis[];
  readonly found: readonly Analysis[];
  readonly search: string;
  readonly onSearch: (words: string) => void;
}

/** Words that find analyses, and the tags there are. */
function ListSearch({ all, found, search, onSearch }: SearchProps) {
  const tags = tagsOf(all).slice(0, MOST_TAGS);
  return (
    <div className="tab-tools list-search">
      <input
        type="search"
        placeholder="Title, tag, incident, kernel, machine, file"
        aria-label="Find analyses"
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      {search.trim() !== "" && (
        <span className="muted" role="status">
          {found.length} of {all.length}
        </span>
      )}
      {tags.map((tag) => (
        <Button
          key={tag}
          className="tag"
          aria-pressed={search === `#${tag}`}
          onClick={() => onSearch(search === `#${tag}` ? "" : `#${tag}`)}
        >
          #{tag}
        </Button>
      ))}
    </div>
  );
}
