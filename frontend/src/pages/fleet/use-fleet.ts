import { useEffect, useState } from "react";
import { isAbort, sentenceOf } from "../../api/errors.ts";
import type { Api } from "../../api/routes/service.ts";
import type { FleetFindings, FleetMachines, FleetRows, FleetSeries, FleetUpgrade } from "../../api/types.ts";
import { chosenOf, type FleetState, fleetQuery } from "./fleet-state.ts";

/** The answer, by the question that it is to. */
export type FleetAnswer =
  | { readonly ask: "machines"; readonly answered: FleetMachines }
  | { readonly ask: "metric"; readonly answered: FleetSeries }
  | { readonly ask: "upgrade"; readonly answered: FleetUpgrade }
  | { readonly ask: "findings"; readonly answered: FleetFindings }
  | { readonly ask: "sql"; readonly answered: FleetRows };

export interface FleetUse {
  /** To the question before while another one runs. */
  readonly answer: FleetAnswer | null;
  readonly loading: boolean;
  readonly problem: string | null;
}

const RESTING: FleetUse = { answer: null, loading: false, problem: null };

async function ask(api: Api, state: FleetState, signal: AbortSignal): Promise<FleetAnswer> {
  const chosen = chosenOf(state, new Date());
  const { every, by, metric, before, after, sql } = state;
  switch (state.ask) {
    case "machines":
      return { ask: "machines", answered: await api.fleet.machines(chosen, signal) };
    case "metric":
      return { ask: "metric", answered: await api.fleet.metric({ ...chosen, metric, by, every }, signal) };
    case "upgrade": {
      const kernels = { ...(before ? { before } : {}), ...(after ? { after } : {}) };
      return { ask: "upgrade", answered: await api.fleet.upgrade({ ...chosen, ...kernels }, signal) };
    }
    case "findings":
      return { ask: "findings", answered: await api.fleet.findings({ ...chosen, every }, signal) };
    default:
      return { ask: "sql", answered: await api.fleet.sql(sql, signal) };
  }
}

/** The answer to the question that a state means. `turn` asks the same once more. */
export function useFleet(api: Api, state: FleetState, turn: number): FleetUse {
  const [use, setUse] = useState<FleetUse>({ ...RESTING, loading: true });
  const key = fleetQuery(state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the state that matters here
  useEffect(() => {
    void turn;
    if (state.ask === "sql" && state.sql.trim() === "") {
      setUse(RESTING);
      return undefined;
    }
    const stop = new AbortController();
    setUse((before) => ({ ...before, loading: true, problem: null }));
    ask(api, state, stop.signal).then(
      (answer) => {
        if (!stop.signal.aborted) setUse({ answer, loading: false, problem: null });
      },
      (error: unknown) => {
        if (isAbort(error) || stop.signal.aborted) return;
        setUse({ answer: null, loading: false, problem: sentenceOf(error) });
      },
    );
    return () => stop.abort();
  }, [api, key, turn]);
  return use;
}
