// Plans agree: the same stack, changed in the same way, is planned alike by the reconciler and by Terraform.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { equal, isObject } from "../../core/json.ts";
import { schemas } from "../../provider/terraform/schemas.ts";
import { everyKind, makePeople } from "../support/every-kind.ts";
import { changed, stackWords, type Words } from "../support/plan-words.ts";
import { startService, type TestService } from "../support/service.ts";
import { makeStack, type TestStack } from "../support/stack.ts";
import { configurationOf, makeWorkspace, underEngines, type Workspace } from "./terraform.ts";

underEngines("plans agree with the reconciler's", (engine) => {
  let service: TestService;
  let other: TestService;
  let workspace: Workspace;
  let stack: TestStack;

  beforeAll(async () => {
    [service, other] = [await startService(), await startService()];
    await makePeople(service);
    await makePeople(other);
    const env = { SVC_API_URL: service.url, SVC_API_KEY: service.adminKey };
    workspace = await makeWorkspace(engine, env);
    await workspace.write(configurationOf(everyKind));
    expect(await workspace.run("init")).toMatchObject({ code: 0 });
    stack = await makeStack({ url: other.url, key: other.adminKey });
    await stack.write(everyKind);
  }, 60_000);
  afterAll(async () => {
    await workspace?.dispose();
    await stack?.dispose();
    await service?.close();
    await other?.close();
  });

  it("are alike before anything is there, for changes in place, and for replacements", async () => {
    expect(await terraformPlan()).toEqual(await stackWords(stack));
    expect(await workspace.run("apply", "-auto-approve")).toMatchObject({ code: 0 });
    await stack.apply();
    expect(await terraformPlan()).toEqual([]);
    for (const documents of [changed("update"), changed("replace")]) {
      await workspace.write(configurationOf(documents));
      await stack.write(documents);
      const planned = await stackWords(stack);
      expect(planned.length).toBeGreaterThan(2);
      expect(await terraformPlan()).toEqual(planned);
    }
  });

  async function terraformPlan(): Promise<Words> {
    expect((await workspace.run("plan", "-out=saved.plan")).code).toBe(0);
    const { output } = await workspace.run("show", "-json", "saved.plan");
    const { resource_changes: changes = [] } = JSON.parse(output) as PlanFile;
    return changes.flatMap(wordsOf).toSorted();
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

function wordsOf({ type, name, change }: ResourceChange): Words {
  const { actions, before, after, after_unknown: unknown } = change;
  const block = schemas.resources[type];
  const address = `${block?.kind}/${name}`;
  if (actions.join() === "no-op") return [];
  if (actions.join() === "create") return [`create ${address}`];
  const action = actions.includes("delete") ? "replace" : "update";
  const fields = (block?.attributes ?? []).filter(
    ({ part, name: at, mode }) =>
      (part === "spec" || part === "version") &&
      !(isObject(unknown) && unknown[at] === true && mode !== "required") &&
      !equal(before?.[at] ?? null, after?.[at] ?? null),
  );
  return [...new Set(fields.map(({ field }) => `${action} ${address} ${field}`))];
}
