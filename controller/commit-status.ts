// The status that a Git host shows beside the commit of a source.
import type { CommitState, CommitStatus } from "../git-hosts/dialects.ts";
import type { StatusTarget } from "./config.ts";
import type { ReconciliationEvent } from "./events.ts";
import { healthOf } from "./history.ts";
import { renderTemplate } from "./message-text.ts";

const states = {
  ok: "success",
  changes: "success",
  waiting: "pending",
  failing: "failure",
  suspended: undefined,
  unknown: undefined,
} as const satisfies Record<string, CommitState | undefined>;

const templates: Readonly<Partial<Record<ReconciliationEvent["result"], string>>> = {
  unchanged: "Nothing to change",
  applied: "Applied",
  changes: "Changes, which the mode does not apply",
  held: "Waits for an approval of plan {{plan}}",
  waiting: "Waits for other sources: {{reason}}",
  closed: "Waits for the end of a maintenance window: {{reason}}",
};

/** Returns the status after a reconciliation; undefined if it says nothing about a commit. */
export function commitStatus(
  { link, template }: StatusTarget,
  event: ReconciliationEvent,
): CommitStatus | undefined {
  const { source, commit, result } = event;
  const state = states[healthOf(event)];
  if (commit === undefined || state === undefined) return undefined;
  const text = template ?? templates[result] ?? "{{reason}}";
  return {
    commit,
    state,
    context: `svc/${source}`,
    description: renderTemplate(text, state, event).replace(/\s+/gu, " "),
    ...(link !== undefined && {
      link: `${link.replace(/\/+$/u, "")}/#/${encodeURIComponent(source)}`,
    }),
  };
}

/** Returns the name of a repository at the host of a target; undefined if it is at another. */
export function repositoryAt({ host }: StatusTarget, url = ""): string | undefined {
  return url.startsWith(host)
    ? url
        .slice(host.length)
        .replace(/\/+$/u, "")
        .replace(/\.git$/u, "")
    : undefined;
}
