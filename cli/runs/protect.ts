// Runs `svc protect`: protects objects from deletion and replacement, or lifts the protection.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { Failure } from "../../core/errors.ts";
import { type ProtectResult, protect } from "../../reconciler/verbs/protect.ts";
import { splitAddresses } from "../shared/lookup/addresses.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { OutputFlags } from "../shared/output/output-options.ts";
import { type CommandContext, runAction } from "../shared/run/run-action.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { reportDiagnostics, reportInvalidManifests } from "../shared/run/verb.ts";

export interface Flags extends StackFlags, ConnectionFlags, OutputFlags {
  readonly off?: true;
}

/** Runs `svc protect`. */
export function runProtect(given: string[], flags: Flags): Promise<void> {
  return runAction(flags, (context) => run(given, { isOn: flags.off !== true, flags, context }));
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
    throw new Failure("usage", `no address given: ${given.join(" ")} is not an address`, {
      remedy: "An address is Kind/name, as plans show it.",
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
    json: () =>
      commandJson("protect", {
        stack: done.stack,
        changed: done.changed,
        declared: done.stillDeclared,
      }),
  });
  return exitCodes.done;
}

function resultText(
  { changed, stillDeclared }: ProtectResult,
  addresses: readonly string[],
  isOn: boolean,
): string {
  const now = isOn ? "is protected" : "is no longer protected";
  const before = isOn ? "was already protected" : "was not protected";
  return [
    ...addresses.map((at) => `${at} ${changed.includes(at) ? now : before}`),
    ...stillDeclared.map(
      (at) => `the document of ${at} sets protect: true, so the next apply protects it again`,
    ),
  ].join("\n");
}
