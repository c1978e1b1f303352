// Operations on states: versioned, lockable JSON documents of Terraform (as an `http` backend) or svc, each with a journal.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { defineOperation } from "../core/operation/operation.ts";
import { optionalForClient } from "../core/schema/traits.ts";
import { strictObject, Timestamp } from "./schemas.ts";
import { lockIdPattern, stateNamePattern } from "../core/text/text-patterns.ts";

const common = {
  area: "state",
  source: "proposed",
  basicAuth: true,
} as const;

const base = "/api/v1/state";
const path = `${base}/{name}`;

const byName = strictObject({
  name: Type.String({
    pattern: stateNamePattern,
    description: "Name of the state: letters, digits, dots, hyphens, underscores and @.",
  }),
});

const LockId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: lockIdPattern,
  description: "ID of the lock, chosen by the client that acquires it.",
});

const lockQuery = strictObject({
  ID: Type.Optional(Type.String({ maxLength: 128, description: "ID of the current lock." })),
});

const optionalText = (doc: string) =>
  Type.Optional(Type.String({ maxLength: 4096, description: doc }));

const lock = {
  ID: LockId,
  Operation: optionalText("Operation that the lock is for."),
  Info: optionalText("Additional information."),
  Who: optionalText("Holder of the lock."),
  Version: optionalText("Version of the program that holds the lock."),
  Created: optionalText("Time at which the lock was acquired, according to the holder."),
  Path: optionalText("Path that the lock is for, according to the holder."),
};

const Lock = strictObject({
  ...lock,
  leaseUntil: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Time at which the lock expires. Omitted for a lock without a lease.",
    }),
  ),
});

/** A state's content: a JSON object that the service does not interpret. */
const Content = Type.Unsafe<JsonObject>(
  Type.Object(
    {},
    {
      description: "Content of the state, stored and returned unchanged.",
      additionalProperties: true,
    },
  ),
);

const versionMax = 2_147_483_647;

const version = Type.Integer({
  minimum: 1,
  maximum: versionMax,
  description: "Version number; each write increments it.",
});
const bytes = Type.Integer({ minimum: 0, description: "Size of the content in bytes." });

const WrittenState = strictObject({ name: Type.String(), version });

/** List states. */
export const listStates = defineOperation({
  ...common,
  id: "listStates",
  method: "GET",
  path: base,
  summary: "List states",
  description: "Returns states that have content or a journal, newest first, without the content.",
  effect: "read",
  permission: { action: "StateRead", scope: { state: "any" } },
  query: strictObject({
    prefix: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "Returns only states whose name starts with this prefix.",
      }),
    ),
  }),
  answer: strictObject({
    name: Type.String(),
    version: Type.Integer({ minimum: 0, description: "Latest version; 0 before the first write." }),
    updatedAt: Timestamp,
    bytes: optionalForClient(bytes),
    lock: Type.Optional(
      Type.Object(Lock.properties, {
        description: "Current lock. Omitted when the state is not locked.",
        additionalProperties: false,
      }),
    ),
  }),
  list: "cursor",
});

/** Find the states that mention texts. */
export const findStates = defineOperation({
  ...common,
  id: "findStates",
  method: "POST",
  path: "/api/v1/states/search",
  summary: "Find states by texts in them",
  description: `Returns the names of the states whose latest content has one of the texts as a string or as the name of a member. States with a journal or with a content of another format, and those that a search of ${limits.stateSearchMs / 1000} seconds does not reach, are not searched, and are returned, too.`,
  effect: "read",
  permission: { action: "StateRead", scope: { state: "any" } },
  body: strictObject({
    prefix: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Searches only states whose name starts with this prefix.",
    }),
    format: Type.Integer({ description: "Member `format` of the contents to search." }),
    texts: Type.Array(Type.String({ maxLength: limits.searchedTextCharacters }), {
      minItems: 1,
      maxItems: limits.searchedTexts,
      description: "Texts, of which a state needs one.",
    }),
  }),
  answer: strictObject({
    names: Type.Array(Type.String(), { description: "Names of the states, newest first." }),
  }),
});

/** Read a state, or one of its earlier versions. */
export const getState = defineOperation({
  ...common,
  id: "getState",
  method: "GET",
  path,
  summary: "Read a state",
  description: "Returns the latest content, or the content of the given `version`.",
  effect: "read",
  permission: { action: "StateRead", scope: { state: "params.name" } },
  verbatim: true,
  params: byName,
  query: strictObject({ version: Type.Optional(version) }),
  answer: Content,
  errorCodes: ["not_found"],
});

/** Write a state. On a locked state, `ID` must match the lock. With `follows`, the current version must match. */
export const putState = defineOperation({
  ...common,
  id: "putState",
  method: "POST",
  path,
  summary: "Write a state",
  description: `Creates a new version and empties the journal, atomically. The service keeps the last ${limits.stateVersions} versions. On a locked state, \`ID\` must match the lock.`,
  effect: "write",
  permission: { action: "StateWrite", scope: { state: "params.name" } },
  repeatable: true,
  verbatim: true,
  params: byName,
  query: strictObject({
    ...lockQuery.properties,
    follows: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: versionMax,
        description:
          "Version that the new content is based on. Returns 409 when it is not the current version.",
      }),
    ),
  }),
  body: Content,
  answer: WrittenState,
  errorCodes: ["conflict", "locked", "limit_reached"],
});

