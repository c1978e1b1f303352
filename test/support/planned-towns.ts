// Changes and diagnostics of plans of towns, for tests of plans.
import { appliedEntry, desiredObject, type PlanInput, planFor, town } from "./plan-fixtures.ts";

/** Returns action, address and changed fields of each change. */
export const changeSummaries = (planned: PlanInput) =>
  planFor(planned).changes.map(({ action, address, fields }) =>
    [action, address, ...fields.map(({ path }) => path)].join(" "),
  );

/** Returns the codes of the diagnostics of a plan. */
export const diagnosticCodes = (planned: PlanInput) =>
  planFor(planned).diagnostics.map(({ code }) => code);

/** Returns a declared town. */
export const townNamed = (name: string, called = name, more = {}) =>
  desiredObject(town, name, { spec: { name: called, ...more } });

/** Returns the inventory entry of a town. */
export const townEntry = (name: string, id: string, called = name) =>
  appliedEntry(town, name, { spec: { name: called }, id });

/** Returns a live town. */
export const liveTown = (id: string, called: string, more = {}) => ({
  kind: town,
  id,
  spec: { name: called, ...more },
});
