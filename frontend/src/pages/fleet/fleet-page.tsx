import { useCallback, useMemo } from "react";
import type { Api } from "../../api/routes/service.ts";
import { formatCount } from "../../lib/format.ts";
import { fleetPath } from "../../lib/routes.ts";
import { Link, navigate } from "../../ui/page/link.tsx";
import { Message } from "../../ui/page/message.tsx";
import { TopBar, useTitle } from "../../ui/page/top-bar.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { FleetAnswerView } from "./fleet-answer.tsx";
import { FleetControls } from "./fleet-controls.tsx";
import { type FleetState, fleetQuery, parseFleet } from "./fleet-state.ts";
import { useFleet } from "./use-fleet.ts";
import "./fleet.css";

interface Props {
  readonly api: Api;
  readonly query: string;
}

/** Summaries that are being made are looked for this often. */
const POLL_MS = 2500;

/** Questions over all analyses. The address is the query. */
export function FleetPage({ api, query }: Props) {
  const state = useMemo(() => parseFleet(query), [query]);
  const load = useCallback((signal: AbortSignal) => api.fleet.overview(signal), [api]);
  const {
    answer: overview,
    problem,
    turn,
  } = useLoad(load, (answer) => (answer === null || answer.pending > 0 ? POLL_MS : 0));
  const use = useFleet(api, state, turn);
  useTitle("Fleet");
  const change = (next: FleetState) => navigate(fleetPath(fleetQuery(next)));
  return (
    <div className="page">
      <TopBar here="fleet" />
      {overview === null ? (
        problem === null ? (
          <main className="message" aria-busy="true">
            <h1>Fleet</h1>
            <p className="muted" role="status">
              looking at the summaries…
            </p>
          </main>
        ) : (
          <Message title="The fleet cannot be queried" sentence={problem}>
            <Link to="/">All analyses</Link>
          </Message>
        )
      ) : overview.recordings === 0 && overview.pending === 0 ? (
        <Empty />
      ) : (
        <main className="fleet-page" data-testid="fleet" aria-busy={use.loading} data-picture>
          <h1>Fleet</h1>
          <p className="muted" role="status">
            {formatCount(overview.recordings)} {overview.recordings === 1 ? "recording" : "recordings"} of{" "}
            {formatCount(overview.machines.length)} {overview.machines.length === 1 ? "machine" : "machines"}
            {overview.pending > 0 && `; ${formatCount(overview.pending)} summaries are still being made`}
          </p>
          <FleetControls state={state} overview={overview} onChange={change} />
          {use.problem !== null && (
            <p className="problem" role="alert" data-testid="fleet-problem">
              {use.problem}
            </p>
          )}
          {use.answer?.ask === state.ask ? (
            <FleetAnswerView answer={use.answer} state={state} />
          ) : (
            use.loading && <p className="muted">asking…</p>
          )}
        </main>
      )}
    </div>
  );
}

function Empty() {
  return (
    <main className="message" data-testid="fleet-empty">
      <h1>No fleet yet</h1>
      <p>
        Every analysis leaves a summary, and queries go over all of them: which machines had flips last week,
        what an upgrade changed. Add recordings of several machines or days; those that do not tell their
        machine&apos;s name are given one by a tag like <code>machine:db7</code>.
      </p>
      <Link to="/">Add recordings</Link>
    </main>
  );
}
