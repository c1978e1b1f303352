// Generates typed constructs of every resource, data source and component for cdktf and its successor cdktn.
import { camelCase } from "../core/text/naming.ts";
import { publication } from "../core/publication.ts";
import {
  type Attribute,
  type Block,
  type Form,
  type Schemas,
  stateVersion,
} from "../provider/terraform/schema.ts";
import { providerBlock } from "../provider/terraform/wire-schema.ts";

/** The supported CDK libraries. */
export const cdkLibraries = ["cdktf", "cdktn"] as const;

/** Returns the module of constructs for one library. */
export function constructsFor(
  library: (typeof cdkLibraries)[number],
  { resources, dataSources }: Schemas,
  { version, components }: { readonly version: string; readonly components: readonly string[] },
): string {
  const classes = [
    providerText(version),
    ...Object.entries(resources).map(([type, block]) => classText(type, block, "Resource")),
    ...Object.entries(dataSources).map(([type, block]) => classText(type, block, "DataSource")),
    ...components,
  ];
  return `${headText(library, version)}\n${classes.join("\n")}`;
}

function headText(library: string, version: string): string {
  return `// Generated from the kinds by \`npm run generate\`. Do not edit. State version ${stateVersion}.
import * as cdk from "${library}";
import { Construct } from "constructs";
import { type ArgumentNames, argumentConverter } from "../../cdk/argument-converter.ts";

const metadata = { providerName: "svc", providerVersion: "${version}" };
const toArguments = argumentConverter(cdk);
`;
}

function providerText(version: string): string {
  const { attributes, description } = providerBlock;
  return `${interfaceText("SvcProviderConfig", attributes, { doc: "The configuration of the provider." })}
const providerNames: ArgumentNames = ${argumentNamesText(attributes)};

/** ${description} */
export class SvcProvider extends cdk.TerraformProvider {
  static readonly tfResourceType = "svc";
  readonly #config: SvcProviderConfig;

  constructor(scope: Construct, id: string, config: SvcProviderConfig = {}) {
    super(scope, id, {
      terraformResourceType: "svc",
      terraformGeneratorMetadata: { ...metadata, providerVersionConstraint: "${version}" },
      terraformProviderSource: "${publication.terraformSource}",
    });
    this.#config = config;
    if (config.alias !== undefined) this.alias = config.alias;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { alias: this.alias, ...toArguments(providerNames, this.#config) };
  }
}
`.replace(
    "{\n  /** Origin",
    "{\n  /** The alias of this provider configuration. */\n  readonly alias?: string;\n  /** Origin",
  );
}

function classText(type: string, block: Block, category: "Resource" | "DataSource"): string {
  const pascal = pascalCase(type.replace(/^svc_/, ""));
  const name = category === "Resource" ? pascal : `Data${pascal}`;
  const names = `${camelCase(name)}Names`;
  const argumentsOf = block.attributes.filter(({ mode }) => mode !== "computed");
  const config = `${name}Config`;
  const fallback = argumentsOf.some(
    ({ mode, requiredOnCreate }) => mode === "required" || requiredOnCreate,
  )
    ? ""
    : " = {}";
  const importMethod =
    category === "DataSource"
      ? ""
      : `
  /** Imports an existing object by its import id; \`plan -generate-config-out\` writes its configuration. */
  static generateConfigForImport(
    scope: Construct,
    importToId: string,
    importFromId: string,
  ): cdk.ImportableResource {
    const terraformResourceType = "${type}";
    return new cdk.ImportableResource(scope, importToId, { terraformResourceType, importId: importFromId });
  }
`;
  return `${interfaceText(config, argumentsOf, { doc: `The arguments of ${name}.`, base: "cdk.TerraformMetaArguments" })}
const ${names}: ArgumentNames = ${argumentNamesText(argumentsOf)};

/** ${escaped(block.description)} */
export class ${name} extends cdk.Terraform${category} {
  static readonly tfResourceType = "${type}";
  readonly #config: ${config};
${importMethod}
  constructor(scope: Construct, id: string, config: ${config}${fallback}) {
    super(scope, id, {
      ...config,
      terraformResourceType: "${type}",
      terraformGeneratorMetadata: metadata,
    });
    this.#config = config;
  }
${block.attributes
  .filter(({ writeOnly }) => !writeOnly)
  .map(getterText)
  .join("")}
  protected override synthesizeAttributes(): Record<string, unknown> {
    return toArguments(${names}, this.#config);
  }
}
`;
}

