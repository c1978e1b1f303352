// Many kinds in one configuration with real Terraform: create, empty plan, drift, repair, replace, destroy.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../client/client.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { Secret } from "../../core/secret.ts";
import { type Bridge, createBridge } from "../../provider/bridge/bridge.ts";
import { readTargetFor } from "../../provider/bridge/read-target.ts";
import { terraformType } from "../../core/text/naming.ts";
import {
  prepareAccount,
  everyKind,
  everyKindChanged,
  everySingleton,
  shareOfKinds,
  singletons,
} from "../support/every-kind.ts";
import { examplesOf } from "../support/examples.ts";
import { liveState, type LiveState } from "../support/live-state.ts";
import { type ResolvedDoc, resolveReferences } from "../../scripts/resolve-references.ts";
import { startService, type TestService } from "../support/test-service.ts";
import type { Doc } from "../support/test-stack.ts";
import {
  configurationFor,
  type CommandResult,
  engineNamed,
  makeWorkspace,
  type Workspace,
} from "./terraform-workspace.ts";
import { kinds } from "../../resources/index.ts";

/** Half of the kinds; the others are in the tests of plans and of random configurations. */
const share = (documents: readonly Doc[]) => shareOfKinds(documents, { part: 0, of: 2 });
const declared = share(everyKind);

const found = (["terraform", "tofu"] as const).map((name) => [name, engineNamed(name)] as const);

describe.each(found)("%s", (_, engine) => {
  describe.skipIf(engine === undefined)(
    "with many kinds in one program",
    { timeout: 120_000 },
    () => {
      let service: TestService;
      let workspace: Workspace;
      let atFirst: LiveState;

      beforeAll(async () => {
        if (engine === undefined) return;
        service = await startService();
        await prepareAccount(service);
        atFirst = await liveState(service);
        const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
        workspace = await makeWorkspace(engine, env);
        await workspace.write(configurationFor(declared));
        expectSuccess(await workspace.run("init"));
      });
      afterAll(async () => {
        await workspace?.dispose();
        await service?.close();
      });

      const apply = () => workspace.run("apply", "-auto-approve");
      const plan = () => workspace.run("plan", "-detailed-exitcode");

      it("validates, creates, and has an empty plan afterwards", async () => {
        expectSuccess(await workspace.run("validate"));
        expectSuccess(await apply());
        expectSuccess(await plan());
      });

      it("detects and repairs drift and deleted objects", async () => {
        const before = await liveState(service);
        const moved = await changeOutOfBand(service, driftEveryObject);
        const drifted = await plan();
        expect(drifted.code).toBe(2);
        for (const { kind, name } of moved) {
          expect(drifted.output).toContain(`${terraformType(kind.name)}.${name} will be updated`);
        }
        expectSuccess(await apply());
        await changeOutOfBand(service, deleteLeaves);
        expect((await plan()).code).toBe(2);
        expectSuccess(await apply());
        expectSuccess(await plan());
        expect(await liveState(service)).toEqual(before);
      });

      it("updates and replaces every kind of resource, then has an empty plan", async () => {
        await workspace.write(configurationFor(share(everyKindChanged)));
        expect((await plan()).output).toContain("must be replaced");
        expectSuccess(await apply());
        expectSuccess(await plan());
      });

      it("replaces a tainted resource, which has no private state", async () => {
        const file = join(workspace.folder, "terraform.tfstate");
        const state = JSON.parse(await readFile(file, "utf8")) as StateFile;
        const tainted = state.resources.map(({ instances, ...rest }) => ({
          ...rest,
          instances: instances.map((one) => ({ ...one, status: "tainted" })),
        }));
        const changed = { ...state, serial: state.serial + 1, resources: tainted };
        await writeFile(file, JSON.stringify(changed));
        expectSuccess(await apply());
        expectSuccess(await plan());
      });

      it("destroys every resource, which leaves the account as it was", async () => {
        expectSuccess(await workspace.run("destroy", "-auto-approve"));
        expect(await liveState(service)).toEqual(atFirst);
      });

      it("sets singletons, has an empty plan afterwards, and keeps their values when it destroys", async () => {
        await workspace.write(configurationFor(everySingleton));
        expectSuccess(await apply());
        expectSuccess(await plan());
        const after = await liveState(service, singletons);
        for (const { kind, spec } of everySingleton)
          expect(after[`${kind}/account`]).toMatchObject(spec);
        expectSuccess(await workspace.run("destroy", "-auto-approve"));
        expect(await liveState(service, singletons)).toEqual(after);
      });
    },
  );
});

/** A Terraform state file. */
interface StateFile {
  readonly serial: number;
  readonly resources: readonly { readonly instances: readonly object[] }[];
}

/** Fails with Terraform's output. */
function expectSuccess({ code, output }: CommandResult): void {
  if (code !== 0) throw new Error(output);
}

const desiredObjects = resolveReferences(declared);

/** Changes objects outside Terraform. */
async function changeOutOfBand<T>(
  service: TestService,
  work: (bridge: Bridge) => Promise<T>,
): Promise<T> {
  const client = createClient({ url: service.url, credential: new Secret(service.adminKey) });
  const bridge = createBridge(client, await client.discoverApi());
  try {
    return await work(bridge);
  } finally {
    await bridge.close();
  }
}

/** Changes one readable field in place on every object that has one. */
async function driftEveryObject(bridge: Bridge): Promise<readonly ResolvedDoc[]> {
  const moved: ResolvedDoc[] = [];
  for (const one of desiredObjects) {
    const { kind, spec, name } = one;
    const variations = examplesOf(kind).find((example) => example.name === name)?.variations ?? {};
    const field = fieldsOf(kind).find(
      ({ name: at, traits }) =>
        spec[at] !== undefined &&
        variations[at] !== undefined &&
        !kind.key.includes(at) &&
        traits.onChange === undefined &&
        traits.refersTo === undefined &&
        traits.writeOnly === undefined,
    );
    const live = await bridge.readFresh(readTargetFor(kind, spec));
    if (field === undefined || live === undefined) continue;
    const desired = { ...spec, [field.name]: variations[field.name] };
    const { failure } = await bridge.update(kind, {
      desired,
      live,
      changed: new Set([field.name]),
    });
    expect(failure).toBeUndefined();
    moved.push(one);
  }
  expect(moved.length).toBeGreaterThan(desiredObjects.length / 2);
  return moved;
}

/** Deletes the objects that no other object depends on. */
async function deleteLeaves(bridge: Bridge): Promise<void> {
  const parents = new Set(
    desiredObjects.flatMap(({ kind }) => fieldsOf(kind).map(({ traits }) => traits.refersTo)),
  );
  for (const { kind, spec } of desiredObjects) {
    if (parents.has(kind.name) || kind.cascades) continue;
    const live = await bridge.readFresh(readTargetFor(kind, spec));
    if (live !== undefined) await bridge.delete(kind, live, kinds);
  }
}
