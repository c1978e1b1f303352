// The typed CDK constructs: both libraries synthesise the same configuration for every kind, and real Terraform applies it.

/* oxlint-disable no-new -- constructs add themselves to their scope when they are created */
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import type { Construct } from "constructs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kindsByName } from "../../../core/kind/kind.ts";
import { address } from "../../../core/kind/identity.ts";
import type { JsonObject } from "../../../core/json.ts";
import { type Reference, referencesOf, withReferences } from "../../../core/kind/references.ts";
import * as forCdktf from "../../../provider/cdktf/sdk/index.ts";
import * as forCdktn from "../../../provider/cdktn/sdk/index.ts";
import { snakeCase } from "../../../core/text/naming.ts";
import { components, kinds } from "../../../resources/index.ts";
import { builtPackages } from "../../support/svc-program.ts";
import { everyKind, prepareAccount, shareOfKinds } from "../../support/every-kind.ts";
import { startService } from "../../support/test-service.ts";
import type { Doc } from "../../support/test-stack.ts";
import {
  configurationFor,
  engineNamed,
  impliedBy,
  makeWorkspace,
} from "../../engines/terraform-workspace.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const engine = engineNamed("terraform");
const libraries = {
  cdktf: { cdk: cdktf, constructs: forCdktf },
  cdktn: { cdk: cdktn, constructs: forCdktn },
} as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-cdk-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type SynthesizedConstruct = Construct & { readonly reference: string };
type ConstructClass = new (scope: unknown, id: string, config: object) => SynthesizedConstruct;

