// Tests how plans show references: by address if it is declared, otherwise decoded. The JSON keeps the key.
import { describe, expect, it } from "vitest";
import { kindsByName } from "../../core/kind/kind.ts";
import { notOwnedError } from "../../reconciler/engine/plan-diagnostics.ts";
import type { DesiredObject } from "../../reconciler/model/index.ts";
import { markdownText } from "../../reconciler/report/markdown.ts";
import { planJson } from "../../reconciler/engine/plan-json.ts";
import { planText } from "../../reconciler/report/plan-text.ts";
import { kinds } from "../../resources/index.ts";
import { sampleChange, samplePlan } from "../support/sample-plans.ts";

const declared = "weekly/0%207%20*%20*%201/Europe%2FBerlin";
const other = "daily/0%207%20*%20*%20*/Europe%2FBerlin";
const names = new Map([[`Notification/production/${declared}`, "Notification/the-week"]]);
const recipient = (name: string, notification: string) =>
  sampleChange("create", `NotificationRecipient/${name}`, {
    desired: { deployment: "production", notification, user: "jane" },
  });
const plan = samplePlan([recipient("one", declared), recipient("two", other)]);
const about = { kinds, names, manifestDiagnostics: [], places: new Map() };

describe("references with keys of several parts", () => {
  it.each([
    ["text", planText(plan, { color: false, width: 200, kinds, names })],
    ["Markdown", markdownText({ type: "plan", plan, ...about })],
  ])("are shown by address if declared, else decoded, in %s", (_, text) => {
    expect(text).toContain('/notification: "Notification/the-week"');
    expect(text).toContain('/notification: "daily/0 7 * * */Europe/Berlin"');
    expect(text).toContain('/deployment: "production"');
  });

  it("are names, also with a slash, if one field is the key", () => {
    const named = sampleChange("create", "Folder/sub", {
      desired: { deployment: "main", name: "Sub", parent: "Sales/100%" },
    });
    const folders = new Map([["Folder/main/Sales%2F100%25", "Folder/ops"]]);
    const style = { color: false, width: 200, kinds, names: folders };
    expect(planText(samplePlan([named]), style)).toContain('/parent: "Sales/100%"');
  });

  it("are unchanged in JSON", () => {
    expect(JSON.stringify(planJson(plan, about))).toContain(declared);
  });

  it("are decoded whole in refusals", () => {
    const kind = kindsByName(kinds).get("NotificationRecipient");
    if (kind === undefined) throw new Error("there is no such kind");
    const key = "production/daily%2F0%25207/jane";
    const address = "NotificationRecipient/two";
    const { summary } = notOwnedError({ kind, key, address } as DesiredObject, {
      displayPath: undefined,
    });
    expect(summary).toContain("NotificationRecipient production/daily/0 7/jane exists already");
  });
});
