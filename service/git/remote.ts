// Runs Git against the remote of a data model, in a temporary folder that is removed afterwards.
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { git, type GitRun } from "../../git/command.ts";
import { remoteEnvironment } from "../../git/environment.ts";
import { createHostQueue, type HostQueue } from "../../git/host-queue.ts";
import { allowedAddresses, type RemotePolicy } from "./remote-policy.ts";
import { parseRemoteUrl } from "./remote-url.ts";

/** A remote, and the credential for it. */
export interface RemoteAccess {
  readonly url: string;
  readonly username: string;
  readonly token: Secret | undefined;
  readonly privateKey: Secret | undefined;
  /** Host keys that ssh accepts. */
  readonly knownHosts: string | undefined;
}

/** Opens remotes, within the rules of the operator. */
export interface Remotes {
  /** Opens a remote for `work`. Throws `invalid` if the operator does not allow it. */
  open<T>(
    access: RemoteAccess,
    signal: AbortSignal | undefined,
    work: (session: RemoteSession) => Promise<T>,
  ): Promise<T>;
}

/** Creates the factory of remotes of a server. It limits concurrent Git operations, in total and for each host. */
export function createRemotes(policy: RemotePolicy): Remotes {
  const queue = createHostQueue(limits.gitOperations);
  return {
    open: async (access, signal, work) => {
      const late = AbortSignal.timeout(limits.gitSyncMs);
      const bound = signal ? AbortSignal.any([signal, late]) : late;
      try {
        return await withRemote(access, { policy, queue, signal: bound }, work);
      } catch (error) {
        const isLate = late.aborted && signal?.aborted !== true;
        if (!isLate || !isFailure(error, "aborted")) throw error;
        const message = "the Git remote took too long; try again later";
        throw new Failure("unavailable", message, { cause: error });
      }
    },
  };
}

/** Waits for a place in the queue, and rejects if the signal comes first. */
function queued<T>(
  { queue, signal }: Pick<RemoteContext, "queue" | "signal">,
  url: string,
  work: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Failure("aborted", "the wait for the Git remote was stopped"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    const run = async (): Promise<T> => {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) throw new Failure("aborted", "the wait for the Git remote was stopped");
      return work();
    };
    return void queue(url, run).then(resolve, reject);
  });
}

interface RemoteContext {
  readonly policy: RemotePolicy;
  readonly queue: HostQueue;
  readonly signal: AbortSignal;
}

/** An open remote. */
export interface RemoteSession {
  readonly url: string;
  /** Runs Git in an empty bare repository that can reach the remote. */
  readonly run: GitRun;
}

async function withRemote<T>(
  access: RemoteAccess,
  { policy, queue, signal }: RemoteContext,
  work: (session: RemoteSession) => Promise<T>,
): Promise<T> {
  const remote = parseRemoteUrl(access.url);
  const addresses = await allowedAddresses(remote, policy);
  return queued({ queue, signal }, remote.url, async () => {
    const home = await mkdtemp(join(tmpdir(), temporaryPrefix));
    try {
      const { host, port, kind, url } = remote;
      const isHttp = kind === "http" || kind === "https";
      const { token, username, privateKey, knownHosts } = access;
      const env = remoteEnvironment(
        {
          url,
          login: isHttp && token ? { username, token } : undefined,
          knownHosts: kind === "ssh" ? await privateFile(home, "hosts", knownHosts) : undefined,
          sshKey: kind === "ssh" ? await privateFile(home, "key", privateKey?.reveal()) : undefined,
          isolated: {
            home,
            pinned: addresses.length === 0 ? undefined : { host, port, addresses },
          },
        },
        process.env,
      );
      const repository = join(home, "git");
      await mkdir(repository);
      const run: GitRun = {
        cwd: repository,
        env: { ...env, GIT_DIR: repository },
        signal,
        ownSession: true,
        timeoutMs: limits.gitRemoteMs,
        fileBytes: limits.gitRemoteBytes,
      };
      await git(["init", "--quiet", "--bare", "--template=", "--", repository], run);
      return await work({ url, run });
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
}

const temporaryPrefix = "svc-git-remote-";

/** Time after which a temporary folder no longer belongs to a running operation. */
const leftMs = 3_600_000;

/** Removes the temporary folders of servers that were killed; they can contain private keys. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const folder = join(tmpdir(), name);
    const stats = await stat(folder).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < leftMs) continue;
    // Another account of the machine may own it.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Writes a file that only the server's account can read. Returns undefined without a content. */
async function privateFile(
  folder: string,
  name: string,
  content: string | undefined,
): Promise<string | undefined> {
  if (content === undefined) return undefined;
  const file = join(folder, name);
  // ssh refuses a key without a line break at its end.
  await writeFile(file, content.endsWith("\n") ? content : `${content}\n`, { mode: 0o600 });
  return file;
}