/** Returns the name of the construct of a kind: CDK derives it from the Terraform type. */
function classNameOf(kind: string): string {
  return snakeCase(kind).replace(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Synthesises documents. Returns the configuration. */
function synthesize(library: keyof typeof libraries, documents: readonly Doc[]): JsonObject {
  const { cdk, constructs } = libraries[library];
  const outdir = join(folder, library);
  const app = new cdk.App({ outdir });
  const stack = new cdk.TerraformStack(app, "every");
  new (constructs.SvcProvider as new (scope: unknown, id: string) => unknown)(stack, "svc");
  // By default, the library keeps state in the current folder.
  new (cdk.LocalBackend as new (scope: unknown, config: object) => unknown)(stack, {
    path: join(folder, `${library}.tfstate`),
  });
  const makers = constructs as object as Readonly<Record<string, ConstructClass>>;
  const synthesized = new Map<string, SynthesizedConstruct>();
  const make = (document: Doc): SynthesizedConstruct => {
    const { kind: kindName, name, spec } = document;
    const known = synthesized.get(address(kindName, name));
    const [kind, Maker] = [kindsByName(kinds).get(kindName), makers[classNameOf(kindName)]];
    if (known !== undefined) return known;
    if (kind === undefined || Maker === undefined) throw new Error(`there is no ${kindName}`);
    const named = new Map(documents.map((doc) => [address(doc.kind, doc.name), doc]));
    const docOf = (one: Reference): Doc | undefined => named.get(address(one.kind, one.value));
    const references = referencesOf(kind, spec).filter((one) => docOf(one) !== undefined);
    const config = withReferences(spec, references, (one) => {
      const doc = docOf(one);
      return doc === undefined ? one.value : make(doc).reference;
    });
    const implied = impliedBy(document, documents);
    const dependencies = implied === undefined ? {} : { dependsOn: [make(implied)] };
    const one = new Maker(stack, `${kindName}-${name}`, { ...config, ...dependencies });
    synthesized.set(address(kindName, name), one);
    return one;
  };
  for (const doc of documents) make(doc);
  app.synth();
  const file = join(outdir, "stacks", "every", "cdk.tf.json");
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject;
}

/** Returns only the resources; the rest contains the version of the library. */
function resourcesOnly({ resource }: JsonObject): unknown {
  return JSON.parse(
    JSON.stringify(resource, (name: string, value: unknown) => (name === "//" ? undefined : value)),
  );
}

function attributeNames(resources: Readonly<Record<string, object>>): readonly string[] {
  return Object.values(resources)
    .map((body) => Object.keys(body).toSorted().join(" "))
    .toSorted();
}

describe("constructs", { timeout: 120_000 }, () => {
  it("synthesise the same configuration with both libraries, with an attribute for each field", () => {
    const [ours, theirs] = [synthesize("cdktf", everyKind), synthesize("cdktn", everyKind)];
    expect(resourcesOnly(ours)).toEqual(resourcesOnly(theirs));
    const written = configurationFor(everyKind)["resource"] as Record<
      string,
      Record<string, object>
    >;
    for (const [type, all] of Object.entries(resourcesOnly(ours) as typeof written)) {
      // The constructs are sorted by their names, the documents are not.
      expect(attributeNames(all)).toEqual(attributeNames(written[type] ?? {}));
    }
  });

  it.each(["cdktf", "cdktn"] as const)("work with the test matchers of %s", (library) => {
    const { Testing } = libraries[library].cdk;
    const { UserGroup, DataUserGroups } = libraries[library].constructs as object as Readonly<
      Record<string, ConstructClass>
    >;
    if (UserGroup === undefined || DataUserGroups === undefined) throw new Error("not there");
    const json = Testing.synthScope((scope) => {
      new UserGroup(scope, "group", { name: "analysts" });
      new DataUserGroups(scope, "all", {});
    });
    const properties = { name: "analysts" };
    expect(Testing.toHaveResourceWithProperties(json, "svc_user_group", properties)).toBe(true);
    expect(Testing.toHaveResource(json, "svc_embed_group")).toBe(false);
    expect(Testing.toHaveDataSource(json, "svc_user_groups")).toBe(true);
    expect(Testing.toHaveProvider(json, "svc")).toBe(false);
  });

  it.each(["cdktf", "cdktn"] as const)("create the objects of a component with %s", (library) => {
    const { cdk, constructs } = libraries[library];
    const { EmbedTenantSetup } = constructs as object as Readonly<Record<string, ConstructClass>>;
    if (EmbedTenantSetup === undefined) throw new Error("not there");
    const [component] = components;
    const json = cdk.Testing.synthScope((scope) => {
      new EmbedTenantSetup(scope, "acme", component?.examples[0]?.inputs as object);
    });
    const { resource } = JSON.parse(json) as { resource: Record<string, JsonObject> };
    const counts = Object.entries(resource).map(([type, all]) => [type, Object.keys(all).length]);
    expect(Object.fromEntries(counts)).toEqual({
      svc_embed_tenant: 1,
      svc_embed_group: 2,
      svc_embed_user_attribute: 1,
      svc_embed_user: 1,
      svc_dashboard_embed_access: 1,
      svc_notification: 1,
      svc_notification_embed_recipient: 1,
    });
    const [recipient] = Object.values(resource["svc_notification_embed_recipient"] ?? {});
    expect(recipient).toMatchObject({
      external_id: "jane-4711",
      embed_tenant: expect.stringMatching(/^\$\{svc_embed_tenant\.\w+\.reference\}$/u),
      notification: expect.stringMatching(/^\$\{svc_notification\.\w+\.reference\}$/u),
      deployment: expect.stringMatching(/^\$\{svc_notification\.\w+\.deployment\}$/u),
      depends_on: [
        expect.stringMatching(/^svc_embed_group\./u),
        expect.stringMatching(/^svc_embed_group\./u),
        expect.stringMatching(/^svc_embed_user_attribute\./u),
      ],
    });
    const alone = { tenant: { name: "acme-stores" }, recipients: { jane: {} } };
    expect(() =>
      cdk.Testing.synthScope((scope) => void new EmbedTenantSetup(scope, "acme", alone)),
    ).toThrow("recipients requires notification");
  });

  it.skipIf(engine === undefined)(
    "of many kinds are applied by the engine, and then there is nothing to do",
    async () => {
      if (engine === undefined) return;
      const service = await startService();
      await prepareAccount(service);
      const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
      const workspace = await makeWorkspace(engine, env, { startsProvider: true });
      try {
        synthesize("cdktn", shareOfKinds(everyKind, { part: 0, of: 2 }));
        cpSync(
          join(folder, "cdktn", "stacks", "every", "cdk.tf.json"),
          join(workspace.folder, "cdk.tf.json"),
        );
        for (const args of [["init"], ["apply", "-auto-approve"], ["plan", "-detailed-exitcode"]]) {
          const { code, output } = await workspace.run(...args);
          if (code !== 0) throw new Error(output);
        }
      } finally {
        await workspace.dispose();
        await service.close();
      }
    },
  );

  it("refuse a value that is encoded already, whose text would be encoded twice", () => {
    for (const { cdk, constructs } of Object.values(libraries)) {
      const app = new cdk.App({ outdir: join(folder, "encoded") });
      const stack = new cdk.TerraformStack(app, "encoded");
      const Value = constructs.UserAttributeValue as new (...of: unknown[]) => unknown;
      const config = { user: "ada@svc.localhost", attribute: "region" };
      new Value(stack, "region", { ...config, value: cdk.Fn.jsonencode("EMEA") });
      expect(() => app.synth()).toThrow("value is encoded already");
    }
  });

  it("are published for both libraries, with types that compile the example", async () => {
    const modules = join(folder, "node_modules");
    const library = join(modules, "svc-as-code");
    mkdirSync(library, { recursive: true });
    for (const name of ["cdktf", "cdktn", "constructs", "@types"]) {
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    }
    cpSync(join(root, "package.json"), join(library, "package.json"));
    const { client } = await builtPackages();
    cpSync(join(client, "cdk"), join(library, "dist", "cdk"), { recursive: true });
    for (const name of ["cdktf", "quickstart"]) {
      cpSync(join(root, "examples", name), join(folder, name), { recursive: true });
    }
    const cwd = join(folder, "cdktf");
    const other = "cdktn.ts";
    const text = readFileSync(join(cwd, "main.ts"), "utf8");
    writeFileSync(join(cwd, other), text.replaceAll("cdktf", "cdktn"));
    writeFileSync(join(cwd, "package.json"), '{ "type": "module" }');
    const flags =
      "--singleThreaded --noEmit --strict --module nodenext --target es2024 --skipLibCheck --types node";
    const compiler = join(root, "node_modules", ".bin", "tsc");
    await run(compiler, [...flags.split(" "), "main.ts", other], { cwd });
    await run(process.execPath, ["main.ts"], { cwd });
    const file = join(cwd, "cdktf.out", "stacks", "harbour", "cdk.tf.json");
    const { resource } = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
    expect(Object.keys(resource as JsonObject)).toContain("svc_notification_embed_recipient");
  });
});
