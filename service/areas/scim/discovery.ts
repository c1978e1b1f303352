// The discovery of SCIM: the service's features, resource types and schemas (RFC 7643, sections 5 to 7).
import { Failure } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import {
  type Attribute,
  type ResourceType,
  resourceTypes,
  type Schema,
} from "../../scim/attributes.ts";
import { bulkOperationsMax } from "../../../api/scim-schemas.ts";
import { pageMax } from "./list.ts";
import { type ScimCall, scimBase } from "./scim-call.ts";
import { limits } from "../../../core/limits/limits.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0";

/** Returns the features of the service. */
export function serviceProviderConfig(call: ScimCall): JsonObject {
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: bulkOperationsMax, maxPayloadSize: limits.bodyBytes },
    filter: { supported: true, maxResults: pageMax },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description:
          "The token of a SCIM integration, or an API key with the permission ScimManage, as a bearer token.",
        primary: true,
      },
    ],
    meta: {
      resourceType: "ServiceProviderConfig",
      location: `${scimBase(call)}/ServiceProviderConfig`,
    },
  };
}

/** Returns the types of resources. */
export function describedTypes(call: ScimCall): readonly JsonObject[] {
  return resourceTypes.map((type) => describeType(type, scimBase(call)));
}

function describeType(
  { name, endpoint, description, schema, extensions }: ResourceType,
  base: string,
): JsonObject {
  return {
    schemas: [`${core}:ResourceType`],
    id: name,
    name,
    endpoint,
    description,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
  };
}

/** Returns the schemas. */
export function describedSchemas(call: ScimCall): readonly JsonObject[] {
  const schemas = resourceTypes.flatMap(({ schema, extensions }) => [schema, ...extensions]);
  return schemas.map((schema) => describeSchema(schema, scimBase(call)));
}

function describeSchema({ id, name, description, attributes }: Schema, base: string): JsonObject {
  return {
    schemas: [`${core}:Schema`],
    id,
    name,
    description,
    attributes: attributes.map(describeAttribute),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  };
}

function describeAttribute({
  subAttributes,
  canonicalValues,
  referenceTypes,
  ...attribute
}: Attribute): JsonObject {
  return {
    ...attribute,
    ...(canonicalValues && { canonicalValues }),
    ...(referenceTypes && { referenceTypes }),
    ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }),
  };
}

/** Returns the described object with an ID, compared without regard to case. Throws `not_found`. */
export function describedById(described: readonly JsonObject[], id: string): JsonObject {
  const found = described.find(
    (one) => typeof one["id"] === "string" && one["id"].toLowerCase() === id.toLowerCase(),
  );
  if (found) return found;
  throw new Failure("not_found", `there is no ${JSON.stringify(id)} here`);
}

/** Throws `forbidden` for a filter, as RFC 7644, section 4 requires. */
export function refuseFilter(filter: string | undefined): void {
  if (filter !== undefined)
    throw new Failure("forbidden", "this list cannot be filtered; remove `filter`");
}
