// `svc adopt`: takes over what exists already, without changing it.
import { Command } from "commander";
import { type Adopted, adopt } from "../../reconciler/verbs.ts";
import { splitAddresses } from "../addresses.ts";
import { exits } from "../exit.ts";
import { perform } from "../perform.ts";
import { appended, pathsHelp } from "../stack-options.ts";
import { runVerb, type VerbFlags, verbOptions } from "../verb.ts";

interface Flags extends VerbFlags {
  readonly only?: readonly string[];
}

/** The command, to be added to the program. */
export function adoptCommand(): Command {
  const command = new Command("adopt")
    .description(
      "Take over declared objects that exist on the server and that nobody owns. Only the inventory is " +
        "written; what differs from the manifests shows in the next plan.",
    )
    .argument("[paths...]", `${pathsHelp}; or addresses, as --only`)
    .option("--only <address>", "take only this one (Kind/name); repeat it for several", appended)
    .action((given: string[], flags: Flags) =>
      perform(flags, async (context) => {
        const { addresses, paths } = splitAddresses(given);
        const only = [...(flags.only ?? []), ...addresses];
        const wanted = (address: string) => only.length === 0 || only.includes(address);
        const adopted = await runVerb({ paths, flags, context }, ({ options }) =>
          adopt({ ...options, adopt: wanted }),
        );
        if (adopted === undefined) return exits.failed;
        const missed = only.filter((address) => !adopted.taken.includes(address));
        context.output.result({
          text: () => adoptedText(adopted, missed),
          json: () => ({ adopted: adopted.taken, missed }),
        });
        return missed.length > 0 ? exits.failed : exits.done;
      }),
    );
  return verbOptions(command);
}

function adoptedText({ taken }: Adopted, missed: readonly string[]): string {
  return [
    ...taken.map((address) => `adopted ${address}`),
    ...missed.map((address) => `${address} was not there to be taken`),
    `${taken.length} ${taken.length === 1 ? "object" : "objects"} taken over.`,
  ].join("\n");
}
