/** Reports next to an analysis, and what they were before. */

import { Routes, take } from "../client.ts";
import type { ListedReport, ListedRevision, ReportWish, Revision, WrittenReport } from "../types.ts";

export class ReportsApi extends Routes {
  async list(id: string, signal?: AbortSignal): Promise<ListedReport[]> {
    const lines = this.routes.GET("/api/v1/analyses/{analysis_id}/reports", {
      params: { path: { analysis_id: id } },
      ...(signal ? { signal } : {}),
    });
    return (await take(lines)).reports;
  }

  one(id: string, reportId: string, signal: AbortSignal): Promise<WrittenReport> {
    return take(
      this.routes.GET("/api/v1/analyses/{analysis_id}/reports/{report_id}", {
        params: { path: { analysis_id: id, report_id: reportId } },
        signal,
      }),
    );
  }

  create(id: string, title: string, text: string): Promise<WrittenReport> {
    return take(
      this.routes.POST("/api/v1/analyses/{analysis_id}/reports", {
        params: { path: { analysis_id: id } },
        body: { title, text },
      }),
    );
  }

  /** @param wish its revision is the one that the text is based on; 409 when that is no longer the current one */
  save(id: string, reportId: string, wish: ReportWish): Promise<WrittenReport> {
    return take(
      this.routes.PATCH("/api/v1/analyses/{analysis_id}/reports/{report_id}", {
        params: { path: { analysis_id: id, report_id: reportId } },
        body: wish,
      }),
    );
  }

  async delete(id: string, reportId: string): Promise<void> {
    await take(
      this.routes.DELETE("/api/v1/analyses/{analysis_id}/reports/{report_id}", {
        params: { path: { analysis_id: id, report_id: reportId } },
      }),
    );
  }

  async revisions(id: string, reportId: string): Promise<ListedRevision[]> {
    const lines = this.routes.GET("/api/v1/analyses/{analysis_id}/reports/{report_id}/revisions", {
      params: { path: { analysis_id: id, report_id: reportId } },
    });
    return (await take(lines)).revisions;
  }

  revision(id: string, reportId: string, number: number): Promise<Revision> {
    return take(
      this.routes.GET("/api/v1/analyses/{analysis_id}/reports/{report_id}/revisions/{number}", {
        params: { path: { analysis_id: id, report_id: reportId, number } },
      }),
    );
  }
}
