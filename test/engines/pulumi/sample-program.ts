// A program with several resource types that depend on each other.
import * as svc from "../../../provider/pulumi/sdk/index.ts";

/** Overrides of the program's values. */
export type ProgramOverrides = Partial<
  Record<"tenant" | "display" | "secret" | "deployment", string>
>;

/** Returns a program with a tenant, two groups, and a deployment with a secret variable. */
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

/** Names of its resources. */
export const companyResources = ["acme", "buyers", "directors", "production", "token"] as const;
