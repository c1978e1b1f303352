// Checks of the server: that it answers, that its clock agrees, that the credential is valid, and that mail is sent.
import { getCurrentUser } from "../../api/users.ts";
import { createClient } from "../../client/client.ts";
import { isFailure } from "../../core/errors.ts";
import { type ConnectionFlags, serverAccess } from "../shared/connection/connection.ts";
import { credentialText, limitTexts } from "../shared/connection/credential-text.ts";
import { type Finding, findingOf } from "./finding.ts";
import { checkMail } from "./mail.ts";

/** Longest wait for one answer, in milliseconds. */
const timeoutMs = 10_000;
/** Difference of clocks from which tokens may be refused, in seconds. */
const skewMax = 30;

/** Checks the server and the credential that commands would use. */
export async function checkServer(
  flags: ConnectionFlags,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    const access = await serverAccess(flags);
    // A wrong clock is why a credential may be refused, so it is checked in any case.
    const clock = checkClock(access.url, signal);
    const client = createClient({ ...access, signal, timeoutMs, attempts: 1 });
    try {
      const begun = performance.now();
      const user = await client.reader.call(getCurrentUser, {});
      const limits = [...limitTexts(user)].map(([what, text]) => `; only the ${what} ${text}`);
      return [
        {
          check: "server",
          status: "ok",
          message: `${client.origin} answers in ${Math.round(performance.now() - begun)} ms`,
        },
        {
          check: "credential",
          status: "ok",
          message: `${user.username}: ${credentialText(user, access)}${limits.join("")}`,
        },
        ...(await checkMail(client.reader)),
        ...(await clock),
      ];
    } catch (error) {
      return [serverFinding(error), ...(await clock)];
    } finally {
      await client.close();
    }
  } catch (error) {
    return [serverFinding(error)];
  }
}

function serverFinding(error: unknown): Finding {
  return findingOf(isFailure(error, "unauthenticated") ? "credential" : "server", error);
}

/** Compares the clock with the `Date` of a response, which has whole seconds. */
async function checkClock(origin: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const begun = Date.now();
  const answer = await fetch(origin, { method: "HEAD", redirect: "manual", signal: stop }).catch(
    () => undefined,
  );
  const date = Date.parse(answer?.headers.get("date") ?? "");
  if (Number.isNaN(date)) return [];
  const skew = Math.round((date - (begun + Date.now()) / 2) / 1000);
  const check = "clock";
  if (Math.abs(skew) <= skewMax) return [{ check, status: "ok", message: "the clocks agree" }];
  const message = `the clock of the server is ${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`;
  const remedy = "Set the clocks by NTP: tokens expire early, or are refused as not yet valid.";
  return [{ check, status: "warning", message, remedy }];
}
