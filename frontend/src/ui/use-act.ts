import { useCallback, useState } from "react";
import { sentenceOf } from "../api/errors.ts";

export interface Acting {
  /** Something is under way: its buttons rest. */
  readonly busy: boolean;
  /** Why the last of it failed, null while all is well. */
  readonly problem: string | null;
  /** Waits for what was begun; `after` follows however it ended. */
  readonly act: (work: Promise<unknown>, after?: () => void) => void;
}

/** What a reader does to something that the service keeps, one thing after the other. */
export function useAct(): Acting {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = useCallback((work: Promise<unknown>, after?: () => void) => {
    setBusy(true);
    setProblem(null);
    work
      .catch((error: unknown) => setProblem(sentenceOf(error)))
      .finally(() => {
        setBusy(false);
        after?.();
      });
  }, []);
  return { busy, problem, act };
}
