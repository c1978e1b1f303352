// The URLs that the HTTP checks of a pipeline request.
/** Returns the URL of a check, with the name and the URL of a deployment in place of `{deployment}` and `{url}`. */
export function urlFor(
  url: string,
  { key, url: own = "" }: { readonly key: string; readonly url: string | undefined },
): string {
  return url
    .replaceAll("{deployment}", encodeURIComponent(key))
    .replaceAll("{url}", own.replace(/\/$/u, ""));
}

/** Returns whether the URL of a check names the deployments that it is requested for. */
export function isUrlOfDeployments(url: string): boolean {
  return /\{(?:deployment|url)\}/u.test(url);
}

/** What is wrong with the URL of a check that {@link isCheckUrl} refuses. It leaves out the URL, which may contain a key. */
export const checkUrlProblem =
  "the URL of a check is not an http or https URL, or contains a user name";

/** Returns whether a check may request a URL: http or https, without a user name. */
export function isCheckUrl(url: string): boolean {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  return target !== undefined && /^https?:$/u.test(target.protocol) && target.username === "";
}
