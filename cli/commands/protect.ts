// `svc protect` and `svc unprotect`: what must not be deleted or replaced.
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { type ProtectResult, protect } from "../../reconciler/verbs/protect.ts";
import { splitAddresses } from "../shared/addresses.ts";
import { type ConnectionFlags, connectionOptions, serverAccess } from "../shared/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { type OutputFlags, outputOptions } from "../shared/output.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";
import { loadOptions, pathsHelp, type StackFlags, stackOptions } from "../shared/stack-options.ts";
import { reportInvalidManifests, reportDiagnostics } from "../shared/verb.ts";

type Flags = StackFlags & ConnectionFlags & OutputFlags;

/** The command that protects, to be added to the program. */
export function protectCommand(): Command {
  return commandFor(
    true,
    "Protect objects of a stack: nothing deletes or replaces them, whatever becomes of their documents, until " +
      "`svc unprotect` names them. Only the inventory is written.",
  );
}

/** The command that lifts protection, to be added to the program. */
export function unprotectCommand(): Command {
  return commandFor(
    false,
    "Lift the protection of objects of a stack. Only the inventory is written; nothing is deleted yet.",
  );
}

function commandFor(isOn: boolean, description: string): Command {
  const command = new Command(isOn ? "protect" : "unprotect")
    .description(description)
    .argument("<addresses...>", `Kind/name of each object; and ${pathsHelp}`)
    .action((given: string[], flags: Flags) =>
      runAction(flags, (context) => run(given, { isOn, flags, context })),
    );
  return outputOptions(connectionOptions(stackOptions(command)));
}

interface ProtectRequest {
  readonly isOn: boolean;
  readonly flags: Flags;
  readonly context: CommandContext;
}

async function run(
  given: readonly string[],
  { isOn, flags, context }: ProtectRequest,
): Promise<number> {
  const { addresses, paths } = splitAddresses(given);
  if (addresses.length === 0) {
    throw new Failure("usage", `no address is given: ${given.join(" ")} is none`, {
      remedy: "an address is Kind/name, as plans show it",
    });
  }
  const { output } = context;
  const connection = () => serverAccess(flags);
  const done = await protect({
    ...loadOptions(paths, flags),
    connection,
    addresses,
    protect: isOn,
  });
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  reportDiagnostics(output, done.diagnostics);
  output.result({
    text: () => resultText(done, addresses, isOn),
    json: () => ({ stack: done.stack, changed: done.changed, declared: done.stillDeclared }),
  });
  return exitCodes.done;
}

function resultText(
  { changed, stillDeclared: declared }: ProtectResult,
  addresses: readonly string[],
  isOn: boolean,
): string {
  const now = isOn ? "is protected" : "is not protected any more";
  const before = isOn ? "was protected before" : "was not protected";
  return [
    ...addresses.map((at) => `${at} ${changed.includes(at) ? now : before}`),
    ...declared.map((at) => `the document of ${at} protects it: the next apply does so again`),
  ].join("\n");
}
