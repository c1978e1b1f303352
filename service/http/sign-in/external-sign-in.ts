// Sign-in at an identity provider of the account: the redirect to it and the callback.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import {
  createExternalSignIn,
  externalSignInPath,
  findProvider,
  signInByEmail,
} from "../../identity/external-sign-in.ts";
import { accountOrigin } from "../request/account-origin.ts";
import { requestContextOf } from "../request/request-context.ts";
import {
  browserSecret,
  nextPath,
  providersOf,
  queryText,
  sendPage,
  startSession,
} from "./browser.ts";
import { signInPage } from "./pages.ts";

type Named = { Params: { name: string } };

/** Adds the routes. */
export function addExternalSignIn(app: FastifyInstance): void {
  const signIn = createExternalSignIn();
  app.get<Named>("/auth/providers/:name", async (request, reply) => {
    const context = requestContextOf(request);
    const provider = await findProvider(context.db, request.params.name);
    const { href: redirectUri } = callbackOf(request, provider.name);
    const next = nextPath(queryText(request, "next"));
    const browser = browserSecret(request, reply);
    const url = await signIn.start(context, provider, { browser, redirectUri, next });
    return reply.redirect(url, 303);
  });
  app.get<Named>("/auth/providers/:name/callback", async (request, reply) => {
    const context = requestContextOf(request);
    const provider = await findProvider(context.db, request.params.name);
    const callback = callbackOf(request, provider.name);
    callback.search = new URL(request.url, callback).search;
    const browser = browserSecret(request, reply);
    try {
      const { email, next } = await signIn.finish(context, provider, { browser, callback });
      await startSession(request, reply, async (tx) => {
        const current = await findProvider(tx, provider.name);
        if (current.updated_at !== provider.updated_at) {
          throw new Failure("forbidden", "the settings of the provider changed; start again");
        }
        const userId = await signInByEmail(tx, email, context.now());
        return { userId, method: provider };
      });
      return await reply.redirect(next, 303);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const providers = await providersOf(request);
      return sendPage(reply, signInPage({ next: "/auth", problem: error.message, providers }));
    }
  });
}

/** Returns the redirect URI of a provider. */
function callbackOf(request: FastifyRequest, name: string): URL {
  const { url } = accountOrigin(requestContextOf(request).hosts, request);
  return new URL(`${externalSignInPath(name)}/callback`, url);
}
