// Tests that every read uses an index: it neither sorts nor scans a paged table.
import Sqlite from "better-sqlite3";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { operations } from "../../api/index.ts";
import { sweepAll } from "../../service/jobs/sweep.ts";
import { finishedBuilds, finishedSyncs } from "../support/finished-work.ts";
import { type ResettableService, startResettableService } from "../support/resettable-service.ts";
import { sampled } from "../support/sampling.ts";
import { sampleOf } from "./sample-requests.ts";

let service: ResettableService;

/** Tables that are small, or whose list is the whole table in key order. */
const whole =
  /^SCAN (?:account|regions|versions_run|deployments|embed_tenants|api_keys|states|users USING (?:COVERING )?INDEX users_own)$/;

/**
 * Tables with few rows in an account of any size: 1,000 roles and workload trusts, 100 configurations, integrations and
 * OAuth clients, 20 identity providers and SCIM integrations, and a signing key for every 90 days.
 */
const bounded =
  /^SCAN (?:roles|workload_trusts|identity_providers|oauth_clients|scim_integrations|oidc_token_configs|oauth_integrations|signing_keys)(?: USING COVERING INDEX \w+)?$/;

/** The audit log in key order. */
const auditLog = /^SCAN audit_logs$/;
const readsAuditLog = /AuditLogs$/;

/** The folders that contain an object: as many rows as folders can be deep, by depth. */
const isFolderPath = (text: string): boolean => text.startsWith("with recursive up as");

/** The walk to the oldest of the 10,000 log lines or 1,000 syncs that a deployment keeps, to delete earlier rows. */
const trimming =
  /^SEARCH (?:log_lines USING COVERING INDEX log_lines|sync_runs USING INDEX sync_runs)_by_deployment \(deployment_id=\?\)$/;

/**
 * A walk through all of an account's, a tenant's, a deployment's or a notification's rows: only for lists. A deployment
 * has one Git connection and one integration of a transformation project.
 */
const broad =
  /^SEARCH (?!(?:git_connections|transform_integrations) ).*\((?:tenant_scope|deployment_id|notification_id|embed_tenant_id)=\?\)/;

/** Queries that return all rows of the parent, or rules that concern all of them. */
const answersAll = new Set([
  "setVariables",
  "connectGit",
  "connectGithub",
  "getGitConnection",
  "disconnectGit",
  "receiveGitWebhook",
  "createBranch",
  "enterDevMode",
  // They delete by the deployment and by the attributes of the account, and the audit log reads what they delete.
  "startUpload",
  "replaceUserAttributeValues",
  // It delivers to every recipient.
  "sendNotification",
  // It reads the caller's context for a query, and the data sources of the deployment.
  "checkReportQuery",
  // They count the account's groups, and read them by ID.
  "listScimGroups",
  "searchScimGroups",
  "searchScim",
]);

/** Subscriptions and creates with every field, because the samples have few. */
const fuller: Readonly<Record<string, () => Promise<object>>> = {
  addRecipients: async () => {
    await service.send("POST", "/api/v1/user-groups", { body: { name: "buyers" } });
    const definition = { name: "region", type: "string" };
    await service.send("POST", "/api/v1/user-attributes", { body: definition });
    const context = { groups: ["buyers"], userAttributes: [{ name: "region", value: "eu" }] };
    const embed = {
      type: "EMBED_USER",
      embedTenantName: "acme-inc",
      externalId: "full",
      ...context,
    };
    return {
      recipients: [
        { type: "USER", email: "admin@svc.localhost" },
        { ...embed, email: "full@example.com", securityContext: { region: "eu" } },
      ],
    };
  },
  generateSession: async () => {
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

beforeAll(async () => {
  service = await startResettableService();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.reset();
});
afterAll(() => service.close());

/** Returns the steps of the plans of all queries that a request makes. */
async function plannedSteps({
  method,
  path,
  headers = {},
  body,
}: SentRequest): Promise<readonly PlannedQuery[]> {
  return plannedBy(async () => {
    const answer = await service.send(method, path, { body, headers });
    expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)]);
  });
}

const statementPrototype = Object.getPrototypeOf(
  new Sqlite(":memory:").prepare("select 1"),
) as Sqlite.Statement;

interface PlannedQuery {
  readonly text: string;
  readonly steps: readonly string[];
}

