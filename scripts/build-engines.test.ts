// A failed build leaves no program behind. The last line names what is missing, which is an error only for named programs.
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

/** A Go stand-in that builds everything except Pulumi's language host. */
const go = `#!/bin/sh
case "$1 $*" in
  list*) touch "$PWD/engine.mod"; echo "$PWD/engine.mod" ;;
  build*age-keygen*) echo "no such module" >&2; exit 1 ;;
  build*) while [ "$1" != -o ]; do shift; done; echo built > "$2" ;;
esac
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-engines-"));
  writeFileSync(join(folder, "go"), go);
  chmodSync(join(folder, "go"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function engines(...names: readonly string[]) {
  const env = { PATH: `${folder}:/usr/bin:/bin`, XDG_CACHE_HOME: join(folder, "cache") };
  const args = [join(import.meta.dirname, "build-engines.ts"), ...names];
  const ended = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, args, { env }, (error, _, output) =>
      resolve({ code: error?.code ?? 0, output: output.trim() }),
    );
  });
  return { ...ended, installed: readdirSync(join(folder, "cache", "svc-as-code", "engines")) };
}

it("leaves nothing of a failed build and reports the program as missing", async () => {
  const { code, output, installed } = await engines();
  expect(installed.toSorted()).toEqual(["sops", "sops.version", "tofu", "tofu.version"]);
  expect(output.split("\n").at(-1)).toBe("Missing: age.");
  expect(code).toBe(0);
});

it("fails if the program was named", async () => {
  const { code, output, installed } = await engines("age");
  expect({ code, installed }).toEqual({ code: 1, installed: [] });
  expect(output).toContain("no such module");
});
