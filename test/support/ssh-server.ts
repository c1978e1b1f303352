// Serves the Git repositories of this machine over SSH, by the real sshd as the user of the tests.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "./free-port.ts";
import { startKeeper } from "./start-keeper.ts";

const sshd = ["/usr/sbin/sshd", "/usr/bin/sshd"].find((file) => existsSync(file));

/** Whether there is an SSH server; {@link whyNoSsh} is then empty. */
export const hasSshServer = sshd !== undefined;
export const whyNoSsh = hasSshServer ? "" : " (no sshd: install openssh-server)";

/** A server of the repositories of this machine. */
export interface SshServer extends AsyncDisposable {
  /** The line of its host key for a file of known hosts. */
  readonly knownHosts: string;
  /** Files of private keys: the one that it accepts, and another. */
  readonly key: string;
  readonly otherKey: string;
  /** Returns the URL of a repository. */
  url(path: string): string;
  /** The line if it had another host key. */
  readonly changedHosts: string;
  /** Responds no more: connections are made, and hang. */
  hang(): void;
}

/** Starts the server on a free port. */
export async function startSshServer(): Promise<SshServer> {
  const folder = mkdtempSync(join(tmpdir(), "svc-sshd-"));
  // Where sshd puts its unprivileged part; the service of the package creates it.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const [hostKey, otherHostKey, key, otherKey] = ["host", "other-host", "key", "other-key"].map(
    (name) => makeKey(join(folder, name)),
  ) as [string, string, string, string];
  const port = await findFreePort();
  const pid = join(folder, "pid");
  const settings = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${key}.pub`,
    `PidFile ${pid}`,
    "AuthenticationMethods publickey",
    "PermitRootLogin prohibit-password",
    "StrictModes no",
    "UsePAM no",
  ];
  const config = join(folder, "sshd_config");
  writeFileSync(config, settings.map((line) => `${line}\n`).join(""));
  const log = join(folder, "log");
  const command = [sshd ?? "", "-D", "-f", config, "-E", log];
  const stop = startKeeper(new URL("./server-keeper.ts", import.meta.url), [
    folder,
    "",
    "",
    ...command,
  ]);
  for (let waits = 0; !existsSync(pid); waits++) {
    if (waits === 300) {
      const text = existsSync(log) ? readFileSync(log, "utf8") : "";
      await stop();
      throw new Error(`sshd does not start: ${text}`);
    }
    await sleep(50);
  }
  const hostLine = (file: string) =>
    `[127.0.0.1]:${port} ${readFileSync(`${file}.pub`, "utf8").trim()}`;
  return {
    knownHosts: hostLine(hostKey),
    key,
    otherKey,
    url: (path) => `ssh://${userInfo().username}@127.0.0.1:${port}${path}`,
    changedHosts: hostLine(otherHostKey),
    hang: () => void process.kill(Number(readFileSync(pid, "utf8")), "SIGSTOP"),
    [Symbol.asyncDispose]: stop,
  };
}

function makeKey(file: string): string {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
  return file;
}
