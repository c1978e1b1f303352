// Finds members whose SQL references itself, directly or through other members.
import type { Declarations } from "./declarations.ts";
import { type Problems, within } from "./problems.ts";
import type { CompiledCube, SqlPart, SqlTemplate } from "./types.ts";

/** Adds one error for each circle of members. Iterative, so that long chains cannot exhaust the stack. */
export function checkMemberCycles(
  cubes: readonly CompiledCube[],
  declarations: Declarations,
  problems: Problems,
): void {
  const references = new Map<string, readonly string[]>();
  for (const cube of cubes) {
    for (const member of [...cube.dimensions, ...cube.measures, ...cube.segments]) {
      const templates = templatesOf(member);
      references.set(`${cube.name}.${member.name}`, templates.flatMap(memberNames));
    }
  }
  const state = new Map<string, "open" | "done">();
  for (const start of references.keys()) {
    if (state.has(start)) continue;
    const trail: { name: string; next: number }[] = [{ name: start, next: 0 }];
    state.set(start, "open");
    for (let top = trail.at(-1); top; top = trail.at(-1)) {
      const target = references.get(top.name)?.[top.next++];
      if (target === undefined) {
        state.set(top.name, "done");
        trail.pop();
      } else if (state.get(target) === "open") {
        const circle = trail.slice(trail.findIndex(({ name }) => name === target));
        reportCycle([...circle.map(({ name }) => name), target], declarations, problems);
      } else if (!state.has(target) && references.has(target)) {
        state.set(target, "open");
        trail.push({ name: target, next: 0 });
      }
    }
  }
}

/** Returns all SQL of a member. */
function templatesOf(member: object): readonly SqlTemplate[] {
  const {
    sql,
    filters,
    case: choice,
    geo,
  } = member as {
    sql?: SqlTemplate;
    filters?: readonly SqlTemplate[];
    case?: {
      branches: readonly { when: SqlTemplate; label: SqlTemplate | string }[];
      otherwise?: SqlTemplate | string;
    };
    geo?: { latitude: SqlTemplate; longitude: SqlTemplate };
  };
  const labels = [...(choice?.branches.map(({ label }) => label) ?? []), choice?.otherwise ?? ""];
  return [
    ...(sql ? [sql] : []),
    ...(filters ?? []),
    ...(choice?.branches.map(({ when }) => when) ?? []),
    ...labels.filter((label) => typeof label !== "string"),
    ...(geo ? [geo.latitude, geo.longitude] : []),
  ];
}

function memberNames(template: SqlTemplate): readonly string[] {
  return template.flatMap((part: SqlPart): readonly string[] => {
    if (typeof part === "string") return [];
    if (part.kind === "member") return [`${part.path.at(-1) ?? ""}.${part.member}`];
    return "parts" in part ? memberNames(part.parts) : [];
  });
}

function reportCycle(names: readonly string[], { cubes }: Declarations, problems: Problems): void {
  const [cubeName = "", memberName = ""] = names[0]?.split(".") ?? [];
  const cube = cubes.get(cubeName);
  const declared =
    cube?.dimensions.get(memberName) ??
    cube?.measures.get(memberName) ??
    cube?.segments.get(memberName);
  if (declared === undefined) return;
  const shown = names.length > 10 ? [...names.slice(0, 5), "…", ...names.slice(-4)] : names;
  problems.add(within(declared.at, "sql"), `${names[0]} references itself: ${shown.join(" -> ")}`);
}
