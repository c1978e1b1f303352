// Tests which modes a file with a secret may have.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSecretFile, refuseOpenFile } from "./secret-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-secret-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  [0o600, undefined],
  [0o440, undefined],
  [0o644, undefined],
  [0o666, "0666"],
  [0o777, "0777"],
])("a file with the mode %o", (mode, refused) => {
  const file = join(folder, "key");
  writeFileSync(file, "secret\n");
  chmodSync(file, mode);
  const read = () => readSecretFile(file);
  if (refused === undefined) expect(read()).toBe("secret\n");
  else expect(read).toThrow(`every user can change it (mode ${refused})`);
});

it("is accepted if it is missing or no regular file", () => {
  expect(() => refuseOpenFile(join(folder, "missing"))).not.toThrow();
  expect(() => refuseOpenFile("/dev/null")).not.toThrow();
});
