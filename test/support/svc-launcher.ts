// A launcher that scripts find as `svc`: the command line tool of this checkout, which keeps what Node compiled.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const main = join(import.meta.dirname, "../../cli/main.ts");

/** Writes the launcher into a folder, which has to be on PATH. */
export function writeSvcLauncher(folder: string): void {
  const cache = process.env["NODE_COMPILE_CACHE"] ?? "";
  const launcher = `#!/bin/sh\nNODE_COMPILE_CACHE="${cache}" exec "${process.execPath}" "${main}" "$@"\n`;
  writeFileSync(join(folder, "svc"), launcher, { mode: 0o755 });
}
