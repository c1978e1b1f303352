// Manifests in TypeScript: only where they are granted, the same as YAML from then on, and told plainly whatever they do.
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
  it("gives the documents that YAML would, with the Stack's variables and the caller's over them", async () => {
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
    const said = (one: ResolveResult["desired"]) =>
      one?.objects.map(({ place: _, modifiedBy: __, ...wish }) => wish);
    expect(said(desired)).toEqual(said(yaml.desired));
    expect(said(desired)).toHaveLength(2);
    expect(desired?.digest).toBe(yaml.desired?.digest);
  });

  it("may be a plain list, and is checked, substituted and overlaid as others are", async () => {
    const text = `import { userGroup } from "svc-as-code/manifests";
export const documents = [
  userGroup("one", { name: "\${region}" }),
  { apiVersion: "svc/v1", kind: "UserGroup", metadata: { name: "two", labels: { patched: "me" } }, spec: { nam: "two" } },
  userGroup("three", { name: "\${rgion}" }),
];`;
    const lines = await messages(text);
    expect(lines).toEqual([
      expect.stringContaining("groups.stack.ts:1:1 missing-field | UserGroup/two /spec/name |"),
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

  it("is not run unless the operator grants it, and says how that is done", async () => {
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
          summary: "running groups.stack.ts was not granted to these manifests",
          remedy: expect.stringContaining("--allow-typescript groups.stack.ts"),
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

  it("is named as a path as well, and holds no Stack", async () => {
    await mkdir(path.join(folder, "far"));
    await writeFile(path.join(folder, "far/stack.yaml"), stack.replace("*.stack.ts", "*.yaml"));
    const paths = ["far/stack.yaml", "groups.stack.ts"];
    const { desired } = await load(groups, { paths });
    expect(desired?.objects.map(({ address }) => address)).toEqual([
      "UserGroup/one",
      "UserGroup/two",
    ]);
    const another = `export const documents = [{ apiVersion: "svc/v1", kind: "Stack", metadata: { name: "x" } }];`;
    expect(await messages(another, { paths })).toEqual([expect.stringContaining("no-stack")]);
    expect(await messages(groups, { paths: ["groups.stack.ts"] })).toEqual([
      expect.stringContaining("there is no Stack document here"),
    ]);
  });

  it.each([
    ["throws", "\n  throw new TypeError('no luck');", "2:9", "TypeError: no luck"],
    ["throws what is no error", "throw 4711;", "1:1", "it threw 4711"],
    ["has a syntax error", "export const documents = [\n  foo: 3;", "2:1", "Expected"],
    [
      "needs more than stripped types",
      "\nenum A { B }\nexport const documents = [];",
      "2:1",
      "enum is not supported",
    ],
    ["imports what is not there", 'import "./nope.ts";', "1:1", "nope.ts"],
    [
      "exports nothing",
      "export const document = [];",
      "1:1",
      'it exports nothing called "documents"',
    ],
    [
      "gives no list",
      "export const documents = () => ({});",
      "1:1",
      'its "documents" give no list',
    ],
    ["gives null", "export const documents = [null];", "1:1", "documents[0] is no document"],
    [
      "gives a date",
      "export const documents = [{ a: [new Date()] }];",
      "1:1",
      "documents[0].a[0] is a Date, which is no JSON",
    ],
    [
      "gives a function",
      "export const documents = [{ a: () => 1 }];",
      "1:1",
      "documents[0].a is a function, which is no JSON",
    ],
    [
      "gives no number",
      "export const documents = [{ a: NaN }];",
      "1:1",
      "documents[0].a is NaN, which is no JSON",
    ],
    [
      "gives what holds itself",
      "const a: object[] = [];\na.push({ a });\nexport const documents = a;",
      "1:1",
      "is nested too deep, or holds itself",
    ],
    [
      "waits for nothing",
      "await new Promise(() => {});",
      "1:1",
      "it waits for something that never comes",
    ],
    ["ends", "process.exit(3);", "1:1", "it ended with 3 before it gave its documents"],
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
  ])("that %s is told where", async (_, text, place, why) => {
    const lines = await messages(text);
    expect(lines).toEqual([expect.stringContaining(`groups.stack.ts:${place} script-failed |`)]);
    expect(lines[0]).toContain(why);
  });

  it("knows nothing of the environment", async () => {
    await writeFile(script, "export const documents = [{ ...process.env }];");
    process.env["SVC_API_KEY_OF_A_TEST"] = "sk-ours";
    try {
      const answer = await runScript({ file: script, folder, variables: {} });
      expect(answer).toEqual({ documents: [{ value: { TZ: "UTC" } }] });
    } finally {
      delete process.env["SVC_API_KEY_OF_A_TEST"];
    }
  });

  it("has little time, and gives so much and no more", async () => {
    await writeFile(script, "for (;;);");
    expect(await runScript({ file: script, folder, variables: {}, timeoutMs: 400 })).toEqual({
      error: "it took longer than 0.4 seconds",
    });
    await writeFile(script, 'export const documents = [{ text: "x".repeat(4e6) }];');
    const large = await runScript({ file: script, folder, variables: {}, maxBytes: 1e6 });
    expect(large).toEqual({ error: "it gives more than 1000000 bytes", tooLarge: true });
  });

  it("keeps the bounds of every document", async () => {
    const deep = "let a: object = {};\nfor (let i = 0; i < 80; i += 1) a = { a };\n";
    expect(await messages(`${deep}export const documents = [a];`)).toEqual([
      expect.stringContaining("values are nested deeper than 64"),
    ]);
    const poisoned = `export const documents = [JSON.parse('{ "kind": "UserGroup", "__proto__": {} }')];`;
    expect((await messages(poisoned)).join("\n")).toContain('"__proto__" is not a name');
  });
});
