// `svc why`: shows the state of one object and what blocks its change.
import { Command } from "commander";
import { Failure } from "../../core/errors.ts";
import { whyJson } from "../../reconciler/report/json.ts";
import { whyText } from "../../reconciler/report/why-text.ts";
import { why } from "../../reconciler/verbs/why.ts";
import { kinds } from "../../resources/index.ts";
import { splitAddresses } from "../shared/addresses.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runAction } from "../shared/run-action.ts";
import { pathsHelp } from "../shared/stack-options.ts";
import { adoptOption, runVerb, type VerbFlags, verbOptions } from "../shared/verb.ts";

/** Returns the `why` command. */
export function whyCommand(): Command {
  const command = new Command("why")
    .description(
      "Show everything about one object: where it is declared, what is recorded and live, what " +
        "the plan does and why, and what blocks it: maintenance windows, protection, the delete " +
        "limit, references, other stacks. Nothing is written.",
    )
    .argument("<address>", "address of the object (Kind/name)")
    .argument("[paths...]", pathsHelp)
    .addOption(adoptOption())
    .action((given: string, paths: string[], flags: VerbFlags) =>
      runAction(flags, async (context) => {
        const address = addressIn(given);
        const reported = await runVerb({ paths, flags, context }, ({ options }) =>
          why({ ...options, address }),
        );
        if (reported === undefined) return exitCodes.failed;
        const { explanation, diagnostics } = reported;
        context.output.result({
          text: (style) => whyText(explanation, { ...style, kinds }),
          json: () => whyJson(explanation, { kinds, manifestDiagnostics: diagnostics }),
        });
        return exitCodes.done;
      }),
    );
  return verbOptions(command);
}

function addressIn(given: string): string {
  const [address] = splitAddresses([given]).addresses;
  if (address !== undefined) return address;
  throw new Failure("usage", `${given} is not an address`, {
    remedy: "an address is Kind/name, as plans show it; paths follow it",
  });
}
