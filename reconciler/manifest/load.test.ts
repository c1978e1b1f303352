// Tests of loading stacks from real folders: their files, variables and errors.
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { group, stack, useManifestFolder } from "../../test/support/manifest-folder.ts";
import { noGrants } from "../operator/grants.ts";
import type { DocumentType } from "./document-type.ts";
import type { LoadOptions } from "./load.ts";

const { folder, write, load, messages } = useManifestFolder();

async function addresses(options: Partial<LoadOptions> = {}): Promise<readonly string[]> {
  const { desired, diagnostics } = await load(options);
  expect(diagnostics).toEqual([]);
  return desired?.objects.map(({ address, place }) => `${address} ${place.file}`) ?? [];
}

describe("the files of a stack", () => {
  it("exclude files encrypted by sops", async () => {
    const metadata = "sops:\n  lastmodified: 2026-01-01T00:00:00Z\n  mac: ENC[AES256_GCM]\n";
    await write({ "stack.yaml": stack(), "a.yaml": group("own"), "b.yaml": `x: y\n${metadata}` });
    expect(await addresses()).toEqual(["UserGroup/own a.yaml"]);
    await write({ "b.yaml": "sops: x\n", "c.yaml": `kind: UserGroup\n${metadata}` });
    expect(await messages()).toEqual(
      expect.arrayContaining([
        expect.stringContaining("b.yaml:1:1 not-a-document"),
        expect.stringContaining("c.yaml:2:1 unknown-field /sops"),
      ]),
    );
  });

  describe("in a folder that a value is read from", () => {
    const model = {
      "stack.yaml": stack(),
      "model.yaml": `apiVersion: svc/v1
kind: DataModel
metadata: { name: shop }
spec: { deployment: { external: main }, files: { valueFrom: { folder: project } } }
`,
      "project/model/orders.yml": "cubes:\n  {% for x in y %}\n  - name: {{ x }}\n  {% endfor %}\n",
      "project/model/merge.yml": "x: &x { a: 1 }\ncubes:\n  - { <<: *x, b: '${free}' }\n",
      "project/agents/note.yaml": "- any\n---\nother: 1\n",
    };

    it("are files that are not read as manifests", async () => {
      await write(model);
      expect(await addresses()).toEqual(["DataModel/shop model.yaml"]);
      const { diagnostics } = await load({ variables: { free: "x" } });
      expect(diagnostics).toMatchObject([{ code: "variable-undeclared" }]);
    });

    it("are reported once, where the data model cannot have them", async () => {
      await write({ ...model, "project/model/orders.yml": "cubes:\n  - { name: a }}\n" });
      expect(await messages()).toEqual([
        expect.stringMatching(
          /^project\/model\/orders.yml:2:16 out-of-bounds .* is not valid at 2:16: YAML syntax/u,
        ),
      ]);
    });

    it("are not manifests even if the folder cannot be read", async () => {
      await write(model);
      await symlink("model", path.join(folder(), "project/link"));
      expect(await messages()).toEqual([expect.stringContaining("has symbolic links: link")]);
    });

    it("may be in a base that the Stack names, and nowhere else outside its folder", async () => {
      await mkdir(path.join(folder(), ".git"));
      await write({
        "prod/stack.yaml": stack("  manifests: ['*.yaml', '../base/**/*.yaml']\n"),
        "base/model.yaml": model["model.yaml"].replace(
          "folder: project",
          "folder: ../base/project",
        ),
        "base/project/model/orders.yml": "cubes:\n  - { name: orders, sql_table: orders }\n",
        "other/model/orders.yml": "cubes: []\n",
      });
      const paths = ["prod"];
      const { desired } = await load({ paths });
      expect(desired?.objects[0]?.spec["files"]).toEqual({
        "model/orders.yml": "cubes:\n  - { name: orders, sql_table: orders }\n",
      });
      await write({
        "base/model.yaml": model["model.yaml"].replace("folder: project", "folder: ../other"),
      });
      expect((await load({ paths })).diagnostics).toMatchObject([
        {
          code: "source-not-allowed",
          summary: 'the folder "../other" is outside the Stack\'s folder and its shared manifests',
        },
      ]);
    });

    it("are manifests where they may declare something", async () => {
      await write({ ...model, "project/group.yaml": group("one") });
      expect(await addresses()).toContain("UserGroup/one project/group.yaml");
      const kept = { "project/b.yaml": `<<<<<<< a\n${group("two")}`, "other/x.yaml": "x: [" };
      await write({ ...kept, "project/group.yaml": "kind: UserGroup\na: [" });
      expect(await messages()).toEqual([
        expect.stringContaining("other/x.yaml:1:5 yaml-syntax"),
        expect.stringContaining("project/b.yaml:1:1 yaml-syntax"),
        expect.stringContaining("project/group.yaml:2:5 yaml-syntax"),
      ]);
    });
  });

  it("are all YAML files in and below its folder, and the other documents of its own file", async () => {
    await write({
      "infra/stack.yaml": `${stack()}---\n${group("own")}`,
      "infra/b.yml": group("b"),
      "infra/deep/a.yaml": group("a"),
      "infra/package.json": "{}",
      "infra/.hidden/x.yaml": "not: read",
      "infra/node_modules/x/x.yaml": "not: read",
      "elsewhere/x.yaml": "not: read",
    });
    const all = [
      "UserGroup/b infra/b.yml",
      "UserGroup/a infra/deep/a.yaml",
      "UserGroup/own infra/stack.yaml",
    ];
    expect(await addresses()).toEqual(all);
    expect(await addresses({ paths: ["infra"] })).toEqual(all);
    expect(await addresses({ paths: ["infra/stack.yaml"] })).toEqual(all);
  });

  it("may include shared manifests of the same repository", async () => {
    await write({
      "base/a.yaml": group("a"),
      "base/skip.yaml": group("skip"),
      "prod/stack.yaml": stack("  manifests: ['*.yaml', '../base/*.yaml', '!../base/skip.yaml']\n"),
      "prod/b.yaml": group("b"),
    });
    expect(await messages({ paths: ["prod"] })).toEqual([
      expect.stringContaining(
        'the glob "../base/*.yaml" leaves the folder of the Stack, and no Git repository was found',
      ),
      expect.stringContaining(
        'the glob "!../base/skip.yaml" leaves the folder of the Stack, and no Git repository was found',
      ),
    ]);
    await mkdir(path.join(folder(), ".git"));
    expect(await addresses({ paths: ["prod"] })).toEqual([
      "UserGroup/a base/a.yaml",
      "UserGroup/b prod/b.yaml",
    ]);
  });

  it("include JSON files that are manifests, valid or not, and no other JSON", async () => {
    const json = {
      apiVersion: "svc/v1",
      kind: "UserGroup",
      metadata: { name: "j" },
      spec: { name: "j" },
    };
    await write({
      "stack.yaml": stack(),
      "package.json": '{ "name": "x" }',
      "j.json": JSON.stringify(json, undefined, 2),
    });
    expect(await addresses()).toEqual(["UserGroup/j j.json"]);
    await write({ "j.json": JSON.stringify(json).slice(0, -1) });
    expect(await messages()).toEqual([expect.stringContaining("j.json")]);
  });

  it("are the matches of its globs, and the files on the command line", async () => {
    await write({
      "s/stack.yaml": stack("  manifests: [groups, '*.json', '!groups/not.yaml']\n"),
      "s/groups/a.yaml": group("a"),
      "s/groups/not.yaml": group("not"),
      "s/b.json": JSON.stringify({
        apiVersion: "svc/v1",
        kind: "UserGroup",
        metadata: { name: "b" },
        spec: { name: "b" },
      }),
      "s/unnamed.yaml": group("unnamed"),
      "shared/c.yaml": group("c"),
    });
    const paths = ["s", "shared", "-"];
    const declared = await addresses({ paths, stdin: async () => group("piped") });
    expect(declared).toEqual([
      "UserGroup/piped <stdin>",
      "UserGroup/b s/b.json",
      "UserGroup/a s/groups/a.yaml",
      "UserGroup/c shared/c.yaml",
    ]);
  });

  it("are only the named ones if the Stack comes from standard input", async () => {
    await write({ "a.yaml": group("a"), "b.yaml": group("b") });
    const stdin = async (): Promise<string> => `${stack()}---\n${group("piped")}`;
    expect(await addresses({ paths: ["-", "b.yaml"], stdin })).toEqual([
      "UserGroup/piped <stdin>",
      "UserGroup/b b.yaml",
    ]);
  });

  it("never include programs: those among them are errors, so that no document looks removed", async () => {
    const cannot =
      "cannot be read: it is a program; pipe what it prints, as in `node stack.ts | svc plan -`";
    await write({
      "s/stack.yaml": stack(),
      "s/more/a.stack.ts": "",
      "globs/stack.yaml": stack("  manifests: ['*']\n"),
      "globs/b.stack.ts": "",
      "globs/module.ts": "",
      "c.mjs": "",
    });
    expect(await messages({ paths: ["s"] })).toEqual([
      `s/more/a.stack.ts:1:1 file-unreadable - | s/more/a.stack.ts ${cannot}`,
    ]);
    expect(await messages({ paths: ["globs", "c.mjs"] })).toEqual([
      `c.mjs:1:1 file-unreadable - | c.mjs ${cannot}`,
      `globs/b.stack.ts:1:1 file-unreadable - | globs/b.stack.ts ${cannot}`,
    ]);
  });

  it("include links within its folder; links that lead out of it are errors", async () => {
    await write({ "s/stack.yaml": stack(), "s/real/a.yaml": group("a"), "out.yaml": group("out") });
    await symlink("..", path.join(folder(), "s/real/loop"));
    expect(await addresses({ paths: ["s"] })).toEqual(["UserGroup/a s/real/a.yaml"]);
    await symlink("../out.yaml", path.join(folder(), "s/link.yaml"));
    expect(await messages({ paths: ["s"] })).toEqual([
      "s/link.yaml:1:1 file-unreadable - | s/link.yaml cannot be read: it is a link out of s",
    ]);
  });
});

