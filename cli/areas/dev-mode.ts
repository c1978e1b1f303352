// `svc dev-mode`: the session of a credential on a personal branch.
import { enterDevMode, exitDevMode } from "../../api/branches.ts";
import { buildStatus } from "../../api/data-model.ts";
import { command, type Area, type Outcome, type RunContext } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** Commands that enter and exit dev mode. */
export const devMode: Area = {
  name: "dev-mode",
  description:
    "Enter and exit dev mode. While a session of your credential is open, commands that omit the branch use its branch.",
  commands: [
    command("enter", enterDevMode, { lookups, arguments: ["branchName"] }),
    command("exit", exitDevMode, { lookups, confirm: false, run: exit }),
    command("status", buildStatus, {
      lookups,
      description:
        "Show the open session of your credential: whether there is one, and the branch that commands without a branch use.",
      flags: { branchName: false },
      run: showSession,
    }),
  ],
};

/** The branch that commands without a branch use, and whether a session chose it. */
async function sessionOf({ client, request }: Pick<RunContext, "client" | "request">) {
  const params = { deploymentId: Number(request.params["deploymentId"]) };
  const { branchName, mode } = await client.reader.call(buildStatus, { params });
  return { isOpen: mode === "dev_mode", branchName };
}

async function showSession(context: RunContext): Promise<Outcome> {
  return { answer: await sessionOf(context) };
}

/** Ends the session, and says on standard error if there was none. */
async function exit(context: RunContext): Promise<Outcome> {
  const { client, request, output } = context;
  // A credential may end its session without the permission to read builds.
  const session = await sessionOf(context).catch(() => undefined);
  const answer = await client.call(exitDevMode, { params: request.params } as never);
  if (session?.isOpen === false) output.info(() => "no session of this credential was open");
  return { answer: { ...(answer as object) } };
}
