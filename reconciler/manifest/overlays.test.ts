// Tests of overlays with real files: targets, substitution, and places of errors.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kinds } from "../../resources/index.ts";
import { noGrants } from "../operator/grants.ts";
import { loadStack } from "./load.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "overlays-"));
});
afterEach(() => rm(folder, { recursive: true }));

const groups = [
  "apiVersion: svc/v1",
  "kind: UserGroup",
  "metadata: { name: one, labels: { team: growth, tier: a } }",
  "spec: { name: one, description: first }",
  "---",
  "apiVersion: svc/v1",
  "kind: UserGroup",
  "metadata: { name: two, labels: { team: growth } }",
  "spec: { name: two, description: second }",
  "---",
  "apiVersion: svc/v1",
  "kind: EmbedTenant",
  "metadata: { name: one }",
  "spec: { name: tenant-one }",
  "",
].join("\n");

/** The stack with these overlays, as lines of the Stack from the fifth on. */
async function load(...overlays: readonly string[]) {
  const metadata = "metadata: { name: demo, labels: { in: '${region}' } }";
  const head = ["apiVersion: svc/v1", "kind: Stack", metadata, "spec:"];
  const lines = [...head, "  overlays:", ...overlays.map((overlay) => `    - ${overlay}`)];
  await writeFile(path.join(folder, "stack.yaml"), lines.join("\n"));
  await writeFile(path.join(folder, "groups.yaml"), groups);
  const caller = { variables: { region: "north" }, grants: noGrants, env: {} };
  const { desired, diagnostics } = await loadStack({ paths: [], cwd: folder, kinds, ...caller });
  return {
    specs: Object.fromEntries(
      desired?.objects.map((object) => [object.address, object.spec]) ?? [],
    ),
    reported: diagnostics.map(({ code, severity, place, summary }) => {
      return `${place?.file}:${place?.line}:${place?.column} ${severity} ${code} | ${summary}`;
    }),
  };
}

describe("an overlay", () => {
  it.each<[string, readonly string[]]>([
    ["{ kind: UserGroup }", ["UserGroup/one", "UserGroup/two"]],
    ["{ kind: UserGroup, name: two }", ["UserGroup/two"]],
    ["{ kind: UserGroup, name: 't*' }", ["UserGroup/two"]],
    ["{ labels: { team: growth } }", ["UserGroup/one", "UserGroup/two"]],
    ["{ labels: { team: growth, tier: a } }", ["UserGroup/one"]],
  ])("for %s changes %j and nothing else", async (target, changed) => {
    const { specs, reported } = await load(
      `{ target: ${target}, patch: { spec: { description: new } } }`,
    );
    expect(reported).toEqual([]);
    const matches = Object.entries(specs).filter(([, spec]) => spec["description"] === "new");
    expect(matches.map(([address]) => address)).toEqual(changed);
  });

  it("merges or applies operations, in list order and before substitution", async () => {
    const { specs, reported } = await load(
      "{ target: { name: one, kind: UserGroup }, patch: { spec: { description: 'of ${region}' } } }",
      "{ target: { name: one, kind: UserGroup }, patch: [{ op: test, path: /spec/description, value: 'of ${region}' }, { op: add, path: /metadata/labels/tier, value: b }] }",
      "{ target: { labels: { tier: b } }, patch: [{ op: move, from: /spec/description, path: /spec/name }] }",
      "{ target: { name: two }, patch: { spec: { description: null } } }",
    );
    expect(reported).toEqual([]);
    expect(specs).toEqual({
      "UserGroup/one": { name: "of north" },
      "UserGroup/two": { name: "two" },
      "EmbedTenant/one": { name: "tenant-one" },
    });
  });

  it("that introduces an error has it reported at its place in the Stack", async () => {
    const { reported } = await load(
      "{ target: { name: one, kind: UserGroup }, patch: { spec: { description: 5, colour: red } } }",
      "{ target: { name: two }, patch: [{ op: add, path: /spec/name, value: [1] }] }",
      "{ target: { name: one, kind: EmbedTenant }, patch: [{ op: remove, path: /spec/name }] }",
    );
    expect(reported).toEqual([
      'stack.yaml:6:79 error wrong-type | "spec.description" must be a string or null, not a number: 5',
      'stack.yaml:6:82 error unknown-field | "spec.colour" is not a known field',
      'stack.yaml:7:76 error wrong-type | "spec.name" must be a string, not a list: [1]',
      'stack.yaml:8:59 error missing-field | "spec.name" is required',
    ]);
  });

  it("that cannot be applied, changes identity or has no effect is reported at its place", async () => {
    const { reported } = await load(
      "{ target: { name: two }, patch: [{ op: add, path: /spec/x, value: 1 }, { op: remove, path: /spec/nothing }] }",
      "{ target: { name: two }, patch: { metadata: { name: three } } }",
      "{ target: { name: nothing }, patch: {} }",
      "{ target: { kind: Stack }, patch: {} }",
    );
    expect(reported).toEqual([
      'stack.yaml:6:78 error overlay-failed | the overlay cannot be applied to UserGroup/two: there is no value at "/spec/nothing"',
      "stack.yaml:7:39 error overlay-failed | the overlay cannot be applied to UserGroup/two: it must not change apiVersion, kind or metadata.name",
      "stack.yaml:8:17 warning overlay-unused | the overlay has no effect: no document matches its target",
      'stack.yaml:9:25 error unknown-kind | the overlay targets the unknown kind "Stack"',
    ]);
    const misspelt = "{ target: { kind: UserGrop }, patch: {} }";
    expect((await load(misspelt)).reported).toEqual([
      'stack.yaml:6:25 error unknown-kind | the overlay targets the unknown kind "UserGrop"',
    ]);
  });
});
