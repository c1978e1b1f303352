// Generates a CDK construct for each component: it creates the constructs of its objects, in the order of its parts.
import type { Component, ComponentPart } from "../core/kind/component.ts";
import { snakeCase } from "../core/text/naming.ts";
import { pascalCase } from "./cdk-constructs.ts";

/** Returns the classes of components. They use the classes of resources in the same module. */
export function componentClasses(components: readonly Component[]): readonly string[] {
  return components.map(classText);
}

function classText(component: Component): string {
  const { name, doc, parts } = component;
  const members = parts.map(
    (part) =>
      `  /** ${part.doc} */\n  readonly ${part.name}${part.cardinality === "one" ? "" : "?"}: ${inputType(part)};`,
  );
  const properties = parts.map(
    (part) => `  /** ${part.doc} */\n  readonly ${part.name}: ${outputType(part)};`,
  );
  return `/** The arguments of ${name}. */
export interface ${name}Config {
${members.join("\n")}
  /** The dependencies of all objects. */
  readonly dependsOn?: cdk.ITerraformDependable[];
}

/** ${doc} */
export class ${name} extends Construct {
${properties.join("\n")}

  constructor(scope: Construct, id: string, config: ${name}Config) {
    super(scope, id);
    const { dependsOn = [] } = config;
${parts.map((part) => creationText(component, part)).join("\n")}
  }
}
`;
}

/** Returns the type of one object's arguments: without the arguments that another part or the key of the map sets. */
function objectType({ kind, derivedFields, keyedBy }: ComponentPart): string {
  const taken = [...derivedFields.keys(), ...(keyedBy === undefined ? [] : [keyedBy])];
  const names = ["keyof cdk.TerraformMetaArguments", ...taken.map((name) => JSON.stringify(name))];
  return `Omit<${className(kind.name)}Config, ${names.join(" | ")}>`;
}

function inputType(part: ComponentPart): string {
  const object = objectType(part);
  return part.cardinality === "each" ? `Readonly<Record<string, ${object}>>` : object;
}

function outputType({ kind, cardinality }: ComponentPart): string {
  const type = className(kind.name);
  if (cardinality === "each") return `Readonly<Record<string, ${type}>>`;
  return cardinality === "one" ? type : `${type} | undefined`;
}

function creationText(component: Component, part: ComponentPart): string {
  const { name, kind, cardinality, keyedBy } = part;
  const derived = [...part.derivedFields].map(
    ([field, supply]) => `${field}: ${supply.part}.${supply.field ?? "reference"}`,
  );
  const depends = `dependsOn: [${["...dependsOn", ...neededObjects(component, part)].join(", ")}]`;
  const type = className(kind.name);
  if (cardinality === "each") {
    const fields = ["...one", `${keyedBy}: key`, ...derived, depends].join(", ");
    return `    const ${name} = Object.fromEntries(
      Object.entries(config.${name} ?? {}).map(([key, one]) => {
${absentParts(component, part)}        return [key, new ${type}(this, \`${name}-\${key}\`, { ${fields} })] as const;
      }),
    );
    this.${name} = ${name};`;
  }
  const fields = [`...config.${name}`, ...derived, depends].join(", ");
  const expression = `new ${type}(this, "${name}", { ${fields} })`;
  const value = cardinality === "one" ? expression : `config.${name} && ${expression}`;
  return `    const ${name} = ${value};\n    this.${name} = ${name};`;
}

/** Returns the objects that must exist first and that no argument refers to. */
function neededObjects(component: Component, { needs, derivedFields }: ComponentPart): string[] {
  const derived = new Set([...derivedFields.values()].map(({ part }) => part));
  return component.parts
    .filter(({ name }) => needs.includes(name) && !derived.has(name))
    .map(({ name, cardinality }) => {
      if (cardinality === "each") return `...Object.values(${name})`;
      return cardinality === "one" ? name : `...(${name} ? [${name}] : [])`;
    });
}

/** Returns the statement that refuses objects of a part which refers to another part that is not given. */
function absentParts({ parts }: Component, { name, derivedFields }: ComponentPart): string {
  const derived = new Set([...derivedFields.values()].map(({ part }) => part));
  return parts
    .filter((one) => derived.has(one.name) && one.cardinality === "optional")
    .map(
      (one) =>
        `        if (${one.name} === undefined) throw new Error("${name} requires ${one.name}, which is not set");\n`,
    )
    .join("");
}

function className(kind: string): string {
  return pascalCase(snakeCase(kind));
}
