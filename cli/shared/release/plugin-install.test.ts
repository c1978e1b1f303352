// Tests for errors of installing a provider.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Failure } from "../../../core/errors.ts";
import { installFile, requireNode } from "./plugin-install.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc-built-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

function errorIn(folder: string): unknown {
  try {
    return installFile(join(folder, "plugin.mjs"), "", 0o644);
  } catch (error) {
    return error;
  }
}

it("names a folder below a file, and how to choose another", () => {
  writeFileSync(join(home, "file"), "");
  for (const folder of [join(home, "file"), join(home, "file", "plugins")]) {
    const reported = errorIn(folder);
    expect(reported).toBeInstanceOf(Failure);
    expect(reported).toMatchObject({
      code: "usage",
      remedy: expect.stringContaining("--plugin-dir"),
    });
    expect((reported as Failure).message).toMatch(/: a part of its path is not a folder$/u);
  }
});

it("names a folder where a file is expected", () => {
  mkdirSync(join(home, "plugin.mjs"));
  const message = expect.stringContaining(`${join(home, "plugin.mjs")}: it is a folder`);
  expect(errorIn(home)).toMatchObject({ code: "usage", message });
});

it("refuses a Node.js that cannot run the provider", () => {
  for (const old of ["20.19.1", "22.18.0"]) {
    expect(() => requireNode(old)).toThrow(
      `the provider needs Node.js 22.19 or newer, and this is ${old}`,
    );
  }
  for (const enough of ["22.19.0", "24.0.0"]) expect(() => requireNode(enough)).not.toThrow();
});
