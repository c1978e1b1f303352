// What Terraform shows: summaries and details, each at its attribute where there is one, and never a stack trace.
import { Failure } from "../../core/errors.ts";
import type { Finding } from "../bridge/validate-inputs.ts";
import { formatFailure } from "../bridge/format-failure.ts";
import { locationOf, type Step } from "./attribute-values.ts";
import type { Attribute } from "./schema.ts";
import { log } from "./wire/log.ts";

/** A diagnostic as the protocol has it. */
export interface Diagnostic {
  /** 1 is an error, 2 a warning. */
  readonly severity: 1 | 2;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: { readonly steps: readonly Step[] };
}

/** Findings at the attributes that they are about. */
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

/** An error at an attribute, or at the whole block. */
export function errorAt(summary: string, detail: string, attribute?: string): Diagnostic {
  const at =
    attribute === undefined ? {} : { attribute: { steps: [{ attributeName: attribute }] } };
  return { severity: 1, summary, detail, ...at };
}

/** As {@link errorAt}, for what does not stop anything. */
export function warningAt(summary: string, detail: string, attribute?: string): Diagnostic {
  return { ...errorAt(summary, detail, attribute), severity: 2 };
}

/** What a server refuses, at the attributes that it is about as far as it says so; and else {@link fromError}. */
export function fromValidationErrors(
  attributes: readonly Attribute[],
  what: string,
  error: unknown,
): readonly Diagnostic[] {
  if (!(error instanceof Failure) || error.validationErrors.length === 0)
    return [fromError(what, error)];
  const { validationErrors: complaints, remedy } = error;
  return complaints.map(({ path, message }) => {
    const { steps, label } = locationOf(attributes, path);
    const said = label === "" ? message : `${label}: ${message}`;
    const sentence = /[.!?]$/u.test(said) ? said : `${said}.`;
    const told = errorAt(what, remedy === undefined ? sentence : `${sentence} ${remedy}`);
    return steps.length === 0 ? told : { ...told, attribute: { steps } };
  });
}

/** What went wrong while `what` was tried. */
export function fromError(what: string, error: unknown): Diagnostic {
  if (error instanceof Failure) return errorAt(what, formatFailure(error));
  const message = error instanceof Error ? error.message : String(error);
  log("error", message, { what });
  return errorAt(what, `This is a bug of the provider; please report it: ${message}`);
}
