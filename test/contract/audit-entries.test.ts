// Tests that every write adds entries to the audit log that name the changed object, with values before and after.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { AnswerOf, Operation } from "../../core/operation/operation.ts";
import type { listAuditLogs } from "../../api/audit-logs.ts";
import { operations } from "../../api/index.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampled } from "../support/sampling.ts";
import { sampleOf } from "./sample-requests.ts";

type Entry = AnswerOf<typeof listAuditLogs>;

const issues = "it issues a credential, and changes nothing else";
const starts = "it starts work that another process does";

/** Writes that change no object. Their entries have the object, but no values. */
const changeNothing: Readonly<Record<string, string>> = {
  deploymentToken: issues,
  createPasswordLink: issues,
  issueOidcToken: issues,
  initiateUserOAuthToken: "it begins an authorization, which completeUserOAuthToken ends",
  issueUserOAuthToken: issues,
  exitDevMode: "it ends the session of the credential; the branch stays",
  receiveGitWebhook: starts,
  sendNotification: starts,
  startDashboardExport: starts,
  resetCreationStep: "the deployment of the sample is at the first step",
  updateTenantSettings: "the sample sets what the account has",
};

/** Writes whose objects have no ID. */
const nameless: Readonly<Record<string, string>> = {
  updateTenantSettings: "an account has its settings once",
  updateAppConfig: "an account has its configuration once",
};

let service: ResettableService;
beforeAll(async () => {
  service = await startResettableService();
});
afterEach(() => service.reset());
afterAll(() => service.close());

async function entries(): Promise<readonly Entry[]> {
  const { body } = await service.send("GET", "/api/v1/audit-logs?first=100");
  return (body as { items: Entry[] }).items;
}

const audited = operations.filter((one) => one.effect === "write" && one.audited !== false);

async function entriesOf(operation: Operation): Promise<readonly Entry[]> {
  const { path, body, headers = {} } = await sampleOf(operation.id, service);
  const [last] = await entries();
  const answer = await service.send(operation.method, path, { body, headers });
  expect([answer.status, answer.text]).toEqual([operation.answer.status, expect.any(String)]);
  return (await entries()).filter((one) => one.id > (last?.id ?? 0));
}

const isEmpty = (values: object | undefined) => Object.keys(values ?? {}).length === 0;

describe("the entries of a write", () => {
  it.each(sampled(audited, 1).map((operation) => [operation.id, operation] as const))(
    "name what %s changed, with its values",
    async (id, operation) => {
      const recorded = await entriesOf(operation);
      expect(recorded.every((one) => one.eventName === id)).toBe(true);
      expect(recorded).not.toEqual([]);
      const changed = recorded.filter(({ before, after }) => !isEmpty(before) || !isEmpty(after));
      expect(changed.length === 0).toBe(id in changeNothing);
      expect(recorded.some(({ objectIds }) => objectIds.length === 0)).toBe(id in nameless);
    },
  );

  it("are missing for no other write than those with a reason", () => {
    const ids = new Set(audited.map(({ id }) => id));
    const listed = [...Object.keys(changeNothing), ...Object.keys(nameless)];
    expect(listed.filter((id) => !ids.has(id))).toEqual([]);
  });
});
