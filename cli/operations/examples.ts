// Derives examples of a command from its arguments, its required flags and its columns.
import { lowerFirst } from "../../core/text/naming.ts";
import type { Examples } from "../shared/help/examples.ts";
import { exclusiveMembers } from "../../core/schema/member-rules.ts";
import { isUpdate, type OperationCommand, readsList, titleOf } from "./command.ts";
import type { Member, RequestMembers } from "./members.ts";

/** Values of lookups and of members, by label and by name. */
const values: Readonly<Record<string, string>> = {
  deployment: "main",
  user: "ana@example.com",
  group: "Analysts",
  role: "Editors",
  workbook: "revenue",
  attribute: "region",
  "API key": "ci",
  name: "Sales",
  email: "ana@example.com",
  branchName: "feature-x",
  embedTenantName: "northwind",
  externalId: "ana@northwind.example",
  slug: "revenue",
  path: "model/orders.yml",
  users: "ana@example.com",
  groups: "Analysts",
};

/** Returns the examples; `line` is the command with its words. */
export function operationExamples(
  line: string,
  command: OperationCommand,
  members: RequestMembers,
): Examples {
  const words = [
    line,
    ...members.arguments.map(valueOf),
    ...(command.extraArguments ?? []).map(({ syntax }) => placeholderOf(syntax)),
  ];
  const one = oneOfSeveral(command);
  const required = members.flags.filter(
    ({ name, isRequired, sameAs }) => name === one || (isRequired && sameAs === undefined),
  );
  const [changed] = isUpdate(command) && required.length === 0 ? members.flags : [];
  const flags = [...required, ...(changed === undefined ? [] : [changed])].map(flagOf);
  const hasData = members.requiredData.length > 0 && command.complete === undefined;
  const plain = [...words, ...flags, ...(hasData ? ["--data @body.json"] : [])].join(" ");
  const [title = ""] = titleOf(command).split(":");
  const what = lowerFirst(title);
  if (!readsList(command)) return { [what]: plain };
  return {
    [what]: plain,
    "the first 10, as JSON": `${plain} --limit 10 --json`,
  };
}

/** Returns the first of the members of the body of which a request has exactly one. */
function oneOfSeveral({ operation: { body } }: OperationCommand): string | undefined {
  return body === undefined ? undefined : exclusiveMembers(body)[0];
}

function flagOf(member: Member): string {
  const { label, type, isList, value } = member;
  if (value !== undefined || (type === "boolean" && !isList)) return label;
  return `${label} ${valueOf(member)}`;
}

function valueOf({ name, label, type, choices, lookup }: Member): string {
  const [choice] = choices ?? [];
  if (choice !== undefined) return choice;
  const known = values[lookup?.label ?? name];
  if (known !== undefined) return known;
  if (lookup === undefined && (type === "integer" || type === "number")) return "1";
  if (type === "boolean") return "true";
  return label.replace(/^--/u, "").toUpperCase();
}

/** `<users...>` -> a user; `<new-path>` -> `NEW-PATH`. */
function placeholderOf(syntax: string): string {
  const name = syntax.replace(/[<>[\].]/gu, "");
  return values[name] ?? name.toUpperCase();
}
