// The program of docs/library.md runs as it is written, against the real service, with the library's sources in its place.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { startService } from "../support/service.ts";

const root = join(import.meta.dirname, "../..");

async function run(folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(folder, "program.ts")], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code: child.exitCode, out, err };
}

it("plans, applies just that, and is told of a closed window", { timeout: 60_000 }, async () => {
  const page = readFileSync(join(root, "docs/library.md"), "utf8");
  const [, program = ""] = /```ts\n(.*?)```/su.exec(page) ?? [];
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), "svc-library-"));
  try {
    const library = join(root, "reconciler/index.ts");
    writeFileSync(
      join(folder, "program.ts"),
      program.replace('"svc-as-code/reconciler"', JSON.stringify(library)),
    );
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    mkdirSync(join(folder, "infra"));
    const write = (policy: string, name: string): void =>
      writeFileSync(
        join(folder, "infra", "stack.yaml"),
        `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: lib }\nspec: { policy: { ${policy} } }\n---\n` +
          `apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: one }\nspec: { name: ${name} }\n`,
      );
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    write("prune: true", "first");
    const done = await run(folder, env);
    expect(done.err).toBe("");
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain("+ UserGroup/one");
    expect(done.out).toContain("1/1 UserGroup/one");
    expect(done.out).toMatch(/^\d+ calls$/mu);
    write("freezes: [{ to: 2999-01-01T00:00:00Z, reason: audit, owner: ops }]", "second");
    const closed = await run(folder, env);
    expect(closed.out).toContain(
      "not now: nothing may be changed now: a freeze of the Stack (audit)",
    );
    const { body } = await service.send("GET", "/api/v1/user-groups?first=100");
    const { items } = body as { items: readonly { name: string }[] };
    expect(items.map(({ name }) => name).filter((name) => name === "second")).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await service.close();
  }
});
