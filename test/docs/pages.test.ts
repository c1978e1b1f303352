// Runs every command of tutorials and how-to guides in order against the real service, and compares the output.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { runsMoreCases, sampled } from "../support/sampling.ts";
import {
  type SharedLauncher,
  startSharedLauncher,
  writeSvcLauncher,
} from "../support/svc-launcher.ts";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type CommandStep,
  missingLines,
  missingOutput,
  stepsOf,
  withoutProgress,
  writeFile,
} from "./page.ts";

const root = join(import.meta.dirname, "../..");
const pages = sampled(
  globSync("docs/{tutorials,how-to}/*.md", { cwd: root })
    .filter((page) => readFileSync(join(root, page), "utf8").includes("```console"))
    // Tutorials come first, because an ordinary run takes the page that newcomers start with.
    .toSorted()
    .toReversed(),
  1,
);

/**
 * The page whose commands are processes of the installed tool in continuous integration; the commands of other pages run
 * in a shared process.
 */
const asInstalled = runsMoreCases ? "docs/tutorials/getting-started.md" : undefined;

/** Up to thirty commands. */
const slowTest = { timeout: 180_000 };

let folder: string;
let service: Pick<TestService, "url" | "adminKey" | "close"> | undefined;
let launcher: SharedLauncher | undefined;
/** The service that the page starts itself. */
let server: ChildProcess | undefined;
let port: number;
/** The variables that the page sets for the commands after them. */
let exported: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-docs-"));
  port = await findFreePort();
  exported = [];
  cpSync(join(root, "examples/quickstart"), join(folder, "work/examples/quickstart"), {
    recursive: true,
  });
});

afterEach(async () => {
  await stopServer();
  launcher?.close();
  launcher = undefined;
  await service?.close();
  service = undefined;
  rmSync(folder, { recursive: true, force: true });
});

it("finds pages with commands", () => {
  expect(pages.length).toBeGreaterThan(4);
});

it.each(pages)("%s does what it shows", slowTest, async (page) => {
  // `svc` on the page is the command line of this checkout.
  if (page === asInstalled) {
    service = await startAsReader();
    await writeSvcLauncher(folder);
  } else {
    service = await startService({ data: join(folder, "data") });
    launcher = await startSharedLauncher(folder);
  }
  let lastCode = 0;
  let last = "";
  for (const step of stepsOf(readFileSync(join(root, page), "utf8"))) {
    if (step.step === "file") {
      writeFile(step, join(folder, "work"));
      continue;
    }
    // A page that expects another exit code than 0 shows it.
    const showsCode = step.command === "echo $?";
    expect({ page, last, code: showsCode ? 0 : lastCode }).toEqual({ page, last, code: 0 });
    last = step.command;
    if (last.startsWith("svc serve ")) {
      await serve(step, page);
      continue;
    }
    lastCode = await runStep(step, { page, lastCode });
    if (last.startsWith("export ")) exported.push(last);
  }
  expect({ page, last, code: lastCode }).toEqual({ page, last, code: 0 });
});

/**
 * Runs `npm start` until it has printed the text that the reader copies. Returns the service, with its example applied.
 */
async function startAsReader(): Promise<NonNullable<typeof service>> {
  const child = spawn(process.execPath, [join(root, "scripts", "start.ts")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (printed += String(data)));
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  const valueOf = (name: string) => new RegExp(`export ${name}=(\\S+)\\n`, "u").exec(printed)?.[1];
  await expect
    .poll(() => [valueOf("SVC_API_KEY"), child.exitCode], { timeout: 90_000 })
    .toEqual([expect.any(String), null])
    .catch((error: unknown) => {
      child.kill("SIGTERM");
      throw new Error(`npm start did not serve: ${printed}`, { cause: error });
    });
  return { url: valueOf("SVC_API_URL") ?? "", adminKey: valueOf("SVC_API_KEY") ?? "", close };
}

/** Starts the service like the page does in another terminal, but on a free port instead of the page's port. */
async function serve(
  { command, expected, line, isInterrupted }: CommandStep,
  page: string,
): Promise<void> {
  await stopServer();
  const child = startShell(`exec ${withFreePort(command)}`);
  server = child;
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (printed += String(data)));
  await expect
    .poll(() => missingLines(expected, printed), {
      timeout: 60_000,
      message: `${page}:${line} ${command}`,
    })
    .toEqual([]);
  if (isInterrupted) await stopServer();
}

async function stopServer(): Promise<void> {
  const running = server;
  server = undefined;
  if (running === undefined || running.exitCode !== null) return;
  running.kill("SIGTERM");
  await once(running, "exit");
}

function withFreePort(command: string): string {
  return command.replaceAll("18431", String(port));
}

/** Starts a shell in the reader's folder. */
function startShell(script: string) {
  return spawn("bash", ["-c", script], {
    cwd: join(folder, "work"),
    env: {
      PATH: `${folder}:${process.env["PATH"]}`,
      HOME: folder,
      SVC_API_URL: service?.url,
      SVC_API_KEY: service?.adminKey,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function runStep(
  step: CommandStep,
  { page, lastCode }: { readonly page: string; readonly lastCode: number },
): Promise<number> {
  const { command, line } = step;
  // `$?` is the exit code of the previous command, as in one shell.
  const script = [...exported, `(exit ${lastCode})`, command].join("\n");
  const child = startShell(withFreePort(script));
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  const printed = `${out}${withoutProgress(err)}`;
  const missing = missingOutput(step, printed);
  const report = { at: `${page}:${line}`, command, missing, printed };
  expect(missing.length === 0 ? {} : report).toEqual({});
  return child.exitCode ?? 1;
}
