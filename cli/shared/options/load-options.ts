// Reads manifests as the options of a command say.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { closestMatch, suggestionRemedy } from "../../../core/text/naming.ts";
import { type Grants, noGrants } from "../../../reconciler/operator/grants.ts";
import { withGrantOptions } from "../../../reconciler/policy/grant-option.ts";
import { readGrants } from "../../../reconciler/policy/grants-file.ts";
import type { LoadOptions } from "../../../reconciler/manifest/load.ts";
import { components, kinds } from "../../../resources/index.ts";
import type { ConnectionFlags } from "../connection/connection.ts";
import { readStandardInput } from "../streams.ts";
import { pipelineDocumentType } from "../../../promotion/document-type.ts";
import type { StackFlags } from "./stack-options.ts";

/** Returns the grants of the operator's file and of the flags. */
function grantsOf({ grants, grant = [] }: StackFlags): Grants {
  const file = grants ?? process.env["SVC_GRANTS"];
  const given = file === undefined || file === "" ? noGrants : readGrants(file);
  return withGrantOptions(given, grant, process.cwd());
}

/**
 * Returns the options for loading a stack. Fails with `usage` if standard input would be read twice.
 */
export function loadOptions(
  paths: readonly string[],
  flags: StackFlags & Pick<ConnectionFlags, "apiKeyFile">,
): LoadOptions {
  if (paths.includes("-") && flags.apiKeyFile === "-") {
    throw new Failure("usage", "standard input cannot provide both the manifests and the API key");
  }
  const missing = paths.filter((one) => one !== "-" && !existsSync(one));
  if (missing.length > 0) {
    const [first = ""] = missing;
    const meant = missing.length === 1 ? nearestPath(first) : undefined;
    throw new Failure("usage", `not found: ${missing.join(", ")}`, {
      remedy:
        meant === undefined
          ? "Paths are relative to the current folder."
          : suggestionRemedy(meant, String),
    });
  }
  return {
    paths,
    cwd: process.cwd(),
    kinds,
    components,
    documentTypes: [pipelineDocumentType],
    variables: { ...flags.var, ...flags.varJson },
    grants: grantsOf(flags),
    env: process.env,
    stdin: () => readStandardInput(limits.manifestBytes),
  };
}

/** Returns an existing path next to a missing one that was probably meant. */
function nearestPath(missing: string): string | undefined {
  const folder = path.dirname(missing);
  const name = closestMatch(path.basename(missing), namesIn(folder));
  return name === undefined ? undefined : path.join(folder, name);
}

/** Returns nothing for a folder that cannot be read, or is a file. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
