// A customer in typed constructs: `node main.ts` writes cdktf.out/stacks/northwind, which Terraform applies as it is.

/* oxlint-disable no-new -- constructs join their scope by being made */
import { App, TerraformOutput, TerraformStack } from "cdktf";
import {
  EmbedGroup,
  EmbedTenant,
  EmbedUser,
  EmbedUserAttribute,
  SvcProvider,
} from "svc-as-code/cdktf";

const app = new App();
const stack = new TerraformStack(app, "northwind");
// The address and the key come from SVC_API_URL and SVC_API_KEY.
new SvcProvider(stack, "svc");

const tenant = new EmbedTenant(stack, "tenant", { name: "northwind-cdk" });
const embedTenant = tenant.reference;

new EmbedUserAttribute(stack, "store", { embedTenant, name: "store", type: "string" });
const groups = ["directors", "managers"].map(
  (name) => new EmbedGroup(stack, name, { embedTenant, name, description: `The ${name}.` }),
);
const jane = new EmbedUser(stack, "jane", {
  embedTenant,
  externalId: "jane-1",
  email: "jane@northwind.example",
  tenantGroups: groups.map((group) => group.reference),
});
new TerraformOutput(stack, "jane_id", { value: jane.id });

app.synth();
