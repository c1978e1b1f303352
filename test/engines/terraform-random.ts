// Generates random Terraform configurations of every kind: known, unknown, null and empty values at every attribute.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { snakeCase, terraformType } from "../../core/text/naming.ts";
import { validateInputs } from "../../provider/bridge/validate-inputs.ts";
import { desiredInputs } from "../../provider/terraform/plan.ts";
import type { Attribute } from "../../provider/terraform/schema.ts";
import { kinds } from "../../resources/index.ts";
import { attributesOf, resourceBody } from "../../scripts/hcl.ts";
import type { Doc } from "../support/test-stack.ts";
import { providerConfiguration } from "./terraform-workspace.ts";

/** Returns a number from 0 to 1, exclusive. */
export type Random = () => number;

/** Creates a reproducible random generator (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A configuration attribute, and the same attribute with the values of its unknowns during apply. */
interface Drawn {
  readonly configured: JsonValue;
  readonly resolved: JsonValue;
}

const omitted: Drawn = { configured: null, resolved: null };

/** Draws bodies of resources, and collects the values of unknowns in `outputs` of one `terraform_data`. */
class Generator {
  readonly outputs: Record<string, JsonValue> = {};
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Draws one body that is valid once its unknowns are known; after too many attempts, returns the original body. */
  body(doc: Doc, body: JsonObject): JsonObject {
    const kind = kinds.find(({ name }) => name === doc.kind);
    const attributes = attributesOf(doc.kind);
    // Documents of other kinds declare entries of these lists, which an empty list would remove.
    const owned = new Set(
      kinds.flatMap(({ entryOf }) =>
        entryOf?.kind === doc.kind ? [snakeCase(entryOf.field)] : [],
      ),
    );
    if (kind === undefined) throw new Error(`unknown kind ${doc.kind}`);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const members = attributes
        .filter(({ part }) => part === "spec")
        .map((one) => {
          const example = body[one.name];
          const isKept = owned.has(one.name) && example === undefined;
          return [one.name, isKept ? omitted : this.#attribute(one, example)] as const;
        });
      const resolved = Object.fromEntries(members.map(([name, one]) => [name, one.resolved]));
      const inputs = desiredInputs({ kind, attributes, config: resolved });
      if (validateInputs(kind, inputs).some(({ severity }) => severity === "error")) continue;
      return Object.fromEntries(members.map(([name, one]) => [name, one.configured]));
    }
    return body;
  }

  #attribute(attribute: Attribute, example: JsonValue | undefined): Drawn {
    const value = this.#value(attribute, example ?? null);
    // References stay references: they are unknown until their object exists.
    if (isReference(value)) return { configured: value, resolved: value };
    const draw = this.#random();
    // An unknown required attribute is often part of the key, and so replaces the object.
    if (draw < (attribute.mode === "required" ? 0.04 : 0.35))
      return { configured: this.#unknown(value), resolved: value };
    if (draw < 0.45 && isObject(value)) return this.#object(value);
    return { configured: value, resolved: value };
  }

  #value({ mode, form }: Attribute, example: JsonValue): JsonValue {
    if (mode === "required" || isReference(example)) return example;
    const draw = this.#random();
    if (draw < 0.2) return null;
    if (draw > 0.3) return example;
    if (form.is === "string") return "";
    if (form.is === "list" || form.is === "set") return [];
    return form.is === "map" ? {} : example;
  }

  /** Makes single members of an object unknown. */
  #object(value: JsonObject): Drawn {
    const members = Object.entries(value).map(([name, member = null]): [string, JsonValue] => [
      name,
      this.#random() < 0.5 && !isReference(member) ? this.#unknown(member) : member,
    ]);
    return { configured: Object.fromEntries(members), resolved: value };
  }

  #unknown(value: JsonValue): JsonValue {
    const name = `v${Object.keys(this.outputs).length}`;
    const start = typeof value === "string" ? Math.floor(this.#random() * 3) : 0;
    if (typeof value !== "string" || start === 0 || value.includes("$")) {
      this.outputs[name] = value;
      return `\${terraform_data.unknown.output.${name}}`;
    }
    // A template with a known prefix is an unknown string with refinements.
    this.outputs[name] = value.slice(start);
    return `${value.slice(0, start)}\${terraform_data.unknown.output.${name}}`;
  }
}

function isReference(value: JsonValue): boolean {
  return JSON.stringify(value).includes("${svc_");
}

/** Returns a random configuration of these documents. Another `round` makes all its unknowns unknown again. */
export function randomConfiguration(
  documents: readonly Doc[],
  random: Random,
  round: number,
): JsonObject {
  const generator = new Generator(random);
  const resources: Record<string, Record<string, JsonObject>> = {};
  for (const doc of documents) {
    const type = terraformType(doc.kind);
    const body = generator.body(doc, resourceBody(doc, documents));
    resources[type] = { ...resources[type], [doc.name]: body };
  }
  const unknown = { input: generator.outputs, triggers_replace: round };
  return providerConfiguration({ resource: { ...resources, terraform_data: { unknown } } });
}
