// Volatile status values appear in data sources and functions, not in managed resources.
import { expect, it } from "vitest";
import { membersOf } from "../../core/kind/fields.ts";
import { schemasOf } from "./schema.ts";
import { kinds } from "../../resources/index.ts";

it("Terraform resources omit volatile values; data sources have them", () => {
  const { resources, dataSources } = schemasOf(kinds);
  const volatile = kinds.flatMap((kind) =>
    membersOf(kind.status).flatMap(({ name, traits }) =>
      traits.volatile === true ? [`${kind.name}.${name}`] : [],
    ),
  );
  expect(volatile.toSorted()).toEqual([
    "EmbedGroup.userCount",
    "EmbedTenant.userCount",
    "EmbedUser.lastLogin",
    "GitConnection.headCommit",
    "GitConnection.status",
    "Role.userCount",
    "ScimIntegration.groupCount",
    "ScimIntegration.lastRequestAt",
    "ScimIntegration.tokenPrefix",
    "ScimIntegration.userCount",
    "User.lastLogin",
    "UserGroup.userCount",
  ]);
  const names = (block: { attributes: readonly { name: string }[] } | undefined) =>
    block?.attributes.map(({ name }) => name);
  expect(names(resources["svc_user_group"])).not.toContain("user_count");
  expect(names(dataSources["svc_user_group"])).toContain("user_count");
  expect(names(resources["svc_user"])).not.toContain("last_login");
  expect(names(dataSources["svc_user"])).toContain("last_login");
});
