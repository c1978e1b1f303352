// Refuses files outside the folders of a data model that would change it in other tools, so that none is left out silently.
import { codeFile, isOtherFile, templateFile, yamlFile } from "../../core/data-model/model-path.ts";
import { parseModelYaml } from "../../core/data-model/model-yaml.ts";
import { isObject } from "../../core/json.ts";
import { type Problems, SourceFile } from "./problems.ts";
import { codeReason } from "./read-file.ts";
import type { ModelFile } from "./types.ts";

/** Adds an error for each file that is neither read nor known to change nothing. */
export function checkOtherFiles(files: readonly ModelFile[], problems: Problems): void {
  for (const { path, content } of files) {
    const reason = isOtherFile(path) ? refusalReason(path, content) : undefined;
    if (reason !== undefined) problems.addAt(new SourceFile(path, content), 0, reason);
  }
}

function refusalReason(path: string, content: string): string | undefined {
  if (codeFile.test(path))
    return `${entryReason(path) ?? codeReason(path) ?? `JavaScript is ${placeReason}`}. ${elsewhere}`;
  if (templateFile.test(path)) return `templates are ${placeReason}. ${elsewhere}`;
  if (yamlFile.test(path)) return yamlReason(content);
  if (/\.(?:csv|parquet)$/i.test(path)) {
    return "it becomes no table; name it seeds/TABLE.csv or seeds/TABLE.parquet, with letters, digits and _, or remove it";
  }
  return `no build reads files of this type. ${elsewhere}`;
}

const placeReason = "read from the folders model and schema only; move it there";

/** Returns why the configuration of other servers is refused, which may restrict rows; undefined for another file. */
function entryReason(path: string): string | undefined {
  if (!/^cube\.(?:[cm]?[jt]s|py)$/u.test(path)) return undefined;
  return `the functions of ${path} are not run. Declare an access_policy in place of queryRewrite and queryTransformer, groups and user attributes in place of contextToGroups and contextToRoles, tokens of environments in place of checkAuth and extendContext, and deployments in place of contextToAppId`;
}

const elsewhere =
  "If the file is not a part of the model, move it to a folder docs, scripts or tests, or remove it";

const memberLists = /cubes|views/i;

/** Returns why a file may hide cubes or views; undefined if it has none. */
function yamlReason(content: string): string | undefined {
  if (!memberLists.test(content)) return undefined;
  const parsed = parseModelYaml(content);
  if ("value" in parsed && isObject(parsed.value)) {
    const names = Object.keys(parsed.value).filter((name) => /^(?:cubes|views)$/i.test(name));
    return names.length > 0
      ? "it declares cubes or views, which are read from the folders model and schema only; move it there"
      : undefined;
  }
  const problem =
    "errors" in parsed ? (parsed.errors[0]?.message ?? "it cannot be read") : "it is no mapping";
  return `it may declare cubes or views: ${problem.replace(/\.$/, "")}. ${elsewhere}`;
}
