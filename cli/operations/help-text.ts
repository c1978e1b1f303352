// Texts of the help of a command, from the descriptions of its operation and of the members of its request.
import type { Lookup } from "../shared/lookup/lookup.ts";
import { mostChoices } from "../shared/help/option-help.ts";
import type { OperationCommand } from "./command.ts";
import type { Member, RequestMembers } from "./members.ts";

/** Returns the description of a command, with arguments and flags in place of members. */
export function descriptionOf(
  { operation, description }: OperationCommand,
  members: RequestMembers,
): string {
  const { summary, description: details = "" } = operation;
  const text = description ?? withoutStatuses(withoutRepetition(summary, details));
  return withLabels(text, members);
}

/** Returns the help of an argument. */
export function argumentHelp({ doc, lookup }: Member, members: RequestMembers): string {
  if (lookup === undefined) return plainText(doc, members);
  const { label, root, typeMember } = lookup;
  if (typeMember !== undefined) return `ID; of a ${label} also its name`;
  const or = root === undefined ? "" : `, or ${root} for the root`;
  return `ID or name of the ${label}${or}; digits are an ID`;
}

/** Returns the help of a flag. */
export function flagHelp(member: Member, members: RequestMembers): string {
  const { doc, isList, isRequired, choices, lookup, sameAs, requiredUnless } = member;
  const listed = isList && choices !== undefined && choices.length <= mostChoices ? choices : [];
  return [
    plainText(lookup === undefined ? doc : lookupDoc(doc, lookup), members),
    ...(listed.length > 0 ? [`of ${listed.join(", ")}`] : []),
    ...(isList ? ["repeatable"] : []),
    ...(isRequired && sameAs === undefined
      ? [requiredUnless === undefined ? "required" : `required without ${requiredUnless}`]
      : []),
  ].join("; ");
}

/** Returns the help of `--data`. */
export function dataHelp(
  { dataWins }: Pick<OperationCommand, "dataWins">,
  { dataOnly }: Pick<RequestMembers, "dataOnly">,
): string {
  const wins = dataWins === true ? "Its members override flags" : "Flags override its members";
  const more = dataOnly.length === 0 ? "" : `. Also sets: ${dataOnly.join(", ")}`;
  return `request body: JSON, @file, or - for standard input. ${wins}${more}`;
}

/**
 * Returns the summary and the description of an operation without saying the same twice. "Deletes the key" only repeats "Delete an
 * API key" and is left out; "Deletes the group and its memberships" says more, and replaces it.
 */
function withoutRepetition(summary: string, details: string): string {
  const [verb = "", ...object] = summary.split(" ");
  const [, sentence = "", rest = ""] = /^(.*?)\.(?=\s|$)\s*(.*)$/su.exec(details) ?? [];
  const [first = "", ...words] = sentence.split(" ");
  if (!isThirdPerson(first, verb)) return `${summary}. ${details}`;
  const known = new Set(object);
  const isNew = words.some((word) => !articles.has(word) && !known.has(word));
  return `${isNew ? [verb, ...words].join(" ") : summary}. ${rest}`;
}

const articles: ReadonlySet<string> = new Set(["a", "an", "the"]);

/** `Deletes` and `Delete`, `Publishes` and `Publish`, `Applies` and `Apply`. */
function isThirdPerson(word: string, verb: string): boolean {
  return [`${verb}s`, `${verb}es`, verb.replace(/y$/u, "ies")].includes(word);
}

/** Replaces statuses of HTTP, which a command does not show: "Returns 409 when" is "Fails when". */
function withoutStatuses(text: string): string {
  return text
    .trim()
    .replace(/\bReturns 4\d\d (?=when|if|for|while)/gu, "Fails ")
    .replace(/(?<=, |and )4\d\d (?=when|if|for|while)/gu, "");
}

/** `ID of a workbook. More.` -> `Workbook, by ID or name. More.` */
function lookupDoc(doc: string, { root }: Lookup): string {
  const [, what = doc, rest = ""] = /^(.*?)(\.(?:\s.*)?)?$/su.exec(doc) ?? [];
  const named = what.replace(/^ID of (?:an?|the) /u, "");
  const or = root === undefined ? "" : `; ${root} is the root`;
  return `${named}, by ID or name${or}${rest}`;
}

function plainText(doc: string, members: RequestMembers): string {
  return withLabels(doc.replace(/^Proposed\. /u, "").replace(/\.$/u, ""), members);
}

/** Replaces members and operations in code with the flags and commands that set or call them. */
function withLabels(text: string, members: RequestMembers): string {
  const labels = new Map([
    ...members.arguments.map((one) => [one.name, `<${one.label}>`] as const),
    ...members.flags
      .filter(({ value }) => value === undefined)
      .map((one) => [one.name, one.label] as const),
  ]);
  return text.replace(
    /`([^`]+)`/gu,
    (_, name: string) => labels.get(name) ?? commandNames[name] ?? name,
  );
}

/** Commands of the operations that descriptions of others name. */
const commandNames: Readonly<Record<string, string>> = {
  connectGit: "svc git connect",
  createEnvironmentToken: "svc environments tokens create",
  deleteUser: "svc users delete",
  deploymentToken: "svc deployments token",
  moveWorkspaceItem: "svc workspace move",
  startSync: "svc sync start",
  updateUser: "svc users update",
};
