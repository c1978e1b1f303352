// Tests that one run reports all errors of a stack, and no errors that follow from unreadable documents.
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../core/kind/fields.ts";
import { member, view } from "../../core/schema/schema.ts";
import { validator } from "../../core/schema/validate.ts";
import { components, kinds } from "../../resources/index.ts";
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
    const found = await messages();
    const [zone, utc, spaced, length] = found.filter((one) => !one.includes("is required"));
    expect(spaced).toMatch(
      /a time zone such as Europe\/Berlin: .* \| Did you mean "Europe\/Berlin"\?$/u,
    );
    expect(utc).toMatch(/o\.yaml.*"utc" \| Did you mean "UTC"\?$/u);
    expect(zone).toContain('must be a time zone such as Europe/Berlin: "Mars/Berlin"');
    expect(length).toContain('must be a duration such as 8h, 90m or 1d12h: "8 hours"');
  });

  it("says what to write in place of a value in another form", async () => {
    const cron =
      "{ deployment: { external: d }, workbook: { external: w }, schedule: 0 9 * * mon }";
    await write({
      "a.yaml": document("User", "a", "{ email: a@example.com, username: a, isAdmin: yes }"),
      "b.yaml": document("Notification", "b", cron),
      "c.yaml": document("Stak", "c", "{}"),
      "d.yaml": document("User", "d", "{ email: a at example.com, username: d }"),
      "stack.yaml":
        "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: demo }\nspec:\n" +
        "  target: localhost\n  vars: {}\n  manifests: '*.yaml'\n  environment: { A: b }\n" +
        "  policy: { maxDeletePercent: 20%, maxDeletes: 2 hours, concurrency: 50% }\n",
    });
    const found = (await messages()).map((one) => one.replace(/^(\S+?):.*\| /u, "$1 "));
    expect(found).toEqual([
      "a.yaml Write true.",
      'b.yaml Did you mean "0 9 * * MON"?',
      'c.yaml Did you mean "Stack"?',
      expect.stringContaining('such as jane@example.com: "a at example.com"'),
      "stack.yaml Write an object. Its fields are url.",
      'stack.yaml Did you mean "variables"?',
      'stack.yaml Write it as a list: ["*.yaml"].',
      "stack.yaml Write it as a list, with a hyphen before each item.",
      "stack.yaml Write the number without its unit: 20.",
      expect.stringMatching(/^stack.yaml Write a whole number without a unit. Delete limit: /u),
      "stack.yaml Write a whole number without a unit. Maximum number of concurrent calls.",
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
    const found = (await messages()).filter((one) => one.includes("authUrl"));
    expect(found).toEqual([expect.stringContaining("must start with http:// or https://")]);
  });

  it("says what to write in place of words of Terraform, Pulumi and Kubernetes", async () => {
    const group = document("UserGroup", "g", "{ name: g, prevent_destroy: true, prune: true }");
    await write({
      "stack.yaml": `${stack()}lifecycle: {}\n`,
      "a.yaml": group.replace("name: g }", "name: g, dependsOn: [], namespace: x }"),
      "b.yaml": document("svc_embed_tenant", "b", "{ name: b, lifecycle: {} }"),
      "c.yaml": document(
        "OAuthIntegration",
        "c",
        "{ clientSecret: { valueFrom: { secretKeyRef: {} } } }",
      ),
    });
    const found = (await messages()).map((one) => one.replace(/ \|.*\| /u, " | "));
    expect(found.filter((one) => !one.includes("missing-field"))).toEqual([
      expect.stringMatching(/^a\.yaml.*dependsOn \| Remove it: svc orders objects/u),
      expect.stringMatching(/^a\.yaml.*namespace \| Remove it: the names of documents/u),
      expect.stringMatching(
        /^a\.yaml.*prevent_destroy \| Write metadata.lifecycle: \{ protect: true \}\./u,
      ),
      expect.stringMatching(/^a\.yaml.*prune \| Set it for the whole stack/u),
      expect.stringMatching(/^b\.yaml.*kind \| Did you mean "EmbedTenant"\?$/u),
      expect.stringMatching(
        /^c\.yaml.*clientSecret \| svc does not read the Kubernetes API: .*Write valueFrom: \{ env: NAME \}/u,
      ),
      expect.stringMatching(/^stack\.yaml.*lifecycle \| The known fields are apiVersion/u),
    ]);
  });

  it("advises no fields of objects in documents that declare none, and names their kinds", async () => {
    const removed = document("Removed", "r", "{ from: [UserGroup/x], lifecycle: {}, provider: x }");
    const pipeline = "apiVersion: svc/v1\nkind: Pipline\nmetadata: { name: p }\nspec: {}\n";
    await write({
      "stack.yaml": stack("  protect: true\n  dependsOn: []\n"),
      "a.yaml": removed,
      "b.yaml": pipeline,
    });
    const found = async (documentTypes: readonly DocumentType[]) =>
      (await messages({ documentTypes })).map((one) => one.replace(/^(\S+?):.* \| /u, "$1 "));
    const read = () => ({ document: undefined, diagnostics: [] });
    const named = await found([{ kind: "Pipeline", read, check: () => [] }]);
    expect(named).toEqual([
      "a.yaml The known fields are from.",
      "a.yaml The known fields are from.",
      'b.yaml Did you mean "Pipeline"?',
      expect.stringMatching(/^stack\.yaml The known fields are target, /u),
      expect.stringMatching(/^stack\.yaml The known fields are target, /u),
    ]);
    expect(await found([])).toContain("b.yaml Run `svc explain` to list all kinds.");
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

  it("reports fields beside the spec once, and not as missing in it", async () => {
    const head = (kind: string): string => `apiVersion: svc/v1\nkind: ${kind}\n`;
    const name = "metadata: { name: x }\n";
    await write({
      "a.yaml": `${head("EmbedTenant")}${name}name: acme\ndisplayName: b\n`,
      "b.yaml": `${head("EmbedTenant")}name: acme\nspec: { name: acme-stores }\n`,
      "c.yaml": `${head("Removed")}${name}from: [UserGroup/a]\n`,
      "d.yaml": `${head("EmbedTenantSetup")}${name}tenant: { name: acme }\n`,
      "e.yaml": `${head("EmbedTenant")}metadata: { name: y }\nname: acme\nspec: {}\n`,
      "stack.yaml": `${head("Stack")}metadata: { name: demo }\ntarget: { url: https://acme.example.com }\n`,
    });
    const none = "is a field of spec, which the document does not have";
    expect(await messages({ components })).toEqual([
      'a.yaml:4:1 unknown-field /name | "name" and "displayName" are fields of spec, which the document does not have | Move name and displayName under spec.',
      'b.yaml:1:1 missing-field /metadata | "metadata" is required | Add metadata: { name: NAME }.',
      'b.yaml:3:1 unknown-field /name | "name" is not a known field | Write metadata.name instead of name.',
      `c.yaml:4:1 unknown-field /from | "from" ${none} | Move from under spec.`,
      `d.yaml:4:1 unknown-field /tenant | "tenant" ${none} | Move tenant under spec.`,
      'e.yaml:4:1 unknown-field /name | "name" is a field of spec, but not in it | Move name under spec.',
      `stack.yaml:4:1 unknown-field /target | "target" ${none} | Move target under spec.`,
    ]);
  });

  it("says what to write in place of words of other tools in the Stack", async () => {
    const words = "prune: true, concurrency: 2, protect: true, provider: x";
    await write({ "stack.yaml": stack(`  ${words.replaceAll(", ", "\n  ")}\n`) });
    expect((await messages()).map((one) => one.replace(/^.*\| /u, ""))).toEqual([
      "Write spec.policy.prune instead of spec.prune.",
      "Write spec.policy.concurrency instead of spec.concurrency.",
      expect.stringMatching(/^The known fields are target, /u),
      'Did you mean "target"?',
    ]);
  });

  it("says how to write a reference and a schedule that other tools write in another form", async () => {
    const group = (name: string, tenant: string): string =>
      document("EmbedGroup", name, `{ name: ${name}, embedTenant: ${tenant} }`);
    const cron =
      "{ deployment: { external: d }, workbook: { external: w }, schedule: 0 0 9 * * 1 }";
    await write({
      "stack.yaml": stack(),
      "a.yaml": group("a", "svc_embed_tenant.acme.name"),
      "b.yaml": group("b", '"${svc_embed_tenant.acme.name}"'),
      "c.yaml": group("c", "{ name: acme }"),
      "d.yaml": document("Notification", "d", cron),
      "e.yaml": document("Workbook", "e", "{ deployment: { external: d }, slug: e, widgets: [] }"),
    });
    const own = "Write the metadata.name of the document, such as acme.";
    expect((await messages()).map((one) => one.replace(/^.*\| /u, ""))).toEqual([
      `${own} To refer to an object outside the stack, write { external: KEY }.`,
      own,
      "Write acme, the metadata.name of a document, or { external: KEY } for an object outside the stack.",
      "Write five fields, without seconds.",
      "Write spec.dashboard.widgets instead of spec.widgets.",
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
