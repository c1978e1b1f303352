// Options whose values are recorded with an action.
import { Option } from "commander";

/** Returns the option for the actor where nobody has a login. */
export function actorOption(): Option {
  return new Option(
    "--by <name>",
    "name of the actor, recorded (default: SVC_ACTOR, then the current user)",
  );
}

/** Returns the option for the actor where the server names the user of the credential. */
export function claimedActorOption(): Option {
  return new Option(
    "--by <name>",
    "name of the actor, only without a login or for a server that does not name its user",
  );
}

/** Returns the option for the reason of a run or a decision. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "reason, recorded in the history of the stack or pipeline");
}
