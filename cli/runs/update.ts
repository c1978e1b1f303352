// Runs `svc update`: compares this version with the newest release, and installs its packages with npm.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { compareVersions } from "../../core/text/compare-versions.ts";
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { noRepositoryFailure, readRelease, releaseURL } from "../shared/release/github-release.ts";
import { type Installation, installMs, installRelease } from "../shared/release/install-release.ts";
import { runAction } from "../shared/run/run-action.ts";

export interface Flags extends OutputFlags {
  readonly check?: true;
}

/** Runs `svc update`. */
export function runUpdate(flags: Flags, version: string): Promise<void> {
  return runAction(flags, async ({ output, signal }) => {
    const url = releaseURL();
    if (url === undefined) throw noRepositoryFailure();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.requestMs)]);
    const release = await readRelease(url, stop);
    const { version: latest } = release;
    const isNewer = compareVersions(latest, version) > 0;
    const isInstalled = isNewer && flags.check !== true;
    if (isInstalled) {
      const place = installation();
      output.info(() => `Installing svc ${latest} …`);
      await installRelease(
        release,
        place,
        AbortSignal.any([signal, AbortSignal.timeout(installMs)]),
      );
    }
    output.result({
      text: () => resultText({ version, latest, isNewer, isInstalled }),
      json: () => commandJson("update", { version, latest, isNewer, isInstalled }),
    });
    return exitCodes.done;
  });
}

interface UpdateResult {
  readonly version: string;
  readonly latest: string;
  readonly isNewer: boolean;
  readonly isInstalled: boolean;
}

function resultText({ version, latest, isNewer, isInstalled }: UpdateResult): string {
  if (isInstalled) return `Installed svc ${latest} in place of ${version}.`;
  return isNewer
    ? `svc ${latest} is available (installed: ${version}); run svc update`
    : `svc ${version} is the newest release.`;
}

/** Returns the installation that this program runs from. Fails with `usage` if npm did not install it globally. */
function installation(): Installation {
  const program = realpathSync(process.argv[1] ?? "");
  const pattern = /^(.+?)((?:[/\\]lib)?[/\\]node_modules)[/\\]svc-as-code[/\\]dist[/\\]svc\.js$/u;
  const [, prefix, folder = ""] = pattern.exec(program) ?? [];
  // A local installation has a package.json of its own beside the folder of packages.
  if (prefix === undefined || existsSync(join(prefix, "package.json"))) {
    throw new Failure("usage", `${program} is not a global installation of npm`, {
      remedy: "Install the archive of the release as this one was installed.",
    });
  }
  const hasService = existsSync(join(prefix, folder, "svc-as-code-service"));
  return { prefix, packages: hasService ? ["svc", "svc-service"] : ["svc"] };
}
