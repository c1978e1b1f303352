// Tests that the reconciler and Terraform plan the same changes for the same stack.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { equal, isObject } from "../../../core/json.ts";
import { schemas } from "../../../provider/terraform/wire-schema.ts";
import { everyKind, prepareAccount, shareOfKinds } from "../../support/every-kind.ts";
import { variedDocuments, planSummary, type PlanSummary } from "../../support/plan-summary.ts";
import { startService, type TestService } from "../../support/test-service.ts";
import { type Doc, makeStack, type TestStack } from "../../support/test-stack.ts";
import {
  configurationFor,
  makeWorkspace,
  describeWithEngines,
  type Workspace,
} from "../../engines/terraform-workspace.ts";

const chosen = shareOfKinds(everyKind, { part: 1, of: 2 });

/** Returns the documents of the objects in {@link chosen}: a variation may drop a reference that chose another object. */
const share = (documents: readonly Doc[]) =>
  documents.filter(({ kind, name }) =>
    chosen.some((one) => one.kind === kind && one.name === name),
  );

describeWithEngines("plan parity with the reconciler", (engine) => {
  let service: TestService;
  let other: TestService;
  let workspace: Workspace;
  let stack: TestStack;

  beforeAll(async () => {
    [service, other] = [await startService(), await startService()];
    await prepareAccount(service);
    await prepareAccount(other);
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    workspace = await makeWorkspace(engine, env);
    await workspace.write(configurationFor(share(everyKind)));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    stack = await makeStack({ url: other.url, key: other.adminKey });
    await stack.write(share(everyKind));
  });
  afterAll(async () => {
    await workspace?.dispose();
    await stack?.dispose();
    await service?.close();
    await other?.close();
  });

  it("plans the same creates, updates and replacements", async () => {
    expect(await terraformPlan()).toEqual(await planSummary(stack));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    await stack.apply();
    expect(await terraformPlan()).toEqual([]);
    for (const documents of [share(variedDocuments("update")), share(variedDocuments("replace"))]) {
      await workspace.write(configurationFor(documents));
      await stack.write(documents);
      const planned = await planSummary(stack);
      expect(planned).not.toEqual([]);
      expect(await terraformPlan()).toEqual(planned);
    }
  });

  async function terraformPlan(): Promise<PlanSummary> {
    expect((await workspace.run("plan", "-out=saved.plan")).code).toBe(0);
    const { output } = await workspace.run("show", "-json", "saved.plan");
    const { resource_changes: changes = [] } = JSON.parse(output) as PlanFile;
    return changes.flatMap(summaryOf).toSorted();
  }
});

interface PlanFile {
  readonly resource_changes?: readonly ResourceChange[];
}

interface ResourceChange {
  readonly type: string;
  readonly name: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly before: JsonObject | null;
    readonly after: JsonObject | null;
    readonly after_unknown: JsonValue;
  };
}

function summaryOf({ type, name, change }: ResourceChange): PlanSummary {
  const { actions, before, after, after_unknown: unknown } = change;
  const block = schemas.resources[type];
  const address = `${block?.kind}/${name}`;
  if (actions.join() === "no-op") return [];
  if (actions.length === 1 && actions[0] !== "update") return [`${actions[0]} ${address}`];
  const action = actions.includes("delete") ? "replace" : "update";
  const fields = (block?.attributes ?? []).filter(
    ({ part, name: at, mode }) =>
      (part === "spec" || part === "version") &&
      !(isObject(unknown) && unknown[at] === true && mode !== "required") &&
      !equal(before?.[at] ?? null, after?.[at] ?? null),
  );
  return [...new Set(fields.map(({ field }) => `${action} ${address} ${field}`))];
}
