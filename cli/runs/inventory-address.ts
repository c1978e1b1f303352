// Runs `svc inventory move --former-url`: continues a stack at another address of its server.
import { commandJson } from "../../reconciler/report/command-output-schema.ts";
import { pluralize } from "../../core/text/escape-text.ts";
import type { FailureFacts } from "../../reconciler/report/failure-schema.ts";
import {
  type AddressChange,
  type AddressResult,
  changeServerAddress,
} from "../../reconciler/verbs/server-address.ts";
import { reportUnconfirmed } from "../shared/run/confirmation.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { loadOptions } from "../shared/options/load-options.ts";
import { confirmInRun } from "../shared/run/prompt.ts";
import type { CommandContext } from "../shared/run/run-action.ts";
import type { StackFlags } from "../shared/options/stack-options.ts";
import { isInteractive } from "../shared/streams.ts";
import { reportDiagnostics, reportInvalidManifests } from "../shared/run/verb.ts";

interface Flags extends StackFlags, ConnectionFlags {
  readonly formerUrl: string;
  readonly yes?: true;
}

/** Records the address of the connected server, after it asked. Returns the exit code. */
export async function changeAddress(
  paths: string[],
  flags: Flags,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  let facts: FailureFacts = {};
  const approve = async (change: AddressChange): Promise<boolean> => {
    if (flags.yes === true) return true;
    output.info(() => changeText("would record", change));
    facts = factsOf(change);
    const question = `Is this the same server as ${change.formerUrl}?`;
    return isInteractive() && confirmInRun(question, context);
  };
  const done = await changeServerAddress({
    ...loadOptions(paths, flags),
    connection: () => serverAccess(flags),
    formerUrl: flags.formerUrl,
    approve,
  });
  if (!done.ok) return reportInvalidManifests(output, done.diagnostics);
  reportDiagnostics(output, done.diagnostics);
  if (done.outcome === "declined") return reportUnconfirmed(context, { facts });
  output.result({
    text: () => resultText(done),
    json: () =>
      commandJson("inventory move --former-url", {
        stack: done.stack,
        url: done.url,
        changed: done.outcome === "changed",
        ...(done.change && factsOf(done.change)),
      }),
  });
  return exitCodes.done;
}

function factsOf({ stack, formerUrl, url, objectCount }: AddressChange): AddressChange {
  return { stack, formerUrl, url, objectCount };
}

function resultText({ stack, url, change }: AddressResult): string {
  if (change !== undefined) return changeText("Recorded", change);
  return `The inventory of stack ${stack} names no server other than ${url}; nothing was written.`;
}

function changeText(verb: string, { stack, formerUrl, url, objectCount }: AddressChange): string {
  const objects = pluralize(objectCount, "object");
  return `${verb} ${url} as the server of stack ${stack} (${objects}), in place of ${formerUrl}`;
}
