// What a user is told about their input: a code, where it is, what is wrong and what to do; collected, never thrown one by one.

/** Every diagnostic code with what it means. `docs/diagnostics.md` explains each; a test keeps the two lists equal. */
export const diagnosticCodes = {
  "file-unreadable": "a manifest file cannot be read",
  "file-too-large": "a manifest file is larger than allowed",
  "yaml-syntax": "the text is not valid YAML",
  "not-a-document": "a YAML document is not a mapping with apiVersion, kind and metadata",
  "api-version": "apiVersion is not one this version understands",
  "unknown-kind": "there is no such kind",
  "unknown-field": "the kind has no such field",
  "missing-field": "a required field is not given",
  "wrong-type": "a value has the wrong type",
  "out-of-bounds": "a value breaks a bound, pattern or list of allowed values",
  "duplicate-address": "two documents have the same kind and name",
  "duplicate-identity": "two documents describe the same live object",
  "bad-name": "a name is not allowed as metadata.name",
  "variable-unset": "a variable has no value and no default",
  "variable-unnamed": "a variable is given that neither the Stack nor a document names",
  "variable-syntax": "a substitution is not well formed",
  "environment-not-allowed": "an environment variable is read that the stack does not allow",
  "source-not-allowed":
    "a secret is to come from a file or command that the operator does not grant",
  "source-unreadable": "the file or command that a secret is to come from gives none",
  "script-not-allowed": "a manifest in TypeScript is to be run that the operator does not grant",
  "script-failed": "a manifest in TypeScript gives no documents",
  "overlay-failed": "a patch does not fit the document that it is for",
  "overlay-unused": "an overlay names no document of the stack",
  "reference-unknown": "a reference names a document that is not in the stack",
  "reference-mismatch": "a reference points at an object of another parent",
  "reference-cycle": "documents refer to each other in a circle",
  "cannot-clear": "the API cannot clear this field",
  "cannot-do": "this server cannot carry out what the change needs",
  "cannot-observe": "this server has no way to read objects of this kind",
  "no-stack": "no Stack document was found, or more than one",
  "no-manifests": "the stack's globs match no file",
  "passed-over": "the manifests have mistakes that do not keep this command from its work",
  "target-mismatch": "the stack names another server than the one you are connected to",
  "stack-name-mismatch": "the Stack of a controller's source is not the one that the source is for",
  "not-granted": "the Stack wants more than the operator grants",
  "not-permitted": "the key may not write what the plan writes",
  "reference-missing": "a written field refers to an object that is not on the server",
  "window-closed": "a plan has changes that may not be made now",
  "window-over": "a window or freeze that is over is still written down",
  "not-ours": "a live object exists that this stack did not create",
  "other-stack": "a live object belongs to another stack",
  "ambiguous-live": "several live objects match one document",
  orphan: "an object is no longer declared and is kept",
  protected: "an object that is protected, or is to stay, would be deleted",
  "not-managed": "a change is needed that the document does not let svc carry out",
  "likely-rename": "an object is to be made that is much like one which is no longer declared",
  "left-alone": "a difference is left as it is, as its document says",
  "ignore-unused": "a field is ignored that is as its document says",
  "not-undone": "a part of a run cannot be taken back",
  "ignore-expired": "a field was to be ignored until a day that is over",
  "empty-input": "the stack declares nothing, so nothing is pruned or let go of",
  "takes-along": "a delete or replace takes objects along that nothing declares here",
  "delete-budget": "a plan deletes more than the policy allows",
  deprecated: "a field is deprecated",
  "literal-secret": "a secret stands in clear in a manifest",
  "secret-lost": "an object was made, and the run ended before its secret was kept",
  "secret-unknown": "an object is taken over whose secret nobody kept here",
  "sink-drift": "the file that an object's secret was written to is gone or holds something else",
  "sink-unusable": "a minted secret cannot be written where the document says",
  "fingerprint-key": "secrets cannot be compared with what was applied, for want of the key",
  "not-verifiable": "the API does not show this value, so it cannot be compared",
  "not-exported": "something of a live object cannot be written as a document",
  "invalid-stage": "a stage of a pipeline makes no sense",
  "not-updated": "a live value is not written back into its document",
  "policy-deletes": "a plan deletes an object",
  "policy-replaces": "a plan deletes an object and makes it anew",
  "policy-overwrites": "a plan writes over what was changed on the server",
  "policy-secrets": "a plan gives an object another secret",
  "policy-shrinks": "a plan deletes or replaces most of what the stack has",
  "policy-broken": "a plan does not keep a policy of your own",
} as const;

/** One of the closed set of diagnostic codes. */
export type DiagnosticCode = keyof typeof diagnosticCodes;

/** A place in a user's text; line and column count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One finding. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: "error" | "warning" | "info";
  /** One sentence: what is wrong, with the offending text in it. */
  readonly summary: string;
  /** What to do about it. */
  readonly remedy?: string;
  readonly place?: Place;
  /** JSON Pointer inside the document. */
  readonly path?: string;
  /** `Kind/name` of the document it is about. */
  readonly address?: string;
}

/** True when at least one of them is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}
