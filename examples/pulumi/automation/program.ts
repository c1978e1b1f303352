// The customers of signed embedding, from data such as a customer database provides.
import * as svc from "svc-as-code/pulumi";

/** A customer in that database. */
export interface Customer {
  readonly name: string;
  readonly displayName: string;
  /** Descriptions of its groups by name. */
  readonly groups: Readonly<Record<string, string>>;
}

/** Two example customers. */
export const customers: readonly Customer[] = [
  {
    name: "northwind",
    displayName: "Northwind Stores",
    groups: { directors: "See every store.", "store-managers": "See their own store." },
  },
  {
    name: "bluewater-lines",
    displayName: "Bluewater Lines",
    groups: { dispatch: "Plans the week's sailings." },
  },
];

/** Declares the deployment and these customers; other stacks refer to them by the outputs. */
export async function declare(those: readonly Customer[]): Promise<Record<string, unknown>> {
  const sales = new svc.Deployment("sales", { name: "harbour-sales", region: "aws-eu-central-1" });
  const tenants = those.map(({ name, displayName, groups }) => {
    const described = Object.entries(groups).map(([group, description]) => [
      group,
      { description },
    ]);
    const inputs = { tenant: { name, displayName }, groups: Object.fromEntries(described) };
    return new svc.EmbedTenantSetup(name, inputs, { dependsOn: sales }).tenant;
  });
  return { tenants };
}
