// Converts workbooks between specs and requests: slugs to IDs, and published dashboards to one object in the spec.
import { listWorkbooks } from "../api/workbooks.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { shellQuote } from "../core/text/shell-quote.ts";
import type { UnidentifiedObjects } from "../core/kind/unidentified.ts";
import { deploymentIds, definedMembers } from "./codec.ts";
import type { Spec } from "./workbook.schema.ts";

/** A workbook with a slug. A spec cannot name workbooks without one. */
export type WorkbookWithSlug = AnswerOf<typeof listWorkbooks> & { readonly slug: string };

const withSlugs = memoizePerObject((items: readonly AnswerOf<typeof listWorkbooks>[]) =>
  items.filter(hasSlug),
);

const bySlug = memoizePerObject(
  (workbooks: readonly WorkbookWithSlug[]): ReadonlyMap<unknown, WorkbookWithSlug> =>
    new Map(workbooks.map((one) => [one.slug, one])),
);

/** Reads a deployment's ID and its workbooks with slugs; undefined if the deployment does not exist. */
export async function workbooksOf(
  reader: Reader,
  deployment: string,
): Promise<{ deploymentId: number; workbooks: readonly WorkbookWithSlug[] } | undefined> {
  const deploymentId = (await deploymentIds.read(reader)).get(deployment);
  if (deploymentId === undefined) return undefined;
  const items = await reader.all(listWorkbooks, { params: { deploymentId } });
  return { deploymentId, workbooks: withSlugs(items) };
}

/** Reads the workbook that a spec names; undefined if it or its deployment does not exist. */
export async function workbookNamed(
  reader: Reader,
  { deployment, workbook }: JsonObject,
): Promise<WorkbookWithSlug | undefined> {
  const found = await workbooksOf(reader, typeof deployment === "string" ? deployment : "");
  return found && bySlug(found.workbooks).get(workbook);
}

const byId = memoizePerObject(
  (workbooks: readonly WorkbookWithSlug[]): ReadonlyMap<string, WorkbookWithSlug> =>
    new Map(workbooks.map((one) => [String(one.id), one])),
);

/** Reads the workbook with an ID, regardless of its slug; undefined if it or its deployment does not exist. */
export async function workbookWithId(
  reader: Reader,
  deployment: string,
  id: string,
): Promise<WorkbookWithSlug | undefined> {
  const found = await workbooksOf(reader, deployment);
  return found && byId(found.workbooks).get(id);
}

/** Finds workbooks without a slug, as the product creates them. */
export const workbooksWithoutSlug: UnidentifiedObjects<Reader> = {
  lack: "a slug",
  partsOfThem: "their dashboards, notifications and embed access",
  list: async (reader, { deployment = "" }) => {
    const deploymentId = (await deploymentIds.read(reader)).get(deployment);
    if (deploymentId === undefined) return [];
    const items = await reader.all(listWorkbooks, { params: { deploymentId } });
    return items
      .filter((one) => !hasSlug(one))
      .map(({ id, name }) => ({
        label: `${JSON.stringify(name)} of deployment ${deployment} (ID ${id})`,
        remedy: `Run \`svc workbooks update ${shellQuote(deployment)} ${id} --slug SLUG\`.`,
      }));
  },
};

/** Returns whether a workbook has a slug. */
export function hasSlug(one: AnswerOf<typeof listWorkbooks>): one is WorkbookWithSlug {
  return one.slug !== undefined;
}

/** Returns a published dashboard in the form of the spec. */
export function dashboardSpec({ publishedDashboard }: WorkbookWithSlug): Spec["dashboard"] {
  if (publishedDashboard === undefined) return undefined;
  const { config, allowEmbed } = publishedDashboard;
  return { ...config, allowEmbed };
}

/**
 * Returns the dashboard to publish: the desired one merged over the live one, because the API replaces whole dashboards.
 * Without either, the API publishes the saved draft. Members that the spec clears are omitted.
 */
export function publishInput(desired: Spec["dashboard"], live: Spec["dashboard"]) {
  const { allowEmbed, ...config } = definedMembers({ ...live, ...desired });
  return {
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...definedMembers({ allowEmbed }),
  };
}

/** The IDs of the workbook that a spec names. */
export const workbookIds = {
  operation: listWorkbooks,
  dependsOn: ["deployment", "workbook"],
  read: async (reader: Reader, named: JsonObject) => {
    const one = await workbookNamed(reader, named);
    return one && { deploymentId: one.deploymentId, workbookId: one.id };
  },
  missingMessage: "the deployment or the workbook does not exist",
} satisfies Prerequisite<{ deploymentId: number; workbookId: number }>;
