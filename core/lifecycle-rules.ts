// What a document says of its object's life beside the wish: what may not be done to it, and what becomes of it afterwards.
import { Type, type Static } from "typebox";

const closed = { additionalProperties: false } as const;

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

/** What the inventory keeps of the rules, so that it holds without the document. */
export type Guards = {
  readonly protect?: true;
  readonly onRemoval?: "orphan";
};

/** What the inventory is to keep once an object is applied under `rules`: protection stays until it is lifted by name. */
export function guardsAfter(before: Guards | undefined, rules: LifecycleRules = {}): Guards {
  return {
    ...((before?.protect === true || rules.protect === true) && { protect: true }),
    ...(rules.onRemoval === "orphan" && { onRemoval: "orphan" }),
  };
}
