// Provides launchers that scripts find as `svc`: the installed command line, or that of this checkout in a reused process.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { svcProgram } from "./svc-program.ts";
import { runInWorker } from "./svc-worker.ts";

/**
 * Writes the launcher of the installed tool into a folder, which must be on PATH. Each command is a separate process.
 */
export async function writeSvcLauncher(folder: string): Promise<void> {
  const { file, compileCache } = await svcProgram();
  const launcher = `#!/bin/sh\nNODE_COMPILE_CACHE="${compileCache}" exec "${process.execPath}" "${file}" "$@"\n`;
  writeFileSync(join(folder, "svc"), launcher, { mode: 0o755 });
}

/** A launcher whose commands run in shared processes. */
export interface SharedLauncher {
  close(): void;
}

/**
 * Writes a launcher into a folder, which must be on PATH. Its commands run in shared processes, with their own
 * arguments, folder, environment and input, so that a test does not pay for a start with each command. The commands of
 * the service (`serve`, `admin`) are separate processes.
 */
export async function startSharedLauncher(folder: string): Promise<SharedLauncher> {
  const requests = mkdtempSync(join(tmpdir(), "svc-commands-"));
  const server = createServer((socket) => {
    socket.setEncoding("utf8").once("data", (line) => void answer(socket, String(line).trim()));
    // A script that was stopped does not read the answer.
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { file, compileCache } = await svcProgram();
  const launcher = `#!/bin/bash
if [ "$1" = serve ] || [ "$1" = admin ]; then
  NODE_COMPILE_CACHE="${compileCache}" exec "${process.execPath}" "${file}" "$@"
fi
request="${requests}/$$"
printf '%s\\0' "$PWD" "$@" >"$request.args"
env -0 >"$request.env"
if [ ! -t 0 ]; then cat; fi >"$request.in"
exec 3<>/dev/tcp/127.0.0.1/${port}
echo "$request" >&3
read -r code <&3
cat "$request.out"
cat "$request.err" >&2
rm "$request".*
exit "$code"
`;
  writeFileSync(join(folder, "svc"), launcher, { mode: 0o755 });
  return {
    close() {
      server.close();
      rmSync(requests, { recursive: true, force: true });
    },
  };
}

/** Runs the command of a request, whose files the launcher has written, and writes its output next to them. */
async function answer(socket: Socket, request: string): Promise<void> {
  const [cwd = "", ...args] = words(`${request}.args`);
  const env = Object.fromEntries(
    words(`${request}.env`).map((line) => {
      const end = line.indexOf("=");
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
  const input = readFileSync(`${request}.in`, "utf8");
  const { code, out, err } = await runInWorker({ args, cwd, env, input }).catch(
    (error: unknown) => ({ code: 1, out: "", err: `${String(error)}\n` }),
  );
  writeFileSync(`${request}.out`, out);
  writeFileSync(`${request}.err`, err);
  socket.end(`${code ?? 1}\n`);
}

/** Returns the texts of a file, each of which ends with a zero byte. */
function words(file: string): readonly string[] {
  return readFileSync(file, "utf8").split("\0").slice(0, -1);
}
