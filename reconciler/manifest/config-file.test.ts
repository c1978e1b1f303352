// Messages about configuration files that are not valid or cannot be read.
import { expect, it } from "vitest";
import { Type } from "typebox";
import path from "node:path";
import { useManifestFolder } from "../../test/support/manifest-folder.ts";
import { readConfigDocument } from "./config-file.ts";

const { folder, write } = useManifestFolder();

const format = {
  label: "list of names",
  schema: Type.Object({ names: Type.Array(Type.String()) }, { additionalProperties: false }),
  maxBytes: 100,
  remedy: "write names",
  validate: () => [],
};

it("name each error on a line of its own", async () => {
  await write({ "names.yaml": "names: [1]\nother: 2\n", "large.yaml": `# ${"x".repeat(100)}` });
  const read = (name: string) => () => readConfigDocument(path.join(folder(), name), format);
  expect(read("names.yaml")).toThrow(/ is not a valid list of names:\n {2}2:1: .*\n {2}1:9: /u);
  expect(read("large.yaml")).toThrow(/ is not a valid list of names: it is too large$/u);
  expect(read("none.yaml")).toThrow(/none\.yaml cannot be read: no such file or folder$/u);
});
