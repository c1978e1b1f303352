// A program of several kinds that need each other, for tests of the lives of stacks.
import * as svc from "../../../provider/pulumi/sdk/index.ts";

/** What of the program is said otherwise. */
export type ProgramOverrides = Partial<
  Record<"tenant" | "display" | "secret" | "deployment", string>
>;

/** A tenant with two groups, and a deployment with a secret variable. */
export function companyProgram(change: ProgramOverrides = {}) {
  return async (): Promise<Record<string, unknown>> => {
    const production = new svc.Deployment("production", {
      name: change.deployment ?? "production",
      region: "aws-us-east-1",
    });
    new svc.EnvironmentVariable("token", {
      deployment: production.name,
      name: "API_TOKEN",
      value: change.secret ?? "hunter2",
    });
    const tenant = new svc.EmbedTenant(
      "acme",
      { name: change.tenant ?? "acme-stores", displayName: change.display ?? "Acme" },
      { dependsOn: production },
    );
    for (const name of ["directors", "buyers"]) {
      new svc.EmbedGroup(name, { embedTenant: tenant.name, name });
    }
    return { url: production.deploymentUrl, tenant: tenant.embedTenantId };
  };
}

/** The names of its resources. */
export const companyResources = ["acme", "buyers", "directors", "production", "token"] as const;