describe("the Stack document", () => {
  it("has defaults and a target", async () => {
    await write({ "stack.yaml": stack("  target: { url: 'https://Acme.example.com/' }\n") });
    expect((await load()).desired?.stack).toEqual({
      name: "demo",
      displayPath: "",
      namePlace: { file: "stack.yaml", line: 3, column: 19 },
      target: "https://acme.example.com",
      folder: folder(),
      inventoryFile: path.join(folder(), ".svc/demo.inventory.json"),
      sources: [path.join(folder(), "stack.yaml")],
      valueFiles: [],
      policy: {
        prune: false,
        maxDeletes: 10,
        maxDeletePercent: 50,
        concurrency: 8,
        windows: [],
        freezes: [],
      },
    });
  });

  it("of a folder around the given paths is named if they have none", async () => {
    await write({ "m/stack.yaml": stack(), "m/sub/a.yaml": "kind: x\n" });
    for (const file of ["m/sub/a.yaml", "m/sub"]) {
      expect(await messages({ paths: [file] })).toContainEqual(
        expect.stringMatching(
          /^no-stack .* \| Pass m, the folder of the Stack in m.stack\.yaml\.$/u,
        ),
      );
    }
  });

  it("must be the only one", async () => {
    expect(await messages()).toEqual([
      "no-stack - | no Stack document found in or below the current folder | Pass the path of its file or folder, or create one with `svc init`.",
    ]);
    await write({ "a.yaml": stack(), "b.yaml": stack() });
    const remedy =
      "Pass the path of each stack, and list in spec.manifests only the files that belong to it.";
    expect(await messages()).toEqual([
      `a.yaml:1:1 multiple-stacks - | found 2 Stack documents, expected one: "demo" at a.yaml:1, "demo" at b.yaml:1 | ${remedy}`,
    ]);
    expect(await messages({ paths: ["a.yaml"] })).toEqual([
      "b.yaml:1:1 multiple-stacks - | a second Stack document, beside the one at a.yaml:1 | List in spec.manifests of the first only the files that belong to it.",
    ]);
  });

  it("cannot put its inventory over another file", async () => {
    const spec = (file: string) => `  inventory: { file: ${file} }\n`;
    await write({ "group.yaml": "kind: UserGroup\n", "package.json": '{ "name": "x" }' });
    for (const file of ["group.yaml", "package.json", "stack.yaml"]) {
      await write({ "stack.yaml": stack(spec(file)) });
      expect((await messages()).join("\n")).toContain(
        `out-of-bounds /spec/inventory/file | the inventory file "${file}" exists and is not an inventory`,
      );
    }
    await write({ "kept.json": '{ "stack": "demo", "format": 1 }', "new.json": "" });
    for (const file of ["kept.json", "new.json", "none.json"]) {
      await write({ "stack.yaml": stack(spec(file)), "group.yaml": "", "package.json": "" });
      expect((await load()).diagnostics).toEqual([]);
    }
  });

  it("says the type of a variable that must be text", async () => {
    await write({
      "stack.yaml": stack("  variables: { level: 3 }\n"),
      "group.yaml":
        "apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: a }\nspec:\n  name: ${level}\n",
    });
    expect(await messages()).toEqual([
      'group.yaml:5:9 wrong-type /spec/name | "spec.name" must be a string, not a number: the value of "${level}" (a number)',
    ]);
    await write({ "stack.yaml": stack('  variables: { level: "3" }\n') });
    expect((await load()).diagnostics).toEqual([]);
  });

  it("cannot refer to files outside its folder", async () => {
    await write({
      "stack.yaml": stack(
        "  target: { url: https://user:pass@host/path }\n  manifests: [../x/*.yaml, '{a,..}/*.yaml', /etc/*.yaml, none/*.yaml]\n  inventory: { file: ../x.json }\n",
      ),
    });
    expect((await messages()).map((line) => line.split(" | ").slice(0, 2).join(" | "))).toEqual([
      "stack.yaml:5:18 out-of-bounds /spec/target/url | spec.target.url is not an origin",
      'stack.yaml:6:15 out-of-bounds /spec/manifests/0 | the glob "../x/*.yaml" leaves the folder of the Stack, and no Git repository was found',
      'stack.yaml:6:28 out-of-bounds /spec/manifests/1 | the glob "{a,..}/*.yaml" leaves the folder of the Stack, and no Git repository was found',
      'stack.yaml:6:45 out-of-bounds /spec/manifests/2 | the glob "/etc/*.yaml" leaves the folder of the Stack, and no Git repository was found',
      'stack.yaml:7:22 out-of-bounds /spec/inventory/file | the inventory file "../x.json" is not in the folder of the Stack',
    ]);
  });

  it("suggests the place of an inventory that is misspelled", async () => {
    await write({ "stack.yaml": stack("  inventory: servce\n") });
    expect(await messages()).toEqual([
      'stack.yaml:5:14 wrong-type /spec/inventory | "spec.inventory" must be an object, "file", "service" or "postgres": "servce" | Did you mean "service"?',
    ]);
  });

  it("reports its errors, and globs without matches", async () => {
    await write({
      "stack.yaml": stack(
        "  polcy: { prune: true }\n  overlays: [{ target: { nmae: x }, patch: {} }]\n  policy: { concurrency: 1000, prune: yes }\n  manifests: [none/*.yaml]\n  variables: { a: '${env:HOME}' }\n",
      ),
    });
    expect(await messages()).toEqual([
      'stack.yaml:5:3 unknown-field /spec/polcy | "spec.polcy" is not a known field | Did you mean "policy"?',
      'stack.yaml:6:26 unknown-field /spec/overlays/0/target/nmae | "spec.overlays[0].target.nmae" is not a known field | Did you mean "name"?',
      'stack.yaml:7:26 out-of-bounds /spec/policy/concurrency | "spec.policy.concurrency" must be at most 64: 1000',
      'stack.yaml:7:39 wrong-type /spec/policy/prune | "spec.policy.prune" must be true or false, not a string: "yes"',
      'stack.yaml:8:15 no-manifests /spec/manifests/0 | the glob "none/*.yaml" matches no YAML or JSON file | Globs are relative to the folder of the Stack, and skip hidden files and node_modules.',
      'stack.yaml:9:19 environment-not-allowed /spec/variables/a | the Stack document itself cannot read the environment variable "HOME" | Use a variable and pass it with --var NAME=VALUE.',
    ]);
  });
});

