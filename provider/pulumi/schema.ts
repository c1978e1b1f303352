// The package schema: every kind as a resource, with a function that finds one object and one that lists a collection.
import type { Catalogue, Component, ComponentPart } from "../../core/component.ts";
import { isSensitive } from "../../core/fields.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { traitNotes } from "../../core/json-schema.ts";
import type { Kind } from "../../core/kind.ts";
import { view } from "../../core/schema.ts";
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
} from "./properties.ts";
import { createTypeTable, withAllowedValues, singular, type TypeTable } from "./types.ts";

/** The SDK for Node.js that Pulumi writes of the schema. Under the name of our own package it would take that one's place. */
const nodePackage = "@svc-as-code/pulumi";

/** The schema of the package over everything that can be wished for, as plain JSON in a stable order. */
export function packageSchema({ kinds, components }: Catalogue, version: string): JsonObject {
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
  const functions = kinds.flatMap((kind): [string, JsonObject][] => {
    const { one, list } = functionTokens(kind);
    return [
      [one, getFunctionOf(kind, types)],
      [list, listFunctionOf(kind, types)],
    ];
  });
  return {
    name: packageName,
    displayName: packageName,
    version,
    description: "Manage a hosted analytics platform as code.",
    keywords: ["pulumi", packageName, "kind/native"],
    license: "MIT",
    meta: { moduleFormat: "(.*)(?:/[^/]*)" },
    config: { variables: configurationSchema.variables },
    provider: {
      description: "The server that resources live on, and how to talk to it.",
      inputProperties: configurationSchema.inputs,
      properties: configurationSchema.outputs,
    },
    types: types.all(),
    resources: Object.fromEntries(resources),
    functions: Object.fromEntries(functions),
    language: {
      nodejs: { packageName: nodePackage, respectSchemaVersion: true },
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
  const { inputs } = propertiesOf(kind);
  const { properties, required } = outputsOf(kind, types);
  const minted = generatedSecretProperty(kind);
  const inputProperties: JsonObject = Object.fromEntries(
    inputs.map((field) => [field.property, propertyOf(kind, field, types)]),
  );
  const shown = kind.examples.map((one) => ({ ...one, inputs: exampleInputs(kind, kinds, one) }));
  const scene = { type: kind.name, properties: inputProperties, types: types.all() };
  return {
    description: `${kind.doc}\n\n${examplesText(scene, shown)}`,
    inputProperties,
    requiredInputs: requiredOf(inputs),
    properties: { ...properties, ...minted },
    required: [...required, ...Object.keys(minted)],
  };
}

/** The secret that a create is given. It is called present, for it lacks only where an object was imported. */
function generatedSecretProperty(kind: Kind): JsonObject {
  const { generatedSecret: minted } = propertiesOf(kind);
  if (minted === undefined) return {};
  const description = `${kind.generatedSecret?.doc ?? ""} It is known where this resource made the object, and absent after an import.`;
  return { [minted]: { type: "string", description, secret: true } };
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
    .filter(({ cardinality: count }) => count === "one")
    .map((part) => part.name);
  const present = parts
    .filter(({ cardinality: count }) => count !== "optional")
    .map((part) => part.name);
  const inputProperties: JsonObject = Object.fromEntries(inputs);
  const scene = { type: name, properties: inputProperties, types: types.all() };
  return {
    isComponent: true,
    description: `${doc}\n\n${examplesText(scene, examples)}`,
    inputProperties,
    requiredInputs: required,
    properties: Object.fromEntries(outputs),
    required: present,
  };
}

/** An object, or a map of objects, of the fields that nothing else of the component says. */
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

/** What others call the objects of a part. */
function referenceType(
  { kind, cardinality: count, doc }: ComponentPart,
  types: TypeTable,
): JsonObject {
  const field = propertiesOf(kind).inputs.find(
    ({ property }) => property === referencePropertyName(kind),
  );
  const one = field === undefined ? { type: "string" } : types.typeOf(field.schema, kind.name);
  const [type, which] =
    count === "each" ? [{ type: "object", additionalProperties: one }, "them"] : [one, "it"];
  return { ...type, description: `${doc} Holds what properties that refer to ${which} take.` };
}

/** The properties of an object that exists: all of its wish, and what the service reports. */
function outputsOf(
  kind: Kind,
  types: TypeTable,
): { readonly properties: JsonObject; readonly required: readonly string[] } {
  const { inputs, status, hasKey } = propertiesOf(kind);
  const all = [...inputs, ...status].map((field): [string, JsonObject] => {
    const {
      willReplaceOnChanges: _,
      default: _d,
      description,
      ...rest
    } = propertyOf(kind, field, types);
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
  const { schema, traits, property } = field;
  const { default: fallback } = view(schema);
  const isPlain = ["string", "number", "boolean"].includes(typeof fallback);
  return {
    ...types.typeOf(schema, `${kind.name}${pascalCase(property)}`),
    ...withAllowedValues([traits.doc, ...notesOf(field, fallback)].join(" "), schema),
    ...(isPlain && fallback !== undefined ? { default: fallback } : {}),
    ...(isSensitive(traits) ? { secret: true } : {}),
    ...(traits.onChange === "replace" ? { willReplaceOnChanges: true } : {}),
    ...(traits.deprecated === undefined ? {} : { deprecationMessage: traits.deprecated }),
  };
}

/** What the field's traits mean in a program; what Pulumi tells by its own means stays out. */
function notesOf({ traits }: Property, fallback: JsonValue | undefined): readonly string[] {
  const { refersTo, writeOnly, deprecated: _, ...rest } = traits;
  return [
    ...(refersTo === undefined ? [] : [`Names an object of ${refersTo}.`]),
    ...traitNotes(rest, fallback),
    ...(writeOnly === undefined
      ? []
      : ["The API does not show it, so drift cannot be seen; a change of the program is applied."]),
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
  const items = types.define(`${kind.name}Found`, {
    description: `One that was found. ${kind.doc}`,
    ...functionOutputType(kind, types),
  });
  return {
    description: `Lists ${kind.plural.replaceAll("-", " ")}${scope.length === 0 ? "" : " of one collection"}. ${kind.doc}`,
    inputs: argumentsOf(kind, scope, types),
    outputs: {
      type: "object",
      properties: {
        items: { type: "array", items, description: "Every one of them." },
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

/** An object as a function finds it: its properties, and the id that imports it. */
function functionOutputType(kind: Kind, types: TypeTable): JsonObject {
  const { properties, required } = outputsOf(kind, types);
  return {
    type: "object",
    properties: {
      id: { type: "string", description: "The id that imports it." },
      ...properties,
    },
    required: ["id", ...required],
  };
}
