// EnvironmentVariable: an environment variable of a deployment. The API masks the values of some names.
import { Type } from "typebox";
import {
  deleteVariable,
  listVariables,
  maskedNameParts,
  maskedValue,
  setVariables,
} from "../api/variables.ts";
import { getDeployments } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import { defineKind, defineObserve } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentIdOf, deploymentIds, deploymentField, definedMembers } from "./codec.ts";
import { statusSchema } from "./status-schema.ts";
import { identifierPattern, unmaskedPattern } from "../core/text/text-patterns.ts";

/** The EnvironmentVariable resource type. Variables are set in one call per deployment; masked values are compared by fingerprint. */
export const environmentVariable = defineKind(
  {
    name: "EnvironmentVariable",
    plural: "environment-variables",
    recordedAs: "env-vars",
    doc: "An environment variable of a deployment. The API masks the value when the name contains PASS, SECRET, TOKEN, KEY or CREDENTIAL; drift of a masked value cannot be detected.",
    shape: "entry",
    key: ["deployment", "name"],
    scope: ["deployment"],
    spec: Type.Object({
      deployment: deploymentField,
      name: field(Type.String({ maxLength: 255, pattern: identifierPattern }), {
        doc: "Name: letters, digits and underscores. Does not start with a digit.",
        onChange: "replace",
      }),
      value: field(Type.String({ maxLength: 65_536, pattern: unmaskedPattern }), {
        doc: "Value. It is never shown, regardless of the name.",
        maskedWhen: { field: "name", contains: maskedNameParts },
      }),
    }),
    status: statusSchema({ deploymentId: Id }),
    examples: [
      {
        title: "A setting of the data model",
        name: "default-currency",
        spec: { deployment: "production", name: "DEFAULT_CURRENCY", value: "EUR" },
        variations: { name: "CURRENCY", value: "USD" },
      },
    ],
  },
  (bind) => {
    const set = bind.batched(
      setVariables,
      { groupBy: ["deployment"], max: limits.variables, prerequisite: deploymentIds },
      (subjects, ids) => ({
        params: { deploymentId: deploymentIdOf(ids, subjects[0].spec.deployment) },
        body: { env_variables: subjects.map(({ spec: { name, value } }) => ({ name, value })) },
      }),
    );
    return {
      observe: defineObserve({
        cost: "perParent",
        needs: [getDeployments, listVariables],
        read: async (reader, { deployment = "" }) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return [];
          const items = await reader.all(listVariables, { params: { deploymentId } });
          return items.map(({ name, value }) => ({
            id: `${deploymentId}/${name}`,
            spec: definedMembers({
              deployment,
              name,
              value: value === maskedValue ? undefined : value,
            }),
            status: { deploymentId },
          }));
        },
      }),
      create: [set],
      update: [set],
      delete: [
        bind.perObject(deleteVariable, ({ spec, live }) => ({
          params: { deploymentId: Number(live?.status["deploymentId"]), name: spec.name },
        })),
      ],
    };
  },
);
