// `npm start`: runs the main workflow with the real command line: serve, plan, apply, plan again, drift, repair, and a data model
// that is broken, fixed and queried; last, an export. Then keeps serving.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = join(root, "cli", "main.ts");
const readyWithinMs = 120_000;
const stopWithinMs = 10_000;

interface ServerAddress {
  readonly url: string;
  readonly apiKey: string;
}

/** Runs a command and checks its exit code. */
type RunCommand = (args: readonly string[], expected: number) => Promise<void>;

const values = readOptions();
// Ctrl-C may arrive twice, from the terminal and from npm. The first ends the tour; none skips the cleanup.
const interrupt = new AbortController();
let interruptedCode = 0;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => endTour(128 + constants.signals[signal]));
}
// The reader of a pipe has closed it: there is no one left to report to.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => endTour(0));

const work = await mkdtemp(join(tmpdir(), "svc-quickstart-"));
try {
  await runDemo(work, values.once);
} catch (error) {
  if (!interrupt.signal.aborted) throw error;
  process.exitCode = interruptedCode;
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Ends the tour: the command that runs, the server and the process. The first reason decides the exit code. */
function endTour(code: number): void {
  if (!interrupt.signal.aborted) interruptedCode = code;
  interrupt.abort();
}

function readOptions(): { readonly once: boolean } {
  try {
    return parseArgs({ options: { once: { type: "boolean", default: false } } }).values;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    process.stderr.write(`error: ${reason}; npm start takes only --once, svc serve the rest\n`);
    process.exit(64);
  }
}

async function runDemo(folder: string, ends: boolean): Promise<void> {
  const stack = join(folder, "quickstart");
  await cp(join(root, "examples", "quickstart"), stack, {
    recursive: true,
    filter: (path) => !path.includes(".svc"),
  });
  printHeading("Start the service on this machine. Its data folder is deleted at the end.");
  const readyFile = join(folder, "ready.json");
  const server = start([
    "serve",
    "--data",
    join(folder, "data"),
    "--port",
    "0",
    "--ready-file",
    readyFile,
  ]);
  try {
    const ready = await waitFor(readyFile, server);
    await runDemoCommands(ready, stack);
    if (!ends) await keepServing(ready, server);
  } finally {
    await stop(server);
  }
}

/** Runs every command as a user types it and checks its exit code. */
async function runDemoCommands(ready: ServerAddress, stack: string): Promise<void> {
  const commands = startCommands(ready, stack);
  try {
    await runWorkflow(ready, stack, (args, expected) => run(commands, args, expected));
  } finally {
    if (commands.connected) commands.disconnect();
  }
}

async function runWorkflow(ready: ServerAddress, stack: string, svc: RunCommand): Promise<void> {
  printHeading("Show what apply would create.");
  await svc(["plan", "."], 0);
  printHeading("Create the objects.");
  await svc(["apply", ".", "--yes"], 0);
  printHeading("Plan again: nothing to do.");
  await svc(["plan", "."], 0);
  printHeading("Another user edits a group outside the manifests.");
  await editByHand(ready, svc);
  printHeading(
    "Show the drift. Exit code 2 means that objects were changed outside the manifests.",
  );
  await svc(["drift", "."], 2);
  printHeading("Repair it: apply restores what the manifests declare.");
  await svc(["apply", ".", "--yes"], 0);
  await svc(["drift", "."], 0);
  await breakModel(svc, join(stack, "sales", "model", "views", "week.yml"));
  printHeading("Write manifests for the objects that no stack owns.");
  await svc(["export", "--into", "exported"], 0);
}

/** Breaks a view of the data model, shows the error, and fixes it. */
async function breakModel(svc: RunCommand, view: string): Promise<void> {
  const text = await readFile(view, "utf8");
  printHeading(
    "Break the data model: a view names a measure that no cube has. The plan finds it before anything is written.",
  );
  await writeFile(view, text.replace("revenue", "turnover"));
  await svc(["plan", "."], 1);
  printHeading("Fix it, and change the description of the view.");
  await writeFile(view, text.replace("of the week", "of the last week"));
  await svc(["apply", ".", "--yes"], 0);
  await svc(["validate", "harbour-sales"], 0);
  printHeading("Query production, as the widgets of the dashboard do.");
  const query = { measures: ["week.revenue"], dimensions: ["week.region"] };
  await svc(["query", "harbour-sales", JSON.stringify(query)], 0);
}

async function editByHand(ready: ServerAddress, svc: RunCommand): Promise<void> {
  const groups = "/api/v1/embed-tenants/northwind/groups";
  const answer = await fetch(`${ready.url}${groups}`, {
    headers: { authorization: `Api-Key ${ready.apiKey}` },
  });
  const { items } = (await answer.json()) as { items: { id: number; name: string }[] };
  const group = items.find(({ name }) => name === "directors");
  if (group === undefined) throw new Error("the group `directors` was not created");
  await svc(
    ["api", "PATCH", `${groups}/${group.id}`, "-d", '{"description":"Edited in a hurry."}'],
    0,
  );
}

async function keepServing(ready: ServerAddress, server: ChildProcess): Promise<void> {
  const { url, apiKey } = ready;
  printHeading("The service keeps running; press Ctrl-C to stop it. In another terminal:");
  process.stdout.write(`  export SVC_API_URL=${url}\n  export SVC_API_KEY=${apiKey}\n`);
  process.stdout.write(`  alias svc="'${process.execPath}' '${cli}'"\n`);
  printHeading("The dashboard of the example, in a page of its own for two customers:");
  const page = await startHostPage(ready);
  try {
    await once(server, "exit", { signal: interrupt.signal }).catch(() => undefined);
  } finally {
    page.kill();
  }
}

/** Starts the page of examples/embedding, which prints its address. */
async function startHostPage({ url, apiKey }: ServerAddress): Promise<ChildProcess> {
  const read = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const headers = { authorization: `Api-Key ${apiKey}` };
    const answer = await fetch(`${url}/api/v1/${path}`, { headers });
    const { items } = (await answer.json()) as { items?: readonly Record<string, unknown>[] };
    return items ?? [];
  };
  const [deployment] = await read("deployments");
  const id = String(deployment?.["id"]);
  const [workbook] = await read(`deployments/${id}/workbooks`);
  const published = workbook?.["publishedDashboard"] as { readonly publicId: string } | undefined;
  if (published === undefined) throw new Error("the dashboard of the example was not published");
  const env = {
    SVC_API_URL: url,
    SVC_API_KEY: apiKey,
    DEPLOYMENT_ID: id,
    PUBLIC_ID: published.publicId,
    PORT: "0",
  };
  const program = join(root, "examples", "embedding", "server.mjs");
  return spawn(process.execPath, [program], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

function start(args: readonly string[]): ChildProcess {
  process.stdout.write(`$ svc ${args.join(" ")}\n`);
  return spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "inherit", "inherit"] });
}

