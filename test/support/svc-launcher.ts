// A launcher that scripts find as `svc`: the command line tool of this checkout, as it is installed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { svcProgram } from "./svc-program.ts";

/** Writes the launcher into a folder, which has to be on PATH. */
export async function writeSvcLauncher(folder: string): Promise<void> {
  const { file, compileCache } = await svcProgram();
  const launcher = `#!/bin/sh\nNODE_COMPILE_CACHE="${compileCache}" exec "${process.execPath}" "${file}" "$@"\n`;
  writeFileSync(join(folder, "svc"), launcher, { mode: 0o755 });
}
