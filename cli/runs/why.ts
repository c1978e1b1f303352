// Runs `svc why`: shows the state of one object and what blocks its change.
import { Failure } from "../../core/errors.ts";
import { whyJson } from "../../reconciler/report/json.ts";
import { whyText } from "../../reconciler/report/why-text.ts";
import { why } from "../../reconciler/why.ts";
import { kinds } from "../../resources/index.ts";
import { splitAddresses } from "../shared/lookup/addresses.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runAction } from "../shared/run/run-action.ts";
import { runVerb } from "../shared/run/verb.ts";
import type { VerbFlags } from "../shared/options/verb-options.ts";

/** Runs `svc why`. */
export function runWhy(given: string, paths: string[], flags: VerbFlags): Promise<void> {
  return runAction(flags, async (context) => {
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
  });
}

function addressIn(given: string): string {
  const [address] = splitAddresses([given]).addresses;
  if (address !== undefined) return address;
  throw new Failure("usage", `${given} is not an address`, {
    remedy: "An address is Kind/name, as plans show it; paths follow it.",
  });
}
