// Tests that lint, Terraform and Pulumi report errors in the files of a data model without a server.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PropertyMap } from "../../provider/pulumi/property-values.ts";
import { checkInputs } from "../../provider/pulumi/resources.ts";
import { schemasOf } from "../../provider/terraform/schema.ts";
import { validate } from "../../provider/terraform/resources.ts";
import { Unknown } from "../../provider/bridge/unknown-values.ts";
import { kindsByName } from "../../core/kind/kind.ts";
import type { JsonObject } from "../../core/json.ts";
import { loadStack } from "../../reconciler/manifest/load.ts";
import { kinds } from "../../resources/index.ts";
import { dataModel } from "../../resources/data-model.ts";
import { makeStack, type TestStack } from "../support/test-stack.ts";

const good = "cubes:\n  - { name: orders, sql_table: orders }\n";
const broken = 'cubes:\n  - name: "orders\n';

const wrong: readonly (readonly [files: JsonObject, message: string])[] = [
  [{ "model/../up.yml": good }, "is not a path of a file: it contains .."],
  [{ "../up.yml": good }, "is not a path of a file: it contains .."],
  [{ "model//up.yml": good }, "is not a path of a file: it has an empty folder name"],
  [{ "model/a:b.yml": good }, "is not a path of a file: it contains a control character"],
  [{ "model/orders.yml": broken }, 'is not valid at 2:11: YAML syntax: missing closing "quote'],
  [
    { "model/orders.yml": "cubes:\n  - { name: a }}\n" },
    'is not valid at 2:16: YAML syntax: unexpected "}"',
  ],
  [
    { "model/orders.yml": "a: 1\na: 2\n" },
    "is not valid at 2:1: YAML syntax: map keys must be unique",
  ],
];

const right: readonly JsonObject[] = [
  { "model/orders.yml": good, "README.md": broken, ".gitignore": "x", "other/x.yml": broken },
  // The server reports the operations that it does not support.
  { "model/orders.yml": "{% for a in b %}" },
];

describe("the files of a data model", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await makeStack({ url: "http://127.0.0.1:9", key: "none" });
  });
  afterAll(() => stack.dispose());

  const lint = async (files: JsonObject): Promise<readonly string[]> => {
    const spec = { deployment: { external: "main" }, files };
    await stack.write([{ kind: "DataModel", name: "shop", spec }]);
    const { diagnostics } = await loadStack(stack.options);
    return diagnostics.map(({ summary }) => summary);
  };
  const [block] = Object.values(schemasOf([dataModel]).resources);
  const resource = {
    kind: dataModel,
    attributes: block?.attributes ?? [],
    sharedFields: new Set<string>(),
    kinds: kindsByName(kinds),
  };
  const validated = (files: JsonObject | Unknown) =>
    validate(resource, { deployment: "main", files }, true).map(({ detail }) => detail);
  const checked = (files: JsonObject) => {
    const news = { deployment: "main", files } as PropertyMap;
    return checkInputs(dataModel, { news, olds: {} }).failures.map(({ reason }) => reason);
  };

  it("are warned of if the compiler reads none because of their folders", async () => {
    const spec = (files: JsonObject) => ({ deployment: { external: "main" }, files });
    const warned = async (files: JsonObject) => {
      await stack.write([{ kind: "DataModel", name: "shop", spec: spec(files) }]);
      const { diagnostics } = await loadStack(stack.options);
      return diagnostics.map(({ severity, path, summary }) => [severity, path, summary]);
    };
    expect(await warned({ "cubes/orders.yml": good, "agents/skills/a.md": "Shop" })).toEqual([
      ["warning", "/spec/files", expect.stringContaining("no file is in a folder model or schema")],
    ]);
    expect(await warned({ "cubes/orders.yml": good, "model/a.yml": good })).toEqual([]);
    expect(await warned({ "README.md": "Shop" })).toEqual([]);
  });

  it.each(wrong)("%j are refused by lint and by providers", async (files, message) => {
    const expected = [expect.stringContaining(message)];
    expect(await lint(files)).toEqual(expected);
    expect(validated(files)).toEqual(expected);
    expect(checked(files)).toEqual(expected);
  });

  it.each(right)("%j are not", async (files) => {
    expect(await lint(files)).toEqual([]);
    expect(validated(files)).toEqual([]);
    expect(checked(files)).toEqual([]);
  });

  it("are not checked where a provider does not know them", () => {
    expect(validated(new Unknown())).toEqual([]);
  });

  it("are named where a manifest reads them from a folder", async () => {
    const file = join(stack.folder, "shop/model/orders.yml");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, broken);
    const spec = { deployment: { external: "main" }, files: { valueFrom: { folder: "shop" } } };
    await stack.write([{ kind: "DataModel", name: "shop", spec }]);
    const { diagnostics } = await loadStack(stack.options);
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      expect.stringContaining('"spec.files.model/orders.yml" is not valid at 2:11'),
    ]);
  });
});
