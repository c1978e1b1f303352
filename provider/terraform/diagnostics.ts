// Builds Terraform diagnostics: a summary and a detail, at the attribute that caused them.
import { Failure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Finding } from "../bridge/validate-inputs.ts";
import { formatFailure } from "../bridge/format-failure.ts";
import { locationOf, type Step } from "./attribute-values.ts";
import type { Attribute } from "./schema.ts";
import { log } from "./wire/log.ts";

/** A diagnostic in the protocol's form. */
export interface Diagnostic {
  /** 1 is an error, 2 a warning. */
  readonly severity: 1 | 2;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: { readonly steps: readonly Step[] };
}

/** Converts findings to diagnostics at their attributes. */
export function fromFindings(
  attributes: readonly Attribute[],
  findings: readonly Finding[],
): readonly Diagnostic[] {
  return findings.map(({ path, message, remedy, severity }) => {
    const { steps, label } = locationOf(attributes, path);
    return {
      severity: severity === "error" ? 1 : 2,
      summary: severity === "error" ? "Invalid value" : "Deprecated",
      detail: `${label} ${message}.${remedy === undefined ? "" : ` ${remedy}`}`,
      attribute: { steps },
    };
  });
}

/** Returns an error at an attribute, or at the whole block. */
export function errorAt(summary: string, detail: string, attribute?: string): Diagnostic {
  const at =
    attribute === undefined ? {} : { attribute: { steps: [{ attributeName: attribute }] } };
  return { severity: 1, summary, detail, ...at };
}

/** Returns a warning at an attribute, or at the whole block. */
export function warningAt(summary: string, detail: string, attribute?: string): Diagnostic {
  return { ...errorAt(summary, detail, attribute), severity: 2 };
}

/** Converts a server's validation errors to diagnostics at their attributes. Other errors go to {@link fromError}. */
export function fromValidationErrors(
  attributes: readonly Attribute[],
  summary: string,
  error: unknown,
): readonly Diagnostic[] {
  if (!(error instanceof Failure) || error.validationErrors.length === 0)
    return [fromError(summary, error)];
  const { validationErrors, remedy } = error;
  return validationErrors.map(({ path, message }) => {
    const { steps, label } = locationOf(attributes, path);
    const text = label === "" ? message : `${label}: ${message}`;
    const sentence = /[.!?]$/u.test(text) ? text : `${text}.`;
    const diagnostic = errorAt(summary, remedy === undefined ? sentence : `${sentence} ${remedy}`);
    return steps.length === 0 ? diagnostic : { ...diagnostic, attribute: { steps } };
  });
}

/** Converts an error to a diagnostic with the summary `what`. */
export function fromError(summary: string, error: unknown): Diagnostic {
  if (error instanceof Failure) return errorAt(summary, formatFailure(error));
  const message = error instanceof Error ? error.message : String(error);
  log("error", message, { what: summary });
  return errorAt(summary, `This is a bug in the provider. Report it with this message: ${message}`);
}

/** Returns a warning: after an error, Terraform would replace the object, although it was created. */
export function unverifiedWarning({ name }: Kind, failure: Failure): Diagnostic {
  const { severity: _, ...about } = fromError(`${name} was created, but not read back`, failure);
  const detail = `${about.detail} The next refresh completes its state.`;
  return { ...about, severity: 2, detail };
}

/** Returns the summary of a write that failed after a part of it. */
export function writeSummary({ name }: Kind, failure: Failure, isUpdate: boolean): string {
  if (!isUpdate) return `${name} was created, but not as planned`;
  return failure.code === "conflict"
    ? `Cannot update ${name}`
    : `${name} was not updated as planned`;
}
