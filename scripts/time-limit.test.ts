// A command runs to its end or to the limit, and leaves no process behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

const script = join(import.meta.dirname, "time-limit.mjs");

async function run(minutes: string, command: string) {
  const child = spawn(process.execPath, [script, minutes, "sh", "-c", command]);
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: child.exitCode, out, err };
}

/** Returns whether a process exists and is not a zombie. */
function isRunning(id: string): boolean {
  const stat = `/proc/${id}/stat`;
  return existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"));
}

it("passes on the output and the exit code of a command", async () => {
  const ended = await run("1", "echo out; echo err >&2; exit 3");
  expect(ended).toEqual({ code: 3, out: "out\n", err: "err\n" });
});

it("does not wait for a process that the command leaves behind", async () => {
  const { code, out } = await run("1", "sleep 600 & echo $!");
  expect(code).toBe(0);
  await expect.poll(() => isRunning(out.trim())).toBe(false);
});

it("kills a command at the limit, and shows what ran", async () => {
  const { code, out, err } = await run("0.005", "sleep 600 & echo $!; wait");
  expect(code).toBe(124);
  expect(err).toMatch(
    /^\nTIME LIMIT: "sh -c .*" did not end in 0\.005 minutes\. Running processes:$/m,
  );
  expect(err).toMatch(/^ {2}\d+ sleep 600 $/m);
  await expect.poll(() => isRunning(out.trim())).toBe(false);
});

it("refuses a limit that is no number", async () => {
  expect((await run("x", "true")).code).toBe(2);
});
