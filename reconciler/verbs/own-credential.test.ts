// Tests which changes end the credential of a run, or take rights from it.
import { expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { apiKey } from "../../resources/api-key.ts";
import { userGroup } from "../../resources/user-group.ts";
import { user } from "../../resources/user.ts";
import { workloadTrust } from "../../resources/workload-trust.ts";
import { type CredentialChange, ownCredentialErrors } from "./own-credential.ts";

const kinds = [apiKey, user, userGroup, workloadTrust];
const key = { type: "api-key", name: "ci" };
const token = { type: "workload-token", name: "ci (repo:acme/shop:ref:main)" };

/** Returns what the errors of a change say, and how many requests they took. */
async function found(change: Partial<CredentialChange>, credential?: JsonObject) {
  let requests = 0;
  const one = async () => {
    requests += 1;
    return { id: 7, email: "robot@corp.example", ...(credential && { credential }) } as never;
  };
  const whole: CredentialChange = {
    action: "delete",
    address: `${change.kind ?? ""}/x`,
    kind: "ApiKey",
    key: "ci",
    id: "1",
    from: undefined,
    fields: [],
    ...change,
  };
  const errors = await ownCredentialErrors([whole], { kinds, reader: { one } });
  return { requests, errors: errors.map(({ summary }) => summary) };
}

const field = (
  name: string,
  before: JsonValue | undefined,
  after: JsonValue,
): Partial<CredentialChange> => ({ action: "update", fields: [{ field: name, before, after }] });
const read = { name: "svc-*", access: "read" };
const narrowed = "the plan takes rights from the API key that svc uses: ";

it.each<[string, Partial<CredentialChange>, JsonObject | undefined, string]>([
  ["a delete of the key", { kind: "ApiKey" }, key, "the plan deletes the API key that svc uses"],
  [
    "a replace of a key that gets another name",
    { kind: "ApiKey", action: "replace", key: "new", from: { key: "ci", scope: {} } },
    key,
    "the plan replaces the API key that svc uses",
  ],
  [
    "new permissions without a former one",
    { kind: "ApiKey", ...field("permissions", ["ReadAll", "WorkbookEdit"], ["ReadAll"]) },
    key,
    `${narrowed}permissions`,
  ],
  [
    "a first limit",
    { kind: "ApiKey", ...field("states", undefined, [read]) },
    key,
    `${narrowed}states`,
  ],
  [
    "a delete of the workload trust",
    { kind: "WorkloadTrust" },
    token,
    "the plan deletes the workload trust of the token that svc uses",
  ],
  [
    "other claims of the workload trust",
    { kind: "WorkloadTrust", ...field("claims", [], [read]) },
    token,
    "the plan takes rights from the workload trust of the token that svc uses: claims",
  ],
  [
    "a delete of the user, whatever the server says of the credential",
    { kind: "User", id: "7" },
    undefined,
    "the plan deletes the user of the credential that svc uses",
  ],
  [
    "a deactivation of the user",
    { kind: "User", id: "7", ...field("isDeactivated", false, true) },
    key,
    "the plan takes rights from the user of the credential that svc uses: isDeactivated",
  ],
])("%s is an error", async (_, change, credential, summary) => {
  expect(await found(change, credential)).toEqual({ requests: 1, errors: [summary] });
});

it.each<[string, Partial<CredentialChange>, JsonObject | undefined]>([
  ["another key", { kind: "ApiKey", key: "plan" }, key],
  ["a key while the server does not name the credential", { kind: "ApiKey" }, undefined],
  ["a key with the name of the workload trust", { kind: "ApiKey" }, token],
  ["another user", { kind: "User", id: "8" }, key],
  ["a trust whose name begins alike", { kind: "WorkloadTrust", key: "c" }, token],
])("a delete of %s is no error", async (_, change, credential) => {
  expect(await found(change, credential)).toEqual({ requests: 1, errors: [] });
});

it.each<[string, Partial<CredentialChange>]>([
  ["an object that no credential depends on", { kind: "UserGroup" }],
  ["a key, renamed", { kind: "ApiKey", ...field("name", "ci", "new") }],
  ["a key without limits", { kind: "ApiKey", ...field("permissions", ["ReadAll"], null) }],
  [
    "a key that may write too",
    { kind: "ApiKey", ...field("states", [read], [{ ...read, access: "write" }]) },
  ],
  ["a user, activated", { kind: "User", id: "7", ...field("isDeactivated", true, false) }],
])("does not ask the server for %s", async (_, change) => {
  expect(await found(change, key)).toEqual({ requests: 0, errors: [] });
});
