// `svc variables`: the environment variables of a deployment.
import { deleteVariable, listVariables, setVariables } from "../../api/variables.ts";
import { Failure } from "../../core/errors.ts";
import { type Area, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** The area. */
export const variables: Area = {
  name: "variables",
  description: "List, set and delete the environment variables of a deployment.",
  commands: [
    command("list", listVariables, { lookups }),
    command("set", setVariables, {
      lookups,
      description:
        "Set environment variables and keep the others. Command lines are visible to other users: read secret values from a file with NAME=@FILE, or from standard input with NAME=@-.",
      flags: { env_variables: false },
      extraArguments: [{ syntax: "<assignments...>", doc: "NAME=VALUE, NAME=@FILE or NAME=@-" }],
      complete: async ({ args: [assignments] }) => ({
        body: { env_variables: await Promise.all([assignments].flat().map(assignment)) },
      }),
    }),
    command("delete", deleteVariable, { lookups }),
  ],
};

/** Reads `NAME=VALUE`. A file ends its value before its last line break. */
async function assignment(given = ""): Promise<{ name: string; value: string }> {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(given) ?? [];
  if (name === undefined || value === undefined) {
    throw new Failure("usage", "an assignment is NAME=VALUE, NAME=@FILE or NAME=@-");
  }
  if (!value.startsWith("@")) return { name, value };
  const [{ readStandardInput }, { readTextFile }, { limits }] = await Promise.all([
    import("../shared/streams.ts"),
    import("../shared/text-file.ts"),
    import("../../core/limits.ts"),
  ]);
  const file = value.slice(1);
  const text = file === "-" ? await readStandardInput(limits.bodyBytes) : readTextFile(file);
  return { name, value: text.replace(/\r?\n$/u, "") };
}
