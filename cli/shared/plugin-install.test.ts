// What stands in the way of installing a provider: told with the folder, and with what to do.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Failure } from "../../core/errors.ts";
import { requireNode, writeAtomically } from "./plugin-install.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc-built-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const write = async (folder: string): Promise<unknown> =>
  writeAtomically(join(folder, "plugin.cjs"), "", 0o644).catch((error: unknown) => error);

it("tells a folder that lies below a file, and how to name another", async () => {
  writeFileSync(join(home, "file"), "");
  for (const folder of [join(home, "file"), join(home, "file", "plugins")]) {
    const told = await write(folder);
    expect(told).toBeInstanceOf(Failure);
    expect(told).toMatchObject({ code: "usage", remedy: expect.stringContaining("--plugin-dir") });
    expect((told as Failure).message).toContain(`${folder}: a part of this path is a file`);
  }
});

it("tells a folder in the place of a file", async () => {
  mkdirSync(join(home, "plugin.cjs"));
  const message = expect.stringContaining(`${home}: a folder stands in the place of a file`);
  expect(await write(home)).toMatchObject({ code: "usage", message });
});

it("tells a Node.js that would not start what is installed", () => {
  for (const old of ["20.19.1", "22.18.0"]) {
    expect(() => requireNode(old)).toThrow(
      `the provider needs Node.js 22.19 or newer, and this is ${old}`,
    );
  }
  for (const enough of ["22.19.0", "24.0.0"]) expect(() => requireNode(enough)).not.toThrow();
});
