// Inventory entries as tests write them.
import type { Entry } from "../../reconciler/model/index.ts";

/** Returns an entry of a fictitious kind. Without an id, it was never observed on a server. */
export function sampleEntry(name: string, id?: string): Entry {
  return {
    kind: "Thing",
    name,
    key: name,
    scope: { place: "here" },
    id,
    lastApplied: { name, description: `the thing ${name}` },
    fingerprints: { secret: "v1:abc" },
    pending: false,
    appliedAt: "2026-01-31T09:30:00.000Z",
  };
}
