// Options whose values are recorded with an action.
import { Option } from "commander";

/** Returns the option for the actor. */
export function actorOption(): Option {
  return new Option(
    "--by <name>",
    "name of the actor, recorded (default: SVC_ACTOR, then the current user)",
  );
}

/** Returns the option for the reason of a run or a decision. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "reason, recorded in the history of the stack or pipeline");
}
