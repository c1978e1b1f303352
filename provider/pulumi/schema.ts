// Builds the package schema: each resource type, with a function that finds one object and one that lists a collection.
import type { Catalogue, Component, ComponentPart } from "../../core/kind/component.ts";
import { isSensitive } from "../../core/kind/fields.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { traitNotes } from "../../core/kind/json-schema.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { withArticle } from "../../core/text/naming.ts";
import { type Publication, publication } from "../../core/publication.ts";
import { view } from "../../core/schema/schema.ts";
import { inputsOfPart } from "./component-inputs.ts";
import { configurationSchema } from "./configuration-schema.ts";
import { exampleInputs, examplesText } from "./examples.ts";
import {
  referencePropertyName,
  functionTokens,
  keyDoc,
  packageName,
  pascalCase,
  propertiesOf,
  type Property,
  tokenOf,
  isStable,
} from "./properties.ts";
import {
  createTypeTable,
  isStringEnum,
  withAllowedValues,
  singular,
  type TypeTable,
} from "./types.ts";

/** Returns the package schema over all resource types and components, as JSON in a stable order. */
export function packageSchema(
  { kinds, components }: Catalogue,
  version: string,
  published: Publication = publication,
): JsonObject {
  const types = createTypeTable();
  const resources = [
    ...kinds.map((kind): [string, JsonObject] => [
      tokenOf(kind.name),
      resourceOf(kind, kinds, types),
    ]),
    ...components.map((component): [string, JsonObject] => [
      tokenOf(component.name),
      componentOf(component, types),
    ]),
  ];
  const functions = kinds.flatMap((kind): (readonly [string, JsonObject])[] => {
    const { one, list } = functionTokens(kind);
    return [
      [one, getFunctionOf(kind, types)],
      ...(list === undefined ? [] : [[list, listFunctionOf(kind, types)] as const]),
    ];
  });
  return {
    name: packageName,
    displayName: packageName,
    version,
    description: "Manage a hosted analytics platform as code.",
    keywords: ["pulumi", packageName, "kind/native"],
    license: "MIT",
    publisher: published.publisher,
    homepage: published.homepage,
    repository: published.repository,
    logoUrl: published.logoUrl,
    pluginDownloadURL: published.pluginDownloadURL,
    meta: { moduleFormat: "(.*)(?:/[^/]*)" },
    config: { variables: configurationSchema.variables },
    provider: {
      description: "Connection to the server.",
      inputProperties: configurationSchema.inputs,
      properties: configurationSchema.outputs,
    },
    types: types.all(),
    resources: Object.fromEntries(resources),
    functions: Object.fromEntries(functions),
    language: {
      nodejs: { packageName: published.pulumiNodePackage, respectSchemaVersion: true },
      python: {
        packageName: `pulumi_${packageName}`,
        pyproject: { enabled: true },
        respectSchemaVersion: true,
      },
      go: { generateResourceContainerTypes: true, respectSchemaVersion: true },
      csharp: { respectSchemaVersion: true },
    },
  };
}

function resourceOf(kind: Kind, kinds: readonly Kind[], types: TypeTable): JsonObject {
  const { inputs, status } = propertiesOf(kind);
  const { properties, required } = outputsOf(kind, types, status.filter(isStable));
  const generatedSecret = generatedSecretProperty(kind);
  const inputProperties: JsonObject = Object.fromEntries(
    inputs.map((field) => [field.property, propertyOf(kind, field, types)]),
  );
  const shown = kind.examples.map((one) => ({ ...one, inputs: exampleInputs(kind, kinds, one) }));
  const context = { type: kind.name, properties: inputProperties, types: types.all() };
  return {
    description: `${kind.doc}\n\n${examplesText(context, shown)}`,
    inputProperties,
    requiredInputs: requiredOf(inputs),
    properties: { ...properties, ...generatedSecret },
    required: [...required, ...Object.keys(generatedSecret)],
  };
}

/** Returns the property of the generated secret. It is required: it is absent only after an import. */
function generatedSecretProperty(kind: Kind): JsonObject {
  const { generatedSecret } = propertiesOf(kind);
  if (generatedSecret === undefined) return {};
  const description = `${kind.generatedSecret?.doc ?? ""} Available if this resource created the object; absent after an import.`;
  return { [generatedSecret]: { type: "string", description, secret: true } };
}

function componentOf({ name, doc, parts, examples }: Component, types: TypeTable): JsonObject {
  const inputs = parts.map((part): [string, JsonObject] => [
    part.name,
    { ...partType(name, part, types), description: part.doc },
  ]);
  const outputs = parts.map((part): [string, JsonObject] => [
    part.name,
    referenceType(part, types),
  ]);
  const required = parts
    .filter(({ cardinality }) => cardinality === "one")
    .map((part) => part.name);
  const present = parts
    .filter(({ cardinality }) => cardinality !== "optional")
    .map((part) => part.name);
  const inputProperties: JsonObject = Object.fromEntries(inputs);
  const context = { type: name, properties: inputProperties, types: types.all() };
  return {
    isComponent: true,
    description: `${doc}\n\n${examplesText(context, examples)}`,
    inputProperties,
    requiredInputs: required,
    properties: Object.fromEntries(outputs),
    required: present,
  };
}

/** Returns the type of a part: an object, or a map of objects, with the fields that the component does not supply. */
function partType(component: string, part: ComponentPart, types: TypeTable): JsonObject {
  const fields = inputsOfPart(part);
  const properties = fields.map((field): [string, JsonObject] => {
    const { willReplaceOnChanges: _, default: _d, ...rest } = propertyOf(part.kind, field, types);
    return [field.property, rest];
  });
  const one = types.define(`${component}${pascalCase(singular(part.name))}`, {
    description: part.doc,
    type: "object",
    properties: Object.fromEntries(properties),
    required: requiredOf(fields),
  });
  return part.cardinality === "each" ? { type: "object", additionalProperties: one } : one;
}

