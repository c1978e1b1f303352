// Formats of strings that JSON Schema does not have.
import { runsEver } from "../text/cron.ts";
import { isIri } from "../text/text-patterns.ts";
import { isTimeZone, isTimeZoneName } from "../text/time-zones.ts";

/** The texts that each format accepts, for validators that are compiled at run time or by the build. */
export const customFormats = {
  iri: isIri,
  "time-zone": isTimeZoneName,
  "time-zone-in-any-case": isTimeZone,
  cron: runsEver,
} as const satisfies Readonly<Record<string, (text: string) => boolean>>;
