// Tests that one run reports all errors of a stack, and no errors that follow from unreadable documents.
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../core/kind/fields.ts";
import { member, view } from "../../core/schema/schema.ts";
import { validator } from "../../core/schema/validate.ts";
import { kinds } from "../../resources/index.ts";
import { stack, useManifestFolder } from "../../test/support/manifest-folder.ts";
import type { DocumentType } from "./document-type.ts";

const { write, load, messages } = useManifestFolder();

describe("all errors in one run", () => {
  const document = (kind: string, name: string, spec: string): string =>
    `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
  const codes = async (): Promise<readonly string[]> =>
    (await load()).diagnostics.map(({ code, place }) => `${place?.file} ${code}`);

  it("reports errors of schemas, addresses, identities, references and the Stack together", async () => {
    const freeze = "{ from: 2026-12-02T00:00:00Z, to: 2026-12-01T00:00:00Z, reason: x, owner: o }";
    await write({
      "stack.yaml": stack(`  policy: { freezes: [${freeze}] }\n`),
      "a.yaml": document("UserGroup", "a", "{ name: a, zzz: 1 }"),
      "b.yaml": document("UserGroup", "g1", "{ name: g1, zzz: 1 }"),
      "c.yaml": document("UserGroup", "g1", "{ name: g2 }"),
      "d.yaml": document("UserGroup", "d", "{ name: same }"),
      "e.yaml": document("UserGroup", "e", "{ name: same }"),
      "f.yaml": document("EmbedGroup", "f", "{ name: f, embedTenant: nope }"),
    });
    expect(await codes()).toEqual([
      "a.yaml unknown-field",
      "b.yaml unknown-field",
      "c.yaml duplicate-address",
      "e.yaml duplicate-identity",
      "f.yaml reference-unknown",
      "stack.yaml out-of-bounds",
    ]);
  });

  it("reports a misspelled required field once, and another missing field beside it", async () => {
    await write({
      "stack.yaml": stack(),
      "a.yaml": document("UserAttribute", "a", "{ name: a, tpye: string }"),
      "b.yaml": document("UserAttribute", "b", "{ nmae: b, zzz: string }"),
    });
    expect(await messages()).toEqual([
      'a.yaml:4:18 unknown-field /spec/tpye | "spec.tpye" is not a known field | Did you mean "type"?',
      expect.stringContaining('b.yaml:4:1 missing-field /spec/type | "spec.type" is required'),
      'b.yaml:4:9 unknown-field /spec/nmae | "spec.nmae" is not a known field | Did you mean "name"?',
      expect.stringContaining("b.yaml:4:18 unknown-field /spec/zzz"),
    ]);
  });

  it("explains durations and time zones by example", async () => {
    const window = "{ effect: allow, schedule: 0 9 * * *, duration: 8 hours, reason: x }";
    await write({
      "stack.yaml": stack(`  policy: { windows: [${window}] }\n`),
      "n.yaml": document(
        "Notification",
        "n",
        "{ deployment: { external: d }, workbook: { external: w }, schedule: 0 9 * * 1, timezone: Mars/Berlin }",
      ),
    });
    await write({
      "o.yaml": document("AppConfig", "o", "{ embedding: { timezone: utc } }"),
      "p.yaml": document("Notification", "p", '{ timezone: " europe/berlin" }'),
    });
    const all = await messages();
    const [zone, utc, spaced, length] = all.filter((text) => !text.includes("is required"));
    expect(spaced).toMatch(
      /a time zone such as Europe\/Berlin: .* \| Did you mean "Europe\/Berlin"\?$/u,
    );
    expect(utc).toMatch(/o\.yaml.*"utc" \| Did you mean "UTC"\?$/u);
    expect(zone).toContain('must be a time zone such as Europe/Berlin: "Mars/Berlin"');
    expect(length).toContain('must be a duration such as 8h, 90m or 1d12h: "8 hours"');
  });

  it("names what is allowed in place of a wrong value, and of a field outside the spec", async () => {
    await write({
      "a.yaml": document("User", "a", "{ email: a@example.com, username: a, isAdmin: yes }"),
      "b.yaml": "apiVersion: svc/v1\nkind: EmbedTenant\nmetadata: { name: b }\nname: acme\n",
      "stack.yaml": stack("  manifests: '*.yaml'\n  target: localhost\n"),
    });
    expect(await messages()).toEqual([
      expect.stringMatching(
        /^a.yaml:4:53 wrong-type .* must be true or false, not a string: "yes"$/u,
      ),
      expect.stringMatching(/^b.yaml:1:1 missing-field \/spec\/name .*Add name, a string\./u),
      expect.stringMatching(
        /^b.yaml:4:1 unknown-field \/name .*The known fields are apiVersion, /u,
      ),
      expect.stringMatching(
        /^stack.yaml:5:14 wrong-type .* must be a list of strings, not a string/u,
      ),
      expect.stringMatching(/^stack.yaml:6:11 wrong-type .* must be an object, not a string/u),
    ]);
  });

  it("reports a text without a scheme once", async () => {
    const urls =
      "authUrl: example.com, tokenUrl: 'https://example.com/t', redirectUri: 'https://example.com/r'";
    const secret = "clientSecret: { valueFrom: { env: SECRET } }";
    await write({
      "stack.yaml": stack("  environment: [SECRET]\n"),
      "a.yaml": document(
        "OAuthIntegration",
        "a",
        `{ name: a, type: x, ${urls}, clientId: a, ${secret} }`,
      ),
    });
    const errors = (await messages()).filter((text) => text.includes("authUrl"));
    expect(errors).toEqual([expect.stringContaining("must start with http:// or https://")]);
  });

  it("names the fields of documents that declare no object, and their kinds", async () => {
    const removed = document("Removed", "r", "{ from: [UserGroup/x], lifecycle: {}, provider: x }");
    const pipeline = "apiVersion: svc/v1\nkind: Pipline\nmetadata: { name: p }\nspec: {}\n";
    await write({
      "stack.yaml": stack("  protect: true\n  dependsOn: []\n"),
      "a.yaml": removed,
      "b.yaml": pipeline,
    });
    const places = async (documentTypes: readonly DocumentType[]) =>
      (await messages({ documentTypes })).map((text) => text.replace(/^(\S+?):.* \| /u, "$1 "));
    const read = () => ({ document: undefined, diagnostics: [] });
    const named = await places([{ kind: "Pipeline", read, check: () => [] }]);
    expect(named).toEqual([
      "a.yaml The known fields are from.",
      "a.yaml The known fields are from.",
      'b.yaml Did you mean "Pipeline"?',
      expect.stringMatching(/^stack\.yaml The known fields are target, /u),
      expect.stringMatching(/^stack\.yaml The known fields are target, /u),
    ]);
    expect(await places([])).toContain("b.yaml Run `svc explain` to list all kinds.");
  });

  it("reports only the length of a text that is only too short", () => {
    const short = kinds.flatMap((kind) =>
      fieldsOf(kind).flatMap(({ name, schema }) => {
        const { minLength, pattern } = view(schema);
        const text = member(kind.examples[0]?.spec ?? {}, name);
        if (minLength === undefined || pattern === undefined || typeof text !== "string") return [];
        return [[kind.name, name, validator(schema)(text.slice(0, minLength - 1))] as const];
      }),
    );
    expect(short.map(([kind, name]) => `${kind}.${name}`)).toContain("EmbedTenant.name");
    for (const [kind, name, errors] of short)
      expect([kind, name, errors.map(({ keyword }) => keyword)]).toEqual([
        kind,
        name,
        ["minLength"],
      ]);
  });

  it("reports a given variable that nothing uses", async () => {
    const described = (text: string): string =>
      document("UserGroup", "g", `{ name: g, description: "${text}" }`);
    await write({
      "stack.yaml": stack("  variables: { own: x }\n"),
      "g.yaml": described("${team:-none}"),
    });
    expect((await load({ variables: { team: "a", own: "b" } })).diagnostics).toEqual([]);
    expect(await messages({ variables: { taem: "a" } })).toEqual([
      expect.stringMatching(
        /^variable-undeclared - \| neither .* uses the variable "taem" .*Did you mean "team"\?/u,
      ),
    ]);
  });

  it("does not call a name unknown if a document with errors may have it", async () => {
    const tenant = "{ name: t, externalId: t }";
    await write({
      "stack.yaml": stack(),
      "a.yaml": document("EmbedTenat", "misspelt", tenant),
      "b.yaml": document("EmbedGroup", "b", "{ name: b, embedTenant: misspelt }"),
      "c.yaml": document("EmbedGroup", "c", "{ name: c, embedTenant: nope }"),
    });
    expect(await codes()).toEqual(["a.yaml unknown-kind", "c.yaml reference-unknown"]);
    await write({ "a.yaml": document("EmbedTenant", "_", tenant).replace("name: _", "title: x") });
    expect((await codes()).filter((code) => code.includes("reference"))).toEqual([]);
  });
});
