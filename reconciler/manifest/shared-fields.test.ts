// An external user's address in a document of the user and in recipients, and memberships in addition to a user's list of groups.
import { expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { deployment } from "../../resources/deployment.ts";
import { embedUser } from "../../resources/embed-user.ts";
import { gitConnection } from "../../resources/git-connection.ts";
import { groupMembership } from "../../resources/group-membership.ts";
import { notificationEmbedRecipient } from "../../resources/notification-embed-recipient.ts";
import { user as accountUser } from "../../resources/user.ts";
import { listedEntryConflicts, sharedFieldConflicts } from "./shared-fields.ts";

const object = (kind: Kind, name: string, spec: JsonObject) => ({
  kind,
  address: `${kind.name}/${name}`,
  spec,
});
const key = { embedTenant: "acme-stores", externalId: "jane" };
const user = (email?: string) => object(embedUser, "jane", { ...key, ...(email && { email }) });
const recipient = (notification: string, email?: string, more: JsonObject = {}) =>
  object(notificationEmbedRecipient, notification, {
    deployment: "production",
    notification,
    ...key,
    ...(email && { email }),
    ...more,
  });

const conflicts = (...objects: ReturnType<typeof object>[]) =>
  sharedFieldConflicts(objects).map((conflict) => [
    conflict.object.address,
    conflict.other.address,
    conflict.field,
  ]);

it("reports a recipient whose address differs from that of its user, in any order", () => {
  const expected = [["NotificationEmbedRecipient/weekly", "EmbedUser/jane", "email"]];
  expect(conflicts(user("a@acme.example"), recipient("weekly", "b@acme.example"))).toEqual(
    expected,
  );
  expect(conflicts(recipient("weekly", "b@acme.example"), user("a@acme.example"))).toEqual(
    expected,
  );
});

it("reports two recipients who give one user different addresses, with a user that has none or no document", () => {
  const recipients = [recipient("daily", "a@acme.example"), recipient("weekly", "b@acme.example")];
  const expected = [
    ["NotificationEmbedRecipient/weekly", "NotificationEmbedRecipient/daily", "email"],
  ];
  expect(conflicts(...recipients)).toEqual(expected);
  expect(conflicts(user(), ...recipients)).toEqual(expected);
});

it("reports nothing for equal addresses, addresses in one place, and other users", () => {
  expect(conflicts(user("a@acme.example"), recipient("weekly", "a@acme.example"))).toEqual([]);
  expect(conflicts(user("a@acme.example"), recipient("weekly"))).toEqual([]);
  expect(conflicts(user(), recipient("weekly", "a@acme.example"))).toEqual([]);
  const other = recipient("weekly", "b@acme.example", { externalId: "joe" });
  expect(conflicts(user("a@acme.example"), other)).toEqual([]);
});

it("reports a connection whose branch or folder differs from that of its deployment", () => {
  const shop = (spec: JsonObject) => object(deployment, "shop", { name: "shop-eu", ...spec });
  const connection = (spec: JsonObject) =>
    object(gitConnection, "models", { deployment: "shop-eu", ...spec });
  const declared = { deployBranchName: "main", deployProjectRoot: "model" };
  const memberConflicts = sharedFieldConflicts([
    shop(declared),
    connection({ branch: "release", deployProjectRoot: "analytics" }),
  ]);
  expect(memberConflicts.map(({ other, field, of }) => [other.address, field, of])).toEqual([
    ["Deployment/shop", "branch", { kind: "Deployment", field: "deployBranchName" }],
    ["Deployment/shop", "deployProjectRoot", { kind: "Deployment", field: "deployProjectRoot" }],
  ]);
  expect(conflicts(shop(declared), connection({ branch: "main" }))).toEqual([]);
  expect(conflicts(shop({}), connection({ branch: "release" }))).toEqual([]);
  const other = object(deployment, "other", { name: "other", deployBranchName: "main" });
  expect(conflicts(other, connection({ branch: "release" }))).toEqual([]);
});

it("reports a membership of a user whose groups are declared, and no other", () => {
  const jane = { email: "jane@corp.example", username: "jane" };
  const member = object(groupMembership, "member", { group: "analysts", user: jane.email });
  const listed = (spec: JsonObject) =>
    listedEntryConflicts([member, object(accountUser, "jane", spec)]).map(
      ({ object: entry, other, field }) => [entry.address, other.address, field],
    );
  expect(listed({ ...jane, groups: [] })).toEqual([
    ["GroupMembership/member", "User/jane", "groups"],
  ]);
  expect(listed(jane)).toEqual([]);
  expect(listed({ ...jane, email: "joe@corp.example", groups: ["analysts"] })).toEqual([]);
});
