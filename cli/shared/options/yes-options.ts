// The option `--yes`: it answers the confirmation of a command.
import { Option } from "commander";

/** Returns the option that answers the confirmation. */
export function yesOption(): Option {
  return new Option("-y, --yes", "do not ask for confirmation");
}

/** Returns the option that answers the confirmation of a plan, with its deletes. */
export function yesWithDeletesOption(): Option {
  return new Option(
    "-y, --yes",
    "do not ask for confirmation; allows deletes and replacements up to the delete limit of the stack",
  );
}
