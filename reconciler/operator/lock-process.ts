// Identifies the process that holds a lock, so that another process on the same machine can detect that it has exited.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { Type } from "typebox";
import { codeOf } from "../../core/system/system-error.ts";

/** The schema of a process in a lock record. */
export const processSchema = Type.Object({
  host: Type.String(),
  /** Identifies the boot of the machine: two machines can have one host name. Empty if the system has none. */
  bootId: Type.Optional(Type.String()),
  pid: Type.Integer({ minimum: 1 }),
  /** The PID namespace, since the same PID in another namespace is another process. Empty if unknown. */
  pidNamespace: Type.String(),
  /** The start time in clock ticks since boot. Empty if unknown. */
  startTime: Type.String(),
});

/** A process on a machine. A type instead of an interface, so that it is a plain JSON object. */
export type LockingProcess = {
  readonly host: string;
  readonly bootId?: string;
  readonly pid: number;
  readonly pidNamespace: string;
  readonly startTime: string;
};

/** Returns the current process. */
export function currentProcess(): LockingProcess {
  const { pid } = process;
  return {
    host: hostname(),
    bootId: currentBootId(),
    pid,
    pidNamespace: currentPidNamespace(),
    startTime: processStartTime(pid),
  };
}

/** Returns the current user and host: `ann@laptop`. */
export function currentUser(): string {
  return `${userName()}@${hostname()}`;
}

/** Returns the current user, host and PID. */
export function currentHolder(): string {
  return `${currentUser()} pid ${process.pid}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id without a name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

/** Returns true only if certain: the process ran on this machine, and has exited or its PID was reused. */
export function hasExited(holder: LockingProcess): boolean {
  const { host, bootId, pid, pidNamespace, startTime } = holder;
  // Without a boot id another machine of the same name is possible: the lease decides.
  if (bootId === undefined || bootId === "" || bootId !== currentBootId()) return false;
  if (host !== hostname() || pidNamespace !== currentPidNamespace()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return true;
  }
  const now = processStartTime(pid);
  return startTime !== "" && now !== "" && startTime !== now;
}

function currentBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function currentPidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Returns the 22nd field of /proc/PID/stat. The second field may contain spaces and ends at the last parenthesis. */
function processStartTime(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
