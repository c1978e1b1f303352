// The typed constructs: every kind synthesised without any command line tool, alike by both libraries, and applied by the real engine.

/* oxlint-disable no-new -- constructs join their scope by being made */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as cdktf from "cdktf";
import * as cdktn from "cdktn";
import type { Construct } from "constructs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { address } from "../../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { splitPointer } from "../../core/pointer.ts";
import { referencesOf } from "../../core/references.ts";
import * as forCdktf from "../../provider/cdktf/sdk/index.ts";
import * as forCdktn from "../../provider/cdktn/sdk/index.ts";
import { kinds } from "../../resources/index.ts";
import { configurationOf } from "./terraform.ts";
import { everyKind, makePeople } from "../support/every-kind.ts";
import { startService } from "../support/service.ts";
import type { Doc } from "../support/stack.ts";
import { engineNamed, makeWorkspace } from "./terraform.ts";

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

type Made = Construct & { readonly reference: string };
type Maker = new (scope: unknown, id: string, config: object) => Made;

/** Synthesises documents and answers the configuration. */
function synthesised(library: keyof typeof libraries, documents: readonly Doc[]): JsonObject {
  const { cdk, constructs } = libraries[library];
  const outdir = join(folder, library);
  const app = new cdk.App({ outdir });
  const stack = new cdk.TerraformStack(app, "every");
  new (constructs.SvcProvider as new (scope: unknown, id: string) => unknown)(stack, "svc");
  // Left to itself, the library keeps state in the folder that the tests run in.
  new (cdk.LocalBackend as new (scope: unknown, config: object) => unknown)(stack, {
    path: join(folder, `${library}.tfstate`),
  });
  const makers = constructs as object as Readonly<Record<string, Maker>>;
  const made = new Map<string, Made>();
  const make = ({ kind: kindName, name, spec }: Doc): Made => {
    const known = made.get(address(kindName, name));
    const [kind, Maker] = [kinds.find((one) => one.name === kindName), makers[kindName]];
    if (known !== undefined) return known;
    if (kind === undefined || Maker === undefined) throw new Error(`there is no ${kindName}`);
    const config = referencesOf(kind, spec).reduce<JsonObject>((before, { path, ...to }) => {
      const doc = documents.find((one) => one.kind === to.kind && one.name === to.value);
      if (doc === undefined) return before;
      return replaced(before, splitPointer(path), make(doc).reference) as JsonObject;
    }, spec);
    const one = new Maker(stack, `${kindName}-${name}`, config);
    made.set(address(kindName, name), one);
    return one;
  };
  for (const doc of documents) make(doc);
  app.synth();
  const file = join(outdir, "stacks", "every", "cdk.tf.json");
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject;
}

function replaced(
  value: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  by: JsonValue,
): JsonValue {
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, at) =>
      String(at) === step ? replaced(item, rest, by) : item,
    );
  }
  const held = isObject(value) ? value : {};
  return { ...held, [step]: replaced(held[step], rest, by) };
}

/** The resources alone: what else there is holds the version of the library. */
function bodies({ resource }: JsonObject): unknown {
  return JSON.parse(
    JSON.stringify(resource, (name: string, value: unknown) => (name === "//" ? undefined : value)),
  );
}

describe("constructs", { timeout: 120_000 }, () => {
  it("of both libraries come to the same configuration, with an attribute for each field", () => {
    const [ours, theirs] = [synthesised("cdktf", everyKind), synthesised("cdktn", everyKind)];
    expect(bodies(ours)).toEqual(bodies(theirs));
    const written = configurationOf(everyKind)["resource"] as Record<
      string,
      Record<string, object>
    >;
    for (const [type, all] of Object.entries(bodies(ours) as typeof written)) {
      const wanted = Object.values(written[type] ?? {}).map((body) => Object.keys(body).toSorted());
      expect(Object.values(all).map((body) => Object.keys(body).toSorted())).toEqual(wanted);
    }
  });

  it("are seen by the libraries' own matchers", () => {
    const { Testing } = cdktf;
    const json = Testing.synthScope((scope) => {
      new forCdktf.UserGroup(scope, "group", { name: "analysts" });
    });
    const properties = { name: "analysts" };
    expect(Testing.toHaveResourceWithProperties(json, "svc_user_group", properties)).toBe(true);
    expect(Testing.toHaveResource(json, "svc_embed_group")).toBe(false);
  });

  it.skipIf(engine === undefined)(
    "of every kind are applied by the engine, and then there is nothing to do",
    async () => {
      if (engine === undefined) return;
      const service = await startService();
      await makePeople(service);
      const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
      const workspace = await makeWorkspace(engine, env);
      try {
        synthesised("cdktn", everyKind);
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

  it("are what the example is written in", async () => {
    const example = join(import.meta.dirname, "..", "..", "examples", "cdktf", "main.ts");
    await promisify(execFile)(process.execPath, [example], { cwd: folder });
    const file = join(folder, "cdktf.out", "stacks", "northwind", "cdk.tf.json");
    const { resource } = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
    expect(Object.keys(resource as JsonObject).toSorted()).toEqual([
      "svc_embed_group",
      "svc_embed_tenant",
      "svc_embed_user",
      "svc_embed_user_attribute",
    ]);
  });
});
