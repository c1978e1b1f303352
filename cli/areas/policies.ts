// `svc policies`: the actions of users and groups on an object.
import {
  getResourcePolicies,
  listResourcePolicies,
  setGroupPolicy,
  setUserPolicy,
} from "../../api/resource-policies.ts";
import { Failure } from "../../core/errors.ts";
import type { AnswerOf, AnyInput } from "../../core/operation/operation.ts";
import {
  type Area,
  command,
  type CommandRequest,
  type ExtraValues,
} from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { groupLookup, userLookup } from "./lookups.ts";
import { permissionsPage } from "./scope-flags.ts";

/** Deployments are named in the account; other objects are named within a deployment. */
const lookups = {
  resourceId: { ...deploymentLookup, typeMember: "resourceType" },
};

/** The options of both commands: the action, or its removal. */
const actionOrRemoval = {
  extraOptions: [{ syntax: "--remove", doc: "remove the policy; asks first" }],
  takesData: true,
  complete: removalOf,
} as const;
const actionFlag = {
  requiredUnless: "--remove",
  doc: `permission that the policy grants; ${permissionsPage}`,
} as const;

/** Commands that read and set the policies of deployments, folders, workbooks and other objects. */
export const policies: Area = {
  name: "policies",
  description: "Read and set the policies of deployments, folders, workbooks and other objects.",
  commands: [
    {
      ...command("list", getResourcePolicies, {
        arguments: ["resourceType", "resourceId"],
        lookups,
        rows: policyRows,
      }),
      columns: { SUBJECT: "subject", NAME: "name", ACTION: "action", FROM: "from" },
    },
    command("list-all", listResourcePolicies, {
      description:
        "List the policies on all objects of one type that you manage. Objects without policies are listed too.",
      arguments: ["resourceType"],
      lookups: { deploymentId: deploymentLookup },
      columns: {
        OBJECT: "resourceId",
        USERS: ({ userPolicies }) => userPolicies.map(userText).join(", "),
        GROUPS: ({ groupPolicies }) => groupPolicies.map(groupText).join(", "),
      },
    }),
    command("set-user", setUserPolicy, {
      description:
        "Set or remove the policy of a user on an object. Without --user, the policy of all of the account's own users.",
      examples: {
        "set the policy of a user on an object":
          "svc policies set-user Deployment main --user ana@example.com --action DeploymentRead",
        "remove it": "svc policies set-user Deployment main --user ana@example.com --remove",
      },
      ...actionOrRemoval,
      confirm: (request, { flags, values }) => {
        const id = request.body?.["userId"] ?? null;
        const { user = JSON.stringify(id) } = flags as { readonly user?: string };
        return removal(request, id === null ? "all users" : `user ${user}`, values);
      },
      arguments: ["resourceType", "resourceId"],
      flags: {
        userId: { name: "user", doc: "User whose policy it is. The email address is a name too" },
        action: actionFlag,
      },
      lookups: { ...lookups, userId: userLookup },
    }),
    command("set-group", setGroupPolicy, {
      description: "Set or remove the policy of a group on an object.",
      ...actionOrRemoval,
      flags: { action: actionFlag },
      confirm: (request, { values }) => removal(request, `group ${String(values[2])}`, values),
      arguments: ["resourceType", "resourceId", "groupId"],
      lookups: { ...lookups, groupId: groupLookup },
    }),
  ],
};

/** Makes `--remove` a request without an action. */
async function removalOf({ options }: ExtraValues): Promise<Pick<AnyInput, "body">> {
  if (options["remove"] !== true) return {};
  if (options["action"] === undefined) return { body: { action: null } };
  throw new Failure("usage", "--action sets the policy, and --remove removes it; pass one of them");
}

/** Returns the effect of a request without an action; undefined for one that sets an action. */
function removal(
  { body }: CommandRequest,
  subject: string,
  [type, object]: readonly unknown[],
): string | undefined {
  if ((body?.["action"] ?? null) !== null) return undefined;
  return `Remove the policy of ${subject} on ${String(type)} ${String(object)}`;
}

type Policies = AnswerOf<typeof getResourcePolicies>;
type Inherited =
  | Policies["inheritedUserPolicies"][number]
  | Policies["inheritedGroupPolicies"][number];

/** Returns the policies of an object: those set on it, then those that it inherits. */
function policyRows(answer: Policies): readonly object[] {
  return [
    ...answer.userPolicies.map((one) => ({ ...userRow(one), from: "" })),
    ...answer.groupPolicies.map((one) => ({ ...groupRow(one), from: "" })),
    ...answer.inheritedUserPolicies.map((one) => ({ ...userRow(one), from: originOf(one) })),
    ...answer.inheritedGroupPolicies.map((one) => ({ ...groupRow(one), from: originOf(one) })),
  ];
}

function userRow({ userId, email, action }: Policies["userPolicies"][number]): object {
  if (userId === undefined) return { subject: "all users", name: "", action };
  return { subject: `user ${userId}`, name: email, action };
}

function groupRow({ groupId, name, action }: Policies["groupPolicies"][number]): object {
  return { subject: `group ${groupId}`, name, action };
}

function userText({ userId, email, action }: Policies["userPolicies"][number]): string {
  return `${userId === undefined ? "all users" : (email ?? userId)} ${action}`;
}

function groupText({ groupId, name, action }: Policies["groupPolicies"][number]): string {
  return `${name ?? groupId} ${action}`;
}

/** Returns the object that an inherited policy is set on. */
function originOf({ source, sourceFolder }: Inherited): string {
  if (source !== undefined) return `${source.resourceType} ${source.resourceId}`;
  return sourceFolder === undefined ? "inherited" : `Folder ${sourceFolder.id}`;
}
