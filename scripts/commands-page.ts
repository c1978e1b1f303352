// Generates the reference page of the commands that call one operation, by area.
import { type Area, asksFirst, type OperationCommand, titleOf } from "../cli/operations/command.ts";
import { requestMembers } from "../cli/operations/members.ts";
import { page, table } from "./reference-docs.ts";

/** Returns the page. */
export function commandsPage(areas: readonly Area[]): string {
  return page("Commands of operations", [
    "`svc AREA VERB` calls one [operation](operations.md). `svc AREA VERB --help` describes its arguments and options; [the command line](cli.md) describes connection, exit codes and the other commands.",
    [
      "- Where the help says so, a name can replace an ID: of a deployment, workbook (its slug), user, group, attribute or key. Digits are an ID.",
      "- Lists are read to the end and printed as a table; `--first` and `--after` read one page. The rest is printed as JSON. `--output table` and `--output json` choose; `--json` is short for the latter.",
      `- Flags set the simple members of a body, \`--data\` the rest: JSON, \`@file\`, or \`-\` for standard input. Flags win, except in ${dataFirst(areas)}.`,
      "- Commands marked * ask for confirmation. Without a terminal they need `--yes`, otherwise they change nothing and exit with 5.",
      "- Standard output contains only the result. With `--json` errors are JSON too.",
    ].join("\n"),
    ...areas.flatMap((area) => [
      `## svc ${area.name}`,
      area.description,
      table(
        ["command", "options", "operation", "what it does"],
        area.commands.map((command) => row(area, command)),
      ),
    ]),
  ]);
}

/** Returns the commands in which `--data` wins. */
function dataFirst(areas: readonly Area[]): string {
  const found = areas.flatMap(({ name, commands }) =>
    commands
      .filter(({ dataWins }) => dataWins === true)
      .map(({ verb }) => `\`svc ${name} ${verb}\``),
  );
  return found.join(" and ");
}

function row({ name }: Area, command: OperationCommand): readonly string[] {
  const { verb, operation, extraArguments = [], extraOptions = [] } = command;
  const members = requestMembers(command);
  const words = [
    ...members.arguments.map(({ label, isList }) => `<${label}${isList ? "..." : ""}>`),
    ...extraArguments.map(({ syntax }) => syntax),
  ];
  const options = [
    ...members.flags.map(({ label }) => label),
    ...extraOptions.map(({ syntax }) => syntax.split(" ")[0] ?? syntax),
  ];
  return [
    `\`svc ${[name, verb, ...words].join(" ")}\`${asksFirst(command) ? " *" : ""}`,
    options.map((option) => `\`${option}\``).join(", "),
    `\`${operation.id}\``,
    titleOf(command),
  ];
}
