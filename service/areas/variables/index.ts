// Area variables: the environment variables of a deployment, encrypted in the store and masked by name in responses.
import {
  deleteVariable,
  listVariables,
  maskedNameParts,
  maskedValue,
  setVariables,
} from "../../../api/variables.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import { identifierPattern } from "../../../core/text/text-patterns.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import {
  handle,
  handleList,
  type OperationHandler,
  type Call,
} from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import { sealedSecretLength } from "../../security/seal.ts";
import { variableSealContext } from "../../security/sealed-columns.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db, Row } from "../../store/schema.ts";
import { readDeployment } from "../../store/deployments.ts";

type VariableInput = RequestOf<typeof setVariables>["body"]["env_variables"][number];

/** The handlers of this area. */
export const variables: readonly OperationHandler[] = [
  handleList(listVariables, async (call) => {
    const { deploymentId } = call.params;
    await readDeployment(call.db, deploymentId);
    const rows = selectVariables(call.db, deploymentId);
    return pageOf(call, keyset(rows, "deployment_variables.id"), (row) => showVariable(row, call));
  }),
  handle(setVariables, async (call) => {
    const { db, params, body } = call;
    await readDeployment(db, params.deploymentId);
    const stored = await selectVariables(db, params.deploymentId).execute();
    const inputs = body.env_variables;
    validateVariables(inputs, new Set(stored.map(({ name }) => name)));
    await storeVariables(call, params.deploymentId, inputs);
    const rows = await selectVariables(db, params.deploymentId).orderBy("id", "desc").execute();
    refuseTooLong(rows);
    return { items: rows.map((row) => showVariable(row, call)) };
  }),
  handle(deleteVariable, async ({ db, params }) => {
    await readDeployment(db, params.deploymentId);
    await db
      .deleteFrom("deployment_variables")
      .where("deployment_id", "=", params.deploymentId)
      .where("name", "=", params.name)
      .execute();
  }),
];

function selectVariables(db: Db, deploymentId: number) {
  return db
    .selectFrom("deployment_variables")
    .selectAll()
    .where("deployment_variables.deployment_id", "=", deploymentId);
}

/** Does not decrypt a masked value. */
function showVariable(row: Row<"deployment_variables">, { sealer }: Pick<Call, "sealer">) {
  const { name, sealed_value } = row;
  const value = isMasked(name) ? maskedValue : sealer.open(sealed_value, variableSealContext(row));
  return { name, value };
}

function isMasked(name: string): boolean {
  const upper = name.toUpperCase();
  return maskedNameParts.some((part) => upper.includes(part));
}

const variableName = new RegExp(identifierPattern, "u");

/** Validates the whole request before any write. Existing names are accepted in any form. */
function validateVariables(inputs: readonly VariableInput[], stored: ReadonlySet<string>): void {
  const names = new Set<string>();
  for (const { name } of inputs) {
    const quoted = JSON.stringify(name);
    if (names.has(name))
      throw new Failure(
        "invalid",
        `the variable ${quoted} is given twice; send each variable once`,
      );
    names.add(name);
    if (!stored.has(name) && !variableName.test(name)) {
      throw new Failure(
        "invalid",
        `${quoted} is not a valid variable name; use letters, digits and underscores, and do not begin with a digit`,
      );
    }
  }
  const count = new Set([...stored, ...names]).size;
  if (count > limits.variables) {
    throw new Failure(
      "invalid",
      `a deployment can have at most ${limits.variables} variables; this request results in ${count}`,
    );
  }
}

/** Limits the total size, because one response contains all variables. */
function refuseTooLong(rows: readonly Row<"deployment_variables">[]): void {
  let bytes = 0;
  for (const row of rows)
    bytes += Buffer.byteLength(row.name) + sealedSecretLength(row.sealed_value);
  if (bytes <= limits.variablesBytes) return;
  throw new Failure(
    "invalid",
    `the names and values of a deployment's variables can have ${limits.variablesBytes} bytes in total; this request results in ${bytes}`,
    { remedy: "Shorten values, or delete variables that are no longer used." },
  );
}

async function storeVariables(
  { db, sealer }: Call,
  deploymentId: number,
  inputs: readonly VariableInput[],
): Promise<void> {
  if (inputs.length === 0) return;
  const rows = inputs.map(({ name, value }) => {
    const row = { deployment_id: deploymentId, name };
    return { ...row, sealed_value: sealer.seal(value, variableSealContext(row)) };
  });
  await db
    .insertInto("deployment_variables")
    .values(rows)
    .onConflict((on) =>
      on
        .columns(["deployment_id", "name"])
        .doUpdateSet((eb) => ({ sealed_value: eb.ref("excluded.sealed_value") })),
    )
    .execute();
}
