import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("src/", import.meta.url));

/** What is on the screen before anybody has signed in, as far as it is not imported by what is named here already. */
const roots = ["main.tsx", "sign-in/*.tsx", "error-pages/{maintenance-cover,something-wrong-page,pictures}.tsx"];

/** Names the titles of all screens, but shows none. */
const exceptions = ["routes.ts"];

const staticImports = /(?:^|\n)(?:import|export) (?!type )(?:[^;"]*? from )?"(\.[^"]+\.tsx?)"/g;
/** What is loaded without waiting for the texts that come after the first screen (lazy-screen.ts). */
const firstImports = /\bfirst(?:Screen|Part)\(\s*\(\) => import\("(\.[^"]+\.tsx?)"\)/g;

/** Paths of the files that a visitor's browser loads up to a usable sign-in. */
export function entranceFiles(): string[] {
  return filesFrom(globSync(roots, { cwd: sources }), [staticImports], exceptions);
}

function filesFrom(starts: string[], followed: RegExp[], left: string[] = []): string[] {
  const found = new Set(left);
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const code = readFileSync(join(sources, file), "utf8");
    for (const imports of followed) for (const [, target = ""] of code.matchAll(imports)) visit(join(dirname(file), target));
  };
  starts.forEach(visit);
  return [...found].filter((file) => !left.includes(file)).map((file) => join(sources, file));
}

function textsOf(files: string[], keys: string[]): Set<string> {
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  return new Set(keys.filter((key) => code.includes(`"${key}"`)));
}

export type TextParts = { entrance: Set<string>; first: Set<string>; rest: Set<string> };

/** The texts that each part of a catalogue has: those of the entrance, those of the frame and of what is opened most, all others. */
export function textParts(keys: string[]): TextParts {
  const entrance = textsOf(entranceFiles(), keys);
  const first = textsOf(filesFrom(["main.tsx"], [staticImports, firstImports]), keys).difference(entrance);
  return { entrance, first, rest: new Set(keys).difference(entrance).difference(first) };
}
