// Reads `--grant MEMBER=VALUE`, which adds one value to a member of the operator's grants.
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import { type GrantMember, grantMembers, type Grants } from "../operator/grants.ts";
import { isGrantableOrigin } from "../operator/origins.ts";

/**
 * Returns the grants with the grants of the options. Relative paths are resolved from `folder`. Fails with `usage` for
 * an invalid grant.
 */
export function withGrantOptions(
  grants: Grants,
  options: readonly string[],
  folder: string,
): Grants {
  let result = grants;
  for (const text of options) {
    const [, member = text, value = ""] = /^([^=]*)=(.*)$/su.exec(text) ?? [];
    if (!isGrantMember(member)) throw unknownGrantError(member);
    result = adders[member](result, value, folder) ?? fail(member, text);
  }
  return result;
}

function isGrantMember(text: string): text is GrantMember {
  return Object.hasOwn(grantMembers, text);
}

/** Adds a value to the grants; undefined if the value is invalid. */
type Adder = (grants: Grants, value: string, folder: string) => Grants | undefined;

const adders: Readonly<Record<GrantMember, Adder>> = {
  environment: (grants, name) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name)) return undefined;
    const { environment } = grants;
    return {
      ...grants,
      environment: environment === "stack" ? environment : [...environment, name],
    };
  },
  files: (grants, value, folder) =>
    value === "" ? undefined : { ...grants, files: [...grants.files, absolute(value, folder)] },
  sops: (grants, value, folder) =>
    value === "" ? undefined : { ...grants, sops: [...grants.sops, absolute(value, folder)] },
  promotion: (grants, stage) =>
    stage === "" ? undefined : { ...grants, promotion: [...grants.promotion, stage] },
  skipStages: (grants, stage) =>
    stage === "" ? undefined : { ...grants, skipStages: [...(grants.skipStages ?? []), stage] },
  "checks.origins": (grants, origin) => {
    if (!isGrantableOrigin(origin)) return undefined;
    const origins = [...(grants.checks?.origins ?? []), origin];
    return { ...grants, checks: { ...grants.checks, origins } };
  },
  "checks.commands": (grants, value, folder) => {
    const [, name, file] = /^([^=]+)=(.+)$/su.exec(value) ?? [];
    if (name === undefined || file === undefined) return undefined;
    const commands = { ...grants.checks?.commands, [name]: path.resolve(folder, file) };
    return { ...grants, checks: { ...grants.checks, commands } };
  },
};

/** Resolves a path and keeps the trailing slash that marks a folder. */
function absolute(written: string, folder: string): string {
  return `${path.resolve(folder, written)}${written.endsWith("/") ? "/" : ""}`;
}

function unknownGrantError(member: string): Failure {
  const list = `Use one of ${grantForms.join(", ")}; others go into the grants file (--grants FILE).`;
  return new Failure("usage", `there is no grant "${member}"`, {
    remedy: sentences(didYouMean(member, Object.keys(grantMembers)), list),
  });
}

function fail(member: GrantMember, text: string): never {
  const remedy =
    member === "checks.origins"
      ? "Use checks.origins=https://host or checks.origins=https://*.host."
      : `Use ${member}=${grantMembers[member]}.`;
  throw new Failure("usage", `--grant ${text} has no valid value`, { remedy });
}

/** The forms of `--grant`, such as `environment=NAME`. */
export const grantForms: readonly string[] = Object.entries(grantMembers).map(
  ([member, value]) => `${member}=${value}`,
);
