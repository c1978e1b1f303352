import { expect, it } from "vitest";
import type { RecordedPromotions } from "./api-types.ts";
import { reconciliationEvent } from "./events.ts";
import type { Reconciliation } from "./reconciliation.ts";

it("the event of a reconciliation names the stages that wait for a person: for an approval or a pull request", () => {
  const codes = ["needs-request", "needs-approval", "soaking"];
  const reasons = codes.map((code) => ({ code, message: code }));
  const stages = [{ stage: "production", reasons }];
  const promotions = { time: "", pipelines: [{ pipeline: "platform", stages }] };
  const reconciliation: Partial<Reconciliation> = {
    source: "prod",
    diagnostics: [],
    promotions: promotions as object as RecordedPromotions,
  };
  const timing = { time: new Date(0), failures: 0, next: undefined };
  const { approvals } = reconciliationEvent(reconciliation as Reconciliation, timing);
  const about = { pipeline: "platform", stage: "production" };
  expect(approvals).toEqual(codes.slice(0, 2).map((reason) => ({ ...about, reason })));
});
