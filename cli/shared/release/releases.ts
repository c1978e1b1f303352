// The releases of svc at their base address: `latest` names the newest version.
import { Failure } from "../../../core/errors.ts";
import { publication } from "../../../core/publication.ts";

/** Characters of `latest` that are read. */
const latestMax = 100;

/**
 * Returns the base address of the releases: `SVC_RELEASE_URL`, otherwise the publisher's address; undefined if there is
 * none.
 */
export function releaseAddress(): string | undefined {
  const named = process.env["SVC_RELEASE_URL"] || publication.releaseURL;
  return named?.replace(/\/+$/u, "");
}

/** Returns the newest version. Fails with `unreachable` without an answer, and with `unexpected_answer` for another one. */
export async function latestRelease(address: string, signal: AbortSignal): Promise<string> {
  const version = await readLatest(address, signal).catch((cause: unknown) => {
    throw new Failure("unreachable", `${address} does not list releases`, {
      cause,
      remedy: "Check SVC_RELEASE_URL and the network connection.",
    });
  });
  if (/^\d{1,6}\.\d{1,6}\.\d{1,6}$/u.test(version)) return version;
  throw new Failure("unexpected_answer", `${address}/latest does not name a version`);
}

async function readLatest(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(`${address}/latest`, { signal });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  // Follows redirects as the installer does, but not from https to http.
  if (address.startsWith("https:") && !response.url.startsWith("https:"))
    throw new Error(`a redirect to ${response.url}`);
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > latestMax) break;
  }
  return text.trim();
}
