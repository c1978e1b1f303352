// What a document says of its object's life beside the wish: what may not be done to it, and what becomes of it afterwards.
import { Type, type Static } from "typebox";

const closed = { additionalProperties: false } as const;

const verbs = ["observe", "create", "update", "delete"] as const;

/** One thing that can be done about an object. */
export type ManagedVerb = (typeof verbs)[number];

const ignoreRule = Type.Object(
  {
    path: Type.String({
      pattern: "^/spec/.",
      description: "JSON Pointer to the field: /spec/description. Lists only as a whole.",
    }),
    reason: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: "Why, for whoever reads it.",
    }),
    expires: Type.Optional(
      Type.String({
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        description: "Last day on which it holds, in UTC: 2027-03-01.",
      }),
    ),
  },
  closed,
);

/** A field that is left as it is on the server. */
export type IgnoreRule = Static<typeof ignoreRule>;

/** `metadata.lifecycle` of a document. */
export const lifecycleRules = Type.Object(
  {
    protect: Type.Optional(
      Type.Boolean({
        description:
          "Refuse to delete or replace the object. The inventory keeps it: removing this, or the document, does not lift it; `svc unprotect` does.",
      }),
    ),
    onRemoval: Type.Optional(
      Type.String({
        enum: ["delete", "orphan"],
        default: "delete",
        description:
          "What becomes of the object once the document is gone: deleted where the Stack prunes, or let go of and left as it is. What was applied last counts.",
      }),
    ),
    manage: Type.Optional(
      Type.Array(Type.String({ enum: [...verbs] }), {
        minItems: 1,
        uniqueItems: true,
        default: [...verbs],
        description:
          "What may be done about the object. Without create it has to be there; without update it is left as it is; without delete it is let go of once the document is gone. With observe alone it need not be ours.",
      }),
    ),
    adopt: Type.Optional(
      Type.Boolean({
        description:
          "Take the object over where it exists and nobody owns it: the plan shows it, and apply does it. Without effect once it is ours, so it can stay.",
      }),
    ),
    ignore: Type.Optional(
      Type.Array(ignoreRule, {
        maxItems: 100,
        description:
          "Fields that are left as they are on the server, and never written once the object is there.",
      }),
    ),
    movedFrom: Type.Optional(
      Type.String({
        pattern: "^[A-Z][A-Za-z0-9]*/.+$",
        description:
          "Former address of the document, Kind/name: the object that was made there is this one's. Keep it until every copy of the stack has been applied.",
      }),
    ),
  },
  { ...closed, description: "What may be done to the object, and what becomes of it." },
);

/** What `metadata.lifecycle` says; empty where there is none. */
export type LifecycleRules = Static<typeof lifecycleRules>;

/** True when this may be done about the object; all may where nothing is said. */
export function manages(rules: LifecycleRules | undefined, verb: ManagedVerb): boolean {
  return rules?.manage === undefined || rules.manage.includes(verb);
}

/** True for an object that is only looked at, so that it need not be ours. */
export function isObservedOnly(rules: LifecycleRules | undefined): boolean {
  return verbs.every((verb) => verb === "observe" || !manages(rules, verb));
}

/** The moment from which on a rule holds no more: the end of its last day. */
export function expiresAt({ expires }: { readonly expires?: string | undefined }): Date {
  if (expires === undefined) return new Date(8.64e15);
  return new Date(Date.parse(`${expires}T00:00:00Z`) + 86_400_000);
}

/** What the inventory keeps of the rules, so that it holds without the document. */
export type Guards = {
  readonly protect?: true;
  readonly onRemoval?: "orphan";
};

/** What the inventory is to keep once an object is applied under `rules`: protection stays until it is lifted by name. */
export function guardsAfter(before: Guards | undefined, rules: LifecycleRules = {}): Guards {
  return {
    ...((before?.protect === true || rules.protect === true) && { protect: true }),
    ...((rules.onRemoval === "orphan" || !manages(rules, "delete")) && { onRemoval: "orphan" }),
  };
}
