// `svc adopt`: takes over what exists already, without changing it.
import { Command } from "commander";
import { type AdoptResult, adopt } from "../../reconciler/verbs/verbs.ts";
import { splitAddresses } from "../shared/addresses.ts";
import { confirm } from "../shared/prompt.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import type { Output } from "../shared/output.ts";
import { type CommandContext, runAction } from "../shared/run-action.ts";
import { pluralize } from "../../reconciler/report/escape-text.ts";
import { foldNames } from "../../reconciler/report/fold-lists.ts";
import type { TextStyle } from "../../reconciler/report/style.ts";
import { isInteractive } from "../shared/streams.ts";
import { declined, confirmationRequired } from "../shared/confirmation.ts";
import { appendValue, pathsHelp } from "../shared/stack-options.ts";
import { fullOption, runVerb, type VerbFlags, verbOptions } from "../shared/verb.ts";

interface Flags extends VerbFlags {
  readonly only?: readonly string[];
  readonly yes?: true;
}

/** The command, to be added to the program. */
export function adoptCommand(): Command {
  const command = new Command("adopt")
    .description(
      "Take over declared objects that exist on the server and that nobody owns: shows them, and asks. Only the " +
        "inventory is written; what differs from the manifests shows in the next plan.\n" +
        "Ends with 5 when it needs confirmation.",
    )
    .argument("[paths...]", `${pathsHelp}; or addresses, as --only`)
    .option(
      "--only <address>",
      "take only this one (Kind/name); repeat it for several",
      appendValue,
    )
    .option("-y, --yes", "do not ask")
    .addOption(fullOption())
    .action((given: string[], flags: Flags) =>
      runAction(flags, (context) => run(given, flags, context)),
    );
  return verbOptions(command);
}

async function run(
  given: readonly string[],
  flags: Flags,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const { addresses, paths } = splitAddresses(given);
  const only = [...(flags.only ?? []), ...addresses];
  const wanted = (address: string) => only.length === 0 || only.includes(address);
  let left: { readonly asked: readonly string[]; readonly how: "declined" | "unasked" } | undefined;
  const adopted = await runVerb({ paths, flags, context }, ({ options, clearProgress: clear }) => {
    const approve = async (asked: readonly string[]): Promise<boolean> => {
      if (flags.yes === true) return true;
      clear();
      output.info((look) => foldNames("would take over", asked, look).join("\n"));
      if (!isInteractive()) left = { asked, how: "unasked" };
      else if (!(await confirmAdoption(asked, context))) left = { asked, how: "declined" };
      return left === undefined;
    };
    return adopt({ ...options, adopt: wanted, approve });
  });
  if (adopted === undefined) return exitCodes.failed;
  if (left !== undefined) return notAdopted(output, left);
  const missed = only.filter((address) => !adopted.adopted.includes(address));
  output.result({
    text: (look) => adoptedText(adopted, missed, look),
    json: () => ({ adopted: adopted.adopted, missed }),
  });
  return missed.length > 0 ? exitCodes.failed : exitCodes.done;
}

async function confirmAdoption(asked: readonly string[], { signal, interrupt }: CommandContext) {
  interrupt.setPrompting(true);
  const yes = await confirm(`Take over ${pluralize(asked.length, "object")}?`, signal);
  interrupt.setPrompting(false);
  return yes;
}

/** Nothing was taken: by a no, or because nobody was there to say yes. */
function notAdopted(
  output: Output,
  { asked, how }: { readonly asked: readonly string[]; readonly how: "declined" | "unasked" },
): number {
  if (how === "declined") {
    output.warn(() => "not confirmed: nothing was taken over");
    output.result(declined());
    return exitCodes.confirmation;
  }
  output.warn(() => "error: nobody is there to confirm this, so nothing was taken over");
  output.result(confirmationRequired({ adopts: asked }));
  return exitCodes.confirmation;
}

function adoptedText(
  { adopted: taken }: AdoptResult,
  missed: readonly string[],
  look: TextStyle,
): string {
  return [
    ...foldNames("adopted", taken, look),
    ...missed.map((address) => `${address} was not there to be taken`),
    `${pluralize(taken.length, "object")} taken over.`,
  ].join("\n");
}
