// Finds the manifests of a stack outside its folder, for a checkout that has only that folder so far.
import { type LoadOptions, loadStackAlone } from "./load.ts";
import { sharedPlaces } from "./stack.ts";

/** Returns the {@link sharedPlaces} of a Stack. Empty if the Stack has errors, which loading reports. */
export async function sharedManifests(options: LoadOptions): Promise<readonly string[]> {
  const { stack, manifests } = await loadStackAlone(options);
  return stack === undefined ? [] : sharedPlaces(stack.folder, manifests);
}
