// The option that names a branch of a data model.
import { Option } from "commander";

/** Returns the option for the branch; `use` completes "branch". */
export function branchOption(use: string): Option {
  return new Option("--branch <name>", `branch ${use}`);
}
