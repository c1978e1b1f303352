// Every command that a tutorial or a how-to guide shows is run, in order, against the real service, and its output compared.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeSvcLauncher } from "../support/svc-launcher.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { type CommandStep, missingLines, stepsOf, writeFile } from "./page.ts";

const root = join(import.meta.dirname, "../..");
const pages = globSync("docs/{tutorials,how-to}/*.md", { cwd: root })
  .filter((page) => readFileSync(join(root, page), "utf8").includes("```console"))
  .toSorted();

/** Up to thirty commands, each a process. */
const slowTest = { timeout: 180_000 };

let folder: string;
let service: TestService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-docs-"));
  service = await startService({ data: join(folder, "data") });
  // What the page calls `svc` is the command line of this checkout.
  writeSvcLauncher(folder);
  cpSync(join(root, "examples/quickstart"), join(folder, "work/examples/quickstart"), {
    recursive: true,
  });
});

afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

it("finds pages with commands", () => {
  expect(pages.length).toBeGreaterThan(4);
});

it.each(pages)("%s does what it shows", slowTest, async (page) => {
  let lastCode = 0;
  let last = "";
  for (const step of stepsOf(readFileSync(join(root, page), "utf8"))) {
    if (step.step === "file") {
      writeFile(step, join(folder, "work"));
      if (step.path === "versions.json")
        await restart({ versions: join(folder, "work", step.path) });
      continue;
    }
    // A page that expects another exit code than 0 shows it.
    const showsCode = step.command === "echo $?";
    expect({ page, last, code: showsCode ? 0 : lastCode }).toEqual({ page, last, code: 0 });
    lastCode = await runStep(step, { page, lastCode });
    last = step.command;
  }
  expect({ page, last, code: lastCode }).toEqual({ page, last, code: 0 });
});

/** Restarts the service with the options that a page tells the reader to add. */
async function restart(options: { readonly versions: string }): Promise<void> {
  const port = Number(new URL(service.url).port);
  await service.close();
  service = await startService({ ...options, port, data: join(folder, "data") });
}

async function runStep(
  { command, expected, line }: CommandStep,
  { page, lastCode }: { readonly page: string; readonly lastCode: number },
): Promise<number> {
  // `$?` is the exit code of the command before, as in one shell.
  const child = spawn("bash", ["-c", `(exit ${lastCode}); ${command}`], {
    cwd: join(folder, "work"),
    env: {
      PATH: `${folder}:${process.env["PATH"]}`,
      HOME: folder,
      SVC_API_URL: service.url,
      SVC_API_KEY: service.adminKey,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  const printed = `${out}${err}`;
  const missing = missingLines(expected, printed);
  const report = { at: `${page}:${line}`, command, missing, printed };
  expect(missing.length === 0 ? {} : report).toEqual({});
  return child.exitCode ?? 1;
}
