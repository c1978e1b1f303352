// Manifests in TypeScript run only if the operator grants them, give the same documents as YAML, and have clear errors.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kinds } from "../../resources/index.ts";
import { noGrants } from "../operator/grants.ts";
import type { ResolveResult } from "../model/index.ts";
import { loadStack, type LoadOptions } from "./load.ts";
import { runScript } from "./script-run.ts";

let folder = "";
let script = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "scripts of "));
  script = path.join(folder, "groups.stack.ts");
});
afterEach(() => rm(folder, { recursive: true }));

const stack = `apiVersion: svc/v1
kind: Stack
metadata: { name: demo }
spec: { manifests: ["*.stack.ts"], variables: { names: [one, two], region: north } }
`;

async function load(
  text: string,
  options: Partial<LoadOptions> = {},
  of = stack,
): Promise<ResolveResult> {
  await writeFile(path.join(folder, "stack.yaml"), of);
  await writeFile(script, text);
  const grants = { ...noGrants, typescript: [`${folder}/`] };
  return loadStack({ paths: [], cwd: folder, kinds, variables: {}, grants, env: {}, ...options });
}

async function messages(
  text: string,
  options: Partial<LoadOptions> = {},
): Promise<readonly string[]> {
  const { desired, diagnostics } = await load(text, options);
  expect(desired).toBeUndefined();
  return diagnostics.map(({ code, place, address, path: at, summary }) =>
    [
      `${place?.file}:${place?.line}:${place?.column} ${code}`,
      ...(address === undefined ? [] : [`${address} ${at}`]),
      summary,
    ].join(" | "),
  );
}

const groups = `import { userGroup, type ManifestContext } from "svc-as-code/manifests";

export async function documents({ variables }: ManifestContext) {
  const names = variables["names"] as readonly string[];
  return names.map((name) =>
    userGroup(name, { name: \`\${name} of \${variables["region"]}\` }, { labels: { team: "a" } }),
  );
}
`;

