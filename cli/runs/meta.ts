// Runs `svc meta DEPLOYMENT [NAME]`: prints the cubes, views and members that an environment serves.
import { withDataApi } from "../../client/data-api.ts";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { didYouMean } from "../../core/text/naming.ts";
import type { ConnectionFlags } from "../shared/connection/connection.ts";
import { deploymentOf } from "../shared/lookup/deployment-argument.ts";
import { exitCodes } from "../shared/exit-codes.ts";
import { runAction } from "../shared/run/run-action.ts";
import type { TableFlags } from "../shared/output/table-options.ts";
import {
  cellText,
  printTable,
  tableForm,
  type TableResult,
} from "../shared/output/table-output.ts";
import { withClient } from "../shared/connection/with-client.ts";

export interface Flags extends ConnectionFlags, TableFlags {
  readonly branch?: string;
  readonly onlyViews?: true;
}

/** Runs `svc meta`. */
export function runMeta(deployment: string, name: string | undefined, flags: Flags): Promise<void> {
  return runAction(tableForm(flags), ({ output, signal }) =>
    withClient(flags, signal, async (client) => {
      const { id: deploymentId } = await deploymentOf(client, deployment);
      const { branch: branchName, onlyViews } = flags;
      const answer = await withDataApi(client, { deploymentId, branchName }, (api) =>
        api.meta({ onlyViews }),
      );
      const models = objectsOf(answer["cubes"]);
      const result = name === undefined ? modelTable(answer, models) : memberTable(models, name);
      printTable(output, flags, result);
      return exitCodes.done;
    }),
  );
}

const memberKinds = ["measures", "dimensions", "segments"] as const;

function modelTable(json: JsonObject, models: readonly JsonObject[]): TableResult {
  return {
    columns: new Map([
      ["NAME", (model: JsonObject) => model["name"]],
      ["TYPE", (model: JsonObject) => model["type"]],
      ...memberKinds.map(
        (kind) =>
          [kind.toUpperCase(), (model: JsonObject) => objectsOf(model[kind]).length] as const,
      ),
      ["TITLE", (model: JsonObject) => model["title"]],
    ]),
    rows: models,
    json,
  };
}

function memberTable(models: readonly JsonObject[], name: string): TableResult {
  const model = models.find((one) => one["name"] === name);
  if (model === undefined) {
    const names = models.map((one) => cellText(one["name"]));
    throw new Failure("not_found", `there is no cube or view ${JSON.stringify(name)}`, {
      remedy: didYouMean(name, names),
    });
  }
  return {
    columns: new Map([
      ["MEMBER", ({ member }: ModelMember) => member["name"]],
      ["KIND", ({ kind }: ModelMember) => kind],
      ["TYPE", ({ member }: ModelMember) => member["aggType"] ?? member["type"]],
      ["TITLE", ({ member }: ModelMember) => member["title"]],
    ]),
    rows: memberKinds.flatMap((kind) =>
      objectsOf(model[kind]).map((member) => ({ member, kind: kind.slice(0, -1) })),
    ),
    json: model,
  };
}

interface ModelMember {
  readonly member: JsonObject;
  readonly kind: string;
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
