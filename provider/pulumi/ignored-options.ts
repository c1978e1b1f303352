// Finds the resource options of a component that have no effect, so that the provider can warn about them.
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb.js";

/** Returns the names of the options that neither the component nor its objects support. */
export function ignoredOptions(request: ConstructRequest): readonly string[] {
  const {
    create = "",
    update = "",
    pb_delete = "",
  } = request.getCustomtimeouts()?.toObject() ?? {};
  const given = {
    additionalSecretOutputs: request.getAdditionalsecretoutputsList().length > 0,
    customTimeouts: [create, update, pb_delete].some((time) => /[1-9]/.test(time)),
    deleteBeforeReplace: request.getDeletebeforereplace() === true,
    ignoreChanges: request.getIgnorechangesList().length > 0,
    replaceOnChanges: request.getReplaceonchangesList().length > 0,
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.hasReplacementTrigger(),
  };
  return Object.entries(given)
    .filter(([, isGiven]) => isGiven)
    .map(([name]) => name);
}
