/** Follows the upload of the recording on screen, up to the server's analysis. */

import { useEffect, useState } from "react";
import { sentenceOf } from "../../api/client.ts";
import { ownerApi, uploads, useUploads } from "../../api/session/session.ts";
import type { UploadBatch } from "../../api/session/uploads.ts";

/** Between two looks at the analysis, ms. */
const LOOK_MS = 700;

export interface FollowedUpload {
  /** Null when all files have arrived. */
  readonly batch: UploadBatch | null;
  /** Reason for which there will be no analysis. */
  readonly problem: string | null;
}

/** @param onReady is given the id of the server's analysis when it can be shown */
export function useUpload(batchId: string | null, onReady: (id: string) => void): FollowedUpload | null {
  const batch = useUploads().find(({ id }) => id === batchId) ?? null;
  const [created, setCreated] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    uploads.onCreated = (analysis, of) => {
      if (of === batchId) setCreated(analysis.id);
    };
    return () => {
      uploads.onCreated = () => {};
    };
  }, [batchId]);
  useEffect(() => {
    if (created === null) return;
    let timer = 0;
    const look = () =>
      ownerApi.analyses.one(created).then(
        ({ status, error }) => {
          if (status === "ready") onReady(created);
          else if (status === "failed") setProblem(error?.sentence ?? "The server could not import it.");
          else timer = window.setTimeout(look, LOOK_MS);
        },
        (error: unknown) => setProblem(sentenceOf(error)),
      );
    void look();
    return () => window.clearTimeout(timer);
  }, [created, onReady]);
  if (batchId === null || (batch === null && created === null)) return null;
  return { batch, problem: problem ?? batch?.problem ?? null };
}
