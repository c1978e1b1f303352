// A reconciliation that runs: since when, and what it waits for.
import type { RoundInfo } from "../../controller/api-types.ts";
import { Moment } from "./Moment.tsx";

const texts: Readonly<Record<RoundInfo["phase"], string>> = {
  fetch: "looks up the commit",
  queue: "waits for its turn",
  load: "reads the manifests",
  plan: "reads from the server",
  check: "checks the plan",
  apply: "writes",
  verify: "reads back what it wrote",
  health: "checks the health",
};

export function Running({ running }: { readonly running: RoundInfo | undefined }) {
  if (running === undefined) return null;
  const { since, phase, host } = running;
  return (
    <p class="hint">
      In progress since <Moment time={since} />: {texts[phase]}
      {host !== undefined && ` at ${host}`}
    </p>
  );
}