describe("variables", () => {
  it("come from the Stack, the operator (who overrides it), and the environment if both allow it", async () => {
    await write({
      "stack.yaml": stack(
        "  variables: { team: growth, where: '${where}-1' }\n  environment: [REGION]\n",
      ),
      "a.yaml":
        "apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: '${team}' }\nspec: { name: '${team} ${where} ${env:REGION}' }\n",
    });
    const options = {
      variables: { where: "eu" },
      grants: { ...noGrants, environment: ["REGION"] },
      env: { REGION: "west" },
    };
    const { desired } = await load(options);
    expect(desired?.objects.map(({ address, spec }) => [address, spec["name"]])).toEqual([
      ["UserGroup/growth", "growth eu west"],
    ]);
    expect(await messages({ ...options, grants: noGrants })).toEqual([
      'a.yaml:4:15 environment-not-allowed /spec/name | reading the environment variable "REGION" is not granted | If you trust its authors, pass --grant environment=REGION, or add it to `environment` in the grants file.',
    ]);
  });

  it("never show values of the environment, even in type errors", async () => {
    await write({
      "stack.yaml": stack("  environment: [TOKEN]\n"),
      "a.yaml":
        "apiVersion: svc/v1\nkind: EmbedTenant\nmetadata: { name: a }\nspec: { name: '${env:TOKEN}' }\n",
    });
    const lines = await messages({
      grants: { ...noGrants, environment: "stack" },
      env: { TOKEN: "Not A Name!" },
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the value of "${env:TOKEN}" (a string)');
    expect(lines[0]).not.toContain("Not A Name");
  });
});

describe("errors in documents", () => {
  it("are all reported in one run, each at its place", async () => {
    await write({
      "stack.yaml": stack(),
      "a.yaml": [
        "apiVersion: svc/v2",
        "kind: EmbedGruop",
        "metadata: { name: x }",
        "spec: {}",
        "---",
        "apiVersion: svc/v1",
        "kind: EmbedGroup",
        "metadata:",
        "  name: not/allowed",
        "  lifecycle: { protct: true }",
        "spec:",
        "  embedTennant: acme",
        "  name: 5",
        "  description: { valueFrom: { env: X } }",
        "---",
        "just: data",
        "---",
        "apiVersion: svc/v1",
        "kind: EmbedUser",
        "metadata: { name: ann }",
        "spec:",
        "  embedTenant: ${missing}",
        "  externalId: UPPER",
        "  email: null",
      ].join("\n"),
      "b.yaml": "a: [",
    });
    expect(await messages()).toEqual([
      'a.yaml:1:13 api-version /apiVersion | "apiVersion" must be "svc/v1": "svc/v2" | Write svc/v1.',
      'a.yaml:2:7 unknown-kind /kind | unknown kind "EmbedGruop" | Did you mean "EmbedGroup"?',
      'a.yaml:9:9 invalid-name /metadata/name | "metadata.name" must be letters, digits, dots, hyphens and underscores that begin and end with a letter or digit, such as acme-viewers: "not/allowed"',
      'a.yaml:10:16 unknown-field /metadata/lifecycle/protct | "metadata.lifecycle.protct" is not a known field | Did you mean "protect"?',
      'a.yaml:12:3 unknown-field /spec/embedTennant | "spec.embedTennant" is not a known field | Did you mean "embedTenant"?',
      'a.yaml:13:9 wrong-type /spec/name | "spec.name" must be a string, not a number: 5',
      'a.yaml:14:16 wrong-type /spec/description | "spec.description" must be a string or null, not an object: {"valueFrom":{"env":"X"}} | Only secret fields have valueFrom. Write the value, or a substitution: ${name} or ${env:NAME}.',
      'a.yaml:16:1 not-a-document  | this is not a manifest document: it has no apiVersion, kind and metadata | Begin it with "apiVersion: svc/v1", or exclude the file in the Stack\'s spec.manifests.',
      'a.yaml:22:16 variable-unset /spec/embedTenant | the variable "missing" has no value | Set it in the Stack\'s spec.variables or with --var missing=VALUE, or add a default: ${missing:-default}.',
      'a.yaml:23:15 out-of-bounds /spec/externalId | "spec.externalId" must be lowercase, without white space at the start or end, such as jane-4711; svc-provisioner is reserved: "UPPER"',
      'a.yaml:24:10 cannot-clear /spec/email | "spec.email" cannot be null: it cannot be cleared | Give it a value, or omit the field to keep the live value.',
      expect.stringContaining("b.yaml:1:5 yaml-syntax -"),
    ]);
  });

  it("say what to write for a missing field, and for a value of another type", async () => {
    await write({
      "stack.yaml": stack(),
      "a.yaml": "kind: EmbedTenant\nmetadata: { name: a }\nspec: {}\n",
      "b.yaml": [
        "apiVersion: svc/v1",
        "kind: User",
        "metadata: { name: u }",
        'spec: { username: u, email: a@b.example, isAdmin: "true", roles: Guest }',
      ].join("\n"),
      "c.yaml": "a:\n  b: 1\n c: 2\n",
      "d.yaml": "a: b: c\n",
      "e.yaml": [
        "apiVersion: svc/v1",
        "kind: Role",
        "metadata: { name: r }",
        "spec: { name: R, policies: [{ resourceType: Report, actions: [All], reports: All }] }",
      ].join("\n"),
    });
    expect(await messages()).toEqual([
      'a.yaml:1:1 missing-field /apiVersion | "apiVersion" is required | Add apiVersion: svc/v1.',
      expect.stringMatching(
        /^a\.yaml:3:1 missing-field \/spec\/name \| "spec\.name" is required \| Add name, a string\. [^.]*\.$/u,
      ),
      'b.yaml:4:51 wrong-type /spec/isAdmin | "spec.isAdmin" must be true or false, not a string: "true"',
      expect.stringMatching(
        /^b\.yaml:4:66 wrong-type \/spec\/roles .* must be a list of strings, not a string/u,
      ),
      expect.stringMatching(/^c\.yaml:3:1 yaml-syntax - \| .* \| Indent by equally many/u),
      expect.stringMatching(/^d\.yaml:1:4 yaml-syntax - \| .* \| Put text with a colon/u),
      expect.stringMatching(/^e\.yaml:4:78 wrong-type .* must be a list or null, not a string/u),
    ]);
  });

  it("include names with white space, and defaults of another type", async () => {
    const attribute = (name: string, spec: string) =>
      `---\napiVersion: svc/v1\nkind: UserAttribute\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
    await write({
      "stack.yaml": [
        stack(),
        attribute("padded", '{ name: "a ", type: string }'),
        attribute("seats", "{ name: seats, type: number, defaultValue: none }"),
        attribute("right", '{ name: right, type: number_array, defaultValue: "1, 2" }'),
      ].join(""),
    });
    expect(await messages()).toEqual([
      'stack.yaml:8:15 out-of-bounds /spec/name | "spec.name" must not start or end with white space: "a "',
      'stack.yaml:13:50 out-of-bounds /spec/defaultValue | "spec.defaultValue" must be a number, such as 2.5: "none"',
    ]);
  });

  it("include documents of unknown kind, unless the caller adds their type", async () => {
    const release = "apiVersion: svc/v1\nkind: Release\nmetadata: { name: r }\n";
    await write({
      "stack.yaml": stack(),
      "a.yaml": release,
      "b.yaml": release + "---\n" + group("g"),
    });
    expect((await load()).diagnostics.map(({ code }) => code)).toEqual(
      Array(2).fill("unknown-kind"),
    );
    const type: DocumentType = {
      kind: "Release",
      read: ({ place }) => ({ document: { kind: "Release", name: "r", place }, diagnostics: [] }),
      check: (documents, objects) => {
        expect([documents.length, objects.length]).toEqual([2, 1]);
        return [];
      },
    };
    expect((await load({ documentTypes: [type] })).diagnostics).toMatchObject([
      { code: "duplicate-address", place: { file: "b.yaml" } },
    ]);
  });

  it("do not make references to documents of a broken file unknown", async () => {
    const user =
      "apiVersion: svc/v1\nkind: EmbedGroup\nmetadata: { name: g }\nspec: { embedTenant: acme, name: g }\n";
    await write({ "stack.yaml": stack(), "a.yaml": user, "b.yaml": "x: [" });
    expect(await messages()).toHaveLength(1);
  });

  it("include files that cannot be read", async () => {
    await write({ "stack.yaml": stack() });
    await writeFile(path.join(folder(), "latin.yaml"), Buffer.from([0x61, 0x3a, 0xe9]));
    await symlink("gone.yaml", path.join(folder(), "link.yaml"));
    await symlink("self.yaml", path.join(folder(), "self.yaml"));
    await mkdir(path.join(folder(), "folder.yaml"));
    execFileSync("mkfifo", [path.join(folder(), "pipe.yaml")]);
    await symlink("pipe.yaml", path.join(folder(), "to-pipe.yaml"));
    // Links that are not manifests.
    await symlink("gone.txt", path.join(folder(), "link.txt"));
    await symlink("gone.yaml", path.join(folder(), ".#lock.yaml"));
    expect(await messages({ paths: ["stack.yaml", "nowhere.yaml"] })).toEqual([
      "latin.yaml:1:1 file-unreadable - | latin.yaml cannot be read: it is not UTF-8 text",
      "link.yaml:1:1 file-unreadable - | link.yaml cannot be read: it is a link to nothing",
      "nowhere.yaml:1:1 file-unreadable - | nowhere.yaml cannot be read: it does not exist",
      "pipe.yaml:1:1 file-unreadable - | pipe.yaml cannot be read: it is not a file",
      "self.yaml:1:1 file-unreadable - | self.yaml cannot be read: it is a link to itself",
      "to-pipe.yaml:1:1 file-unreadable - | to-pipe.yaml cannot be read: it is not a file",
    ]);
  });
});