/** Starts the process that runs the commands, with the settings of a user of the service. */
function startCommands({ url, apiKey }: ServerAddress, stack: string): ChildProcess {
  // The demonstration deletes its configuration folder.
  const configuration = join(stack, "..", "config");
  const variables = { XDG_CONFIG_HOME: configuration, SVC_API_URL: url, SVC_API_KEY: apiKey };
  const commands = fork(new URL("start-commands.ts", import.meta.url), {
    cwd: stack,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  interrupt.signal.addEventListener("abort", () => commands.kill("SIGINT"));
  // A failure to start or reach it appears as its exit.
  commands.on("error", () => undefined);
  return commands;
}

async function run(
  commands: ChildProcess,
  args: readonly string[],
  expected: number,
): Promise<void> {
  interrupt.signal.throwIfAborted();
  process.stdout.write(`$ svc ${args.map(quoted).join(" ")}\n`);
  commands.send(args);
  const code = await exitCodeOf(commands);
  if (code !== expected)
    throw new Error(`svc ${args[0]} exited with ${String(code)}; expected ${expected}`);
}

/** Waits for the exit code of a command. Fails if the process ends before. */
function exitCodeOf(commands: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void =>
      reject(new Error(`the process of the commands ended with ${code ?? "a signal"}`));
    commands.once("exit", onExit);
    commands.once("message", (code) => {
      commands.off("exit", onExit);
      resolve(code);
    });
  });
}

function quoted(argument: string): string {
  return /[\s{"]/.test(argument) ? `'${argument}'` : argument;
}

async function waitFor(file: string, server: ChildProcess): Promise<ServerAddress> {
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline && isRunning(server)) {
    interrupt.signal.throwIfAborted();
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as ServerAddress;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the server did not start");
}

/** A signal ends a process without an exit code. */
function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function stop(server: ChildProcess): Promise<void> {
  if (!isRunning(server)) return;
  const exited = once(server, "exit");
  server.kill("SIGTERM");
  const last = setTimeout(() => server.kill("SIGKILL"), stopWithinMs);
  await exited;
  clearTimeout(last);
}

function printHeading(text: string): void {
  process.stdout.write(`\n${text}\n`);
}