/** Delete a state with its versions and its journal. */
export const deleteState = defineOperation({
  ...common,
  id: "deleteState",
  method: "DELETE",
  path,
  summary: "Delete a state",
  description:
    "Deletes the state with all its versions and its journal. Succeeds when the state does not exist.",
  effect: "write",
  permission: { action: "StateWrite", scope: { state: "params.name" } },
  params: byName,
  query: lockQuery,
  answer: strictObject({ name: Type.String() }),
  errorCodes: ["conflict", "locked"],
});

/** List the stored versions of a state. */
export const listStateVersions = defineOperation({
  ...common,
  id: "listStateVersions",
  method: "GET",
  path: `${path}/versions`,
  summary: "List the versions of a state",
  description: "Returns the stored versions, newest first, without the content.",
  effect: "read",
  permission: { action: "StateRead", scope: { state: "params.name" } },
  params: byName,
  answer: strictObject({
    version,
    createdAt: Timestamp,
    userId: Type.Integer({ description: "ID of the user who wrote the version." }),
    bytes,
  }),
  list: "cursor",
  errorCodes: ["not_found"],
});

/** Read the lock of a state. */
export const getStateLock = defineOperation({
  ...common,
  id: "getStateLock",
  method: "GET",
  path: `${path}/lock`,
  summary: "Read the lock of a state",
  description: "Returns the current lock. Returns 404 when the state is not locked.",
  effect: "read",
  permission: { action: "StateRead", scope: { state: "params.name" } },
  params: byName,
  answer: Lock,
  errorCodes: ["not_found"],
});

/** Acquire or renew the lock of a state. */
export const lockState = defineOperation({
  ...common,
  id: "lockState",
  method: "POST",
  path: `${path}/lock`,
  alias: { method: "LOCK", path },
  summary: "Lock a state",
  description:
    "Also available as `LOCK` on the state itself. A lock without a lease lasts until it is released. Locking again with the same ID succeeds. `renew` extends the lease of an existing lock and never acquires one.",
  effect: "write",
  audited: false,
  permission: { action: "StateWrite", scope: { state: "params.name" } },
  repeatable: true,
  params: byName,
  body: strictObject({
    ...lock,
    leaseSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.stateLeaseSeconds,
        description: "Lease in seconds. The lock expires after it unless it is renewed.",
      }),
    ),
    renew: Type.Optional(Type.Boolean({ description: "Whether to only renew an existing lock." })),
  }),
  answer: Lock,
  errorCodes: ["conflict", "locked", "limit_reached"],
});

/** Release or break the lock of a state. */
export const unlockState = defineOperation({
  ...common,
  id: "unlockState",
  method: "POST",
  path: `${path}/unlock`,
  alias: { method: "UNLOCK", path },
  summary: "Unlock a state",
  description:
    "Also available as `UNLOCK` on the state itself. The request must contain the ID of the lock. Without a body, only a lock without a lease is released: Terraform's `force-unlock` sends no body.",
  effect: "write",
  audited: false,
  permission: { action: "StateWrite", scope: { state: "params.name" } },
  repeatable: true,
  params: byName,
  body: strictObject({
    ...lock,
    leaseUntil: optionalText("Accepted so that a lock response can be sent back; ignored."),
  }),
  bodyOptional: true,
  answer: strictObject({ name: Type.String() }),
  errorCodes: ["not_found", "locked"],
});

const JournalLine = Type.String({
  maxLength: limits.journalBytes,
  description: "A line of text that the service does not interpret.",
});

/** Append to a state's journal. */
export const appendStateJournal = defineOperation({
  ...common,
  id: "appendStateJournal",
  method: "POST",
  path: `${path}/journal`,
  summary: "Append to the journal of a state",
  description:
    "Appends lines to the journal, which records what happened since the last write of the state. The lines are durable when the call returns. Writing the state empties the journal.",
  effect: "write",
  audited: false,
  permission: { action: "StateWrite", scope: { state: "params.name" } },
  repeatable: true,
  params: byName,
  query: lockQuery,
  body: strictObject({
    position: Type.Integer({
      minimum: 0,
      maximum: limits.journalCalls,
      description: "Number of earlier append calls since the state was written.",
    }),
    lines: Type.Array(JournalLine, {
      minItems: 1,
      maxItems: limits.journalLines,
      description: "Lines to append.",
    }),
  }),
  answer: strictObject({ position: Type.Integer({ description: "Position of the next call." }) }),
  errorCodes: ["conflict", "locked", "limit_reached", "too_large"],
});

/** Read a state's journal. */
export const listStateJournal = defineOperation({
  ...common,
  id: "listStateJournal",
  method: "GET",
  path: `${path}/journal`,
  summary: "Read the journal of a state",
  description: "Returns the lines appended since the state was written, latest call first.",
  effect: "read",
  permission: { action: "StateRead", scope: { state: "params.name" } },
  params: byName,
  answer: strictObject({
    position: Type.Integer({ description: "Position of the call in the journal." }),
    lines: Type.Array(JournalLine, { description: "Appended lines." }),
  }),
  list: "cursor",
  page: { defaultSize: limits.journalPage, max: limits.journalPage },
});
