// Lists the commands: a line of help for each, and the module that implements it.
import type { Command } from "commander";
import { areas } from "./areas/index.ts";

/** A command, before it is loaded. */
export interface CommandEntry {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: (version: string) => Promise<Command>;
}

const stack = "Stacks of manifests:";
const server = "Servers:";
const operations = "Operations of the server:";
const setup = "This installation:";
const engines = "Terraform and Pulumi:";

/** The commands, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: "init",
    group: stack,
    summary: "write the skeleton of a stack",
    load: async (version) => (await import("./commands/init.ts")).initCommand(version),
  },
  {
    name: "plan",
    group: stack,
    summary: "show what apply would do",
    load: async () => (await import("./commands/plan.ts")).planCommand(),
  },
  {
    name: "show",
    group: stack,
    summary: "show a saved plan",
    load: async () => (await import("./commands/show.ts")).showCommand(),
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
    name: "stacks",
    group: stack,
    summary: "list the stacks below folders, or those that commits changed",
    load: async () => (await import("./commands/stacks.ts")).stacksCommand(),
  },
  {
    name: "publish",
    group: stack,
    summary: "put reports on a pull request, and a status beside its commit",
    load: async () => (await import("./commands/publish.ts")).publishCommand(),
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
    summary: "describe a resource type or one of its fields",
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
    summary: "back up accounts, rotate keys, set passwords",
    load: async (version) => (await import("./commands/service.ts")).adminCommand(version),
  },
  ...areas.map(({ name, summary, load }) => ({
    name,
    group: operations,
    summary,
    load: async () => (await import("./operations/area-command.ts")).areaCommand(await load()),
  })),
  {
    name: "doctor",
    group: setup,
    summary: "find what is wrong with the installation, the credential or the server",
    load: async (version) => (await import("./commands/doctor.ts")).doctorCommand(version),
  },
  {
    name: "completion",
    group: setup,
    summary: "complete commands and names in bash, zsh, fish and PowerShell",
    load: async () => (await import("./commands/completion.ts")).completionCommand(),
  },
  {
    name: "update",
    group: setup,
    summary: "install the newest release, or only look for it",
    load: async (version) => (await import("./commands/update.ts")).updateCommand(version),
  },
  {
    name: "plugin",
    group: engines,
    summary: "install the provider for Terraform, or the plugin for Pulumi",
    load: async (version) => (await import("./commands/plugin.ts")).pluginCommand(version),
  },
];
