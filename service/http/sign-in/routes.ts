// The routes of sign-in: pages for people, and the OAuth server for programs.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "oidc-provider";
import type { Logger } from "pino";
import { statusOf } from "../../../api/problems.ts";
import { Failure, isFailure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { readAppConfig } from "../../areas/app/app-config.ts";
import {
  findPasswordLink,
  setPasswordByLink,
  type SignedInUser,
  signInByPassword,
} from "../../identity/passwords.ts";
import { requireStrongPassword } from "../../security/password-hash.ts";
import { createOAuthServers } from "../../identity/oauth-server.ts";
import { sendErrorResponse } from "../request/error-responses.ts";
import { Quotas } from "../request/quotas.ts";
import { admitRequests, type RequestAdmission } from "../request/request-admission.ts";
import { requestContextOf } from "../request/request-context.ts";
import { addClientApproval } from "./client-approval.ts";
import { addDeviceApproval } from "./device-approval.ts";
import {
  findGuessed,
  endSession,
  nextPath,
  providersOf,
  queryText,
  readForm,
  renderPage,
  type SignIn,
  sendPage,
  startSession,
  userOf,
} from "./browser.ts";
import { addExternalSignIn } from "./external-sign-in.ts";
import { addOAuthServer } from "./oauth-routes.ts";
import { addPageSessions } from "./page-sessions.ts";
import { themeStyle } from "./theme.ts";
import { homePage, messagePage, passwordPage, signInPage, styleSheet } from "./pages.ts";

/** The title of pages that say why something failed. */
const notPossible = "Not possible";

/** Adds the routes. */
export function addSignIn(
  app: FastifyInstance,
  { admission, log }: { admission: RequestAdmission; log: Logger },
): void {
  const shared: SignIn = {
    servers: createOAuthServers(
      (err) => log.error({ err }, "the OAuth server failed"),
      (message, reader) => renderPage(messagePage(notPossible, message), reader),
    ),
    failures: new Quotas(() => performance.now(), limits.addressSignInMs),
  };
  addPageSessions(app, { admission, log });
  void app.register(async (scope) => {
    admitRequests(scope, admission);
    addOAuthServer(scope, shared);
  });
  void app.register(async (scope) => {
    admitRequests(scope, admission);
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: limits.signInFormBytes },
      async (_: FastifyRequest, body: string) => new URLSearchParams(body),
    );
    scope.setErrorHandler((error, request, reply) => {
      if (error instanceof errors.OIDCProviderError) {
        const text = error.error_description ?? error.message;
        return sendPage(reply, messagePage(notPossible, text, error.statusCode));
      }
      if (!(error instanceof Failure)) return sendErrorResponse(error, { request, reply, log });
      if (error.retryAfter !== undefined) reply.header("retry-after", error.retryAfter);
      return sendPage(reply, messagePage(notPossible, error.message, statusOf(error.code)));
    });
    addPages(scope, shared);
    addDeviceApproval(scope, shared);
    addClientApproval(scope, shared);
    addExternalSignIn(scope);
  });
}

function addPages(app: FastifyInstance, { failures }: SignIn): void {
  app.get("/auth/style.css", async (request, reply) => {
    const theme = themeStyle(await readAppConfig(requestContextOf(request).db));
    return reply
      .type("text/css; charset=utf-8")
      .header("cache-control", "max-age=300")
      .send(`${styleSheet}${theme}`);
  });
  app.get("/auth", async (request, reply) => {
    const user = await userOf(request);
    return user ? sendPage(reply, homePage(user.username)) : reply.redirect("/auth/sign-in", 303);
  });
  app.get("/auth/sign-in", async (request, reply) => {
    const next = nextPath(queryText(request, "next"));
    return sendPage(reply, signInPage({ next, providers: await providersOf(request) }));
  });
  app.post("/auth/sign-in", async (request, reply) => {
    const form = readForm(request);
    const next = nextPath(form.get("next") ?? "");
    const name = form.get("name") ?? "";
    const password = form.get("password") ?? "";
    const { db, now } = requestContextOf(request);
    const providers = await providersOf(request);
    let user: SignedInUser | undefined;
    try {
      user = await findGuessed(request, failures, () =>
        signInByPassword(db, { name, password }, now()),
      );
    } catch (error) {
      if (!isFailure(error, "invalid")) throw error;
      return sendPage(reply, signInPage({ next, name, problem: error.message, providers }));
    }
    if (!user) {
      const problem = `The name or the password is wrong, or the user is deactivated. After several wrong passwords, even the right one works only after a pause: ${limits.signInDelayMs / 1000} seconds first, ${limits.signInDelayMaxMs / 60_000} minutes at most.`;
      return sendPage(reply, signInPage({ next, name, problem, providers }));
    }
    await startSession(request, reply, async () => ({ userId: user.id, method: "password" }));
    return reply.redirect(next, 303);
  });
  app.post("/auth/sign-out", async (request, reply) => {
    readForm(request);
    await endSession(request, reply);
    return sendPage(reply, messagePage("Signed out", "You are signed out in this browser."));
  });
  addPasswordPages(app, failures);
}

function addPasswordPages(app: FastifyInstance, failures: Quotas): void {
  const expired = messagePage(
    "The link does not work",
    "It expired or was used already. Ask an administrator for another one.",
    404,
  );
  const findLink = (request: FastifyRequest, token: string) => {
    const { db, now } = requestContextOf(request);
    return findGuessed(request, failures, () => findPasswordLink(db, token, now()));
  };
  app.get("/auth/password", async (request, reply) => {
    const token = queryText(request, "token");
    const user = await findLink(request, token);
    if (user) return sendPage(reply, passwordPage({ token, username: user.username }));
    return sendPage(reply, expired);
  });
  app.post("/auth/password", async (request, reply) => {
    const form = readForm(request);
    const token = form.get("token") ?? "";
    const password = form.get("password") ?? "";
    const { db, now } = requestContextOf(request);
    const user = await findLink(request, token);
    if (!user) return sendPage(reply, expired);
    const problem = passwordProblem(password, user.username);
    if (problem !== undefined) {
      return sendPage(reply, passwordPage({ token, username: user.username, problem }));
    }
    if (!(await setPasswordByLink(db, { token, password }, now()))) return sendPage(reply, expired);
    await startSession(request, reply, async () => ({ userId: user.id, method: "password-link" }));
    return reply.redirect("/", 303);
  });
}

function passwordProblem(password: string, username: string): string | undefined {
  try {
    requireStrongPassword(password, username);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
