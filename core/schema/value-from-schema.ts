// The schemas of `valueFrom`, which a field can contain in a manifest instead of a value.
import type { JsonObject } from "../json.ts";

/** The schema of `valueFrom`, which a secret field can contain instead of a value. */
export const valueFrom: JsonObject = {
  type: "object",
  title: "a source of the value",
  description: "A value from an external source that the operator grants.",
  required: ["valueFrom"],
  additionalProperties: false,
  properties: {
    valueFrom: {
      type: "object",
      description: "Exactly one source.",
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: {
        env: {
          type: "string",
          minLength: 1,
          description: "An environment variable that the Stack lists in spec.environment.",
        },
        file: {
          type: "string",
          minLength: 1,
          description:
            "A file, relative to the Stack's folder. svc removes one trailing line break.",
        },
        sops: {
          type: "object",
          description: "A file that sops decrypts, or one value in it.",
          required: ["file"],
          additionalProperties: false,
          properties: {
            file: {
              type: "string",
              minLength: 1,
              description: "Path relative to the Stack's folder.",
            },
            key: {
              type: "array",
              items: { anyOf: [{ type: "string" }, { type: "integer", minimum: 0 }] },
              description:
                "Path of the value in the file: names of members and indexes of list items. Defaults to the whole file.",
            },
          },
        },
        age: {
          type: "object",
          description: "A file that age decrypts.",
          required: ["file", "identity"],
          additionalProperties: false,
          properties: {
            file: {
              type: "string",
              minLength: 1,
              description: "Path relative to the Stack's folder.",
            },
            identity: {
              type: "string",
              minLength: 1,
              description: "File with the private key. The operator must grant it.",
            },
          },
        },
        command: {
          type: "array",
          minItems: 1,
          items: { type: "string" },
          description: "A program and its arguments. Its output is the value.",
        },
      },
    },
  },
};

/** The schema of `valueFrom` of a map of files. */
export const filesFrom: JsonObject = {
  type: "object",
  title: "a folder of files",
  description: "The files of a folder, by path.",
  required: ["valueFrom"],
  additionalProperties: false,
  properties: {
    valueFrom: {
      type: "object",
      required: ["folder"],
      additionalProperties: false,
      properties: {
        folder: {
          type: "string",
          minLength: 1,
          description:
            "A folder in the Stack's folder, or where a glob of its spec.manifests leads. Relative to the Stack's folder. Skips hidden files except .gitignore, node_modules and dashboard-app.",
        },
      },
    },
  },
};

/** Adds a form of `valueFrom` to the schema of a field. Annotations stay on the outer schema. */
export function orValueFrom(schema: JsonObject, source: JsonObject): JsonObject {
  const isOutside = (keyword: string): boolean =>
    /^x-|escription$/u.test(keyword) || keyword === "deprecated";
  const parts = Object.groupBy(Object.entries(schema), ([keyword]) =>
    isOutside(keyword) ? "outside" : "inside",
  );
  const inside = Object.fromEntries(parts.inside ?? []);
  return { ...Object.fromEntries(parts.outside ?? []), anyOf: [inside, source] };
}
