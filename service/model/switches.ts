// Compiles choices by the value of a dimension of type switch.
import { suggestion } from "../../core/text/naming.ts";
import { cubeNamed } from "./declarations.ts";
import { type Place, within } from "./problems.ts";
import { textLiteral } from "./text-literal.ts";
import { resolveSql, type SqlContext } from "./resolve.ts";
import type { DimensionPath, SqlPart, SqlTemplate } from "./types.ts";

/** A choice as declared, without the SQL of its values. */
interface DeclaredChoice {
  readonly switch: string;
  readonly when: readonly { readonly value?: string }[];
}

/** The dimension that a choice depends on. */
export interface Switch {
  readonly part: Exclude<SqlPart, string>;
  readonly dimension: DimensionPath;
}

/** Resolves the dimension of a choice, and checks that it has the values. Adds an error and returns undefined otherwise. */
export function compileSwitch(
  { switch: text, when }: DeclaredChoice,
  at: Place,
  context: SqlContext,
): Switch | undefined {
  const { problems, declarations } = context;
  const { attempts } = problems;
  const [part, ...others] = resolveSql(text, within(at, "switch"), context);
  if (problems.attempts > attempts) return undefined;
  const member = typeof part === "object" && part.kind === "member" ? part : undefined;
  const cube = member?.path.at(-1) ?? "";
  const declared = cubeNamed(declarations, cube)?.dimensions.get(member?.member ?? "")?.value;
  if (member === undefined || others.length > 0 || declared?.type !== "switch") {
    problems.add(
      within(at, "switch"),
      `${text} is not a dimension of type switch; write {dimension}`,
    );
    return undefined;
  }
  const values = declared.values ?? [];
  const seen = new Set<string>();
  for (const [index, { value = "" }] of when.entries()) {
    const place = within(at, "when", index, "value");
    if (!values.includes(value)) {
      problems.add(place, `${value} is not a value of ${text}${suggestion(value, values)}`);
    } else if (seen.has(value)) problems.add(place, `${value} appears twice`);
    seen.add(value);
  }
  return { part: member, dimension: { cube, member: member.member, path: member.path } };
}

/** Returns the condition that a switch has a value. */
export function switchCondition({ part }: Switch, value: string): SqlTemplate {
  return [part, ` = ${textLiteral(value)}`];
}
