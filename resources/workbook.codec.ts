// Workbooks between wish and wire: found by their slugs, and a published dashboard as one object of a wish.
import { listWorkbooks } from "../api/workbooks.ts";
import type { Reader } from "../core/kind.ts";
import type { AnswerOf } from "../core/operation.ts";
import { deploymentIds, definedMembers } from "./codec.ts";
import type { Spec } from "./workbook.schema.ts";

/** A workbook that a wish can name: one with a slug. */
export type WorkbookWithSlug = AnswerOf<typeof listWorkbooks> & { readonly slug: string };

/** The deployment's id with its workbooks that have slugs; undefined where there is no such deployment. */
export async function workbooksOf(
  reader: Reader,
  deployment: string,
): Promise<{ deploymentId: number; workbooks: readonly WorkbookWithSlug[] } | undefined> {
  const deploymentId = (await deploymentIds.read(reader)).get(deployment);
  if (deploymentId === undefined) return undefined;
  const items = await reader.all(listWorkbooks, { params: { deploymentId } });
  return { deploymentId, workbooks: items.filter(hasSlug) };
}

/** True for a workbook that has a slug. */
export function hasSlug(one: AnswerOf<typeof listWorkbooks>): one is WorkbookWithSlug {
  return one.slug !== undefined;
}

/** A published dashboard as a wish spells it. */
export function dashboardSpec({ publishedDashboard }: WorkbookWithSlug): Spec["dashboard"] {
  if (publishedDashboard === undefined) return undefined;
  const { config, allowEmbed } = publishedDashboard;
  return { ...config, allowEmbed };
}

/**
 * What to publish: the live dashboard with the wish put over it, as the API takes a dashboard only whole; without either,
 * the saved draft. Members that the wish clears are left out.
 */
export function publishInput(wish: Spec["dashboard"], live: Spec["dashboard"]) {
  const { allowEmbed, ...config } = definedMembers({ ...live, ...wish });
  return {
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...definedMembers({ allowEmbed }),
  };
}
