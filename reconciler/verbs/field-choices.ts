// Checks written fields whose valid values only the server knows: regions, versions.
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Kind, Reader } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { nearestMatches } from "../../core/text/naming.ts";
import { splitPointer, memberAt } from "../../core/pointer.ts";
import type { FieldChoices as ChoicesOf } from "../../core/kind/server-checks.ts";
import { type Change, type DesiredObject, locationIn } from "../model/index.ts";
import { objectsByAddress } from "../model/stack-index.ts";
import type { Session } from "./session.ts";

type FieldChoices = ChoicesOf<Reader>;

interface ChoiceContext {
  readonly session: Pick<Session, "desired" | "apiDiscovery">;
  readonly reader: Reader;
}

/** A written value to look for in the list of the server. */
interface ChosenValue {
  readonly desired: DesiredObject;
  readonly id: string | undefined;
  readonly choices: FieldChoices;
  readonly value: string;
}

/** Returns an error for each written value that is not on the server's list, and the values that have no list. */
export async function checkChoices(
  written: readonly Change[],
  { session, reader }: ChoiceContext,
): Promise<{
  readonly diagnostics: readonly Diagnostic[];
  readonly notChecked: readonly string[];
}> {
  const desiredObjects = objectsByAddress(session.desired.objects);
  const chosen = written.flatMap((change) => {
    const desired = desiredObjects.get(change.address);
    return desired === undefined ? [] : chosenValues(change, desired, session);
  });
  const existing = new Map(
    chosen.flatMap(({ choices, id }) => (id === undefined ? [] : [[choices, id] as const])),
  );
  const diagnostics: Diagnostic[] = [];
  const notChecked = new Set<string>();
  for (const choice of chosen) {
    const { desired, choices, value } = choice;
    const listed = await choices.list(reader, { id: existing.get(choices), spec: desired.spec });
    if (listed === undefined) notChecked.add(notListedText(desired.kind, choices));
    else if (!listed.includes(value)) diagnostics.push(notListedError(choice, listed));
  }
  return { diagnostics, notChecked: [...notChecked] };
}

function chosenValues(
  { action, fields, id }: Change,
  desired: DesiredObject,
  { apiDiscovery }: ChoiceContext["session"],
): readonly ChosenValue[] {
  const isNew = action === "create" || action === "replace";
  const isWritten = (path: string): boolean =>
    isNew || fields.some((field) => field.path === path || path.startsWith(`${field.path}/`));
  return desired.kind.choices.flatMap((choices): readonly ChosenValue[] => {
    const value = memberAt(desired.spec, choices.path);
    const isListed = choices.needs.every((operation) => apiDiscovery.has(operation));
    if (typeof value !== "string" || !isListed || !isWritten(choices.path)) return [];
    return [{ desired, id: isNew ? undefined : id, choices, value }];
  });
}

function notListedText({ name }: Kind, { path }: FieldChoices): string {
  return `${name}.${splitPointer(path).join(".")} (this server has no list of its values yet)`;
}

function notListedError(
  { desired, choices: { path }, value }: ChosenValue,
  offered: readonly string[],
): Diagnostic {
  // A version is in several channels.
  const listed = [...new Set(offered)];
  // One more name is as short as the number of those that are left out.
  const most = limits.choicesNamed + (listed.length === limits.choicesNamed + 1 ? 1 : 0);
  const nearest = nearestMatches(value, listed, most);
  const more = listed.length > nearest.length ? `, and ${listed.length - nearest.length} more` : "";
  return {
    code: "out-of-bounds",
    severity: "error",
    ...locationIn(desired, `/spec${path}`),
    summary: `${splitPointer(path).join(".")} of ${desired.address} is ${JSON.stringify(value)}, which this server does not offer`,
    remedy:
      nearest.length === 0
        ? "The server offers none."
        : `Use one of: ${nearest.join(", ")}${more}.`,
  };
}
