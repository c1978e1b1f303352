// Tests that a bundle lists the packages whose code it contains.
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";

let packageFolderOf: (input: string) => string | undefined;
beforeAll(async () => {
  const module = (await import(join(import.meta.dirname, "bundled-licenses.mjs"))) as {
    readonly packageFolderOf: typeof packageFolderOf;
  };
  ({ packageFolderOf } = module);
});

it.each([
  ["node_modules/ajv/dist/core.js", "node_modules/ajv"],
  ["node_modules/@grpc/grpc-js/build/index.js", "node_modules/@grpc/grpc-js"],
  ["node_modules/a/node_modules/b/index.js", "node_modules/a/node_modules/b"],
  ["cli/main.ts", undefined],
  ["validator:abc", undefined],
])("%s is of %s", (input, folder) => {
  expect(packageFolderOf(input)).toBe(folder);
});
