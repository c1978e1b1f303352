// The only way out for checks of a pipeline: to origins that the caller granted, bounded, without redirects, and to private
// addresses only where the caller named the very host.
import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { Failure } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { normalizeOrigin } from "../reconciler/operator/origins.ts";

/** An answer, as much of it as a check looks at. */
export interface CheckResponse {
  readonly status: number;
  readonly text: string;
}

/** What a check asks. */
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

/** True for an address that is not of the open internet. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  const plain = mapped ?? address;
  return privateRanges.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
}

/** Asks once. Fails with `forbidden` where the origin was not granted, `usage` for what is no address; else as the network fails. */
export async function sendCheckRequest({
  url,
  timeoutMs,
  origins,
  signal,
}: CheckRequest): Promise<CheckResponse> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/u.test(target.protocol) || target.username !== "") {
    throw new Failure("usage", "a check names what is not an http or https address without a user");
  }
  const granted = origins.map(normalizeOrigin);
  const isNamed = granted.includes(target.origin);
  if (!isNamed && !granted.some((one) => matchesWildcardOrigin(one, target))) {
    throw new Failure("forbidden", `a check asks ${target.origin}, which nobody has granted`, {
      remedy: `if you trust the pipeline to ask it, pass --allow-origin ${target.origin}`,
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
  return new Failure("forbidden", `a check asks ${host}, which lies in a private range`, {
    remedy: "grant the very origin if that is meant",
  });
}

/** Answers only with addresses of the open internet, which are the ones then connected to. */
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
