// `svc scim`: users and groups as an identity provider sees them.
import {
  bulkScim,
  createScimGroup,
  createScimUser,
  deleteScimGroup,
  deleteScimUser,
  getScimConfig,
  getScimGroup,
  getScimMe,
  getScimResourceType,
  getScimSchema,
  getScimUser,
  listScimGroups,
  listScimResourceTypes,
  listScimSchemas,
  listScimUsers,
  patchScimGroup,
  patchScimUser,
  replaceScimGroup,
  replaceScimUser,
  searchScim,
  searchScimGroups,
  searchScimUsers,
} from "../../api/scim.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { type Area, type Columns, command, type OperationCommand } from "../operations/command.ts";

type ResourceColumns = Columns<Readonly<Record<string, unknown>>>;

const userColumns: ResourceColumns = {
  ID: "id",
  "USER NAME": "userName",
  ACTIVE: "active",
  "EXTERNAL ID": "externalId",
};
const groupColumns: ResourceColumns = {
  ID: "id",
  NAME: "displayName",
  MEMBERS: ({ members }) => (Array.isArray(members) ? members.length : undefined),
  "EXTERNAL ID": "externalId",
};
const typeColumns: ResourceColumns = { ID: "id", ENDPOINT: "endpoint", SCHEMA: "schema" };
const schemaColumns: ResourceColumns = { ID: "id", NAME: "name", DESCRIPTION: "description" };
const bothColumns: ResourceColumns = {
  TYPE: ({ meta }) => (meta as { readonly resourceType?: string } | undefined)?.resourceType,
  ID: "id",
  NAME: ({ userName, displayName }) => userName ?? displayName,
};

/** Declares a command that lists resources. */
function listing(verb: string, operation: Operation, columns: ResourceColumns): OperationCommand {
  return { ...command(verb, operation), columns };
}

/** Commands that try what an identity provider does through SCIM. */
export const scim: Area = {
  name: "scim",
  description: "Try what an identity provider does through SCIM.",
  groups: {
    users: "users as SCIM resources",
    groups: "groups as SCIM resources",
    "resource-types": "types of SCIM resources",
    schemas: "schemas of SCIM resources",
  },
  commands: [
    listing("users list", listScimUsers, userColumns),
    listing("users search", searchScimUsers, userColumns),
    command("users get", getScimUser),
    command("users create", createScimUser),
    command("users replace", replaceScimUser),
    command("users patch", patchScimUser),
    command("users delete", deleteScimUser),
    listing("groups list", listScimGroups, groupColumns),
    listing("groups search", searchScimGroups, groupColumns),
    command("groups get", getScimGroup),
    command("groups create", createScimGroup),
    command("groups replace", replaceScimGroup),
    command("groups patch", patchScimGroup),
    command("groups delete", deleteScimGroup),
    listing("search", searchScim, bothColumns),
    command("me", getScimMe),
    command("bulk", bulkScim),
    command("config", getScimConfig),
    listing("resource-types list", listScimResourceTypes, typeColumns),
    command("resource-types get", getScimResourceType),
    listing("schemas list", listScimSchemas, schemaColumns),
    command("schemas get", getScimSchema),
  ],
};
