// Tests undo of names: objects whose keys contain a restored name follow on the server and in the inventory, and what would
// be restored under a name that is another object's now is reported and left out.
import { describe, expect, it } from "vitest";
import { history } from "../../../reconciler/verbs/history.ts";
import type { ApplyResult, Plan } from "../../../reconciler/model/index.ts";
import { undo } from "../../../reconciler/undo.ts";
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

/** Returns a document; a change of `managed` replaces the object. */
const site = (document: string, name: string, isManaged = false): Doc => ({
  kind: "Deployment",
  name: document,
  spec: { name, region: "aws-us-east-1", isManaged },
});
const workbook = (document: string, deployment: string, slug = "sales"): Doc => ({
  kind: "Workbook",
  name: document,
  spec: { deployment, slug, dashboard: { title: "Sales" } },
});
const weekly = (deployment: string, name: string): Doc => ({
  kind: "Notification",
  name: "weekly",
  spec: { deployment, workbook: name, schedule: "0 9 * * 1" },
});

describe("the undo of a run after which other objects took its names", () => {
  const scene = setUpFixture({ name: "shop" });

  const undone = async (
    first: readonly Doc[],
    second: readonly Doc[],
  ): Promise<{ plan: Plan; applied: ApplyResult | undefined }> => {
    await scene.stack.write(first);
    await scene.stack.apply();
    await scene.stack.write(second);
    const { residual } = await scene.stack.apply();
    expect(changeSummaries(residual)).toEqual([]);
    const reported = await history(scene.stack.options);
    const run = (reported.ok && reported.runs[0]?.id) || "";
    const done = await undo({ ...scene.stack.options, run, approve: async () => true });
    if (!done.ok) throw new Error(JSON.stringify(done.diagnostics));
    return done;
  };
  const notes = ({ plan }: { readonly plan: Plan }) =>
    plan.diagnostics
      .filter(({ code }) => code === "cannot-undo")
      .map(({ address, summary }) => `${address}: ${summary}`)
      .toSorted();

  it("recreates what was in an object whose parent was renamed", async () => {
    const before = [site("b", "here"), workbook("c", "b"), weekly("b", "c")];
    const done = await undone(before, [site("b", "off"), workbook("c", "b")]);
    expect(notes(done)).toEqual([]);
    expect(changeSummaries(done.applied?.residual ?? [])).toEqual([]);
    await scene.stack.write(before);
    const { changes } = await scene.stack.plan();
    expect(changeSummaries(changes.filter(({ action }) => action !== "none"))).toEqual([]);
  });
});
