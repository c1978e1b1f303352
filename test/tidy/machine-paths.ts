// Finds absolute paths of a particular machine in committed files.
import { lineAt } from "./source.ts";

const homeFolders = ["root", "work", "home/[a-z][\\w-]*", "Users/[A-Za-z][\\w-]*"];
const machinePath = new RegExp(
  `(?<![\\w./:*}\\])-])/(?:${homeFolders.join("|")})(?=[/\\s"'\`),;:]|$)`,
  "gm",
);

/** Returns one line for every absolute path of a machine in `text`. */
export function machinePathProblems(path: string, text: string): readonly string[] {
  return [...text.matchAll(machinePath)].map(
    (match) => `${path}:${lineAt(text, match.index)}: the path ${match[0]} of one machine`,
  );
}
