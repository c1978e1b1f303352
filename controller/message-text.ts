// The text of a message, from its template and an event.
import { limits } from "../core/limits/limits.ts";
import { truncate } from "../core/text/escape-text.ts";
import { diagnosticText, type ReconciliationEvent } from "./events.ts";
import { type MessageField, placeholder } from "./message-template.ts";

/** Returns the text of a template for an event, in at most the characters of a message. A field without a value is empty. */
export function renderTemplate(template: string, type: string, event: ReconciliationEvent): string {
  const { source, mode, result, commit = "", held, drift, time } = event;
  const values: Readonly<Record<MessageField, string | number>> = {
    source,
    type,
    mode,
    result,
    reason: type === "approval" ? approvalText(event) : reasonOf(event),
    commit: commit.slice(0, 12),
    plan: held?.plan ?? "",
    drifted: drift?.drifted ?? 0,
    conflicts: drift?.conflict ?? 0,
    deletes: held?.deletes ?? 0,
    time,
  };
  const text = template.replace(placeholder, (_, field: MessageField) => String(values[field]));
  return truncate(text, limits.messageTemplate);
}

/** Returns why a reconciliation has its result, in one line. */
function reasonOf({ failure, diagnostics, result }: ReconciliationEvent): string {
  const isCause = ({ severity, code }: { readonly severity: string; readonly code: string }) =>
    severity === "error" || code === "source-removed";
  const error = diagnostics?.find(isCause);
  return failure?.message ?? (error === undefined ? result : diagnosticText(error));
}

function approvalText({ approvals = [] }: ReconciliationEvent): string {
  const texts = approvals.map(({ pipeline, reason }) => `${reason} (pipeline ${pipeline})`);
  return texts.join("; ");
}
