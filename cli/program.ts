// Lists the commands: a line of help for each, and the module that implements it.
import { Command, type CommanderError } from "commander";
import { Failure } from "../core/errors.ts";
import { closestMatch } from "../core/naming.ts";
import { areas } from "./areas/index.ts";
import { exitCodes } from "./shared/exit-codes.ts";

interface CommandEntry {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: (version: string) => Promise<Command>;
}

const stack = "Stacks of manifests:";
const server = "Servers:";
const operations = "Operations of the server:";
const engines = "Terraform and Pulumi:";

const commands: readonly CommandEntry[] = [
  {
    name: "init",
    group: stack,
    summary: "write the skeleton of a stack",
    load: async () => (await import("./commands/init.ts")).initCommand(),
  },
  {
    name: "plan",
    group: stack,
    summary: "show what apply would do",
    load: async () => (await import("./commands/plan.ts")).planCommand(),
  },
  {
    name: "apply",
    group: stack,
    summary: "apply manifests to the server, or apply a saved plan",
    load: async () => (await import("./commands/apply.ts")).applyCommand(),
  },
  {
    name: "drift",
    group: stack,
    summary: "show changes made outside the manifests",
    load: async () => (await import("./commands/drift.ts")).driftCommand(),
  },
  {
    name: "why",
    group: stack,
    summary: "show everything about one object, and what blocks its change",
    load: async () => (await import("./commands/why.ts")).whyCommand(),
  },
  {
    name: "adopt",
    group: stack,
    summary: "import existing objects",
    load: async () => (await import("./commands/adopt.ts")).adoptCommand(),
  },
  {
    name: "export",
    group: stack,
    summary: "write manifests for live objects",
    load: async () => (await import("./commands/export.ts")).exportCommand(),
  },
  {
    name: "protect",
    group: stack,
    summary: "protect objects from deletion and replacement, or lift the protection",
    load: async () => (await import("./commands/protect.ts")).protectCommand(),
  },
  {
    name: "promote",
    group: stack,
    summary: "promote versions of the platform through the stages of a pipeline",
    load: async () => (await import("./commands/promote.ts")).promoteCommand(),
  },
  {
    name: "controller",
    group: stack,
    summary: "reconcile stacks from Git repositories or folders continuously",
    load: async () => (await import("./commands/controller.ts")).controllerCommand(),
  },
  {
    name: "lint",
    group: stack,
    summary: "check manifests offline",
    load: async () => (await import("./commands/lint.ts")).lintCommand(),
  },
  {
    name: "graph",
    group: stack,
    summary: "show dependencies between documents",
    load: async () => (await import("./commands/graph.ts")).graphCommand(),
  },
  {
    name: "explain",
    group: stack,
    summary: "describe a kind or one of its fields",
    load: async () => (await import("./commands/explain.ts")).explainCommand(),
  },
  {
    name: "history",
    group: stack,
    summary: "list who applied what, when and why",
    load: async () => (await import("./commands/history.ts")).historyCommand(),
  },
  {
    name: "undo",
    group: stack,
    summary: "revert a run",
    load: async () => (await import("./commands/undo.ts")).undoCommand(),
  },
  {
    name: "inventory",
    group: stack,
    summary: "show, move or unlock the inventory of a stack",
    load: async () => (await import("./commands/inventory.ts")).inventoryCommand(),
  },
  {
    name: "login",
    group: server,
    summary: "sign in to a server in the browser, or with an API key",
    load: async () => (await import("./commands/login.ts")).loginCommand(),
  },
  {
    name: "logout",
    group: server,
    summary: "end the sign-in of a context and remove the context",
    load: async () => (await import("./commands/logout.ts")).logoutCommand(),
  },
  {
    name: "whoami",
    group: server,
    summary: "show the server and the user that commands use",
    load: async () => (await import("./commands/whoami.ts")).whoamiCommand(),
  },
  {
    name: "context",
    group: server,
    summary: "list the contexts of `svc login`, and choose the active one",
    load: async () => (await import("./commands/context.ts")).contextCommand(),
  },
  {
    name: "deploy",
    group: server,
    summary: "upload the changed files of a data model and build it",
    load: async () => (await import("./commands/deploy.ts")).deployCommand(),
  },
  {
    name: "validate",
    group: server,
    summary: "compile the data model of a branch and print its errors",
    load: async () => (await import("./commands/validate.ts")).validateCommand(),
  },
  {
    name: "query",
    group: server,
    summary: "run a query on the data API of a deployment",
    load: async () => (await import("./commands/query.ts")).queryCommand(),
  },
  {
    name: "meta",
    group: server,
    summary: "list the cubes, views and members that queries can use",
    load: async () => (await import("./commands/meta.ts")).metaCommand(),
  },
  {
    name: "spec",
    group: server,
    summary: "list the operations that the server offers",
    load: async () => (await import("./commands/spec.ts")).specCommand(),
  },
  {
    name: "api",
    group: server,
    summary: "send one request and print the response",
    load: async () => (await import("./commands/api.ts")).apiCommand(),
  },
  {
    name: "serve",
    group: server,
    summary: "run the service",
    load: async (version) => (await import("./commands/service.ts")).serveCommand(version),
  },
  {
    name: "admin",
    group: server,
    summary: "back up and restore accounts, and rotate their key",
    load: async (version) => (await import("./commands/service.ts")).adminCommand(version),
  },
  ...areas.map(({ name, summary, load }) => ({
    name,
    group: operations,
    summary,
    load: async () => (await import("./operations/area-command.ts")).areaCommand(await load()),
  })),
  {
    name: "plugin",
    group: engines,
    summary: "install the provider for Terraform, or the plugin for Pulumi",
    load: async (version) => (await import("./commands/plugin.ts")).pluginCommand(version),
  },
];

