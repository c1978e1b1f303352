// Tests that a plan reports a missing published dashboard of a workbook before anything is written.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Doc } from "../support/test-stack.ts";
import { setUpFixture } from "./fixture.ts";

const fixture = setUpFixture();

const deployment = { external: "main" };
const workbook = (more: JsonObject = {}): Doc => ({
  kind: "Workbook",
  name: "sales",
  spec: { deployment, slug: "sales", name: "Sales", ...more },
});
const weekly = (to: JsonObject[string] = "sales"): Doc => ({
  kind: "Notification",
  name: "weekly",
  spec: { deployment, workbook: to, schedule: "0 9 * * 1" },
});
const access: Doc = {
  kind: "DashboardAllUsersAccess",
  name: "all",
  spec: { deployment, workbook: "sales" },
};
const dashboard = { dashboard: { title: "Sales" } };

/** Returns the errors of a plan of these documents. */
async function errors(...documents: readonly Doc[]) {
  await fixture.stack.write(documents);
  const { diagnostics } = await fixture.stack.plan();
  return diagnostics.filter(({ severity }) => severity === "error");
}

/** Publishes the dashboard of the workbook without the stack, as a person does. */
async function publish(): Promise<void> {
  const base = "/api/v1/deployments/1/workbooks";
  const { body } = await fixture.service.send("GET", base);
  const [{ id: workbookId }] = (body as { items: [{ id: number }] }).items;
  const published = { workbookId, config: { title: "Sales" } };
  await fixture.service.send("POST", `${base}/${workbookId}/publish`, { body: published });
}

const missing = (summary: string, remedy: string) => ({
  code: "value-refused",
  path: "/spec/workbook",
  summary: expect.stringContaining(summary),
  remedy: expect.stringContaining(remedy),
});
const live = missing("the workbook sales has no published dashboard", "publish it");

it("is an error of the plan, and nothing is written", async () => {
  const created = missing(
    "Workbook/sales is created without a dashboard",
    "Declare the `dashboard` of Workbook/sales",
  );
  expect(await errors(workbook(), weekly(), access)).toMatchObject([created, created]);
  fixture.proxy.arm();
  await expect(fixture.stack.apply()).rejects.toMatchObject({ code: "refused" });
  expect(fixture.proxy.writes()).toEqual([]);
});

it("is an error where the workbook is on the server, of the stack or not", async () => {
  await fixture.stack.write([workbook()]);
  await fixture.stack.apply();
  expect(await errors(workbook(), weekly())).toMatchObject([live]);
  expect(await errors(workbook({ name: "Figures" }), weekly())).toMatchObject([live]);
  expect(await errors(workbook({ slug: "figures" }), weekly())).toMatchObject([
    missing("the workbook figures has no published dashboard", "publish it"),
  ]);
  expect(
    await errors({ ...workbook(), lifecycle: { manage: ["observe"] } }, weekly()),
  ).toHaveLength(1);
});

it("is not reported if the plan publishes it, or a person did elsewhere", async () => {
  expect(await errors(workbook(dashboard), weekly(), access)).toEqual([]);
  await fixture.stack.write([workbook()]);
  await fixture.stack.apply();
  expect(await errors(workbook(dashboard), weekly(), access)).toEqual([]);
  await publish();
  expect(await errors(workbook(), weekly(), access)).toEqual([]);
  expect(await errors(workbook({ slug: "figures" }), weekly())).toEqual([]);
  const { outcomes } = await fixture.stack.apply();
  expect(outcomes.map(({ result }) => result)).toEqual(["done", "done"]);
  expect(await errors({ ...weekly({ external: "figures" }), name: "other" })).toEqual([]);
});
