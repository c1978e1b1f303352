// What is named by something that gets a new name is the same object afterwards, also where its own document is renamed too.
import { expect, it } from "vitest";
import { startService } from "../support/service.ts";
import { type Doc, inWords, makeStack } from "../support/stack.ts";

function documents(slug: string, name: string): readonly Doc[] {
  return [
    { kind: "Deployment", name: "site", spec: { name: "site", region: "aws-us-east-1" } },
    {
      kind: "Workbook",
      name: "sales",
      spec: { deployment: "site", slug, dashboard: { title: "Sales" } },
    },
    {
      kind: "Notification",
      name,
      spec: {
        deployment: "site",
        workbook: "sales",
        schedule: "0 9 * * 1",
        isEnabled: name === "weekly",
      },
    },
  ];
}

it("a renamed document keeps its object below a renamed parent that is only part of its key", async () => {
  const service = await startService();
  const stack = await makeStack({ url: service.url, key: service.adminKey });
  try {
    await stack.write(documents("sales", "weekly"));
    await stack.apply();
    await stack.write(documents("sales-overview", "mondays"));
    expect(inWords((await stack.plan()).changes)).toEqual([
      "update Workbook/sales /slug",
      "update Notification/mondays /isEnabled",
      "forget Notification/weekly",
    ]);
    const { outcomes, residual } = await stack.apply();
    expect(outcomes.map(({ result }) => result)).toEqual(["done", "done", "done"]);
    expect(residual).toEqual([]);
    expect((await stack.plan()).changes).toEqual([]);
  } finally {
    await stack.dispose();
    await service.close();
  }
});
