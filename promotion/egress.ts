// Sends the HTTP requests of pipeline checks: only to granted origins, with limits, without redirects, and to private
// addresses only if the grant names the exact host.
import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { normalizeOrigin } from "../reconciler/operator/origins.ts";

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

const privateRanges = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  privateRanges.addSubnet(net, bits, "ipv4");
}
for (const [net, bits] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fec0::", 10],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  privateRanges.addSubnet(net, bits, "ipv6");
}

/** Returns whether an address is private or otherwise not public. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  const plain = mapped ?? address;
  return privateRanges.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

/** Sends one request. Fails with `forbidden` if the origin is not granted, and with `usage` if the URL is invalid. Network errors are thrown as they are. */
export async function sendCheckRequest({
  url,
  timeoutMs,
  origins,
  signal,
}: CheckRequest): Promise<CheckResponse> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/u.test(target.protocol) || target.username !== "") {
    throw new Failure(
      "usage",
      "the URL of a check is not an http or https URL, or contains a user name",
    );
  }
  const granted = origins.map(normalizeOrigin);
  const isNamed = granted.includes(target.origin);
  if (!isNamed && !granted.some((one) => matchesWildcardOrigin(one, target))) {
    throw new Failure("forbidden", `a check requests ${target.origin}, which is not granted`, {
      remedy: `if you trust the pipeline with it, pass --allow-origin ${target.origin}`,
    });
  }
  const host = target.hostname.replace(/^\[|\]$/gu, "");
  if (!isNamed && isIP(host) !== 0 && isPrivateAddress(host)) throw privateHostError(target.host);
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  const agent = new Agent({ connect: isNamed ? {} : { lookup: publicLookup } });
  try {
    const answer = await request(target, { dispatcher: agent, signal: stop, method: "GET" });
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
    remedy: "if this is intended, grant the exact origin",
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
