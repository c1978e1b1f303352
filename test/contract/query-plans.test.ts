// Every read of every operation uses an index: no sorting, and no scan of a table that is paged.
import Sqlite from "better-sqlite3";
import { afterEach, describe, expect, it, vi } from "vitest";
import { operations } from "../../api/index.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { sampleOf } from "./sample-requests.ts";

/** Tables that are small, or whose list is the whole table in the order of its key. */
const whole =
  /^SCAN (?:account|regions|versions_run|deployments|embed_tenants|api_keys|states|users USING INDEX users_own|users USING COVERING INDEX users_by_lower_username)$/;

/**
 * A walk through all of an account's, a tenant's, a deployment's or a notification's rows: for lists alone. A deployment has
 * one Git connection.
 */
const broad =
  /^SEARCH (?!git_connections ).*\((?:tenant_scope|deployment_id|notification_id|embed_tenant_id)=\?\)/;

/** What the parent's rows are the answer of, or the whole that a rule is about. */
const answersAll = new Set([
  "setVariables",
  "connectGit",
  "connectGithub",
  "getGitConnection",
  "createBranch",
  "enterDevMode",
  // They count the account's groups, and read them by ID.
  "listScimGroups",
  "searchScimGroups",
  "searchScim",
]);

/** What is subscribed and minted with all that can be said, where the samples say little. */
const fuller: Readonly<Record<string, (service: TestService) => Promise<object>>> = {
  addRecipients: async (service) => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "buyers" } });
    const definition = { name: "region", type: "string" };
    await service.send("POST", "/api/v1/user-attributes", { body: definition });
    const said = { groups: ["buyers"], userAttributes: [{ name: "region", value: "eu" }] };
    const embed = { type: "EMBED_USER", embedTenantName: "acme-inc", externalId: "full", ...said };
    return {
      recipients: [
        { type: "USER", email: "admin@svc.localhost" },
        { ...embed, email: "full@example.com", securityContext: { region: "eu" } },
      ],
    };
  },
  generateSession: async (service) => {
    const body = {
      deploymentId: 1,
      externalId: "full",
      embedTenantName: "acme-inc",
      creatorMode: true,
      groupDefinitions: [{ name: "makers" }],
      userAttributeDefinitions: [{ name: "region", type: "string" }],
      groups: ["makers"],
      userAttributes: [{ name: "region", value: "eu" }],
    };
    await service.send("POST", "/api/v1/embed/generate-session", { body });
    const [group] = body.groupDefinitions;
    return { ...body, groupDefinitions: [{ ...group, description: "other" }] };
  },
};

afterEach(() => vi.restoreAllMocks());

describe("the queries of", () => {
  it.each(operations.map((one) => [one.id, one] as const))("%s", async (id, { method, list }) => {
    const service = await startService();
    const { path, headers = {}, ...sample } = await sampleOf(id, service);
    const body = (await fuller[id]?.(service)) ?? sample.body;
    const seen = new Map<string, Sqlite.Database>();
    const prepare: (this: Sqlite.Database, text: string) => Sqlite.Statement =
      Object.getOwnPropertyDescriptor(Sqlite.prototype, "prepare")?.value;
    vi.spyOn(Sqlite.prototype, "prepare").mockImplementation(function (
      this: Sqlite.Database,
      text,
    ) {
      if (/^(?:select|with|update)/i.test(text)) seen.set(text, this);
      return prepare.call(this, text);
    });
    const answer = await service.send(method, path, { body, headers });
    expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)]);
    const slow = [...seen].flatMap(([text, database]) => {
      const plan = database.prepare(`explain query plan ${text}`);
      const given = Array.from(text.matchAll(/\?/g), () => null);
      const steps = (plan.all(given) as { detail: string }[]).map(({ detail }) => detail);
      const mayBeBroad = list !== undefined || answersAll.has(id) || !/^select/i.test(text);
      return steps.filter(
        (step) =>
          (/^SCAN|TEMP B-TREE/.test(step) && !whole.test(step)) ||
          (!mayBeBroad && broad.test(step)),
      );
    });
    expect(slow).toEqual([]);
    await service.close();
  });
});