/** Returns the steps of the plans of all queries that a run makes. */
async function plannedBy(run: () => Promise<unknown>): Promise<readonly PlannedQuery[]> {
  const seen = new Map<string, Sqlite.Database>();
  // Statements are cached, so runs of statements count instead of preparations.
  for (const name of ["all", "run"] as const) {
    const execute: (this: Sqlite.Statement, ...given: unknown[]) => never =
      Object.getOwnPropertyDescriptor(statementPrototype, name)?.value;
    vi.spyOn(statementPrototype, name).mockImplementation(function (
      this: Sqlite.Statement,
      ...given
    ) {
      if (/^(?:select|with|update|delete)/i.test(this.source)) seen.set(this.source, this.database);
      return execute.call(this, ...given);
    });
  }
  await run();
  vi.restoreAllMocks();

  return [...seen].map(([text, database]) => {
    const plan = database.prepare(`explain query plan ${text}`);
    const given = Array.from(text.matchAll(/\?/g), () => null);
    return { text, steps: (plan.all(given) as { detail: string }[]).map(({ detail }) => detail) };
  });
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

describe("the queries of", () => {
  it.each(sampled(operations, 1, 1).map((one) => [one.id, one] as const))(
    "%s",
    async (id, { method, list }) => {
      const { path, headers = {}, ...sample } = await sampleOf(id, service);
      const body = (await fuller[id]?.()) ?? sample.body;
      // A build that the preparation queued runs other queries.
      await finishedBuilds(service.db);
      await finishedSyncs(service.db);
      const planned = await plannedSteps({ method, path, headers, body });
      const tables = planned.filter(({ text }) => !isFolderPath(text));
      const slow = tables.flatMap(({ text, steps }) => {
        const mayBeBroad = list !== undefined || answersAll.has(id) || !/^select/i.test(text);
        const isAllowed = (step: string) =>
          whole.test(step) ||
          bounded.test(step) ||
          (readsAuditLog.test(id) && auditLog.test(step)) ||
          (method !== "GET" && trimming.test(step));
        return steps.filter(
          (step) =>
            !isAllowed(step) &&
            (/^SCAN|TEMP B-TREE/.test(step) || (!mayBeBroad && broad.test(step))),
        );
      });
      expect(slow).toEqual([]);
    },
  );
});

describe("a SCIM list finds by an index what matches", () => {
  it.each([
    ["Users", 'userName eq "Ann"', "own_users_by_name_key"],
    ["Users", 'active eq true and externalId eq "00u1"', "own_users_by_external_id"],
    ["Users", 'id eq "1"', "INTEGER PRIMARY KEY (rowid=?)"],
    ["Users", 'emails[type eq "work"].value eq "ann@example.com"', "users_email_key"],
    ["Users", 'emails.value eq "ann@example.com"', "sqlite_autoindex_scim_emails_1"],
    ["Users", 'groups.value eq "1"', "sqlite_autoindex_group_members_1"],
    ["Users", 'userName eq "Émile"', "own_users_by_name_key"],
    ["Groups", 'displayName eq "Équipe"', "user_groups_by_name_key"],
    ["Groups", 'displayName eq "Sales"', "user_groups_by_name_key"],
    ["Groups", 'externalId eq "00g1"', "scim_groups_by_external_id"],
    ["Groups", 'members eq "1"', "group_members_by_user_id"],
  ])("in %s: %s", async (type, filter, index) => {
    await sampleOf("getScimUser", service);
    const path = `/api/scim/v2/${type}?filter=${encodeURIComponent(filter)}`;
    const steps = (await plannedSteps({ method: "GET", path })).flatMap((planned) => planned.steps);
    expect(steps.join("\n")).toContain(index);
    // No walk through all resources, neither from the start nor after the last one.
    const walks = /^SCAN (?!account)|\((?:tenant_scope=\? AND )?(?:rowid|id)>\?\)/;
    expect(steps.filter((step) => walks.test(step))).toEqual([]);
  });
});

it("the sweep finds users of ended sessions without a walk through all users", async () => {
  const planned = await plannedBy(() => sweepAll(service.db, new Date()));
  const steps = planned.filter(({ text }) => /from "users"/.test(text)).flatMap((one) => one.steps);
  expect(steps.join("\n")).toContain("users_by_is_ephemeral");
  expect(steps.filter((step) => /^SCAN users$/.test(step))).toEqual([]);
});
