// The commands that checks of a pipeline run: the programs that the operator grants, and those that are not granted.
import type { Diagnostic } from "../core/diagnostics.ts";
import { diagnosticOf, type Scope } from "../reconciler/document-types.ts";
import { type CheckGrants, grantRemedy } from "../reconciler/sessions.ts";
import type { Pipeline } from "./pipeline.ts";

/** Returns the program of a command; undefined if it is not granted. */
export function grantedCommand(
  name: string,
  { commands = {} }: Partial<CheckGrants>,
): string | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

/** Describes a command that is not granted. */
export function ungrantedCommand(name: string): {
  readonly message: string;
  readonly remedy: string;
} {
  return {
    message: `a check runs the command ${name}, which is not granted`,
    remedy: grantRemedy("checks.commands", `${name}=FILE`),
  };
}

/** Warns of commands that are not granted if a stack is checked without a run. A run reports them itself. */
export function ungrantedCommands(
  { name, stages, document }: Pipeline,
  { grants, purpose }: Scope,
): readonly Diagnostic[] {
  if (purpose !== "check") return [];
  return stages.flatMap(({ path, checks }) =>
    checks.flatMap((check, index): Diagnostic[] => {
      if (check.of !== "command" || grantedCommand(check.name, grants.checks ?? {})) return [];
      const { message: summary, remedy } = ungrantedCommand(check.name);
      const at = `${path}/checks/${index}/command`;
      const error = { code: "not-granted", path: at, inKey: false, summary, remedy } as const;
      return [{ ...diagnosticOf(document, error, `Pipeline/${name}`), severity: "info" }];
    }),
  );
}
