// Tests undo of a rename: objects whose keys contain the name follow on the server and in the inventory.
import { describe, expect, it } from "vitest";
import { history } from "../../../reconciler/verbs/history.ts";
import type { ApplyResult, Plan } from "../../../reconciler/model/index.ts";
import { undo } from "../../../reconciler/verbs/undo.ts";
import { liveState } from "../../support/live-state.ts";
import { type Doc, changeSummaries } from "../../support/test-stack.ts";
import { setUpFixture } from "../../safety/fixture.ts";

/** Returns a deployment named `site` with its contents. `other` contains further changes of a run. */
function siteDocuments(site: string, other: { slug?: string; schedule?: string } = {}): Doc[] {
  const { slug = "sales", schedule = "0 9 * * 1" } = other;
  return [
    { kind: "Deployment", name: "ude", spec: { name: site, region: "aws-us-east-1" } },
    {
      kind: "Workbook",
      name: "sales",
      spec: { deployment: "ude", slug, dashboard: { title: "Sales" } },
    },
    {
      kind: "Notification",
      name: "weekly",
      spec: { deployment: "ude", workbook: "sales", schedule },
    },
  ];
}

describe("the undo of a rename", () => {
  const scene = setUpFixture({ name: "shop" });

  const undone = async (): Promise<{ plan: Plan; applied: ApplyResult | undefined }> => {
    const reported = await history(scene.stack.options);
    const run = (reported.ok && reported.runs[0]?.id) || "";
    const done = await undo({ ...scene.stack.options, run, approve: async () => true });
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    return done;
  };
  const settles = async (): Promise<void> => {
    const { outcomes, residual } = await scene.stack.apply();
    expect(outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    expect(changeSummaries(residual)).toEqual([]);
    expect(changeSummaries((await scene.stack.plan()).changes)).toEqual([]);
  };

  const all = { slug: "orders", schedule: "30 7 * * 5" };
  it.each([
    { name: "alone", after: siteDocuments("ude2") },
    { name: "with its workbook's", after: siteDocuments("ude2", { slug: "orders" }) },
    { name: "with changes of all below", after: siteDocuments("ude2", all) },
  ])("$name leaves nothing to do once the manifests are reverted", async ({ after }) => {
    await scene.stack.write(siteDocuments("ude"));
    await scene.stack.apply();
    const before = await liveState(scene.service);
    await scene.stack.write(after);
    await settles();
    const { applied } = await undone();
    expect(applied?.outcomes.filter(({ result }) => result !== "done")).toEqual([]);
    expect(changeSummaries(applied?.residual ?? [])).toEqual([]);
    expect(await liveState(scene.service)).toEqual(before);
    await scene.stack.write(siteDocuments("ude"));
    expect(changeSummaries((await scene.stack.plan()).changes)).toEqual([]);
  });

  it.each([
    { name: "alone", after: siteDocuments("ude2") },
    { name: "with changes of all below", after: siteDocuments("ude2", all) },
  ])("$name is done again by the next apply, and creates nothing twice", async ({ after }) => {
    await scene.stack.write(siteDocuments("ude"));
    await scene.stack.apply();
    await scene.stack.write(after);
    await settles();
    const shipped = await liveState(scene.service);
    await undone();
    const { changes } = await scene.stack.plan();
    expect(changes.filter(({ action }) => action !== "update" && action !== "none")).toEqual([]);
    await settles();
    expect(await liveState(scene.service)).toEqual(shipped);
  });

  it("renames what was created in it after the run", async () => {
    const [site, ...inside] = siteDocuments("ude");
    const [renamed] = siteDocuments("ude2");
    if (site === undefined || renamed === undefined) throw new Error("no deployment");
    await scene.stack.write([site]);
    await scene.stack.apply();
    await scene.stack.write([renamed]);
    await scene.stack.apply();
    const reported = await history(scene.stack.options);
    const run = (reported.ok && reported.runs[0]?.id) || "";
    await scene.stack.write([renamed, ...inside]);
    await settles();
    await undo({ ...scene.stack.options, run, approve: async () => true });
    await scene.stack.write([site, ...inside]);
    expect(changeSummaries((await scene.stack.plan()).changes)).toEqual([]);
  });
});
