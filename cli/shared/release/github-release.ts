// Reads a release of svc from GitHub, or from a server with the same API.
import { parseEndpoint } from "../../../client/request-url.ts";
import { Failure } from "../../../core/errors.ts";
import { codeOf, systemErrorText } from "../../../core/system/system-error.ts";
import { isObject, parseObject } from "../../../core/json.ts";
import { publication } from "../../../core/publication.ts";

/** A release. */
export interface Release {
  readonly version: string;
  /** Addresses of its files, by name. */
  readonly assets: ReadonlyMap<string, string>;
}

/** Bytes of the description of a release. */
const descriptionBytes = 1024 * 1024;
/** Bytes of a file of a release. */
const assetBytes = 100 * 1024 * 1024;

/**
 * Returns the address of a release, of the newest one without a tag: in the repository `SVC_UPDATE_REPO` at the API
 * `SVC_UPDATE_API`. Undefined if no repository is named, and the packages have no public one.
 */
export function releaseURL(tag?: string): string | undefined {
  const published = publication.repository?.replace(/^https:\/\/github\.com\//u, "");
  const repository = process.env["SVC_UPDATE_REPO"] || published;
  if (repository === undefined) return undefined;
  if (!/^[\w.-]+\/[\w.-]+$/u.test(repository)) {
    throw new Failure("usage", "SVC_UPDATE_REPO is not a repository such as acme/svc");
  }
  const api = parseEndpoint(
    "SVC_UPDATE_API",
    process.env["SVC_UPDATE_API"] || "https://api.github.com",
  );
  const release = tag === undefined ? "latest" : `tags/${encodeURIComponent(tag)}`;
  return `${api.replace(/\/+$/u, "")}/repos/${repository}/releases/${release}`;
}

/** Returns the failure of a program that needs the address of a release. */
export function noRepositoryFailure(): Failure {
  return new Failure("usage", "no repository of releases is set", {
    remedy: "Set SVC_UPDATE_REPO to the repository on GitHub, such as acme/svc.",
  });
}

/**
 * Returns the release at an address. Fails with `unreachable` without an answer, and with `unexpected_answer` for one that is no
 * release of svc.
 */
export async function readRelease(url: string, signal: AbortSignal): Promise<Release> {
  const content = await download(url, descriptionBytes, signal);
  const release = parseObject(content.toString());
  const tag = release["tag_name"];
  const [, version] =
    /^v?(\d{1,6}\.\d{1,6}\.\d{1,6})$/u.exec(typeof tag === "string" ? tag : "") ?? [];
  if (version === undefined)
    throw new Failure("unexpected_answer", `${url} does not name a version of svc`);
  const listed = release["assets"];
  const assets = (Array.isArray(listed) ? listed : []).flatMap((asset): [string, string][] => {
    if (!isObject(asset)) return [];
    const { name, browser_download_url: address } = asset;
    return typeof name === "string" && typeof address === "string" ? [[name, address]] : [];
  });
  return { version, assets: new Map(assets) };
}

/** Returns the content of a file of a release. Fails with `unreachable`, also if it has more than 100 MiB. */
export async function downloadAsset(
  { version, assets }: Release,
  name: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const url = assets.get(name);
  if (url !== undefined) return download(url, assetBytes, signal);
  throw new Failure("unexpected_answer", `the release ${version} has no ${name}`);
}

/** Returns why a download failed: the error of the network that `fetch` has as its cause, or its own. */
function reasonOf(error: unknown): string {
  const { cause = error, message } = error as Error;
  return codeOf(cause) === "" ? message : systemErrorText(cause);
}

async function download(url: string, bytesMax: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    const response = await fetch(parseEndpoint("the address of a release", url), { signal });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    parseEndpoint("a redirect of a release", response.url);
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure("unreachable", `cannot download ${url}: ${reasonOf(cause)}`, {
      cause,
      remedy: "Check SVC_UPDATE_REPO, SVC_UPDATE_API and the network connection.",
    });
  }
  return Buffer.concat(chunks);
}
