/** Requests about users: sign-in and sign-out, owners and readers, API tokens. */

import { of, Routes, take } from "../client.ts";
import type { ApiToken, CreatedToken, Member, MemberWish, TokenWish } from "../types.ts";

const PERMISSIONS = "/api/v1/analyses/{analysis_id}/permissions";
const PERMISSION = `${PERMISSIONS}/{person_id}` as const;
const TRANSFER = "/api/v1/analyses/{analysis_id}/ownership-transfer";

export class PeopleApi extends Routes {
  /** The issuer's page. @param returnTo page to open after the sign-in: a path of this page */
  async beginSignIn(returnTo: string): Promise<string> {
    const begun = await take(this.routes.POST("/api/v1/sign-in/begin", { body: { return_to: returnTo } }));
    return begun.url;
  }

  /** Signs in with the provider's response, and returns the page to open. */
  async finishSignIn(code: string, state: string): Promise<string> {
    return (await take(this.routes.POST("/api/v1/sign-in/finish", { body: { code, state } }))).return_to;
  }

  /** Ends the sessions here; returns the issuer's sign-out page, or null without one. */
  async signOut(everywhere: boolean): Promise<string | null> {
    return (await take(this.routes.POST("/api/v1/sign-out", { body: { everywhere } }))).url;
  }

  async people(id: string): Promise<Member[]> {
    return (await take(this.routes.GET(PERMISSIONS, of(id)))).members;
  }

  putPerson(id: string, wish: MemberWish): Promise<Member> {
    return take(this.routes.PUT(PERMISSIONS, { ...of(id), body: wish }));
  }

  async removePerson(id: string, personId: string): Promise<void> {
    await take(this.routes.DELETE(PERMISSION, of(id, { person_id: personId })));
  }

  handOver(id: string, name: string): Promise<Member> {
    return take(this.routes.POST(TRANSFER, { ...of(id), body: { to: name } }));
  }

  async takeBack(id: string): Promise<void> {
    await take(this.routes.DELETE(TRANSFER, of(id)));
  }

  async tokens(): Promise<ApiToken[]> {
    return (await take(this.routes.GET("/api/v1/tokens"))).tokens;
  }

  createToken(wish: TokenWish): Promise<CreatedToken> {
    return take(this.routes.POST("/api/v1/tokens", { body: wish }));
  }

  async revokeToken(id: string): Promise<void> {
    await take(this.routes.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } }));
  }
}