function memberOf({ part, field }: Attribute): string {
  return part === "version" ? `${field}Version` : field;
}

function interfaceText(
  name: string,
  attributes: readonly Attribute[],
  { doc, base }: { readonly doc: string; readonly base?: string },
): string {
  const extending = base === undefined ? "" : ` extends ${base}`;
  const members = attributes.map((one) => memberText(one, "  "));
  return `/** ${doc} */\nexport interface ${name}${extending} {\n${members.join("\n")}\n}\n`;
}

function memberText(attribute: Attribute, indent: string): string {
  const { description, mode, requiredOnCreate, deprecated } = attribute;
  const isRequired = mode === "required" || requiredOnCreate;
  const old = deprecated === undefined ? "" : ` @deprecated ${deprecated}`;
  const doc = `${indent}/** ${escaped(withoutJson(description))}${escaped(old)} */`;
  return `${doc}\n${indent}readonly ${memberOf(attribute)}${isRequired ? "" : "?"}: ${typeText(attribute.form, indent)};`;
}

/** Removes the note on JSON text: constructs encode the JSON. */
function withoutJson(description: string): string {
  return description.replace(/ ?(?:Each value is )?JSON text; use `jsonencode`\./, "");
}

function typeText(form: Form, indent: string): string {
  switch (form.is) {
    case "json":
      return "unknown";
    case "bool":
      return "boolean | cdk.IResolvable";
    case "list":
    case "set":
      return `readonly ${bracketed(typeText(form.of, indent))}[]`;
    case "map":
      return `Readonly<Record<string, ${typeText(form.of, indent)}>>`;
    case "nested": {
      const members = form.attributes.map((one) => memberText(one, `${indent}  `)).join("\n");
      const object = `{\n${members}\n${indent}}`;
      if (form.nesting === "single") return object;
      return form.nesting === "map"
        ? `Readonly<Record<string, ${object}>>`
        : `readonly ${object}[]`;
    }
    default:
      return form.is;
  }
}

function bracketed(type: string): string {
  return type.includes("|") ? `(${type})` : type;
}

function argumentNamesText(attributes: readonly Attribute[]): string {
  const entries = attributes.map((one) => {
    const shape = argumentFormatText(one.form);
    const suffix = shape === undefined ? "" : `, ${shape}`;
    return `${memberOf(one)}: [${JSON.stringify(one.name)}${suffix}]`;
  });
  return `{ ${entries.join(", ")} }`;
}

function argumentFormatText(form: Form): string | undefined {
  if (form.is === "json") return '"json"';
  if ("of" in form) {
    const inner = argumentFormatText(form.of);
    return inner === undefined ? undefined : `{ each: ${inner} }`;
  }
  if (form.is !== "nested") return undefined;
  const members = `{ members: ${argumentNamesText(form.attributes)} }`;
  return form.nesting === "single" ? members : `{ each: ${members} }`;
}

const getters: Readonly<Record<string, readonly [type: string, method: string]>> = {
  string: ["string", "getStringAttribute"],
  json: ["string", "getStringAttribute"],
  number: ["number", "getNumberAttribute"],
  bool: ["cdk.IResolvable", "getBooleanAttribute"],
};

function getterText(attribute: Attribute): string {
  const { form, name, description } = attribute;
  const isStringList = "of" in form && form.is !== "map" && form.of.is === "string";
  const list = ["string[]", "getListAttribute"] as const;
  const other = ["cdk.IResolvable", "interpolationForAttribute"] as const;
  const [type, method] = isStringList ? list : (getters[form.is] ?? other);
  return `
  /** ${escaped(description)} */
  get ${memberOf(attribute)}(): ${type} {
    return this.${method}("${name}");
  }
`;
}

function escaped(text: string): string {
  return text.replaceAll("*/", "*\\/");
}

/** `user_group` -> `UserGroup`. */
export function pascalCase(snake: string): string {
  return snake.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
