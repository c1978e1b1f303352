// The health of a source: a mark of its own form and color, and its name.
import type { Health as HealthName } from "../../controller/api-types.ts";

const marks: Readonly<Record<HealthName, string>> = {
  ok: "✓",
  changes: "±",
  waiting: "…",
  failing: "!",
  suspended: "–",
  unknown: "?",
};

export function Health({ health }: { readonly health: HealthName }) {
  return (
    <span class={`health ${health}`}>
      <span aria-hidden="true">{marks[health]}</span> {health}
    </span>
  );
}
