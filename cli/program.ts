// The table of commands: one line of help each, and the module that is loaded when the command is used.
import { Command, type CommanderError } from "commander";
import { Failure } from "../core/errors.ts";
import { exitCodes } from "./shared/exit-codes.ts";
import { ignoreClosedPipes } from "./shared/streams.ts";

interface CommandEntry {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: (version: string) => Promise<Command>;
}

const stack = "A stack of manifests:";
const server = "A server:";
const engines = "Other people's engines:";

const commands: readonly CommandEntry[] = [
  {
    name: "plan",
    group: stack,
    summary: "show what apply would do; writes nothing anywhere",
    load: async () => (await import("./commands/plan.ts")).planCommand(),
  },
  {
    name: "apply",
    group: stack,
    summary: "make the server what the manifests say, or carry out a saved plan",
    load: async () => (await import("./commands/apply.ts")).applyCommand(),
  },
  {
    name: "drift",
    group: stack,
    summary: "show what changed behind the manifests' back",
    load: async () => (await import("./commands/drift.ts")).driftCommand(),
  },
  {
    name: "why",
    group: stack,
    summary: "tell everything about one object, and what keeps it from being changed",
    load: async () => (await import("./commands/why.ts")).whyCommand(),
  },
  {
    name: "adopt",
    group: stack,
    summary: "take over objects that exist and that nobody owns",
    load: async () => (await import("./commands/adopt.ts")).adoptCommand(),
  },
  {
    name: "export",
    group: stack,
    summary: "write manifests for what lives on a server",
    load: async () => (await import("./commands/export.ts")).exportCommand(),
  },
  {
    name: "protect",
    group: stack,
    summary: "keep objects from being deleted or replaced",
    load: async () => (await import("./commands/protect.ts")).protectCommand(),
  },
  {
    name: "unprotect",
    group: stack,
    summary: "lift the protection of objects",
    load: async () => (await import("./commands/protect.ts")).unprotectCommand(),
  },
  {
    name: "promote",
    group: stack,
    summary: "bring versions of the platform from stage to stage of a pipeline",
    load: async () => (await import("./commands/promote.ts")).promoteCommand(),
  },
  {
    name: "controller",
    group: stack,
    summary: "look after stacks: fetch, compare and repair, again and again",
    load: async () => (await import("./commands/controller.ts")).controllerCommand(),
  },
  {
    name: "validate-manifests",
    group: stack,
    summary: "check manifests without a server",
    load: async () => (await import("./commands/validate-manifests.ts")).validateManifestsCommand(),
  },
  {
    name: "graph",
    group: stack,
    summary: "show which documents need which",
    load: async () => (await import("./commands/graph.ts")).graphCommand(),
  },
  {
    name: "explain",
    group: stack,
    summary: "say what a kind or one of its fields means",
    load: async () => (await import("./commands/explain.ts")).explainCommand(),
  },
  {
    name: "history",
    group: stack,
    summary: "say who applied what, when and why",
    load: async () => (await import("./commands/history.ts")).historyCommand(),
  },
  {
    name: "undo",
    group: stack,
    summary: "take back what a run did",
    load: async () => (await import("./commands/undo.ts")).undoCommand(),
  },
  {
    name: "unlock",
    group: stack,
    summary: "break the lock that a dead run left on a stack",
    load: async () => (await import("./commands/unlock.ts")).unlockCommand(),
  },
  {
    name: "move-inventory",
    group: stack,
    summary: "take an inventory along to where the Stack keeps it now",
    load: async () => (await import("./commands/move-inventory.ts")).moveInventoryCommand(),
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
    summary: "send one request and print the answer",
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
    summary: "back up, restore and rotate the key of accounts",
    load: async (version) => (await import("./commands/service.ts")).adminCommand(version),
  },
  {
    name: "terraform",
    group: engines,
    summary: "install the provider for Terraform and OpenTofu",
    load: async (version) => (await import("./commands/terraform.ts")).terraformCommand(version),
  },
  {
    name: "pulumi",
    group: engines,
    summary: "install the plugin for Pulumi",
    load: async (version) => (await import("./commands/pulumi.ts")).pulumiCommand(version),
  },
];

/** Runs the command that `args` name; answers the exit code. Only a bug in what stands before the command throws. */
export async function runProgram(args: readonly string[], version: string): Promise<number> {
  ignoreClosedPipes();
  const program = newProgram(version);
  const wanted = commandName(args);
  try {
    for (const entry of commands)
      program.addCommand(await commandFor(entry, { wanted, version, program }));
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return exitCodes.done;
    const { failureOutput: answerIn, reportFailure: tellFailure } =
      await import("./shared/failure.ts");
    const isUsage = isCommanderError(error);
    const failure = isUsage ? usageFailure(error) : error;
    process.stdout.write(await answerIn(args, failure));
    return isUsage ? exitCodes.usage : tellFailure(failure);
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

/** The command is the first word; only `help` stands before another. */
function commandName([first, second]: readonly string[]): string | undefined {
  return first === "help" ? second : first;
}

/** The whole command where it is the one that runs, else only its line in the help. */
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

/** The command, and those within it, ending and telling mistakes as the program does: they were made apart from it. */
function inheritSettings(command: Command, above: Command): Command {
  command.copyInheritedSettings(above);
  for (const inner of command.commands) inheritSettings(inner, command);
  return command;
}

/** What commander has told already, as any other failure. */
function usageFailure({ code, message }: CommanderError): Failure {
  if (code === "commander.help") return new Failure("usage", "no such command is there");
  const said = usageText(message)
    .replace(/^error: /u, "")
    .replace(/\s+/gu, " ")
    .trim();
  return new Failure("usage", said);
}

/** What commander says of a mistake, without the values that were given: somebody may have typed a key there. */
function usageText(text: string): string {
  const said = text
    .replace(/'(--?[\w-]+)=[^']*'/gu, "'$1'")
    .replace(/(option '--var[^']*') argument '.*' is invalid\./su, "$1:")
    .replace(/\bsk-\S+/gu, "sk-...");
  const key = /unknown option '--(?:api-)?(?:key|token)'/u.test(said);
  return key
    ? `${said}Others can read the command line: use SVC_API_KEY or --api-key-file.\n`
    : said;
}
