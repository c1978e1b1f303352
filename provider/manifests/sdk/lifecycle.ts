// Generated from the kinds by `npm run generate`. Do not edit.

/** Lifecycle options: which actions are allowed, and what happens to the object after its document is removed. */
export type Lifecycle = {
  /** Refuse to delete or replace the object. The inventory keeps it: removing this, or the document, does not lift it; `svc unprotect` does. */
  readonly protect?: boolean | undefined;
  /** What becomes of the object once the document is gone: deleted where the Stack prunes, or let go of and left as it is. What was applied last counts. */
  readonly onRemoval?: "delete" | "orphan" | undefined;
  /** What may be done about the object. Without create it has to be there; without update it is left as it is; without delete it is let go of once the document is gone. With observe alone it need not be ours. */
  readonly manage?: readonly ("observe" | "create" | "update" | "delete")[] | undefined;
  /** Take the object over where it exists and nobody owns it: the plan shows it, and apply does it. Without effect once it is ours, so it can stay. */
  readonly adopt?: boolean | undefined;
  /** Fields that are left as they are on the server, and never written once the object is there. */
  readonly ignore?: readonly ({
    /** JSON Pointer to the field: /spec/description. Lists only as a whole. */
    readonly path: string;
    /** Why, for whoever reads it. */
    readonly reason: string;
    /** Last day on which it holds, in UTC: 2027-03-01. */
    readonly expires?: string | undefined;
  })[] | undefined;
  /** Former address of the document, Kind/name: the object that was made there is this one's. Keep it until every copy of the stack has been applied. */
  readonly movedFrom?: string | undefined;
};
