// `svc variables`: the environment variables of a deployment.
import { deleteVariable, listVariables, setVariables } from "../../api/variables.ts";
import { Failure } from "../../core/errors.ts";
import { type Area, command, type ExtraValues } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";

const lookups = { deploymentId: deploymentLookup };

/** Commands that list, set and delete the environment variables of a deployment. */
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
      complete: async (given) => ({ body: { env_variables: await assignmentsOf(given) } }),
    }),
    command("delete", deleteVariable, { lookups }),
  ],
};

/** Reads the assignments. A file ends its value before its last line break. */
async function assignmentsOf(given: ExtraValues): Promise<readonly Assignment[]> {
  const assignments = given.args.flat().map(assignmentOf);
  if (assignments.filter(({ value }) => value === "@-").length > 1) {
    throw new Failure("usage", "standard input cannot provide several values");
  }
  const [{ readContent }, { limits }] = await Promise.all([
    import("../operations/content-input.ts"),
    import("../../core/limits/limits.ts"),
  ]);
  return Promise.all(
    assignments.map(async ({ name, value }) => {
      if (!value.startsWith("@")) return { name, value };
      const text = await readContent(value.slice(1), given, limits.bodyBytes);
      return { name, value: text.replace(/\r?\n$/u, "") };
    }),
  );
}

interface Assignment {
  readonly name: string;
  readonly value: string;
}

function assignmentOf(text: string): Assignment {
  const [, name, value] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { name, value };
  throw new Failure("usage", "an assignment is NAME=VALUE, NAME=@FILE or NAME=@-");
}
