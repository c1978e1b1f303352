// Says on a terminal that a newer release exists: looks for it while the command runs, once a day, for at most 1.5 seconds.
import { readFileSync } from "node:fs";
import { ageMs, cacheFile, writeCacheFile } from "../../../client/user-cache.ts";
import { compareVersions } from "../../../core/text/compare-versions.ts";
import { latestRelease, releaseAddress } from "./releases.ts";

/** Longest wait for the answer, in milliseconds. */
const waitMs = 1500;
/** How long an answer is kept, in milliseconds. */
const keptMs = 24 * 3_600_000;
/** Commands that print the version themselves, or whose output a shell reads. */
const silentCommands: readonly string[] = ["__complete", "completion", "update"];

/** A running look for a newer release. */
export interface ReleaseCheck {
  /** Prints the notice, if there is a newer release. */
  readonly print: () => Promise<void>;
}

/**
 * Starts to look for a newer release; undefined without an address of releases, with SVC_NO_UPDATE_CHECK, or for a
 * command that shows no notice.
 */
export function startReleaseCheck(
  args: readonly string[],
  version: string,
): ReleaseCheck | undefined {
  const address = releaseAddress();
  const [command = ""] = args;
  const isOff = (process.env["SVC_NO_UPDATE_CHECK"] ?? "") !== "";
  const isSilent = isOff || silentCommands.includes(command) || args.includes("--quiet");
  if (address === undefined || isSilent) return undefined;
  const found = knownRelease(address);
  return {
    print: async () => {
      const latest = await found;
      if (latest === undefined || compareVersions(latest, version) <= 0) return;
      process.stderr.write(`svc ${latest} is available (installed: ${version}); run svc update\n`);
    },
  };
}

/**
 * Returns the newest version: the kept one, otherwise the one at the address. Undefined if today's look had no answer
 * in time.
 */
async function knownRelease(address: string): Promise<string | undefined> {
  const file = cacheFile("latest-release");
  const kept = readKept(file, address);
  if (kept !== undefined) return kept.latest;
  const stop = AbortSignal.timeout(waitMs);
  const latest = await latestRelease(address, stop).catch(() => undefined);
  writeCacheFile(file, `${address}\n${latest ?? ""}\n`);
  return latest;
}

/** Returns the answer of a look in the last day; undefined if there was none. */
function readKept(
  file: string,
  address: string,
): { readonly latest: string | undefined } | undefined {
  try {
    if (ageMs(file) > keptMs) return undefined;
    const [from, latest = ""] = readFileSync(file, "utf8").split("\n");
    return from === address ? { latest: /^[\d.]+$/u.test(latest) ? latest : undefined } : undefined;
  } catch {
    return undefined;
  }
}
