// Which remotes the service may reach: public addresses, and the hosts and folders that the operator allows.
import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import { allowedHostAddresses } from "../security/destinations.ts";
import { type RemoteUrl, remoteError } from "./remote-url.ts";

/** The operator's rules for remotes. */
export interface RemotePolicy {
  /** Folders whose repositories may be remotes. */
  readonly folders: readonly string[];
  /** Hosts that may have private addresses, and may be reached over plain HTTP. */
  readonly privateHosts: readonly string[];
}

/**
 * Returns the addresses to connect to; empty if the host may have any address. Throws `invalid` for a remote that the
 * operator does not allow.
 */
export async function allowedAddresses(
  remote: RemoteUrl,
  { folders, privateHosts }: RemotePolicy,
): Promise<readonly string[]> {
  const { kind, host } = remote;
  if (kind === "file") {
    await requireAllowedFolder(remote.url, folders);
    return [];
  }
  return allowedHostAddresses({
    host,
    isEncrypted: kind !== "http",
    privateHosts,
    option: "--allow-private-host",
    plainProblem: "is reached over plain HTTP; use https",
    fail: remoteError,
  });
}

/** Follows symbolic links first, so that none leads out of an allowed folder. */
async function requireAllowedFolder(folder: string, allowed: readonly string[]): Promise<void> {
  const real = await realpath(folder).catch(() => undefined);
  for (const one of allowed) {
    const above = await realpath(one).catch(() => undefined);
    if (real !== undefined && above !== undefined && isWithin(real, above)) return;
  }
  throw remoteError(
    "the folder does not exist, or the operator does not allow it; the server is started with --git-folder for folders of repositories",
  );
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
