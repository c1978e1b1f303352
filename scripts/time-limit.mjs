// `node scripts/time-limit.mjs MINUTES COMMAND [ARGUMENT...]`: runs a command in a new process group and exits with its
// code. At the limit it shows the processes of the group, kills them and exits with 124, as `timeout` does. Processes
// that the command leaves behind are killed too, so that none of them keeps the output open. Plain JavaScript for Node
// 20, because it runs before anything is installed.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";

const [minutes, command, ...args] = process.argv.slice(2);
const graceMs = 10_000;
const outputMs = 2_000;

if (!command || !(Number(minutes) > 0)) {
  console.error("usage: node scripts/time-limit.mjs MINUTES COMMAND [ARGUMENT...]");
  process.exit(2);
}
const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
child.stdout.pipe(process.stdout, { end: false });
child.stderr.pipe(process.stderr, { end: false });
const limit = setTimeout(stopAtLimit, Number(minutes) * 60_000);
let reached = false;

child.on("error", (error) => {
  console.error(`cannot start ${command}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  clearTimeout(limit);
  const exitCode = reached ? 124 : (code ?? 128 + constants.signals[signal]);
  sendToGroup("SIGKILL");
  // The output arrives completely before it closes, but a process outside the group may never close it.
  child.on("close", () => process.exit(exitCode));
  setTimeout(() => process.exit(exitCode), outputMs);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => sendToGroup(signal));

function stopAtLimit() {
  reached = true;
  const what = [command, ...args].join(" ");
  console.error(`\nTIME LIMIT: "${what}" did not end in ${minutes} minutes. Running processes:`);
  for (const line of processesOfGroup()) console.error(`  ${line}`);
  sendToGroup("SIGTERM");
  setTimeout(() => sendToGroup("SIGKILL"), graceMs);
}

function sendToGroup(signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Returns the id and the command line of each process of the group; an empty list if the system has no /proc. */
function processesOfGroup() {
  const ids = listFolder("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => groupOf(id) === child.pid).map((id) => `${id} ${commandLineOf(id)}`);
}

function listFolder(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function groupOf(id) {
  // The name, in parentheses, may contain spaces; the state, the parent and the group follow it.
  const stat = readText(`/proc/${id}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
}

function commandLineOf(id) {
  return readText(`/proc/${id}/cmdline`).replaceAll("\0", " ").slice(0, 200);
}

/** Returns the content of a file; empty if its process ended meanwhile. */
function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
