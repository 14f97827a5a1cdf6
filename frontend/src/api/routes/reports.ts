/** Reports next to an analysis, and what they were before. */

import { of, Routes, take } from "../client.ts";
import type { ListedReport, ListedRevision, ReportWish, Revision, WrittenReport } from "../types.ts";

const REPORTS = "/api/v1/analyses/{analysis_id}/reports";
const REPORT = `${REPORTS}/{report_id}` as const;
const REVISIONS = `${REPORT}/revisions` as const;

export class ReportsApi extends Routes {
  async list(id: string, signal?: AbortSignal): Promise<ListedReport[]> {
    return (await take(this.routes.GET(REPORTS, { ...of(id), signal: signal ?? null }))).reports;
  }

  one(id: string, reportId: string, signal: AbortSignal): Promise<WrittenReport> {
    return take(this.routes.GET(REPORT, { ...of(id, { report_id: reportId }), signal }));
  }

  create(id: string, title: string, text: string): Promise<WrittenReport> {
    return take(this.routes.POST(REPORTS, { ...of(id), body: { title, text } }));
  }

  /** @param wish holds the revision that the text is based on; the answer is 409 if another one is current */
  save(id: string, reportId: string, wish: ReportWish): Promise<WrittenReport> {
    return take(this.routes.PATCH(REPORT, { ...of(id, { report_id: reportId }), body: wish }));
  }

  async delete(id: string, reportId: string): Promise<void> {
    await take(this.routes.DELETE(REPORT, of(id, { report_id: reportId })));
  }

  async revisions(id: string, reportId: string): Promise<ListedRevision[]> {
    return (await take(this.routes.GET(REVISIONS, of(id, { report_id: reportId })))).revisions;
  }

  revision(id: string, reportId: string, number: number): Promise<Revision> {
    return take(this.routes.GET(`${REVISIONS}/{number}`, of(id, { report_id: reportId, number })));
  }
}
