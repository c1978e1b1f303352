// An OAuth provider on loopback: approves every request, checks PKCE and the client, rotates refresh tokens, and revokes.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";

/** A running provider. */
export interface OAuthProvider {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Tokens that were revoked. */
  readonly revoked: readonly string[];
  /** Approves an authorization as a user does, and returns the query of the redirect. */
  approve(authorizationUrl: string): Promise<URLSearchParams>;
  /** Ends the refresh tokens. */
  forget(): void;
  /** Runs `work` before the answer to the next request for tokens. */
  beforeTokens(work: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Open codes, with the values that their exchange must match. */
type Codes = Map<string, { readonly challenge: string; readonly redirectUri: string }>;

/** Starts a provider, whose access tokens live for a minute. */
export async function startOAuthProvider(): Promise<OAuthProvider> {
  const clientId = "svc-client";
  const clientSecret = "client-s3cret";
  const codes: Codes = new Map();
  const refreshTokens = new Set<string>();
  const revoked: string[] = [];
  let work: (() => Promise<unknown>) | undefined;
  const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;

  const answerToken = (form: URLSearchParams, response: ServerResponse): void => {
    if (!isGranted(form, codes, refreshTokens))
      return send(response, 400, { error: "invalid_grant" });
    const refresh_token = randomUUID();
    refreshTokens.add(refresh_token);
    const access_token = `access-${randomUUID()}`;
    send(response, 200, { access_token, refresh_token, token_type: "Bearer", expires_in: 3600 });
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://provider");
      const form = await formOf(request);
      if (pathname === "/authorize") return authorize(codes, searchParams, response);
      if (request.headers.authorization !== expected) {
        return send(response, 401, { error: "invalid_client" });
      }
      if (pathname === "/token") {
        const meanwhile = work;
        work = undefined;
        await meanwhile?.();
        return answerToken(form, response);
      }
      revoked.push(form.get("token") ?? "");
      return send(response, 200, {});
    })();
  });
  // The server does not keep a test process alive.
  const url = await listen(server.unref());
  return {
    url,
    clientId,
    clientSecret,
    revoked,
    approve: async (authorizationUrl) => {
      const { headers } = await fetch(authorizationUrl, { redirect: "manual" });
      return new URL(headers.get("location") ?? "").searchParams;
    },
    forget: () => refreshTokens.clear(),
    beforeTokens: (next) => {
      work = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns whether a request for tokens has a valid code or refresh token, and consumes it. */
function isGranted(form: URLSearchParams, codes: Codes, refreshTokens: Set<string>): boolean {
  if (form.get("grant_type") === "refresh_token") {
    return refreshTokens.delete(form.get("refresh_token") ?? "");
  }
  const code = codes.get(form.get("code") ?? "");
  codes.delete(form.get("code") ?? "");
  const challenge = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  return code?.challenge === challenge && code.redirectUri === form.get("redirect_uri");
}

function authorize(codes: Codes, query: URLSearchParams, response: ServerResponse): void {
  const code = randomUUID();
  const redirectUri = query.get("redirect_uri") ?? "";
  codes.set(code, { challenge: query.get("code_challenge") ?? "", redirectUri });
  const target = new URL(redirectUri);
  target.searchParams.set("code", code);
  target.searchParams.set("state", query.get("state") ?? "");
  response.writeHead(302, { location: target.href }).end();
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part as Uint8Array);
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
