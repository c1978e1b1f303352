// Declares one change of a plan. The types, the validation of saved plans and the schema of reports derive from it.
import { Type } from "typebox";
import { diagnosticCodes, type DiagnosticCode } from "../../core/diagnostics.ts";
import { driftDirections, fieldChangeSchema } from "../../core/spec/diff.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { recordedLifecycleSchema } from "../../core/kind/lifecycle-rules.ts";
import type { ReadonlyStatic } from "../../core/readonly-static.ts";
import { actions } from "./actions.ts";
import { differenceCauses } from "./changed-after-write.ts";

/**
 * The format of saved plans. A plan of another format is refused. Nothing is lost, because the plan can be made again.
 */
export const planFormat = 2;

const closed = { additionalProperties: false } as const;
const text = (description: string) => Type.String({ description });
const texts = (description: string) => Type.Array(Type.String(), { description });
const json = (description: string) =>
  Type.Unsafe<JsonObject>(Type.Object({}, { additionalProperties: true, description }));

const scope = Type.Record(Type.String(), Type.String(), {
  description: "Part of the natural key that identifies the parent.",
});
const direction = Type.Enum(driftDirections, {
  description:
    "Which side changed: pending (the manifest), drifted (the server), or conflict (both).",
});

const plannedFieldSchema = Type.Object(
  {
    ...fieldChangeSchema.properties,
    direction,
    base: Type.Optional(
      Type.Unsafe<JsonValue>({
        description:
          "For conflicts: the last applied value; missing if there is none, and for secrets.",
      }),
    ),
    cause: Type.Optional(
      Type.Enum(differenceCauses, { description: "For differences after an apply: the cause." }),
    ),
  },
  { ...closed, description: "One field that changes." },
);

/** One field of a change, with the side that changed. */
export interface PlannedField extends ReadonlyStatic<typeof plannedFieldSchema> {}

const preconditionSchema = Type.Union(
  [
    Type.Object({ absent: Type.Literal(true) }, closed),
    Type.Object({ digest: Type.String(), fields: Type.Array(Type.String()) }, closed),
  ],
  {
    description:
      "What must still be true when the change is executed: the object is absent, or these live fields have this digest.",
  },
);

/** The condition under which the change may run: the object is absent, or these live fields have this digest. */
export type Precondition = ReadonlyStatic<typeof preconditionSchema>;

const secretSinkSchema = Type.Object(
  {
    file: text("Relative to the stack's folder."),
    fingerprint: Type.Optional(
      text("Keyed fingerprint of the secret in the file. Missing until it was written."),
    ),
  },
  { ...closed, description: "The file for the secret that the service generates." },
);

/** The file for the generated secret of an object. */
export type SecretSink = ReadonlyStatic<typeof secretSinkSchema>;

const metadata = {
  name: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
};
const metadataSchema = Type.Object(metadata, closed);

/** Name and labels of the document of an object. Absent members are unknown. */
export type ObjectMetadata = ReadonlyStatic<typeof metadataSchema>;

const cascadedMetadataSchema = Type.Object({ ...metadata, kind: Type.String() }, closed);

/** The metadata of a cascaded object, for window rules. */
export type CascadedMetadata = ReadonlyStatic<typeof cascadedMetadataSchema>;

const diagnosticCodeNames = Object.keys(diagnosticCodes) as DiagnosticCode[];

const blockReasonSchema = Type.Union(
  [
    Type.Object(
      {
        code: Type.Literal("dependency"),
        address: text("A change that must succeed first, which is blocked."),
      },
      { ...closed, description: "A dependency is blocked." },
    ),
    Type.Object(
      {
        code: Type.Enum(["still-exists" as const, ...diagnosticCodeNames], {
          description:
            "The code of an error diagnostic about the object; still-exists: after an apply, the deleted object is still there.",
        }),
      },
      { ...closed, description: "The object cannot change." },
    ),
  ],
  { description: "One reason why a change is blocked." },
);

/** Why a change is blocked. A diagnostic code refers to the plan's errors of that code about the object. */
export type BlockReason = ReadonlyStatic<typeof blockReasonSchema>;

