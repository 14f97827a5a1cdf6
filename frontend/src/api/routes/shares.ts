/** Links by which others read an analysis. */

import { of, Routes, take } from "../client.ts";
import type { CreatedShare, OpenedShare, Share, SharedAnalysis, ShareWish } from "../types.ts";

const SHARES = "/api/v1/analyses/{analysis_id}/shares";
const SHARE = `${SHARES}/{share_id}` as const;

export class SharesApi extends Routes {
  async list(id: string): Promise<Share[]> {
    return (await take(this.routes.GET(SHARES, of(id)))).shares;
  }

  async all(): Promise<SharedAnalysis[]> {
    return (await take(this.routes.GET("/api/v1/shares"))).shares;
  }

  create(id: string, wish: ShareWish): Promise<CreatedShare> {
    return take(this.routes.POST(SHARES, { ...of(id), body: wish }));
  }

  /** @param expiresInS seconds from now; null is never */
  extend(id: string, shareId: string, expiresInS: number | null): Promise<Share> {
    return take(
      this.routes.PATCH(SHARE, { ...of(id, { share_id: shareId }), body: { expires_in_s: expiresInS } }),
    );
  }

  async revoke(id: string, shareId: string): Promise<void> {
    await take(this.routes.DELETE(SHARE, of(id, { share_id: shareId })));
  }

  open(token: string): Promise<OpenedShare> {
    return take(this.routes.POST("/api/v1/shares/open", { body: { token } }));
  }
}
