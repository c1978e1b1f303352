// Area variables: a deployment's environment variables, sealed in the store and masked by name on the way out.
import {
  deleteVariable,
  listVariables,
  maskedNameParts,
  maskedValue,
  setVariables,
} from "../../../api/variables.ts";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { handle, handleList, type OperationHandler, type Call } from "../operation-handler.ts";
import { pageOf } from "../pagination.ts";
import { sealedSecretLength } from "../../security/seal.ts";
import { variableSealContext } from "../../security/sealed-columns.ts";
import { keyset } from "../../store/keyset.ts";
import type { Db, Row } from "../../store/schema.ts";
import { readDeployment } from "../deployments/deployments.ts";

type VariableInput = RequestOf<typeof setVariables>["body"]["env_variables"][number];

/** What the operations of the area do. */
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
    const wishes = body.env_variables;
    validateVariables(wishes, new Set(stored.map(({ name }) => name)));
    await storeVariables(call, params.deploymentId, wishes);
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

/** A masked value is not even opened. */
function showVariable(row: Row<"deployment_variables">, { sealer: seal }: Pick<Call, "sealer">) {
  const { name, sealed_value } = row;
  const value = isMasked(name) ? maskedValue : seal.open(sealed_value, variableSealContext(row));
  return { name, value };
}

function isMasked(name: string): boolean {
  const upper = name.toUpperCase();
  return maskedNameParts.some((part) => upper.includes(part));
}

const variableNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The whole request, before anything is written; names that are stored already may have any form. */
function validateVariables(wishes: readonly VariableInput[], stored: ReadonlySet<string>): void {
  const names = new Set<string>();
  for (const { name, value } of wishes) {
    const told = JSON.stringify(name);
    if (names.has(name)) throw new Failure("invalid", `the variable ${told} is given twice`);
    names.add(name);
    if (value === maskedValue) {
      throw new Failure(
        "invalid",
        `the value of ${told} is the placeholder of a masked value; send the value itself or leave the variable out`,
      );
    }
    if (!stored.has(name) && !variableNamePattern.test(name)) {
      throw new Failure(
        "invalid",
        `${told} cannot name a variable; use letters, digits and underscores, no digit first`,
      );
    }
  }
  const count = new Set([...stored, ...names]).size;
  if (count > limits.variables) {
    throw new Failure(
      "invalid",
      `a deployment has at most ${limits.variables} variables; these would be ${count}`,
    );
  }
}

/** All are in one answer, so they are bounded together. */
function refuseTooLong(rows: readonly Row<"deployment_variables">[]): void {
  let bytes = 0;
  for (const row of rows)
    bytes += Buffer.byteLength(row.name) + sealedSecretLength(row.sealed_value);
  if (bytes <= limits.variablesBytes) return;
  throw new Failure(
    "invalid",
    `the names and values of a deployment's variables may have ${limits.variablesBytes} bytes together; these would be ${bytes}`,
    { remedy: "Shorten values, or delete variables that are not needed." },
  );
}

async function storeVariables(
  { db, sealer: seal }: Call,
  deploymentId: number,
  wishes: readonly VariableInput[],
): Promise<void> {
  if (wishes.length === 0) return;
  const rows = wishes.map(({ name, value }) => {
    const row = { deployment_id: deploymentId, name };
    return { ...row, sealed_value: seal.seal(value, variableSealContext(row)) };
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
