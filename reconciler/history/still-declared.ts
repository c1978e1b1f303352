// Finds the objects whose manifests still are as the undone run applied them: the next apply makes the changes again.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { equal } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { objectsByAddress } from "../model/desired-objects.ts";
import type { ApplyResult, DesiredObject } from "../model/index.ts";
import type { TolerantLoad } from "../manifest/load.ts";
import type { UndoPlan } from "./undo-plan.ts";

/** Returns the warning about these objects; nothing if the manifests have errors, because then only a part is known. */
export function repeatedByApply(
  { outcomes }: Pick<ApplyResult, "outcomes">,
  { desiredObjects }: Pick<UndoPlan, "desiredObjects">,
  { desired, diagnostics }: Pick<TolerantLoad, "desired" | "diagnostics">,
): readonly Diagnostic[] {
  if (desired === undefined || diagnostics.some(({ code }) => code === "errors-ignored")) return [];
  const declared = objectsByAddress(desired.objects);
  const restored = objectsByAddress(desiredObjects);
  const { prune } = desired.stack.policy;
  const repeated = outcomes
    .filter(({ result }) => result === "done")
    .map(({ address }) => address)
    .filter((address) => isRepeated(declared.get(address), restored.get(address), prune));
  if (repeated.length === 0) return [];
  const named = repeated.slice(0, limits.placesNamed).join(", ");
  const rest = repeated.length - limits.placesNamed;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return [
    {
      code: "still-declared",
      severity: "warning",
      summary: `the undo did not change the manifests, so the next apply repeats the undone changes of ${named}${more}`,
      remedy: "Revert the manifests too.",
    },
  ];
}

/**
 * Compares the declared object with the restored one. No document declares an object that is only restored, and the undo
 * deleted one that is only declared.
 */
function isRepeated(
  declared: DesiredObject | undefined,
  restored: DesiredObject | undefined,
  prune: boolean,
): boolean {
  if (declared === undefined) {
    return prune && restored !== undefined && restored.onlyFields === undefined;
  }
  if (restored === undefined) return true;
  return (restored.onlyFields ?? []).some((field) => {
    const value = declared.spec[field];
    return value !== undefined && !equal(value, restored.spec[field] ?? null);
  });
}
