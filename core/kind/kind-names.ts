// Finds the resource type that a name means: misspelled, or written as Terraform and Pulumi write it.
import {
  closestMatch,
  sentences,
  snakeCase,
  suggestionRemedy,
  terraformType,
} from "../text/naming.ts";

/** Returns the resource type that a name means. Undefined if none is close. */
export function kindMeant(name: string, kindNames: Iterable<string>): string | undefined {
  const names = [...kindNames];
  const own = withoutProvider(name);
  return names.find((one) => terraformType(one) === terraformType(own)) ?? closestMatch(own, names);
}

/** What declares something that is no resource type, by its word in snake case. */
const fieldsByWord: Readonly<Record<string, string>> = {
  dashboard: "A dashboard is the field dashboard of a Workbook.",
  widget: "Widgets are in the field dashboard of a Workbook.",
  chart: "Charts are in the field dashboard of a Workbook.",
};

/** Returns the remedy for a name that is no resource type. */
export function kindRemedy(name: string, kindNames: Iterable<string>): string {
  const names = [...kindNames];
  const meant = kindMeant(name, names);
  if (meant !== undefined) return suggestionRemedy(meant);
  const word = snakeCase(withoutProvider(name));
  const declared = Object.hasOwn(fieldsByWord, word) ? fieldsByWord[word] : undefined;
  if (declared !== undefined) return declared;
  const similar = names.filter((one) => word !== "" && snakeCase(one).split("_").includes(word));
  const list = similar.toSorted().join(", ");
  return sentences(list && `Similar kinds are ${list}.`, "Run `svc explain` to list all kinds.");
}

/** Returns the name in a Terraform type (`svc_user`) or a Pulumi token (`svc:index:User`). Cuts long names, which are no misspellings and slow to compare. */
function withoutProvider(name: string): string {
  return name.slice(0, 80).replace(/^svc(?:_|[:/.](?:index[:/.])?)/iu, "");
}
