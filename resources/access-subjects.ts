// Subjects of policies on objects: a group, a user, or all users. The kinds of access are declared from these.
import type { TSchema } from "typebox";
import type { getResourcePolicies } from "../api/resource-policies.ts";
import { setGroupPolicy, setUserPolicy } from "../api/resource-policies.ts";
import { GroupName, Id } from "../api/schemas.ts";
import { listUserGroups } from "../api/user-groups.ts";
import { listUsers } from "../api/users.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf, Operation, RequestShape } from "../core/operation/operation.ts";
import type { PermissionAction } from "../core/operation/permission-actions.ts";
import { field } from "../core/schema/traits.ts";
import { groupIds, idNamed, userField } from "./codec.ts";
import { textOf } from "./field-text.ts";
import { emailById, userIds } from "./user-ids.ts";

/** The subject of a policy. */
export interface Subject {
  /** Infix of the kind's name: FolderUserAccess. */
  readonly infix: string;
  readonly doc: string;
  readonly example: { readonly title: string; readonly name: string; readonly spec: JsonObject };
  /** The field that names the subject, which is also its key; none for all users. */
  readonly fields: Readonly<Record<string, TSchema>>;
  readonly status: Readonly<Record<string, TSchema>>;
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  readonly operation: typeof setGroupPolicy | typeof setUserPolicy;
  /** Returns the policies of an object that are for such subjects. */
  readonly read: (
    reader: Reader,
    policies: Pick<AnswerOf<typeof getResourcePolicies>, "userPolicies" | "groupPolicies">,
  ) => Promise<readonly SubjectPolicy[]>;
  /** Returns the member of the request that names the subject of a spec. */
  readonly idsOf: (reader: Reader) => Promise<(spec: JsonObject) => JsonObject>;
}

/** A policy of an object, with the fields and IDs of its subject. */
export interface SubjectPolicy {
  readonly fields: Readonly<Record<string, string>>;
  /** Members of the status and of requests. */
  readonly ids: Readonly<Record<string, number>>;
  readonly action: PermissionAction;
}

const nameById = memoizePerObject(
  (groups: readonly AnswerOf<typeof listUserGroups>[]): ReadonlyMap<number, string> =>
    new Map(groups.map(({ id, name }) => [id, name])),
);

const groups: Subject = {
  infix: "",
  doc: "the members of an account-wide group",
  example: { title: "Analysts", name: "analysts", spec: { group: "analysts" } },
  fields: {
    group: field(GroupName, {
      doc: "Account-wide group that gets the access.",
      refersTo: "UserGroup",
      cascadeDelete: true,
      onChange: "replace",
    }),
  },
  status: { groupId: Id },
  needs: [listUserGroups],
  operation: setGroupPolicy,
  // Groups of embed tenants can have the same names.
  read: async (reader, { groupPolicies }) => {
    const names = nameById(await reader.all(listUserGroups, {}));
    return groupPolicies.flatMap(({ groupId, action }) => {
      const group = names.get(groupId);
      return group === undefined ? [] : [{ fields: { group }, ids: { groupId }, action }];
    });
  },
  idsOf: async (reader) => {
    const ids = await groupIds.read(reader);
    return ({ group }) => ({ groupId: idNamed(ids, "group", textOf(group)) });
  },
};

const users: Subject = {
  infix: "User",
  doc: "one of the account's own users",
  example: { title: "An operator", name: "operator", spec: { user: "operator" } },
  fields: { user: userField },
  status: { userId: Id },
  needs: [listUsers],
  operation: setUserPolicy,
  read: async (reader, { userPolicies }) => {
    const emails = emailById(await reader.all(listUsers, {}));
    return userPolicies.flatMap(({ userId = 0, action }) => {
      const user = emails.get(userId);
      return user === undefined ? [] : [{ fields: { user }, ids: { userId }, action }];
    });
  },
  idsOf: async (reader) => {
    const ids = await userIds.read(reader);
    return ({ user }) => ({ userId: idNamed(ids, "user", textOf(user)) });
  },
};

const everyone: Subject = {
  infix: "AllUsers",
  doc: "all of the account's own users, also later ones,",
  example: { title: "All users", name: "all", spec: {} },
  fields: {},
  status: {},
  needs: [],
  operation: setUserPolicy,
  read: async (_, { userPolicies }) =>
    userPolicies.flatMap(({ userId, action }) =>
      userId === undefined ? [{ fields: {}, ids: {}, action }] : [],
    ),
  idsOf: async () => () => ({}),
};

/** The subjects, in the order of the kinds of access. */
export const subjects: readonly [Subject, Subject, Subject] = [groups, users, everyone];
