// Area spec: the API's own description.
import { getSpec } from "../../../api/spec.ts";
import { behave, type Behaviour } from "../../area.ts";

/** What the operations of the area do. */
export const spec: readonly Behaviour[] = [
  behave(getSpec, async ({ description }) => ({ ...description() })),
];
