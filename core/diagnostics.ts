// Diagnostics about a user's input: code, location, problem and remedy. They are collected and reported together.

import { type Static, Type } from "typebox";
import type { ReadonlyStatic } from "./readonly-static.ts";

const closed = { additionalProperties: false } as const;

/** All diagnostic codes with their meanings. `docs/reference/diagnostics.md` explains them; a test compares the two lists. */
export const diagnosticCodes = {
  "file-unreadable": "a manifest file cannot be read",
  "file-too-large": "a manifest file exceeds the size limit",
  "yaml-syntax": "the file is not valid YAML",
  "not-a-document": "a YAML document is not a mapping with apiVersion, kind and metadata",
  "api-version": "the apiVersion is not supported",
  "unknown-kind": "the resource type does not exist",
  "unknown-field": "the resource type has no such field",
  "missing-field": "a required field is missing",
  "wrong-type": "a value has the wrong type",
  "out-of-bounds": "a value violates a limit, a pattern or a list of allowed values",
  "duplicate-address":
    "two documents have the same kind and name, or claim the inventory entry of one address",
  "duplicate-identity": "two documents describe the same live object",
  "conflicting-values": "two documents set a field of one live object to different values",
  "invalid-name": "a name is not valid as metadata.name",
  "variable-unset": "a variable has no value and no default",
  "variable-undeclared": "a variable is set that neither the Stack nor a document declares",
  "variable-syntax": "a substitution has invalid syntax",
  "environment-not-allowed":
    "a document reads an environment variable that the Stack does not list",
  "source-not-allowed": "a secret comes from a file or command that the operator does not grant",
  "source-unreadable": "the file or command that provides a secret fails",
  "overlay-failed": "a patch does not apply to its document",
  "overlay-unused": "an overlay matches no document of the stack",
  "reference-unknown": "a reference names a document that is not in the stack",
  "reference-mismatch": "a reference names an object with a different parent",
  "reference-cycle": "documents refer to each other in a cycle",
  "cannot-clear": "the API cannot clear this field",
  "not-supported": "the server does not support the change",
  "not-readable": "the server has no operation that reads objects of this type",
  "no-stack": "the path contains no Stack document",
  "multiple-stacks": "the path contains more than one Stack document",
  "other-stacks": "folders below the stack's contain other stacks",
  "no-manifests": "the globs of the stack match no file",
  "errors-ignored": "the manifests contain errors that do not affect this command",
  "target-mismatch": "the stack is for a different server",
  "stack-name-mismatch": "the Stack is not the one that the controller's source declares",
  "folder-without-source": "a folder that a controller's pattern matches cannot be a source",
  "source-removed": "a commit no longer has the folder of a controller's source",
  "not-granted": "the Stack requests more than the operator grants",
  "out-of-scope": "the credential may not read the object, so it is unknown whether it exists",
  "not-permitted": "the credential lacks the permission to apply the plan",
  "reference-missing": "a field refers to an object that does not exist on the server",
  "value-refused": "the server would refuse a value",
  "value-ineffective": "the server accepts a value that does nothing",
  "window-closed": "the plan contains changes that are not allowed at this time",
  "window-expired": "a maintenance window or freeze in the Stack has ended",
  "not-owned": "a live object exists that this stack does not own",
  "inventory-missing": "the stack has no inventory, so it is unknown what it owns",
  "owned-by-other-stack": "a live object belongs to another stack",
  "ambiguous-live": "several live objects match one document",
  orphan: "an object is no longer declared and is kept",
  "removed-unused": "an address in a Removed document matches no object that the stack owns",
  protected: "the plan would delete a protected object",
  "rights-removed": "a field that limits rights is no longer declared, so that rights could grow",
  "not-managed": "the document does not allow svc to make a required change",
  "own-credential": "the plan ends the credential that svc uses, or takes rights from it",
  "managed-elsewhere": "an identity provider manages what the plan would change",
  "not-targeted": "the plan is limited to the resources that --target selects",
  "rename-effect": "a rename changes more than the name",
  "ambiguous-rename":
    "a document declares the natural key that another object of the stack has: either of them may have a new name",
  "ignored-difference": "a difference is ignored, as the document declares",
  "not-compared": "a secret cannot be read here, so a plan without an apply does not compare it",
  "last-change": "who last changed the object on the server",
  "ignore-unused": "an ignored field has no difference",
  "cannot-undo": "a change of a run cannot be undone",
  "still-declared": "the manifests still declare what an undo reverted",
  "nothing-to-undo": "the undo of a run has nothing to change",
  "already-rolled-back": "the stage of a rollback already runs its target, and is only held",
  "failed-version": "the version that was approved failed its checks in the stage",
  "ignore-expired": "an ignore rule has expired",
  "empty-input": "the stack declares nothing, so no object is deleted or forgotten",
  "cascade-delete": "a delete or replace also deletes objects that the stack does not declare",
  "delete-limit": "the plan deletes more objects than allowed",
  "lock-kept": "the command ended, but a lock that it held could not be released",
  "held-plan": "the controller holds the plan until it is approved",
  deprecated: "a field is deprecated",
  "literal-secret": "a manifest contains a secret in clear text",
  "secret-lost": "an object was created, but the run ended before its secret was stored",
  "secret-unknown": "an adopted object has a secret that was never stored here",
  "sink-drift": "the file with an object's generated secret is missing or has changed",
  "sink-unusable": "a generated secret cannot be written to the declared file",
  "fingerprint-key":
    "secrets cannot be compared with the last-applied ones without the fingerprint key",
  "not-verifiable": "the API does not return this value, so it cannot be compared",
  "not-exported": "part of a live object cannot be exported",
  "invalid-stage": "a stage of a pipeline is not valid",
  "not-written-back": "a live value is not written back to its document",
  "policy-deletes": "the plan deletes an object",
  "policy-replaces": "the plan replaces an object",
  "policy-overwrites": "the plan overwrites changes made on the server",
  "policy-secrets": "the plan changes the secret of an object",
  "policy-mass-delete": "the plan deletes or replaces most objects of the stack",
  "policy-violation": "the plan violates a custom policy",
} as const;

/** A diagnostic code. */
export type DiagnosticCode = keyof typeof diagnosticCodes;

const placeSchema = Type.Object(
  {
    file: Type.String(),
    line: Type.Integer({ minimum: 0 }),
    column: Type.Integer({ minimum: 0 }),
  },
  {
    ...closed,
    description:
      "Position; line and column count from 1, the file is relative to the current folder.",
  },
);

/** A position in a user's file. Line and column start at 1. */
export type Place = Readonly<Static<typeof placeSchema>>;

/** One diagnostic, as plans hold and reports show it. */
export const diagnosticSchema = Type.Object(
  {
    code: Type.Enum(Object.keys(diagnosticCodes) as DiagnosticCode[], {
      description: "See docs/reference/diagnostics.md.",
    }),
    severity: Type.Enum(["error", "warning", "info"], {
      description: "A plan with errors cannot be applied.",
    }),
    summary: Type.String({
      description: "One sentence: what is wrong, with the text that causes it.",
    }),
    remedy: Type.Optional(Type.String({ description: "What to do next." })),
    place: Type.Optional(placeSchema),
    path: Type.Optional(Type.String({ description: "JSON Pointer within the document." })),
    address: Type.Optional(Type.String({ description: "Kind/name of the document." })),
  },
  { ...closed, description: "One finding of manifests, a plan or a policy." },
);

/** One diagnostic. */
export interface Diagnostic extends ReadonlyStatic<typeof diagnosticSchema> {}

/** Returns whether at least one diagnostic is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}
