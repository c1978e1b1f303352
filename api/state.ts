// Area state: what an engine, or svc itself, remembers of the objects it manages; versioned, locked, and to Terraform an `http` back end.
import { Type } from "typebox";
import type { JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { defineOperation } from "../core/operation.ts";
import { optionalForClient } from "../core/traits.ts";
import { strictObject, Timestamp } from "./schemas.ts";

const common = {
  area: "state",
  source: "proposed",
  access: "admin",
  scope: "account",
  basicAuth: true,
} as const;

const base = "/api/v1/state";
const path = `${base}/{name}`;

/** How a state may be called. */
export const stateNamePattern = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,199}$";

const byName = strictObject({
  name: Type.String({
    pattern: stateNamePattern,
    description: "The state's name: letters, digits, dots, hyphens, underscores and @.",
  }),
});

const LockId = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: "^[!-~]*$",
  description: "Id of the lock, made by whoever takes it.",
});

const lockQuery = strictObject({
  ID: Type.Optional(Type.String({ maxLength: 128, description: "Id of the lock that is held." })),
});

const optionalText = (doc: string) =>
  Type.Optional(Type.String({ maxLength: 4096, description: doc }));

const lock = {
  ID: LockId,
  Operation: optionalText("What it is held for."),
  Info: optionalText("Anything else that there is to say."),
  Who: optionalText("Who holds it."),
  Version: optionalText("Version of the program that holds it."),
  Created: optionalText("When it was taken, as its holder has it."),
  Path: optionalText("What it locks, as its holder has it."),
};

const Lock = strictObject({
  ...lock,
  leaseUntil: Type.Optional(
    Type.String({
      format: "date-time",
      description: "When it ends by itself; left out where it does not.",
    }),
  ),
});

/** A state's content: a JSON object that means nothing to the service. */
const Content = Type.Unsafe<JsonObject>(
  Type.Object(
    {},
    { description: "Kept and given back to the letter.", additionalProperties: true },
  ),
);

const versionMax = 2_147_483_647;

const version = Type.Integer({
  minimum: 1,
  maximum: versionMax,
  description: "Counts the times it was written.",
});
const bytes = Type.Integer({ minimum: 0, description: "Length of its content." });

const WrittenState = strictObject({ name: Type.String(), version });

/** List states. */
export const listStates = defineOperation({
  ...common,
  id: "listStates",
  method: "GET",
  path: base,
  summary: "List states",
  description: "States that have a content or a journal, newest first, without their contents.",
  effect: "read",
  query: strictObject({
    prefix: Type.Optional(
      Type.String({ maxLength: 200, description: "How the names begin that are wanted." }),
    ),
  }),
  answer: strictObject({
    name: Type.String(),
    version: Type.Integer({ minimum: 0, description: "Its latest version; 0 before the first." }),
    updatedAt: Timestamp,
    bytes: optionalForClient(bytes),
    lock: Type.Optional(
      Type.Object(Lock.properties, {
        description: "The lock that is held; left out where nobody holds one.",
        additionalProperties: false,
      }),
    ),
  }),
  list: "cursor",
});

/** Read a state, or one of its earlier versions. */
export const getState = defineOperation({
  ...common,
  id: "getState",
  method: "GET",
  path,
  summary: "Read a state",
  description: "Its content as it was written last, or as `version` had it.",
  effect: "read",
  verbatim: true,
  params: byName,
  query: strictObject({ version: Type.Optional(version) }),
  answer: Content,
  errorCodes: ["not_found"],
});

