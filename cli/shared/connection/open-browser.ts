// Opens a page in the user's browser, where there is one.
import { spawn } from "node:child_process";

/** Opens an http or https URL. Failures are ignored: the URL is printed too. */
export function openBrowser(url: string): void {
  const { href, protocol } = new URL(url);
  if (!/^https?:$/u.test(protocol)) return;
  const [program, ...before] = openers[process.platform] ?? ["xdg-open"];
  if (program === undefined) return;
  const child = spawn(program, [...before, href], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  // `start` belongs to the shell, which would read the `&` of a query.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
