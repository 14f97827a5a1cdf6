/** Links by which others read an analysis. */

import { Routes, take } from "../client.ts";
import type { CreatedShare, OpenedShare, Share, SharedAnalysis, ShareWish } from "../types.ts";

export class SharesApi extends Routes {
  async list(id: string): Promise<Share[]> {
    const lines = this.routes.GET("/api/v1/analyses/{analysis_id}/shares", {
      params: { path: { analysis_id: id } },
    });
    return (await take(lines)).shares;
  }

  async all(): Promise<SharedAnalysis[]> {
    return (await take(this.routes.GET("/api/v1/shares"))).shares;
  }

  create(id: string, wish: ShareWish): Promise<CreatedShare> {
    return take(
      this.routes.POST("/api/v1/analyses/{analysis_id}/shares", {
        params: { path: { analysis_id: id } },
        body: wish,
      }),
    );
  }

  /** @param expiresInS seconds from now; null is never */
  extend(id: string, shareId: string, expiresInS: number | null): Promise<Share> {
    return take(
      this.routes.PATCH("/api/v1/analyses/{analysis_id}/shares/{share_id}", {
        params: { path: { analysis_id: id, share_id: shareId } },
        body: { expires_in_s: expiresInS },
      }),
    );
  }

  async revoke(id: string, shareId: string): Promise<void> {
    await take(
      this.routes.DELETE("/api/v1/analyses/{analysis_id}/shares/{share_id}", {
        params: { path: { analysis_id: id, share_id: shareId } },
      }),
    );
  }

  open(token: string): Promise<OpenedShare> {
    return take(this.routes.POST("/api/v1/shares/open", { body: { token } }));
  }
}
