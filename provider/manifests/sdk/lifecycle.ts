// Generated from the kinds by `npm run generate`. Do not edit.

/** Lifecycle options: which actions are allowed, and what happens to the object after its document is removed. */
export type Lifecycle = {
  /** Whether svc refuses to delete or replace the object. The inventory stores the protection: removing this field or the document does not remove it; `svc protect --off` does. */
  readonly protect?: boolean | undefined;
  /** What happens to the object when the document is removed: svc deletes it if the Stack prunes, or stops managing it and keeps it. The last-applied value counts. */
  readonly onRemoval?: "delete" | "orphan" | undefined;
  /** Actions that svc may perform on the object. Without create, the object must exist. Without update, svc does not change it. Without delete, svc stops managing it when the document is removed. With observe alone, the stack does not need to own it. */
  readonly manage?: readonly ("observe" | "create" | "update" | "delete")[] | undefined;
  /** Whether to adopt an existing object that no stack owns. The plan shows the adoption. The field has no effect on objects that the stack already owns. */
  readonly adopt?: boolean | undefined;
  /** Fields whose differences are ignored. svc writes them only when it creates the object. */
  readonly ignore?: readonly ({
    /** JSON Pointer to the field: /spec/description. A list can only be ignored as a whole. */
    readonly path: string;
    /** Reason for ignoring the field. */
    readonly reason: string;
    /** Last day of the rule, in UTC: 2027-03-01. */
    readonly expires?: string | undefined;
  })[] | undefined;
  /** Previous address of the document, Kind/name. The inventory entry of that address becomes the entry of this document. Keep the field until every environment of the stack has been applied. */
  readonly movedFrom?: string | undefined;
};