/** Write a state. With a lock held, `ID` has to name it; with `follows`, the version before has to be that one. */
export const putState = defineOperation({
  ...common,
  id: "putState",
  method: "POST",
  path,
  summary: "Write a state",
  description: `Makes a new version and empties the journal, in one step. The last ${limits.stateVersions} versions are kept. While somebody holds the lock, \`ID\` has to name it.`,
  effect: "write",
  repeatable: true,
  verbatim: true,
  params: byName,
  query: strictObject({
    ...lockQuery.properties,
    follows: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: versionMax,
        description: "The version that it was made from; another one is a conflict.",
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
  description: "With all its versions and its journal. One that is not there is fine.",
  effect: "write",
  params: byName,
  query: lockQuery,
  answer: strictObject({ name: Type.String() }),
  errorCodes: ["conflict", "locked"],
});

/** List the versions of a state that are kept. */
export const listStateVersions = defineOperation({
  ...common,
  id: "listStateVersions",
  method: "GET",
  path: `${path}/versions`,
  summary: "List the versions of a state",
  description: "Those that are kept, newest first, without their contents.",
  effect: "read",
  params: byName,
  answer: strictObject({
    version,
    createdAt: Timestamp,
    userId: Type.Integer({ description: "Who wrote it." }),
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
  description: "Who holds it, and until when; 404 where nobody does.",
  effect: "read",
  params: byName,
  answer: Lock,
  errorCodes: ["not_found"],
});

/** Take the lock of a state, or prolong it. */
export const lockState = defineOperation({
  ...common,
  id: "lockState",
  method: "POST",
  path: `${path}/lock`,
  alias: { method: "LOCK", path },
  summary: "Lock a state",
  description:
    "Also as `LOCK` on the state itself. A lock without a lease holds until it is given back. Taking it twice under one id is fine; `renew` prolongs the lease of a lock that is still there, and never takes one.",
  effect: "write",
  repeatable: true,
  params: byName,
  body: strictObject({
    ...lock,
    leaseSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.stateLeaseSeconds,
        description: "After so long it ends by itself, unless it is prolonged.",
      }),
    ),
    renew: Type.Optional(Type.Boolean({ description: "Only prolong what is held." })),
  }),
  answer: Lock,
  errorCodes: ["conflict", "locked", "limit_reached"],
});

/** Give back the lock of a state, or break it. */
export const unlockState = defineOperation({
  ...common,
  id: "unlockState",
  method: "POST",
  path: `${path}/unlock`,
  alias: { method: "UNLOCK", path },
  summary: "Unlock a state",
  description:
    "Also as `UNLOCK` on the state itself. It has to quote the lock's id, whoever holds it. Only a lock without a lease can be broken without a body: Terraform's `force-unlock` sends none.",
  effect: "write",
  repeatable: true,
  params: byName,
  body: strictObject({
    ...lock,
    leaseUntil: optionalText("As the lock was answered; passed over."),
  }),
  bodyOptional: true,
  answer: strictObject({ name: Type.String() }),
  errorCodes: ["not_found", "locked"],
});

const JournalLine = Type.String({
  maxLength: limits.journalBytes,
  description: "A text of the caller's own.",
});

/** Append to a state's journal: what happened since it was written. */
export const appendStateJournal = defineOperation({
  ...common,
  id: "appendStateJournal",
  method: "POST",
  path: `${path}/journal`,
  summary: "Append to the journal of a state",
  description:
    "Lines that tell what happened since the state was written; they are on disk when the answer comes, and gone once it is written again.",
  effect: "write",
  repeatable: true,
  params: byName,
  query: lockQuery,
  body: strictObject({
    position: Type.Integer({
      minimum: 0,
      maximum: limits.journalCalls,
      description: "How many calls came before it since the state was written.",
    }),
    lines: Type.Array(JournalLine, {
      minItems: 1,
      maxItems: limits.journalLines,
      description: "What is appended.",
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
  description: "What was appended since the state was written, the latest call first.",
  effect: "read",
  params: byName,
  answer: strictObject({
    position: Type.Integer({ description: "Its place in the journal." }),
    lines: Type.Array(JournalLine, { description: "What was appended." }),
  }),
  list: "cursor",
  page: { defaultSize: limits.journalPage, max: limits.journalPage },
});
