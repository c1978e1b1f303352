// Checks of this machine: Node.js, the `svc` that a shell finds, the installed plugins, and the file of contexts.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { contextFilePath, contextRemedy, readContexts } from "../../client/context-file.ts";
import { nodeVersionError } from "../../core/system/node-version.ts";
import { publication } from "../../core/publication.ts";
import { type Finding, findingOf } from "./finding.ts";

/** Checks Node.js. */
export function checkNode(version: string): Finding {
  const why = nodeVersionError(version);
  if (why === undefined) return { check: "node", status: "ok", message: `Node.js ${version}` };
  return {
    check: "node",
    status: "error",
    message: `svc ${why}`,
    remedy: "Install it from nodejs.org.",
  };
}

/** Checks that a shell finds this program under the name `svc`. */
export function checkInstallation(program: string, path: string): Finding {
  const check = "installation";
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, "svc"))
    .find((file) => existsSync(file));
  if (found === undefined) {
    const remedy = "Install svc-as-code globally, or run `npx --no svc` in the folder that has it.";
    return { check, status: "warning", message: "no folder of PATH has svc", remedy };
  }
  if (realpathSync(found) === realpathSync(program)) {
    return { check, status: "ok", message: `svc is ${found}` };
  }
  const message = `a shell runs ${found}, and this is ${program}`;
  const remedy = "Remove the other one, or put the folder of this one first in PATH.";
  return { check, status: "warning", message, remedy };
}

/** Checks that the installed plugins belong to this version. */
export function checkPlugins(version: string): readonly Finding[] {
  const { PULUMI_HOME: pulumiHome = join(homedir(), ".pulumi") } = process.env;
  const pulumi = namesIn(join(pulumiHome, "plugins")).flatMap(
    (name) => /^resource-svc-v(.+)$/u.exec(name)?.[1] ?? [],
  );
  const { terraformRegistries, terraformSource } = publication;
  const plugins = join(homedir(), ".terraform.d", "plugins");
  const terraform = terraformRegistries.flatMap((registry) =>
    namesIn(join(plugins, registry, terraformSource)),
  );
  return [
    ...pluginFinding("pulumi", new Set(pulumi), version),
    ...pluginFinding("terraform", new Set(terraform), version),
  ];
}

function pluginFinding(
  engine: string,
  installed: ReadonlySet<string>,
  version: string,
): readonly Finding[] {
  const check = "plugins";
  if (installed.size === 0) return [];
  if (installed.has(version)) {
    return [{ check, status: "ok", message: `the ${engine} plugin ${version} is installed` }];
  }
  const message = `the installed ${engine} plugin is ${[...installed].join(", ")}, and svc is ${version}`;
  return [{ check, status: "warning", message, remedy: `Run svc plugin install ${engine}.` }];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Permissions of a file that others must not have. */
const othersMode = 0o077;

/** Checks the file of contexts: that it can be read, by this user only, and names an active context. */
export function checkContexts(): Finding {
  const check = "contexts";
  const noContexts: Finding = { check, status: "ok", message: "no contexts are saved" };
  const path = contextFilePath(process.env);
  if (path === undefined || !existsSync(path)) return noContexts;
  try {
    const { active, contexts } = readContexts(path);
    if (process.platform !== "win32" && (statSync(path).mode & othersMode) !== 0) {
      const message = `other users can read the credentials in ${path}`;
      return { check, status: "error", message, remedy: `Run chmod 600 ${path}.` };
    }
    if (contexts.some(({ name }) => name === active)) {
      return { check, status: "ok", message: `the active context is ${active}` };
    }
    if (active === undefined && contexts.length === 0) return noContexts;
    const message = active === undefined ? "no context is active" : `there is no context ${active}`;
    return { check, status: "warning", message, remedy: contextRemedy(contexts) };
  } catch (error) {
    return findingOf(check, error);
  }
}
