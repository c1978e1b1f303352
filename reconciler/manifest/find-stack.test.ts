// Tests which of several Stacks in a folder tree a command uses, and its message about the others.
import { expect, it } from "vitest";
import { stack, useManifestFolder } from "../../test/support/manifest-folder.ts";
import { noGrants } from "../operator/grants.ts";
import { loadStackAlone } from "./load.ts";
import { parse } from "./parse.ts";

const { folder, write, load } = useManifestFolder();

async function notes(paths: readonly string[] = []): Promise<readonly string[]> {
  const { desired, diagnostics } = await load({ paths });
  expect(desired).toBeDefined();
  return diagnostics.map(({ code, summary, remedy }) => `${code}: ${summary}. ${remedy}`);
}

const named = (name: string, spec = "") => stack(spec).replace("demo", name);

it("names the stacks below the folder of the Stack that it uses", async () => {
  await write({
    "stack.yaml": named("root", "  manifests: ['*.yaml']\n"),
    "stages/test/stack.yaml": named("test"),
    "stages/production/stack.json":
      '{ "apiVersion": "svc/v1", "kind": "Stack", "metadata": { "name": "production" } }',
    "stages/notes.yaml": "kind: [Stack]\n",
  });
  const note =
    'other-stacks: uses the stack "root", not those below its folder: ' +
    '"production" at stages/production/stack.json:1, "test" at stages/test/stack.yaml:1. ' +
    "Pass the path of another stack to select it.";
  expect(await notes()).toEqual([note]);
  const options = { paths: [], cwd: folder(), kinds: [], variables: {}, grants: noGrants, env: {} };
  const alone = await loadStackAlone(options);
  expect(alone.stack?.name).toBe("root");
  expect(alone.diagnostics).toMatchObject([{ code: "other-stacks", severity: "info" }]);
});

it.each(["stages", "stages/test"])(
  "does not read files in %s that the Stack does not list",
  async (below) => {
    await write({
      "stack.yaml": named("root", "  manifests: ['*.yaml']\n"),
      [`${below}/stack.yaml`]: named("nested"),
      [`${below}/broken.yaml`]: "kind: {\n",
    });
    const note =
      'other-stacks: uses the stack "root", not those below its folder: ' +
      `"nested" at ${below}/stack.yaml:1. Pass the path of another stack to select it.`;
    expect(await notes()).toEqual([note]);
  },
);

it("says nothing about them if a path names the Stack, or there are none", async () => {
  await write({
    "stack.yaml": named("root", "  manifests: ['*.yaml']\n"),
    "other/group.yaml": "kind: UserGroup\n",
  });
  expect(await notes()).toEqual([]);
  await write({ "stages/test/stack.yaml": named("test") });
  expect(await notes(["stack.yaml"])).toEqual([]);
  expect(await notes(["stages"])).toEqual([]);
});

it("does not parse saved plans and JSON files of other programs", async () => {
  await write({
    "stack.yaml": named("root"),
    "package.json": '{ "name": "x" }',
    "saved.json": '{ "format": 1, "changes": [{ "kind": "UserGroup" }] }',
  });
  const parsed: string[] = [];
  const parseCache = {
    parse: (file: string, text: string) => {
      parsed.push(file);
      return parse(file, text);
    },
  };
  expect((await load({ parseCache })).diagnostics).toEqual([]);
  expect(parsed).toEqual(["stack.yaml"]);
});
