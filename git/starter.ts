// Starts Git from a separate small process. The system copies the page table of a process that starts another, which
// takes tens of milliseconds in a large one, during which it answers nothing.
import { type ChildProcess, fork } from "node:child_process";
import { type GitCall, type GitEnd, type GitProcess, notStarted } from "./process.ts";

/** A message to that process. */
export type StarterMessage =
  | { readonly id: number; readonly call: GitCall }
  | { readonly stop: number };

/** Its answer. */
export interface StarterAnswer {
  readonly id: number;
  readonly end: GitEnd;
}

/** Starts processes of Git. */
export type StartGit = (call: GitCall) => GitProcess;

/** Returns a function that starts Git from a separate process, which starts with the first call and ends with this process. */
export function startGitFrom(entry: URL): StartGit {
  let starter: ReturnType<typeof openStarter> | undefined;
  return (call) => {
    if (starter?.isOpen() !== true) starter = openStarter(entry);
    return starter.start(call);
  };
}

function openStarter(entry: URL) {
  const child = fork(entry, {
    env: {},
    // Options of this process are not for that one.
    execArgv: [],
    // Copies texts and bytes as they are, which JSON would escape.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const waiting = new Map<number, (end: GitEnd) => void>();
  const settle = (id: number, end: GitEnd): void => {
    waiting.get(id)?.(end);
    waiting.delete(id);
    if (waiting.size === 0) setReferenced(child, false);
  };
  const endAll = (): void => {
    for (const id of waiting.keys()) settle(id, { ...notStarted, ended: "lost" });
  };
  child.on("message", ({ id, end }: StarterAnswer) => settle(id, end));
  child.once("exit", endAll);
  child.once("error", endAll);
  const send = (message: StarterMessage): void => void child.send(message, () => undefined);
  let lastId = 0;
  return {
    // The process may be known to have ended before its channel is.
    isOpen: () => child.connected && child.exitCode === null && child.signalCode === null,
    start: (call: GitCall): GitProcess => {
      const id = ++lastId;
      const end = new Promise<GitEnd>((resolve) => waiting.set(id, resolve));
      setReferenced(child, true);
      send({ id, call });
      return { end, stop: () => send({ stop: id }) };
    },
  };
}

/** Whether this process waits for the other one before it ends. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  if (isReferenced) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
