// Says on a terminal that a newer release exists: looks for it while the command runs, once a day, for at most 1.5 seconds.
import { readFileSync } from "node:fs";
import { ageMs, cacheFile, writeCacheFile } from "../../../client/user-cache.ts";
import { compareVersions } from "../../../core/text/compare-versions.ts";
import { readRelease, releaseURL } from "./github-release.ts";

/** Longest wait for the answer, in milliseconds. */
const waitMs = 1500;
/** How long an answer is kept, in milliseconds. */
const keptMs = 24 * 3_600_000;
/** Commands that print the version themselves, or whose output a shell reads. */
const silentCommands: readonly string[] = ["__complete", "completion", "update"];

/**
 * Starts to look for a newer release. Returns what prints the notice; undefined without a repository of releases, with
 * SVC_NO_UPDATE_CHECK or CI, and for a command that shows no notice.
 */
export function startReleaseCheck(
  args: readonly string[],
  version: string,
): (() => Promise<void>) | undefined {
  const isOff = Boolean(process.env["SVC_NO_UPDATE_CHECK"] || process.env["CI"]);
  if (isOff || silentCommands.includes(args[0] ?? "") || args.includes("--quiet")) return undefined;
  const newest = newestVersion();
  return async () => {
    const latest = await newest;
    if (latest === undefined || compareVersions(latest, version) <= 0) return;
    process.stderr.write(`svc ${latest} is available (installed: ${version}); run svc update\n`);
  };
}

/**
 * Returns the newest version: the cached one, otherwise the one of the repository. Undefined without a repository, and for
 * the rest of the day if there was no answer in time.
 */
async function newestVersion(): Promise<string | undefined> {
  try {
    const url = releaseURL();
    if (url === undefined) return undefined;
    const file = cacheFile("newest-release");
    const cached = readCached(file, url);
    if (cached !== undefined) return cached || undefined;
    const release = await readRelease(url, AbortSignal.timeout(waitMs)).catch(() => undefined);
    writeCacheFile(file, `${url}\n${release?.version ?? ""}\n`);
    return release?.version;
  } catch {
    // `svc update` reports what is wrong with the settings.
    return undefined;
  }
}

/** Returns the version of the last day's answer, "" if there was no answer; undefined without either. */
function readCached(file: string, url: string): string | undefined {
  if (ageMs(file) > keptMs) return undefined;
  const [from, version = ""] = readFileSync(file, "utf8").split("\n");
  return from === url && /^[\d.]*$/u.test(version) ? version : undefined;
}
