// Area scim: an identity provider manages the account's own users and groups.
import * as api from "../../../api/scim.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { scimError } from "../../scim/scim-error.ts";
import type { Call, OperationHandler } from "../shared/operation-handler.ts";
import { runBulk } from "./bulk.ts";
import {
  describedById,
  describedSchemas,
  describedTypes,
  refuseFilter,
  serviceProviderConfig,
} from "./discovery.ts";
import { listAll, listResources, listResponse, type Search } from "./list.ts";
import { groups, replyWith, users } from "./resources.ts";
import { handleScim, type ScimReply } from "./scim-call.ts";

/** The handlers of this area. */
export const scim: readonly OperationHandler[] = [
  handleScim(api.listScimUsers, async (call) =>
    ok(await listResources(call, users.store, call.query)),
  ),
  handleScim(api.searchScimUsers, async (call) =>
    ok(await listResources(call, users.store, searchOf(call))),
  ),
  handleScim(api.createScimUser, async (call) => {
    const id = String(await users.create(call, bodyOf(call)));
    return replyWith(call, users, { id, status: 201, selection: call.query });
  }),
  handleScim(api.getScimUser, async (call) =>
    replyWith(call, users, { id: call.params.id, selection: call.query }),
  ),
  handleScim(api.replaceScimUser, async (call) => {
    const id = String(await users.replace(call, call.params.id, bodyOf(call)));
    return replyWith(call, users, { id, selection: call.query });
  }),
  handleScim(api.patchScimUser, async (call) => {
    const id = String(await users.patch(call, call.params.id, bodyOf(call)));
    return replyWith(call, users, { id, selection: call.query });
  }),
  handleScim(api.deleteScimUser, async (call) => {
    await users.remove(call, call.params.id);
    return { status: 204 };
  }),
  handleScim(api.listScimGroups, async (call) =>
    ok(await listResources(call, groups.store, call.query)),
  ),
  handleScim(api.searchScimGroups, async (call) =>
    ok(await listResources(call, groups.store, searchOf(call))),
  ),
  handleScim(api.createScimGroup, async (call) => {
    const id = String(await groups.create(call, bodyOf(call)));
    return replyWith(call, groups, { id, status: 201, selection: call.query });
  }),
  handleScim(api.getScimGroup, async (call) =>
    replyWith(call, groups, { id: call.params.id, selection: call.query }),
  ),
  handleScim(api.replaceScimGroup, async (call) => {
    const id = String(await groups.replace(call, call.params.id, bodyOf(call)));
    return replyWith(call, groups, { id, selection: call.query });
  }),
  handleScim(api.patchScimGroup, async (call) => {
    await groups.patch(call, call.params.id, bodyOf(call));
    return { status: 204 };
  }),
  handleScim(api.deleteScimGroup, async (call) => {
    await groups.remove(call, call.params.id);
    return { status: 204 };
  }),
  handleScim(api.searchScim, async (call) => ok(await listAll(call, searchOf(call)))),
  handleScim(api.getScimMe, async (call) => {
    const { userId, scimIntegration } = call.principal;
    if (scimIntegration) {
      const { name } = scimIntegration;
      const text = `the token belongs to the SCIM integration ${JSON.stringify(name)}, not to a user`;
      throw new Failure("not_found", text);
    }
    return replyWith(call, users, { id: String(userId), selection: call.query });
  }),
  handleScim(api.bulkScim, async (call) => ok(await runBulk(call, bodyOf(call)))),
  handleScim(api.getScimConfig, async (call) => {
    refuseFilter(call.query.filter);
    return ok(serviceProviderConfig(call));
  }),
  handleScim(api.listScimResourceTypes, async (call) => {
    refuseFilter(call.query.filter);
    return ok(wholeList(describedTypes(call)));
  }),
  handleScim(api.getScimResourceType, async (call) =>
    ok(describedById(describedTypes(call), call.params.id)),
  ),
  handleScim(api.listScimSchemas, async (call) => {
    refuseFilter(call.query.filter);
    return ok(wholeList(describedSchemas(call)));
  }),
  handleScim(api.getScimSchema, async (call) =>
    ok(describedById(describedSchemas(call), call.params.id)),
  ),
];

function ok(body: JsonObject): ScimReply {
  return { status: 200, body };
}

function wholeList(resources: readonly JsonObject[]): JsonObject {
  return listResponse({ total: resources.length, resources });
}

function bodyOf({ body }: Pick<Call, "body">): JsonObject {
  return isObject(body) ? body : {};
}

/** Returns the search of a body, whose lists of attributes are arrays. */
function searchOf(call: Pick<Call, "body">): Search {
  const { attributes, excludedAttributes, ...search } = bodyOf(call);
  const joined = (names: JsonValue | undefined): string | undefined => {
    if (!Array.isArray(names)) return typeof names === "string" ? names : undefined;
    if (names.every((one) => typeof one === "string")) return names.join(",");
    throw scimError("invalidSyntax", "attributes and excludedAttributes are lists of names");
  };
  const [shown, hidden] = [joined(attributes), joined(excludedAttributes)];
  return {
    ...(search as Search),
    ...(shown === undefined ? {} : { attributes: shown }),
    ...(hidden === undefined ? {} : { excludedAttributes: hidden }),
  };
}