/** One change of a plan, as a plan file holds it. */
export const changeSchema = Type.Object(
  {
    action: Type.Enum(actions, {
      description: "Action on the object; none only writes the inventory.",
    }),
    address: text("Kind/name in the stack."),
    kind: Type.String(),
    name: Type.String(),
    key: text("Natural key as text."),
    scope,
    id: Type.Optional(text("Id at the service, if any.")),
    from: Type.Optional(
      Type.Object(
        { key: Type.String(), scope },
        { ...closed, description: "Key and scope of the live object, if they differ." },
      ),
    ),
    direction,
    desired: Type.Optional(
      json("Desired spec, without secrets; missing if the object is no longer declared."),
    ),
    secrets: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Fingerprints of the desired secrets, by JSON Pointer within the spec.",
      }),
    ),
    secretTo: Type.Optional(secretSinkSchema),
    precondition: preconditionSchema,
    layer: Type.Integer({
      minimum: 0,
      description: "Position in the order of creates; deletes run from the highest down.",
    }),
    formerAddress: Type.Optional(
      text("Address of its inventory entry until now, if that is another: a document was renamed."),
    ),
    movedTo: Type.Optional(text("For a forgotten entry: the new address of its object.")),
    abandoned: Type.Optional(
      Type.Literal(true, {
        description: "For a forgotten entry: its object stays on the server.",
      }),
    ),
    lifecycle: Type.Optional(recordedLifecycleSchema),
    metadata: Type.Optional(metadataSchema),
    previousMetadata: Type.Optional(metadataSchema),
    dependsOn: texts("Addresses whose changes must succeed first."),
    cascadedBy: Type.Optional(text("Address whose delete cascades to this object.")),
    cascadeCounts: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
        description: "Live objects without a change that are deleted too, by kind.",
      }),
    ),
    cascadedMetadata: Type.Optional(Type.Array(cascadedMetadataSchema)),
    blockedBy: Type.Array(blockReasonSchema, {
      description: "Why the change is blocked; empty if nothing blocks it.",
    }),
    notVerifiable: texts("Fields that the API does not return."),
    released: Type.Optional(
      texts("Fields that the document no longer declares: they keep their values, unmanaged."),
    ),
    fields: Type.Array(plannedFieldSchema),
  },
  { ...closed, description: "One change of a plan." },
);

/** One change of a plan. */
export interface Change extends ReadonlyStatic<typeof changeSchema> {}

/** One field as reports show it. */
export const reportedFieldSchema = Type.Omit(plannedFieldSchema, ["field"], {
  ...closed,
  description: "One field that changes.",
});

/** One field of a drift report: its change since the last apply. */
export const driftedFieldSchema = Type.Object(
  {
    path: reportedFieldSchema.properties.path,
    before: Type.Optional(
      Type.Unsafe<JsonValue>({
        description: "Value or mask at the last apply; missing if there was none.",
      }),
    ),
    after: Type.Optional(
      Type.Unsafe<JsonValue>({
        description: "Live value or mask; missing if there is none or it cannot be read.",
      }),
    ),
    declared: Type.Optional(
      Type.Unsafe<JsonValue>({
        description: "Value or mask in the manifest; missing if the manifest removes it.",
      }),
    ),
    ...Type.Omit(reportedFieldSchema, ["path", "base", "before", "after"]).properties,
  },
  { ...closed, description: "One field that differs." },
);

/**
 * One change as reports show it. The desired spec and the fingerprints can contain secrets, and the fields describe the
 * change.
 */
export const reportedChangeSchema = Type.Object(
  {
    ...Type.Omit(changeSchema, [
      "desired",
      "secrets",
      "precondition",
      "metadata",
      "previousMetadata",
      "dependsOn",
      "cascadedMetadata",
    ]).properties,
    secretTo: Type.Optional(
      Type.Pick(secretSinkSchema, ["file"], {
        ...closed,
        description: "The file for the secret that the service generates.",
      }),
    ),
    fields: Type.Array(reportedFieldSchema),
  },
  { ...closed, description: "One change of a plan." },
);

/** One difference of a drift report: the change that an apply would make, and the changes to its fields since the last apply. */
export const driftedChangeSchema = Type.Object(
  {
    ...reportedChangeSchema.properties,
    action: Type.Enum(actions, {
      description:
        "What an apply would do, not what happened: create restores an object that was deleted on the server.",
    }),
    deletedOnServer: Type.Optional(
      Type.Literal(true, {
        description: "The object of the last apply was deleted on the server. It has no fields.",
      }),
    ),
    fields: Type.Array(driftedFieldSchema),
  },
  { ...closed, description: "One object that differs." },
);
