// Which process holds a lock, told so that another on the same machine can tell when it is gone.
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { Type } from "typebox";

/** How a process is written into a lock. */
export const processSchema = Type.Object({
  host: Type.String(),
  pid: Type.Integer({ minimum: 1 }),
  /** Its namespace of process ids: in another one the same number is another process. Empty where the system tells none. */
  pidNamespace: Type.String(),
  /** When it started, in the system's own count; empty where that is not told. */
  startTime: Type.String(),
});

/** A process on some machine; a plain JSON object, so a type and not an interface. */
export type LockingProcess = {
  readonly host: string;
  readonly pid: number;
  readonly pidNamespace: string;
  readonly startTime: string;
};

/** The process that runs this. */
export function currentProcess(): LockingProcess {
  const { pid } = process;
  return {
    host: hostname(),
    pid,
    pidNamespace: currentPidNamespace(),
    startTime: processStartTime(pid),
  };
}

/** The user and host that run this, as others read them. */
export function currentUser(): string {
  return `${userName()}@${hostname()}`;
}

/** The same with the process. */
export function currentHolder(): string {
  return `${currentUser()} pid ${process.pid}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run under numbers that have no name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

/** True only where it is certain: the process ran on this machine and is gone, or its number belongs to another one now. */
export function hasExited({
  host,
  pid,
  pidNamespace: space,
  startTime: started,
}: LockingProcess): boolean {
  if (host !== hostname() || space !== currentPidNamespace()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const now = processStartTime(pid);
  return started !== "" && now !== "" && started !== now;
}

function currentPidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** The 22nd field of its line in /proc; the name in the second may hold anything, up to the last parenthesis. */
function processStartTime(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
