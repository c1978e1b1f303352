// Runs checks of all deployments of a stack, each on the version that it runs.
import type { Session } from "../reconciler/sessions.ts";
import { createApiChecks } from "./api-checks.ts";
import { isUrlOfDeployments } from "./check-url.ts";
import { type CheckOptions, runChecks } from "./checks.ts";
import type { Check } from "./pipeline.ts";
import type { Evidence } from "./record.ts";
import { releasingObjects } from "./snapshot.ts";

/** The subject of {@link runHealthChecks}. */
export interface HealthCheckTarget {
  /** The name that commands get as the stage. */
  readonly name: string;
  readonly checks: readonly Check[];
}

/**
 * Runs the checks on the live deployments that the stack declares; a check of deployments fails if there is none. Requests go
 * also to the origins of URLs that are complete, because who writes them may grant them. Fails like `runChecks`.
 */
export async function runHealthChecks(
  session: Session,
  { name, checks }: HealthCheckTarget,
  options: Omit<CheckOptions, "askApi">,
): Promise<readonly Evidence[]> {
  const objects = await releasingObjects(session, options.signal);
  const { grants, signal, now } = options;
  const written = checks.flatMap((check) =>
    check.of === "http" && !isUrlOfDeployments(check.url) ? [new URL(check.url).origin] : [],
  );
  const how: CheckOptions = {
    ...options,
    grants: { ...grants, origins: [...grants.origins, ...written, session.client.origin] },
    askApi: createApiChecks(session, signal),
  };
  const [shared, each] = [checks.filter(isOfStack), checks.filter((check) => !isOfStack(check))];
  if (objects.length === 0 && each.length > 0) {
    const message = "the stack declares no deployment";
    return [{ check: "deployments", passed: false, message, at: now().toISOString() }];
  }
  const byVersion = [...Map.groupBy(objects, ({ version = "" }) => version)];
  const subjects = byVersion.map(([version, some]) => ({ checks: each, version, objects: some }));
  const all = [{ checks: shared, version: byVersion[0]?.[0] ?? "", objects }, ...subjects];
  const evidence = await Promise.all(
    all.map(({ checks: some, ...subject }) =>
      runChecks({ ...subject, stage: { name, checks: some } }, how),
    ),
  );
  return evidence.flat();
}

/** Returns whether a check runs once for the stack. */
function isOfStack(check: Check): boolean {
  return check.of === "command" || (check.of === "http" && !isUrlOfDeployments(check.url));
}
