// The requests and responses of the sign-in pages: the session's cookie, forms and pages.
import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Failure } from "../../../core/errors.ts";
import { clientNetwork } from "../../../core/system/ip-address.ts";
import { limits } from "../../../core/limits/limits.ts";
import { readAppConfig } from "../../areas/app/app-config.ts";
import { acceptedLanguages, workspaceTitle } from "../../areas/app/workspace-title.ts";
import {
  type BrowserSession,
  endBrowserSession,
  findBrowserSession,
  type NewSession,
  startBrowserSession,
} from "../../identity/browser-sessions.ts";
import { type IdentityProvider, listProviders } from "../../identity/external-sign-in.ts";
import type { FindOAuthServer } from "../../identity/oauth-server.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import { accountOrigin } from "../request/account-origin.ts";
import type { Quotas } from "../request/quotas.ts";
import { toSeconds } from "../request/rate-limit.ts";
import { requestContextOf } from "../request/request-context.ts";
import { document, type Page } from "./pages.ts";

/** The services that the routes share. */
export interface SignIn {
  readonly servers: FindOAuthServer;
  /** Wrong passwords and codes by address. */
  readonly failures: Quotas;
}

const sessionCookie = "svc_session";
const secretCookie = "svc_sign_in";

/** The reader of a page. */
interface Reader {
  /** The store of the account; undefined for a request without one. */
  readonly db: Db | undefined;
  readonly languages: string | undefined;
}

/**
 * Returns a page with its headers. It runs no scripts, its style may show the logo of the account, and its forms go
 * only to this server and the page's targets. Its title includes the title of the account's workspace in the reader's
 * language.
 */
export async function renderPage(page: Page, { db, languages }: Reader) {
  const config = db && (await readAppConfig(db));
  const workspace = config && workspaceTitle(config, acceptedLanguages(languages));
  const targets = ["'self'", ...(page.redirectOrigin === undefined ? [] : [page.redirectOrigin])];
  const headers = {
    "content-security-policy": `default-src 'none'; style-src 'self'; img-src https: data:; form-action ${targets.join(" ")}; base-uri 'none'; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    // Under the default policy, no-referrer, browsers send no origin with a form.
    "referrer-policy": "same-origin",
    vary: "accept-language",
    "content-type": "text/html; charset=utf-8",
  };
  return { headers, text: document(page, workspace) };
}

/** Sends a page. */
export async function sendPage(reply: FastifyReply, page: Page): Promise<FastifyReply> {
  const { requestContext, headers: sent } = reply.request;
  const reader = { db: requestContext?.db, languages: sent["accept-language"] };
  const { headers, text } = await renderPage(page, reader);
  return reply
    .code(page.status ?? 200)
    .headers(headers)
    .send(text);
}

/** Throws `forbidden` if a page of another site sent a request. */
export function requireOwnPage(request: FastifyRequest): void {
  const { origin } = request.headers;
  const own = [
    accountOrigin(requestContextOf(request).hosts, request).url,
    `${request.protocol}://${request.host}`,
  ];
  if (origin === undefined || !own.includes(origin)) {
    throw new Failure("forbidden", "another site sent this form; open the page again and retry");
  }
}

/** Returns the fields of a form. Throws `forbidden` if a page of another site sent it. */
export function readForm(request: FastifyRequest): URLSearchParams {
  requireOwnPage(request);
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** Returns a parameter of the query; "" if it is missing or given twice. */
export function queryText({ query }: FastifyRequest, name: string): string {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : "";
}

/** Returns the signed-in user of a browser. */
export async function userOf(request: FastifyRequest): Promise<BrowserSession | undefined> {
  const cookie = readCookie(request, sessionCookie);
  const { db, now } = requestContextOf(request);
  return cookie === undefined ? undefined : findBrowserSession(db, cookie, now());
}

/** Starts a session in the browser, in place of an earlier one. `find` returns its user. */
export async function startSession(
  request: FastifyRequest,
  reply: FastifyReply,
  find: (tx: Db) => Promise<NewSession>,
): Promise<void> {
  const { db, now } = requestContextOf(request);
  const earlier = readCookie(request, sessionCookie);
  const cookie = await inTransaction(db, async (tx) => {
    const session = await find(tx);
    if (earlier !== undefined) await endBrowserSession(tx, earlier);
    return startBrowserSession(tx, session, now());
  });
  const seconds = Math.floor(limits.browserSessionMs / 1000);
  setCookie(request, reply, { name: sessionCookie, value: cookie, seconds });
}

/** Ends the session of the browser. */
export async function endSession(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const cookie = readCookie(request, sessionCookie);
  const { db } = requestContextOf(request);
  if (cookie !== undefined) await inTransaction(db, (tx) => endBrowserSession(tx, cookie));
  setCookie(request, reply, { name: sessionCookie, value: "", seconds: 0 });
}

/** Returns a secret of the browser that outlives a sign-in elsewhere, and generates one if there is none. */
export function browserSecret(request: FastifyRequest, reply: FastifyReply): string {
  const value = readCookie(request, secretCookie) ?? randomBytes(32).toString("base64url");
  setCookie(request, reply, { name: secretCookie, value, seconds: limits.authorizationSeconds });
  return value;
}

function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  return new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? "")?.[1];
}

function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value, seconds }: { name: string; value: string; seconds: number },
): void {
  const secure = request.protocol === "https" ? "; Secure" : "";
  const attributes = `Path=/auth; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  void reply.header("set-cookie", `${name}=${value}; ${attributes}`);
}

/**
 * Returns what `find` returns for a password or code of a request; undefined if it is wrong. Counts the guess before
 * `find` runs, so that concurrent guesses are no more than those in sequence, and gives it back unless it is
 * wrong. Throws `rate_limited` if too many wrong ones came from the address of the request.
 */
export async function findGuessed<Found>(
  { ip }: FastifyRequest,
  failures: Quotas,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const network = clientNetwork(ip);
  const most = limits.addressSignInFailures;
  const { isGranted, waitMs } = failures.take(network, most, 1);
  if (!isGranted) {
    const seconds = toSeconds(waitMs);
    const text = `too many wrong entries from this address; try again in ${seconds} seconds`;
    throw new Failure("rate_limited", text, { retryAfter: seconds });
  }
  let isWrong = false;
  try {
    const found = await find();
    isWrong = found === undefined;
    return found;
  } finally {
    if (!isWrong) failures.charge(network, most, -1);
  }
}

/** Returns the path to continue at after the sign-in: only pages of this server. The home by default. */
export function nextPath(next: string): string {
  const isOwn =
    /^\/auth\/(?:device|authorize\/)[\w?=&%-]*$/.test(next) ||
    /^\/embed\/dashboard\/[0-9A-Za-z]+(?:\?[\w.~!$'()*,;:@?=&%+-]*)?$/.test(next);
  return isOwn ? next : "/";
}

/** Returns the identity providers of the account of a request. */
export function providersOf(request: FastifyRequest): Promise<IdentityProvider[]> {
  return listProviders(requestContextOf(request).db);
}

/** Returns the host of the account of a request; undefined if the server has one account, which answers on any host. */
export function accountHost(request: FastifyRequest): string | undefined {
  const { hosts } = requestContextOf(request);
  return hosts.length === 0 ? undefined : new URL(accountOrigin(hosts, request).url).host;
}
