// Compiles the links of dimensions, and the SQL of their addresses.
import { type Place, within } from "./problems.ts";
import { resolveRowSql, type SqlContext } from "./resolve.ts";
import type { LinkDeclaration } from "./schema.ts";
import type { DimensionLink, SqlTemplate } from "./types.ts";

/** Returns the links of a dimension as metadata shows them, and adds their errors. */
export function compileLinks(
  links: readonly LinkDeclaration[],
  at: Place,
  { problems }: SqlContext,
): readonly DimensionLink[] {
  const names = new Set<string>();
  return links.map(({ name, label, url, dashboard, icon, target, params = [] }, index) => {
    const place = within(at, "links", index);
    if (names.has(name)) problems.add(within(place, "name"), `the link ${name} is declared twice`);
    names.add(name);
    if ((url === undefined) === (dashboard === undefined)) {
      problems.add(place, `the link ${name} needs either url or dashboard`);
    }
    return {
      name,
      label,
      ...(dashboard !== undefined && { dashboard }),
      ...(icon !== undefined && { icon }),
      ...(target !== undefined && { target }),
      ...(params.length > 0 && { params: params.map(({ key }) => key) }),
    };
  });
}

/**
 * Returns the SQL of the address of a link: its `url`, or the path of its dashboard, and its parameters. Without the value
 * of one of them there is no address.
 */
export function addressSql(
  { url, dashboard, params = [] }: LinkDeclaration,
  at: Place,
  context: SqlContext,
): SqlTemplate {
  const sqlAt = (text: string, ...keys: (string | number)[]) =>
    resolveRowSql(text, within(at, ...keys), context);
  const address = url === undefined ? [] : sqlAt(url, "url");
  const values = params.flatMap(({ key, value }, index): SqlTemplate => {
    const isFirst = index === 0;
    const first = dashboard === undefined ? separator(address) : ["'?'"];
    const encoded = { kind: "url_encode", parts: sqlAt(value, "params", index, "value") } as const;
    return [" || ", ...(isFirst ? first : ["'&'"]), ` || '${key}=' || `, encoded];
  });
  const start = dashboard === undefined ? ["(", ...address, ")"] : [`'/dashboard/${dashboard}'`];
  return [...start, ...values];
}

/** Writes what comes before the first parameter of an address, which may have some already. */
function separator(address: SqlTemplate): SqlTemplate {
  return ["CASE WHEN (", ...address, ") LIKE '%?%' THEN '&' ELSE '?' END"];
}
