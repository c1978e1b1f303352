// `metadata.lifecycle` of a document: which changes to the object are allowed, and what happens when the document is removed.
import { Type, type Static } from "typebox";
import type { ReadonlyStatic } from "../readonly-static.ts";
import { addressPattern, datePattern, specPointerPattern } from "../text/text-patterns.ts";

const closed = { additionalProperties: false } as const;

const verbs = ["observe", "create", "update", "delete"] as const;

/** An action that a document can allow. */
export type ManagedVerb = (typeof verbs)[number];

const ignoreRule = Type.Object(
  {
    path: Type.String({
      pattern: specPointerPattern,
      description:
        "JSON Pointer to the field: /spec/description. A list can only be ignored as a whole.",
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: "Reason for ignoring the field.",
    }),
    expires: Type.Optional(
      Type.String({
        pattern: datePattern,
        description: "Last day of the rule, in UTC: 2027-03-01.",
      }),
    ),
  },
  closed,
);

/** A field whose differences are ignored. */
export type IgnoreRule = Static<typeof ignoreRule>;

/** `metadata.lifecycle` of a document. */
export const lifecycleRules = Type.Object(
  {
    protect: Type.Optional(
      Type.Boolean({
        description:
          "Whether svc refuses to delete or replace the object. The inventory stores the protection: removing this field or the document does not remove it; `svc protect --off` does.",
      }),
    ),
    onRemoval: Type.Optional(
      Type.String({
        enum: ["delete", "orphan"],
        default: "delete",
        description:
          "What happens to the object when the document is removed: svc deletes it if the Stack prunes, or stops managing it and keeps it. The last-applied value counts.",
      }),
    ),
    manage: Type.Optional(
      Type.Array(Type.String({ enum: [...verbs] }), {
        minItems: 1,
        uniqueItems: true,
        default: [...verbs],
        description:
          "Actions that svc may perform on the object. Without create, the object must exist. Without update, svc does not change it. Without delete, svc stops managing it when the document is removed. With observe alone, the stack does not need to own it.",
      }),
    ),
    adopt: Type.Optional(
      Type.Boolean({
        description:
          "Whether to adopt an existing object that no stack owns. The plan shows the adoption. The field has no effect on objects that the stack already owns.",
      }),
    ),
    ignore: Type.Optional(
      Type.Array(ignoreRule, {
        maxItems: 100,
        description:
          "Fields whose differences are ignored. svc writes them only when it creates the object.",
      }),
    ),
    movedFrom: Type.Optional(
      Type.String({
        pattern: addressPattern,
        description:
          "Previous address of the object, Kind/name. The inventory entry of that address becomes the entry of this document, until an apply has recorded it here. Another document may have the previous address for another object: documents that exchange their names name each other. Keep the field until every environment of the stack has been applied.",
      }),
    ),
  },
  { ...closed, description: "Rules for changing, replacing and deleting the object." },
);

/** The rules in `metadata.lifecycle`. */
export type LifecycleRules = Static<typeof lifecycleRules>;

const { protect, onRemoval, manage, adopt } = lifecycleRules.properties;

/** `metadata.lifecycle` of a component: the rules that can hold for all of its objects. */
export const componentLifecycleRules = Type.Object(
  { protect, onRemoval, manage, adopt },
  {
    ...closed,
    description: "Rules for changing, replacing and deleting the objects, for each of them.",
  },
);

/** Returns whether the rules allow an action. Without rules, every action is allowed. */
export function manages(rules: LifecycleRules | undefined, verb: ManagedVerb): boolean {
  return rules?.manage === undefined || rules.manage.includes(verb);
}

/** Returns whether the rules allow only observing the object, so that the stack does not need to own it. */
export function isObservedOnly(rules: LifecycleRules | undefined): boolean {
  return verbs.every((verb) => verb === "observe" || !manages(rules, verb));
}

/** Returns the time at which a rule expires: the end of its last day. */
export function expiresAt({ expires }: { readonly expires?: string | undefined }): Date {
  if (expires === undefined) return new Date(8.64e15);
  return new Date(Date.parse(`${expires}T00:00:00Z`) + 86_400_000);
}

/** Rules that the inventory stores, so that they apply after the document is removed. */
export const recordedLifecycleSchema = Type.Object(
  {
    protect: Type.Optional(
      Type.Literal(true, { description: "Deletes and replacements are refused." }),
    ),
    onRemoval: Type.Optional(
      Type.Literal("orphan", { description: "The object stays when its document is removed." }),
    ),
  },
  { ...closed, description: "The lifecycle rules that the inventory keeps." },
);

/** The rules that the inventory stores. */
export type RecordedLifecycle = ReadonlyStatic<typeof recordedLifecycleSchema>;

/** Returns the rules to store after an apply with `rules`. Protection remains until `svc protect --off` removes it. */
export function recordedLifecycle(
  before: RecordedLifecycle | undefined,
  rules: LifecycleRules = {},
): RecordedLifecycle {
  return {
    ...((before?.protect === true || rules.protect === true) && { protect: true }),
    ...((rules.onRemoval === "orphan" || !manages(rules, "delete")) && { onRemoval: "orphan" }),
  };
}
