// Sends the login of a context to a controller, if it is one of the server where the controller's users sign in.
import { activeContext, contextNamed, resolveAccess } from "../../../client/access.ts";
import type { SavedContext } from "../../../client/context-file.ts";
import type { TextAnswer } from "../../../client/fetch-text.ts";
import { sanitize } from "../../../client/sanitize.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { Secret } from "../../../core/secret.ts";

/** Sends the request with a token, or without one. */
export type SendWith = (token: Secret | undefined) => Promise<TextAnswer>;

/**
 * Sends a request with the login of a context, by default of the active one, renewed if it has expired; first without it. Returns an answer that
 * asks for no login, such as that of a proxy whose controller is down. Fails with `unauthenticated` without a login, and with
 * `refused` if the controller names another server, or none.
 */
export async function sendWithLogin(
  send: SendWith,
  {
    context: wanted,
    signal,
  }: { readonly context: string | undefined; readonly signal: AbortSignal },
): Promise<TextAnswer> {
  const context =
    wanted === undefined ? activeContext(process.env) : contextNamed(wanted, process.env);
  const remedy = "Run `svc login`, or choose another context with --context.";
  if (context === undefined) throw new Failure("unauthenticated", "there is no login", { remedy });
  const { name, apiKey } = context;
  const { renewCredential } = resolveAccess({ context: name }, process.env);
  if (renewCredential === undefined) {
    throw new Failure("unauthenticated", `the context ${name} has no login, but a key`, { remedy });
  }
  const asked = await send(undefined);
  if (asked.status !== 401) return asked;
  requireServer(asked, context);
  const answer = await send(apiKey);
  if (answer.status !== 401) return answer;
  const { attempts, retryFirstMs } = limits;
  return send(await renewCredential(apiKey, { signal, attempts, retryFirstMs }));
}

function requireServer({ headers }: TextAnswer, { name, url }: SavedContext): void {
  const challenge = headers.get("www-authenticate") ?? "";
  const [, realm] = /^Bearer realm="([^"]*)"$/u.exec(challenge) ?? [];
  if (realm === undefined) {
    throw new Failure("refused", "the controller takes no logins", {
      remedy: "Add listen.login to its configuration, or set SVC_CONTROLLER_TOKEN.",
    });
  }
  const { origin } = new URL(url);
  if (realm === origin) return;
  const theirs = sanitize(realm);
  throw new Failure(
    "refused",
    `the controller takes logins of ${theirs}; ${name} is of ${origin}`,
    {
      remedy: "Choose a context of that server with --context. The login was not sent.",
    },
  );
}
