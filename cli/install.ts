// Entry point of the installer, a file of each release: `node install.mjs` installs svc with npm into a folder of this user.
//   SVC_UPDATE_REPO   the repository of the releases on GitHub
//   SVC_VERSION       the release to install, such as v0.1.0 (default: the newest)
//   SVC_INSTALL_DIR   the folder of the installation (default: ~/.svc)
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { Failure } from "../core/errors.ts";
import { nodeVersionError } from "../core/system/node-version.ts";
import { noRepositoryFailure, readRelease, releaseURL } from "./shared/release/github-release.ts";
import { installMs, installRelease } from "./shared/release/install-release.ts";

async function install(): Promise<void> {
  const oldNode = nodeVersionError(process.versions.node);
  if (oldNode !== undefined) throw new Failure("usage", `svc ${oldNode}`);
  const tag = process.env["SVC_VERSION"]?.replace(/^v?(?=\d)/u, "v") || undefined;
  const url = releaseURL(tag);
  if (url === undefined) throw noRepositoryFailure();
  const prefix = resolve(process.env["SVC_INSTALL_DIR"] || join(homedir(), ".svc"));
  const signal = AbortSignal.timeout(installMs);
  const release = await readRelease(url, signal);
  await installRelease(release, { prefix, packages: ["svc"] }, signal);
  const bin = process.platform === "win32" ? prefix : join(prefix, "bin");
  const isInPath = (process.env["PATH"] ?? "").split(delimiter).includes(bin);
  process.stdout.write(
    `Installed svc ${release.version}: ${join(bin, "svc")}\n${isInPath ? "" : `Add ${bin} to PATH.\n`}`,
  );
}

install().catch((error: unknown) => {
  const { message, remedy } =
    error instanceof Failure ? error : new Failure("internal", String(error));
  process.stderr.write(
    [`error: ${message}`, ...(remedy === undefined ? [] : [remedy]), ""].join("\n"),
  );
  process.exitCode = 1;
});