/**
 * Runs the command that `args` names and returns the exit code. Throws only for a bug outside the
 * command.
 */
export async function runProgram(args: readonly string[], version: string): Promise<number> {
  const program = newProgram(version);
  const wanted = commandName(args);
  try {
    for (const entry of commands)
      program.addCommand(await commandFor(entry, { wanted, version, program }));
    rejectUnknownCommand(wanted, program);
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return exitCodes.done;
    const { failureOutput, reportFailure } = await import("./shared/failure.ts");
    const isUsage = isCommanderError(error);
    const failure = isUsage ? usageFailure(error) : error;
    process.stdout.write(await failureOutput(args, failure));
    return isUsage ? exitCodes.usage : reportFailure(failure);
  }
}

/** Recognises the errors of every copy of commander: the commands of the service package bring their own. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && error.name === "CommanderError";
}

function newProgram(version: string): Command {
  return new Command("svc")
    .description("Manage a hosted analytics platform as code.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .enablePositionalOptions()
    .commandsGroup("Help:")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ outputError: (text, write) => write(usageText(text)) })
    .showHelpAfterError("(add --help for more)")
    .exitOverride();
}

/** Returns the name of the command: the first argument, or the second after `help`. */
function commandName([first, second]: readonly string[]): string | undefined {
  return first === "help" ? second : first;
}

/** Fails for an unknown command, also with `--help`, for which commander would print its own help. */
function rejectUnknownCommand(wanted: string | undefined, program: Command): void {
  if (wanted === undefined || wanted.startsWith("-")) return;
  const names = commands.map(({ name }) => name);
  if (wanted === "help" || names.includes(wanted)) return;
  const nearest = closestMatch(wanted, names);
  const hint = nearest === undefined ? "" : `\n(Did you mean ${nearest}?)`;
  program.error(`error: unknown command '${wanted}'${hint}`, { code: "commander.unknownCommand" });
}

/** Loads the command that runs; every other command is only its line in the help. */
async function commandFor(
  { name, group, summary, load }: CommandEntry,
  given: {
    readonly wanted: string | undefined;
    readonly version: string;
    readonly program: Command;
  },
): Promise<Command> {
  const { wanted, version, program } = given;
  const command = name === wanted ? await load(version) : new Command(name);
  return inheritSettings(command, program).summary(summary).helpGroup(group);
}

/**
 * Copies the settings of the program to a command and its subcommands, which are created separately.
 */
function inheritSettings(command: Command, above: Command): Command {
  command.copyInheritedSettings(above);
  for (const inner of command.commands) inheritSettings(inner, command);
  return command;
}

/** Converts an error of commander to a failure. */
function usageFailure({ code, message }: CommanderError): Failure {
  if (code === "commander.help") return new Failure("usage", "no command given");
  const said = usageText(message)
    .replace(/^error: /u, "")
    .replace(/\s+/gu, " ")
    .trim();
  return new Failure("usage", said);
}

/**
 * Returns a message of commander without the values that the user passed, because one may be a key.
 */
function usageText(text: string): string {
  const said = text
    .replace(/'(--?[\w-]+)=[^']*'/gu, "'$1'")
    .replace(/(option '--var[^']*') argument '.*' is invalid\./su, "$1:")
    .replace(/\bsk-\S+/gu, "sk-...");
  const key = /unknown option '--(?:api-)?(?:key|token)'/u.test(said);
  return key
    ? `${said}Command lines are visible to other users: use SVC_API_KEY or --api-key-file.\n`
    : said;
}
