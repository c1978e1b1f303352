// Runs `svc` commands one after the other in one process, so that the command line is loaded once. Each command gets its own
// arguments, folder, environment and streams.
// oxlint-disable-next-line import/no-unassigned-import -- it changes node:fs
import "./no-fsync.ts";
import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import { runProgram } from "../../cli/program.ts";
import type { CommandRequest, CommandResult } from "./svc-worker.ts";

process.on("message", (request: CommandRequest) => {
  void runCommand(request).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit());

async function runCommand({
  args,
  cwd,
  env,
  input,
  columns,
  version,
}: CommandRequest): Promise<CommandResult> {
  const [out, err] = [new TextSink(columns), new TextSink()];
  process.chdir(cwd);
  process.argv = [process.execPath, "svc", ...args];
  replaceEnvironment(env);
  process.exitCode = undefined;
  const streams = {
    stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]),
    stdout: out,
    stderr: err,
  };
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  const code = await runProgram(args, version);
  // The folder may be removed now.
  process.chdir(tmpdir());
  return { code, out: out.text(), err: err.text() };
}

function replaceEnvironment(env: CommandRequest["env"]): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** Collects what a command writes. */
class TextSink extends Writable {
  readonly #chunks: Buffer[] = [];
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns?: number) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
