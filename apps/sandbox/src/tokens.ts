import { randomBytes } from "node:crypto";
import { type Answer, json } from "./answer.ts";
import { isWrong } from "./personality.ts";

/**
 * A system's access tokens (RFC 6749, section 4.4). Once it has been asked for one, the system takes requests with a valid one only.
 * Any client with the right form is let in.
 */
export class Tokens {
  readonly #valid = new Set<string>();
  issued = 0;

  issue(authorization: string | null, body: string, lifetimeSeconds: number): Answer {
    if (new URLSearchParams(body).get("grant_type") !== "client_credentials") return json(400, { error: "unsupported_grant_type" });
    if (!/^Basic [A-Za-z0-9+/]+={0,2}$/.test(authorization ?? "")) return json(401, { error: "invalid_client" });
    return json(200, { access_token: this.make(), token_type: "Bearer", expires_in: lifetimeSeconds });
  }

  /** As Shopify has it: the client names itself in the form. */
  issueByForm(body: string, lifetimeSeconds: number): Answer {
    const form = new URLSearchParams(body);
    if (form.get("grant_type") !== "client_credentials") return json(400, { error: "unsupported_grant_type" });
    if (!form.get("client_id") || isWrong(form.get("client_secret") ?? "")) return json(400, { error: "invalid_client" });
    return json(200, { access_token: this.make(), scope: "write_products", expires_in: lifetimeSeconds });
  }

  make(): string {
    const token = randomBytes(24).toString("base64url");
    this.#valid.add(token);
    this.issued += 1;
    return token;
  }

  has(token: string): boolean {
    return this.#valid.has(token);
  }

  admits(authorization: string | null): boolean {
    return this.issued === 0 || this.#valid.has(authorization?.replace(/^Bearer /, "") ?? "");
  }

  /** From now on the tokens issued so far are refused. */
  revoke(): void {
    this.#valid.clear();
  }
}
