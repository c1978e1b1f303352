// Builds programs that declare documents with the SDK's classes.
import { referredKinds } from "../../../core/kind/references.ts";
import type * as pulumi from "@pulumi/pulumi";
import { propertiesOf } from "../../../provider/pulumi/properties.ts";
import * as svc from "../../../provider/pulumi/sdk/index.ts";
import { kinds } from "../../../resources/index.ts";
import { resolveReferences } from "../../../scripts/resolve-references.ts";
import type { Doc } from "../../support/test-stack.ts";

/** Returns the options of the resource with this name. */
export type OptionsFor = (name: string) => pulumi.CustomResourceOptions;

/** Returns a program with one resource for each document, named `KIND/NAME`, in the order of the resource types. */
export function programOf(documents: readonly Doc[], optionsFor: OptionsFor = () => ({})) {
  return async (): Promise<void> => {
    const classes: Readonly<Record<string, unknown>> = { ...svc };
    const docs = resolveReferences(documents);
    let before: pulumi.Resource[] = [];
    for (const kind of kinds) {
      const Resource = classes[kind.name] as new (
        name: string,
        args: unknown,
        opts: pulumi.CustomResourceOptions,
      ) => pulumi.CustomResource;
      const created: pulumi.Resource[] = [];
      // A resource that refers to another one of its kind, such as a folder in a folder, follows it.
      const isNested = referredKinds(kind).has(kind.name);
      for (const doc of docs.filter((one) => one.kind === kind)) {
        const { inputs } = propertiesOf(kind);
        const given = inputs.map((one) => [one.property, doc.spec[one.name]]);
        const name = `${kind.name}/${doc.name}`;
        const dependsOn = isNested ? [...before, ...created] : before;
        const options = { ...optionsFor(name), dependsOn };
        created.push(new Resource(name, Object.fromEntries(given), options));
      }
      before = [...before, ...created];
    }
  };
}
