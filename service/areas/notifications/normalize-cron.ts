// Checks and normalizes the cron expressions of requests.
import { cronError } from "../../../core/text/cron.ts";
import { fieldError } from "../shared/field-error.ts";

/**
 * Returns the expression with single spaces and names in capitals. Throws `invalid` with the reason if it is not a cron
 * expression of minute, hour, day of the month, month and day of the week.
 */
export function normalizeCron(text: string): string {
  const expression = text.trim().toUpperCase().replaceAll(/\s+/g, " ");
  const why = cronError(expression);
  if (why === undefined) return expression;
  throw fieldError("customCron", [
    "invalid",
    `customCron: ${JSON.stringify(text)} is not a cron expression: ${why}`,
  ]);
}