describe("a manifest in TypeScript", () => {
  it("declares documents like YAML, with the variables of the Stack and the operator", async () => {
    const { desired, diagnostics } = await load(groups, { variables: { region: "south" } });
    expect(diagnostics).toEqual([]);
    expect(desired?.objects.map(({ place }) => place)).toEqual([
      { file: "groups.stack.ts", line: 6, column: 5 },
      { file: "groups.stack.ts", line: 6, column: 5 },
    ]);
    const doc = (name: string): string =>
      `---\napiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: ${name}, labels: { team: a } }\nspec: { name: ${name} of south }\n`;
    await rm(script);
    await writeFile(
      path.join(folder, "stack.yaml"),
      stack.replace("*.stack.ts", "*.yaml") + doc("one") + doc("two"),
    );
    const caller = { variables: {}, grants: noGrants, env: {} };
    const yaml = await loadStack({ paths: [], cwd: folder, kinds, ...caller });
    const objectsOf = (one: ResolveResult["desired"]) =>
      one?.objects.map(({ place: _, locate: __, modifiedBy: ___, ...object }) => object);
    expect(objectsOf(desired)).toEqual(objectsOf(yaml.desired));
    expect(objectsOf(desired)).toHaveLength(2);
    expect(desired?.digest).toBe(yaml.desired?.digest);
  });

  it("may export a plain list, which is checked, substituted and patched like YAML", async () => {
    const text = `import { userGroup } from "svc-as-code/manifests";
export const documents = [
  userGroup("one", { name: "\${region}" }),
  { apiVersion: "svc/v1", kind: "UserGroup", metadata: { name: "two", labels: { patched: "me" } }, spec: { nam: "two" } },
  userGroup("three", { name: "\${rgion}" }),
];`;
    const lines = await messages(text);
    expect(lines).toEqual([
      expect.stringContaining("groups.stack.ts:1:1 unknown-field | UserGroup/two /spec/nam |"),
      expect.stringContaining("groups.stack.ts:5:3 variable-unset | UserGroup/three /spec/name |"),
    ]);
    const patch = "{ target: { labels: { patched: me } }, patch: { spec: { name: patched } } }";
    const { desired } = await load(
      text.replace("nam:", "name:").replace("{rgion}", "{region} side"),
      {},
      stack.replace("spec: {", `spec: { overlays: [${patch}],`),
    );
    expect(desired?.objects.map(({ spec }) => spec["name"])).toEqual([
      "north",
      "patched",
      "north side",
    ]);
  });

  it("runs only if the operator grants it, and names the grant", async () => {
    const text = `import fs from "node:fs";\nfs.writeFileSync("ran", "");\nthrow new Error("it ran");`;
    const other = path.join(folder, "other.stack.ts");
    for (const typescript of [undefined, false, [], [folder], [other]]) {
      const { typescript: _, ...rest } = { ...noGrants, typescript };
      const grants = typescript === undefined ? rest : { ...rest, typescript };
      const { desired, diagnostics } = await load(text, { grants });
      expect(desired).toBeUndefined();
      expect(diagnostics).toMatchObject([
        {
          code: "script-not-allowed",
          place: { file: "groups.stack.ts", line: 1 },
          summary: "running groups.stack.ts is not granted",
          remedy: expect.stringContaining(`--grant 'typescript=${script}'`),
        },
      ]);
    }
    for (const typescript of [true, [script]]) {
      const [line] = await messages('throw new Error("it ran");', {
        grants: { ...noGrants, typescript },
      });
      expect(line).toContain("it ran");
    }
  });

  it("may be named as a path, and cannot declare a Stack", async () => {
    await mkdir(path.join(folder, "far"));
    await writeFile(path.join(folder, "far/stack.yaml"), stack.replace("*.stack.ts", "*.yaml"));
    const paths = ["far/stack.yaml", "groups.stack.ts"];
    const { desired } = await load(groups, { paths });
    expect(desired?.objects.map(({ address }) => address)).toEqual([
      "UserGroup/one",
      "UserGroup/two",
    ]);
    const another = `export const documents = [{ apiVersion: "svc/v1", kind: "Stack", metadata: { name: "x" } }];`;
    expect(await messages(another, { paths })).toEqual([
      expect.stringContaining("multiple-stacks"),
    ]);
    expect(await messages(groups, { paths: ["groups.stack.ts"] })).toEqual([
      expect.stringContaining("no Stack document found"),
    ]);
  });

  it.each([
    ["throws", "\n  throw new TypeError('no luck');", "2:9", "TypeError: no luck"],
    ["throws a value that is not an error", "throw 4711;", "1:1", "it threw 4711"],
    ["has a syntax error", "export const documents = [\n  foo: 3;", "2:1", "Expected"],
    [
      "needs more than stripped types",
      "\nenum A { B }\nexport const documents = [];",
      "2:1",
      "enum is not supported",
    ],
    ["imports a missing module", 'import "./nope.ts";', "1:1", "nope.ts"],
    [
      "does not export documents",
      "export const document = [];",
      "1:1",
      'it does not export "documents"',
    ],
    [
      "does not return a list",
      "export const documents = () => ({});",
      "1:1",
      'its "documents" does not return a list',
    ],
    ["returns null", "export const documents = [null];", "1:1", "documents[0] is not a document"],
    [
      "returns a date",
      "export const documents = [{ a: [new Date()] }];",
      "1:1",
      "documents[0].a[0] is a Date, which is not JSON",
    ],
    [
      "returns a function",
      "export const documents = [{ a: () => 1 }];",
      "1:1",
      "documents[0].a is a function, which is not JSON",
    ],
    [
      "returns NaN",
      "export const documents = [{ a: NaN }];",
      "1:1",
      "documents[0].a is NaN, which is not JSON",
    ],
    [
      "returns a cyclic value",
      "const a: object[] = [];\na.push({ a });\nexport const documents = a;",
      "1:1",
      "is nested too deep, or contains itself",
    ],
    [
      "awaits forever",
      "await new Promise(() => {});",
      "1:1",
      "it awaits a promise that never settles",
    ],
    ["exits", "process.exit(3);", "1:1", "it exited with 3 before it returned its documents"],
    [
      "starts a program",
      'import { execSync } from "node:child_process";\nexecSync("true");',
      "2:1",
      "restricted",
    ],
    ["writes a file", 'import fs from "node:fs";\nfs.writeFileSync("x", "");', "2:4", "restricted"],
    [
      "reads elsewhere",
      'import fs from "node:fs";\nfs.readFileSync("/etc/hostname");',
      "2:4",
      "restricted",
    ],
  ])("that %s is an error at its place", async (_, text, place, why) => {
    const lines = await messages(text);
    expect(lines).toEqual([expect.stringContaining(`groups.stack.ts:${place} script-failed |`)]);
    expect(lines[0]).toContain(why);
  });

  it("cannot read the environment", async () => {
    await writeFile(script, "export const documents = [{ ...process.env }];");
    process.env["SVC_API_KEY_OF_A_TEST"] = "sk-ours";
    try {
      const answer = await runScript({ file: script, folder, variables: {} });
      expect(answer).toEqual({ documents: [{ value: { TZ: "UTC" } }] });
    } finally {
      delete process.env["SVC_API_KEY_OF_A_TEST"];
    }
  });

  it("has limits on time and output", async () => {
    await writeFile(script, "for (;;);");
    expect(await runScript({ file: script, folder, variables: {}, timeoutMs: 400 })).toEqual({
      error: "it took longer than 0.4 seconds",
    });
    await writeFile(script, 'export const documents = [{ text: "x".repeat(4e6) }];');
    const large = await runScript({ file: script, folder, variables: {}, maxBytes: 1e6 });
    expect(large).toEqual({ error: "it returns more than 1000000 bytes", tooLarge: true });
  });

  it("obeys the limits of all documents", async () => {
    const deep = "let a: object = {};\nfor (let i = 0; i < 80; i += 1) a = { a };\n";
    expect(await messages(`${deep}export const documents = [a];`)).toEqual([
      expect.stringContaining("values are nested deeper than 64"),
    ]);
    const poisoned = `export const documents = [JSON.parse('{ "kind": "UserGroup", "__proto__": {} }')];`;
    expect((await messages(poisoned)).join("\n")).toContain('"__proto__" cannot be a key');
  });
});
