// `svc adopt`: takes over what exists already, without changing it.
import { Command } from "commander";
import { type Adopted, adopt } from "../../reconciler/verbs.ts";
import { splitAddresses } from "../addresses.ts";
import { ask } from "../confirm.ts";
import { exits } from "../exit.ts";
import type { Output } from "../output.ts";
import { type Context, perform } from "../perform.ts";
import { counted } from "../../reconciler/report/visible.ts";
import { foldNames } from "../../reconciler/report/fold.ts";
import type { Look } from "../../reconciler/report/style.ts";
import { isInteractive } from "../streams.ts";
import { declined, unconfirmed } from "../unwritten.ts";
import { appended, pathsHelp } from "../stack-options.ts";
import { fullOption, runVerb, type VerbFlags, verbOptions } from "../verb.ts";

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
    .option("--only <address>", "take only this one (Kind/name); repeat it for several", appended)
    .option("-y, --yes", "do not ask")
    .addOption(fullOption())
    .action((given: string[], flags: Flags) =>
      perform(flags, (context) => run(given, flags, context)),
    );
  return verbOptions(command);
}

async function run(given: readonly string[], flags: Flags, context: Context): Promise<number> {
  const { output } = context;
  const { addresses, paths } = splitAddresses(given);
  const only = [...(flags.only ?? []), ...addresses];
  const wanted = (address: string) => only.length === 0 || only.includes(address);
  let left: { readonly asked: readonly string[]; readonly how: "declined" | "unasked" } | undefined;
  const adopted = await runVerb({ paths, flags, context }, ({ options, clear }) => {
    const approve = async (asked: readonly string[]): Promise<boolean> => {
      if (flags.yes === true) return true;
      clear();
      output.tell((look) => foldNames("would take over", asked, look).join("\n"));
      if (!isInteractive()) left = { asked, how: "unasked" };
      else if (!(await confirmed(asked, context))) left = { asked, how: "declined" };
      return left === undefined;
    };
    return adopt({ ...options, adopt: wanted, approve });
  });
  if (adopted === undefined) return exits.failed;
  if (left !== undefined) return notTaken(output, left);
  const missed = only.filter((address) => !adopted.taken.includes(address));
  output.result({
    text: (look) => adoptedText(adopted, missed, look),
    json: () => ({ adopted: adopted.taken, missed }),
  });
  return missed.length > 0 ? exits.failed : exits.done;
}

async function confirmed(asked: readonly string[], { signal, interrupt }: Context) {
  interrupt.asking(true);
  const yes = await ask(`Take over ${counted(asked.length, "object")}?`, signal);
  interrupt.asking(false);
  return yes;
}

/** Nothing was taken: by a no, or because nobody was there to say yes. */
function notTaken(
  output: Output,
  { asked, how }: { readonly asked: readonly string[]; readonly how: "declined" | "unasked" },
): number {
  if (how === "declined") {
    output.warn(() => "not confirmed: nothing was taken over");
    output.result(declined());
    return exits.confirmation;
  }
  output.warn(() => "error: nobody is there to confirm this, so nothing was taken over");
  output.result(unconfirmed({ adopts: asked }));
  return exits.confirmation;
}

function adoptedText({ taken }: Adopted, missed: readonly string[], look: Look): string {
  return [
    ...foldNames("adopted", taken, look),
    ...missed.map((address) => `${address} was not there to be taken`),
    `${counted(taken.length, "object")} taken over.`,
  ].join("\n");
}
