// Tests that the name of a resource type is found in other spellings.
import { expect, it } from "vitest";
import { terraformType } from "../text/naming.ts";
import { kindMeant, kindRemedy } from "./kind-names.ts";

const names = [
  "EmbedTenant",
  "NotificationRecipient",
  "NotificationEmbedRecipient",
  "OAuthClient",
  "User",
  "UserGroup",
];

it.each(names)("finds %s by its type in Terraform and its token in Pulumi", (name) => {
  expect(kindMeant(terraformType(name), names)).toBe(name);
  expect(kindMeant(`svc:index:${name}`, names)).toBe(name);
});

it.each([
  ["EmbedTenat", 'Did you mean "EmbedTenant"?'],
  ["svc_embed_tenants", 'Did you mean "EmbedTenant"?'],
  [
    "svc_recipient",
    "Similar kinds are NotificationEmbedRecipient, NotificationRecipient. Run `svc explain` to list all kinds.",
  ],
  ["Dashboard", "A dashboard is the field dashboard of a Workbook."],
  ["ConfigMap", "Run `svc explain` to list all kinds."],
  ["svc_", "Run `svc explain` to list all kinds."],
])("advises on %s", (name, expected) => {
  expect(kindRemedy(name, names)).toBe(expected);
});
