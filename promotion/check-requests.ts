// Sends the HTTP requests of pipeline checks: only to granted origins, with limits, without redirects, and to private
// addresses only if the grant names the exact host.
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent } from "undici";
import { Failure } from "../core/errors.ts";
import { isPrivateAddress } from "../core/system/ip-address.ts";
import { limits } from "../core/limits/limits.ts";
import { checkUrlProblem, isCheckUrl } from "./check-url.ts";
import { grantRemedy, normalizeOrigin } from "../reconciler/sessions.ts";

/** The part of a response that a check reads. */
export interface CheckResponse {
  readonly status: number;
  readonly text: string;
}

/** The request of a check. */
export interface CheckRequest {
  readonly url: string;
  readonly timeoutMs: number;
  /** `https://host`, or `https://*.host` for every host below one. */
  readonly origins: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends one request. Fails with `forbidden` if the origin is not granted, and with `usage` if the URL is invalid.
 * Network errors are thrown unchanged.
 */
export async function sendCheckRequest({
  url,
  timeoutMs,
  origins,
  signal,
}: CheckRequest): Promise<CheckResponse> {
  if (!isCheckUrl(url)) {
    throw new Failure("usage", checkUrlProblem);
  }
  const target = new URL(url);
  const granted = origins.map(normalizeOrigin);
  const isNamed = granted.includes(target.origin);
  if (!isNamed && !granted.some((one) => matchesWildcardOrigin(one, target))) {
    throw new Failure("forbidden", `a check requests ${target.origin}, which is not granted`, {
      remedy: grantRemedy("checks.origins", target.origin),
    });
  }
  const host = target.hostname.replace(/^\[|\]$/gu, "");
  if (!isNamed && isIP(host) !== 0 && isPrivateAddress(host)) throw privateHostError(target.host);
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  const agent = new Agent({ connect: isNamed ? {} : { lookup: publicLookup } });
  try {
    const answer = await agent.request({
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      method: "GET",
      signal: stop,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= limits.checkBytes) break;
    }
    return { status: answer.statusCode, text: Buffer.concat(chunks).toString("utf8") };
  } finally {
    await agent.destroy();
  }
}

function matchesWildcardOrigin(granted: string, { protocol, host }: URL): boolean {
  const [, scheme, below] = /^(https?:)\/\/\*(\..+)$/u.exec(granted) ?? [];
  return below !== undefined && scheme === protocol && host.endsWith(below);
}

function privateHostError(host: string): Failure {
  return new Failure("forbidden", `a check requests ${host}, which has a private address`, {
    remedy: "If this is intended, grant the exact origin.",
  });
}

/** Resolves host names, and fails if any address is private. The connection uses the addresses checked here. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, "", 0);
    if (found.some(({ address }) => isPrivateAddress(address)))
      return done(privateHostError(host), "", 0);
    if (options.all === true) return done(null, found);
    const [first] = found;
    if (first === undefined) return done(new Error(`${host} has no address`), "", 0);
    return done(null, first.address, first.family);
  });
};
