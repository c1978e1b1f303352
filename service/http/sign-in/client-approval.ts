// The page where users approve a client that asks for an authorization code.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errors, type Provider } from "oidc-provider";
import { Failure } from "../../../core/errors.ts";
import type { BrowserSession } from "../../identity/browser-sessions.ts";
import type { OAuthStore } from "../../identity/oauth-store.ts";
import { grantAccess } from "../../identity/session-grants.ts";
import { generalScopes, requestedScopes, scopesIn } from "../../security/oauth-scopes.ts";
import { requestContextOf } from "../request/request-context.ts";
import { accountHost, readForm, sendPage, type SignIn, userOf } from "./browser.ts";
import { describeConnection, oauthServerOf } from "./oauth-routes.ts";
import { clientApprovalPage } from "./pages.ts";

/** Adds the page. */
export function addClientApproval(app: FastifyInstance, { servers }: SignIn): void {
  app.get<{ Params: { uid: string } }>("/auth/authorize/:uid", async (request, reply) => {
    const { client, clientId, scope, redirectUri } = await readAuthorization(
      request,
      reply,
      servers,
    );
    const user = await userOf(request);
    const { uid } = request.params;
    if (!user) {
      const next = encodeURIComponent(`/auth/authorize/${uid}`);
      return reply.redirect(`/auth/sign-in?next=${next}`, 303);
    }
    const account = accountHost(request);
    const scopes = requestedScopes(scope);
    const redirectOrigin = new URL(redirectUri).origin;
    const { username } = user;
    const of = { client, clientId, account, scopes, redirectOrigin, uid, username };
    return sendPage(reply, clientApprovalPage(of));
  });
  app.post<{ Params: { uid: string } }>("/auth/authorize/:uid", async (request, reply) => {
    const form = readForm(request);
    const { server, clientId, scope } = await readAuthorization(request, reply, servers);
    const user = await userOf(request);
    if (!user) {
      throw new Failure("unauthenticated", "you are no longer signed in; start again");
    }
    const isApproved = form.get("decision") === "approve";
    const result = isApproved
      ? await approval(requestContextOf(request), server, { session: user, clientId, scope })
      : { error: "access_denied", error_description: "the user denied the request" };
    const next = await server.interactionResult(request.raw, reply.raw, result, {
      mergeWithLastSubmission: false,
    });
    return reply.redirect(next, 303);
  });
}

/** Returns the approval in the form of the library. */
async function approval(
  store: OAuthStore,
  server: Provider,
  of: { session: BrowserSession; clientId: string; scope: unknown },
) {
  const { session, clientId, scope } = of;
  const scopes = requestedScopes(scope);
  // These scopes give no rights on the API, but the library asks again for each one that the grant lacks.
  const general = scopesIn(scope).filter((one) => generalScopes.includes(one));
  const grantId = await grantAccess(store, server, { session, clientId, scopes, general });
  return { login: { accountId: String(session.id), remember: false }, consent: { grantId } };
}

/** Returns the authorization that waits in this browser. Throws `not_found` if there is none. */
async function readAuthorization(
  request: FastifyRequest,
  reply: FastifyReply,
  servers: SignIn["servers"],
) {
  const server = await oauthServerOf(request, servers);
  describeConnection(server, request);
  try {
    const { params } = await server.interactionDetails(request.raw, reply.raw);
    const { client_id: clientId, redirect_uri: redirectUri, scope } = params;
    return {
      server,
      scope,
      clientId: String(clientId),
      client: (await server.Client.find(String(clientId)))?.clientName ?? String(clientId),
      redirectUri: String(redirectUri),
    };
  } catch (cause) {
    if (!(cause instanceof errors.SessionNotFound)) throw cause;
    const text = "this sign-in expired or was started in another browser; start it again";
    throw new Failure("not_found", text, { cause });
  }
}