/** Returns the type of the output that refers to the objects of a part. */
function referenceType({ kind, cardinality, doc }: ComponentPart, types: TypeTable): JsonObject {
  const field = propertiesOf(kind).inputs.find(
    ({ property }) => property === referencePropertyName(kind),
  );
  const one = field === undefined ? { type: "string" } : types.typeOf(field.schema, kind.name);
  const [type, which] =
    cardinality === "each" ? [{ type: "object", additionalProperties: one }, "them"] : [one, "it"];
  return { ...type, description: `${doc} Value for properties that refer to ${which}.` };
}

/** Returns the properties of an existing object: its spec, and the status that the server reports. */
function outputsOf(
  kind: Kind,
  types: TypeTable,
  status: readonly Property[],
): { readonly properties: JsonObject; readonly required: readonly string[] } {
  const { inputs, hasKey } = propertiesOf(kind);
  const all = [...inputs, ...status].map((field): [string, JsonObject] => {
    const {
      willReplaceOnChanges: _,
      default: _d,
      description,
      ...rest
    } = outputPropertyOf(kind, field, types);
    const isReported = status.includes(field);
    const doc = isReported ? field.traits.doc : description;
    return [field.property, doc === undefined || doc === "" ? rest : { ...rest, description: doc }];
  });
  const key: [string, JsonObject][] = hasKey
    ? [["key", { type: "string", description: keyDoc }]]
    : [];
  return {
    properties: Object.fromEntries([...all, ...key]),
    required: [...requiredOf([...inputs, ...status]), ...(hasKey ? ["key"] : [])],
  };
}

function requiredOf(fields: readonly Property[]): readonly string[] {
  return fields.filter(({ required }) => required).map(({ property }) => property);
}

function propertyOf(kind: Kind, field: Property, types: TypeTable): JsonObject {
  const typeName = `${kind.name}${pascalCase(field.property)}`;
  return { ...types.typeOf(field.schema, typeName), ...annotationsOf(field) };
}

/** Returns the property of an output. An enum is a plain string there. */
function outputPropertyOf(kind: Kind, field: Property, types: TypeTable): JsonObject {
  if (isStringEnum(field.schema)) return { type: "string", ...annotationsOf(field) };
  return propertyOf(kind, field, types);
}

/** Returns the keywords of a property besides its type. */
function annotationsOf(field: Property): JsonObject {
  const { schema, traits } = field;
  const { default: fallback } = view(schema);
  const isPlain = ["string", "number", "boolean"].includes(typeof fallback);
  return {
    ...withAllowedValues([traits.doc, ...notesOf(field, fallback)].join(" "), schema),
    ...(isPlain && fallback !== undefined ? { default: fallback } : {}),
    ...(isSensitive(traits) ? { secret: true } : {}),
    ...(traits.onChange === "replace" ? { willReplaceOnChanges: true } : {}),
    ...(traits.deprecated === undefined ? {} : { deprecationMessage: traits.deprecated }),
  };
}

/** Returns notes on the field's traits, without those that the schema expresses by its own means. */
function notesOf({ traits }: Property, fallback: JsonValue | undefined): readonly string[] {
  const { refersTo, writeOnly, deprecated: _, ...rest } = traits;
  return [
    ...(refersTo === undefined ? [] : [`Refers to ${withArticle(refersTo)}.`]),
    ...traitNotes(rest, fallback),
    ...(writeOnly === undefined || traits.onChange === "ignore"
      ? []
      : [
          "The API does not return this value, so drift is not detected. Changes in the program are applied.",
        ]),
  ];
}

function getFunctionOf(kind: Kind, types: TypeTable): JsonObject {
  const { inputs } = propertiesOf(kind);
  const key = inputs.filter(({ name }) => kind.key.includes(name));
  return {
    description: `Finds one object by its key. ${kind.doc}`,
    inputs: argumentsOf(kind, key, types),
    outputs: functionOutputType(kind, types),
  };
}

function listFunctionOf(kind: Kind, types: TypeTable): JsonObject {
  const { inputs } = propertiesOf(kind);
  const scope = inputs.filter(({ name }) => kind.scope.includes(name));
  const items = types.define(`${kind.name}Item`, {
    description: `One object of the list. ${kind.doc}`,
    ...functionOutputType(kind, types),
  });
  return {
    description: `Lists ${kind.plural.replaceAll("-", " ")}${scope.length === 0 ? "" : " of one collection"}. ${kind.doc}`,
    inputs: argumentsOf(kind, scope, types),
    outputs: {
      type: "object",
      properties: {
        items: { type: "array", items, description: "All objects of the collection." },
      },
      required: ["items"],
    },
  };
}

function argumentsOf(kind: Kind, fields: readonly Property[], types: TypeTable): JsonObject {
  const properties = fields.map((field): [string, JsonObject] => {
    const { willReplaceOnChanges: _, ...rest } = propertyOf(kind, field, types);
    return [field.property, { ...rest, description: field.traits.doc }];
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: requiredOf(fields),
  };
}

/** Returns the type of a found object: its import ID and its properties. */
function functionOutputType(kind: Kind, types: TypeTable): JsonObject {
  const { properties, required } = outputsOf(kind, types, propertiesOf(kind).status);
  return {
    type: "object",
    properties: {
      id: { type: "string", description: "ID for `pulumi import`." },
      ...properties,
    },
    required: ["id", ...required],
  };
}
