// Checks manifests of Kubernetes against the types of its API: unknown fields, missing ones, wrong types and choices.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const modules = join(import.meta.dirname, "../../node_modules");

/** Returns the errors of objects of Kubernetes. */
export function lintObjects(objects: readonly object[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "svc-kubernetes-"));
  try {
    symlinkSync(modules, join(folder, "node_modules"));
    const files = objects.map((object, index) => {
      const { apiVersion, kind } = object as Readonly<Record<string, unknown>>;
      const type = `import("kubernetes-models/${String(apiVersion)}").I${String(kind)}`;
      const file = `${index}-${String(kind)}.ts`;
      const text = JSON.stringify(object, undefined, 1);
      writeFileSync(join(folder, file), `export const object: ${type} = ${text};\n`);
      return file;
    });
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--pretty", "false", "--types", ""];
    const { stdout, status } = spawnSync(
      join(modules, ".bin/tsc"),
      [...options, "--module", "nodenext", ...files],
      { cwd: folder, encoding: "utf8", timeout: 60_000 },
    );
    const errors = stdout.split("\n").filter((line) => line.includes(" error "));
    if (status === 0 || errors.length > 0) return errors;
    throw new Error(`tsc ended with ${status}: ${stdout}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
