// Which remotes the service may reach: public addresses, and what the operator allows in addition.
import { lookup } from "node:dns/promises";
import { realpath } from "node:fs/promises";
import { isIP, isIPv4 } from "node:net";
import { sep } from "node:path";
import { isPrivateAddress } from "../../core/ip-address.ts";
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
  if (privateHosts.includes(host)) return [];
  if (kind === "http") {
    throw remoteError(
      `${host} is reached over plain HTTP; use https, or ask the operator to start the server with --git-private-host ${host}`,
    );
  }
  const addresses = isIP(host) === 0 ? await resolveHost(host) : [host];
  if (addresses.some(isPrivateAddress)) {
    throw remoteError(
      `${host} has a private address; ask the operator to start the server with --git-private-host ${host}`,
    );
  }
  // IPv4 first: a network without IPv6 often resolves it all the same.
  return addresses.toSorted((a, b) => Number(isIPv4(b)) - Number(isIPv4(a)));
}

async function resolveHost(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw remoteError(`the host ${host} cannot be resolved`, cause);
  }
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
