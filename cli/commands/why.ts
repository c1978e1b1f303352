// `svc why`: everything about one object of a stack.
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

/** The command, to be added to the program. */
export function whyCommand(): Command {
  const command = new Command("why")
    .description(
      "Tell everything about one object: where it is declared, what is recorded and live, what the plan does about it and " +
        "why, and what keeps that: windows, protection, budgets, references, other stacks. Nothing is written anywhere.",
    )
    .argument("<address>", "Kind/name of the object")
    .argument("[paths...]", pathsHelp)
    .addOption(adoptOption())
    .action((given: string, paths: string[], flags: VerbFlags) =>
      runAction(flags, async (context) => {
        const address = addressIn(given);
        const told = await runVerb({ paths, flags, context }, ({ options }) =>
          why({ ...options, address }),
        );
        if (told === undefined) return exitCodes.failed;
        const { explanation, diagnostics: found } = told;
        context.output.result({
          text: (look) => whyText(explanation, { ...look, kinds }),
          json: () => whyJson(explanation, { kinds, manifestDiagnostics: found }),
        });
        return exitCodes.done;
      }),
    );
  return verbOptions(command);
}

function addressIn(given: string): string {
  const [address] = splitAddresses([given]).addresses;
  if (address !== undefined) return address;
  throw new Failure("usage", `${given} is no address`, {
    remedy: "an address is Kind/name, as plans show it; paths come after it",
  });
}
