import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "@formatjs/icu-messageformat-parser";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type Plugin, type Rolldown } from "vite";
import { entranceFiles, textParts, type TextParts } from "./entrance.ts";

const api = process.env["CROSSDOCK_URL"] ?? "http://127.0.0.1:8080";
const version = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;

/**
 * Turns the catalogues into parsed messages at build time, so that no message parser (16 kB) reaches the browser, and takes them apart into
 * the texts of the entrance, those of the first screens and all others. The development server has all texts in each part, as they change while it runs.
 */
function precompiledMessages(): Plugin {
  let isBuild = false;
  let parts: TextParts | undefined;
  return {
    name: "precompiled-messages",
    enforce: "pre",
    configResolved: ({ command }) => {
      isBuild = command === "build";
    },
    transform: {
      filter: { id: /\/i18n\/messages\/\w+\.json\?(entrance|first|rest)$/ },
      handler(source, id) {
        const texts: Record<string, string> = JSON.parse(source);
        // Every language has the same keys.
        if (isBuild) parts ??= textParts(Object.keys(texts));
        const wanted = Object.entries(texts).filter(([key]) => !parts || parts[partIn(id)].has(key));
        const parsed = wanted.map(([key, text]) => [key, parse(text, { captureLocation: false })]);
        return { code: `export default ${JSON.stringify(Object.fromEntries(parsed))}`, moduleType: "js", map: null };
      },
    },
  };
}

function partIn(id: string): keyof TextParts {
  if (id.endsWith("?entrance")) return "entrance";
  return id.endsWith("?first") ? "first" : "rest";
}

/** Leaves in theme.css the classes of the entrance alone; screens.css has those of all screens. */
function entranceStyles(): Plugin {
  return {
    name: "entrance-styles",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/src\/theme\.css$/ },
      handler(source) {
        const files = entranceFiles().map((file) => `@source "${file}";`);
        return { code: `${source.replace('source(".")', "source(none)")}\n${files.join("\n")}\n`, map: null };
      },
    },
  };
}

const earlyScript = "before-first-paint";

/**
 * Puts theme/before-first-paint.ts into the page's head: as a classic script, because modules run after the first paint,
 * and as a file, because the server's content security policy allows no inline script.
 */
function beforeFirstPaint(): Plugin {
  return {
    name: earlyScript,
    async generateBundle() {
      this.emitFile({ type: "asset", name: `${earlyScript}.js`, source: await compileEarlyScript() });
    },
    transformIndexHtml: {
      order: "post",
      async handler(_html, { bundle }) {
        if (bundle === undefined) return [{ tag: "script", children: await compileEarlyScript() }];
        const file = Object.keys(bundle).find((name) => name.includes(earlyScript));
        return [{ tag: "script", attrs: { src: `/${file}` } }];
      },
    },
  };
}

async function compileEarlyScript(): Promise<string> {
  const input = fileURLToPath(new URL(`src/theme/${earlyScript}.ts`, import.meta.url));
  const rolldownOptions = { input, output: { format: "iife" as const } };
  const built = await build({ configFile: false, logLevel: "silent", build: { write: false, target: "es2023", rolldownOptions } });
  if (!("output" in built)) throw new Error(`${earlyScript} is not one script`);
  return built.output[0].code;
}

/** Fonts that every screen shows are asked for by the page itself, not by its first texts: a late one moves what stands behind a text. */
function earlyFonts(): Plugin {
  return {
    name: "early-fonts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => /poppins-latin-\d00.*\.woff2$/.test(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${file}` },
            injectTo: "head",
          })),
    },
  };
}

/**
 * Names the build in the page: the server repeats the name on its answers, and a page of another build offers to reload. The page's text
 * has the hashes of what it loads, and those in turn of what they load, so it stands for the whole build.
 */
function buildName(): Plugin {
  return {
    name: "build-name",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const build = createHash("sha256").update(html).digest("base64url").slice(0, 16);
        return [{ tag: "meta", attrs: { name: "build", content: build }, injectTo: "head" }];
      },
    },
  };
}

/** Puts code-files.ts in the place of what the build else calls for each dynamic import, and names it the import's own file too. */
function filesBeforeImports(): Plugin {
  const replacement = fileURLToPath(new URL("src/code-files.ts", import.meta.url));
  return {
    name: "files-before-imports",
    apply: "build",
    enforce: "pre",
    load: {
      filter: { id: /^\0vite\/preload-helper\.js$/ },
      handler: () => `export { withFiles as __vitePreload } from ${JSON.stringify(replacement)};`,
    },
  };
}

/** Where the walk through what each part imports begins; what a part has, the parts after it have not. */
const parts: Record<string, string[]> = {
  entrance: ["main.tsx", "sign-in/sign-in-page.tsx"],
  frame: ["layouts/app-shell.tsx"],
  list: [
    "ui/data-list.tsx",
    "ui/filter-bar.tsx",
    "ui/filter-fields.tsx",
    "ui/follow-toggle.tsx",
    "ui/page.tsx",
    "ui/row-link.tsx",
    "ui/selectable-table.tsx",
    "ui/use-list.ts",
    "layouts/with-tenant.tsx",
    "capped-number.tsx",
    "api/failure-notice.ts",
    "message-filters/span-choices.ts",
    "messages/message-states.ts",
    "saved-views/view-picker.tsx",
  ],
};

/**
 * Puts the code that is always loaded together into one file each: what the sign-in needs, what the frame adds to it, and the lists to that.
 * Cut by who shares what, a list's first code comes in 51 files that weigh 12 kB more.
 */
function partNames(): (id: string, context: Rolldown.ChunkingContext) => string | null {
  let names: Map<string, string> | undefined;
  return (id, context) => {
    names ??= namesOfModules(context);
    return names.get(id) ?? null;
  };
}

function namesOfModules(context: Rolldown.ChunkingContext): Map<string, string> {
  const names = new Map<string, string>();
  const visit = (id: string, name: string): void => {
    // A library's index imports all that it has: the icons of all screens would be in the first part, and what one form asks of the router.
    if (names.has(id) || id.includes("/lucide-react/") || id.endsWith("/useBlocker.js")) return;
    names.set(id, name);
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) visit(imported, name);
  };
  for (const [name, files] of Object.entries(parts))
    for (const file of files) visit(fileURLToPath(new URL(`src/${file}`, import.meta.url)), name);
  return names;
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [
    precompiledMessages(),
    entranceStyles(),
    earlyFonts(),
    buildName(),
    beforeFirstPaint(),
    filesBeforeImports(),
    react(),
    tailwindcss(),
  ],
  define: { BUILD_VERSION: JSON.stringify(version) },
  resolve: {
    alias: [
      {
        find: /^@formatjs\/icu-messageformat-parser$/,
        replacement: "@formatjs/icu-messageformat-parser/no-parser.js",
      },
      // React has had it itself since its version 18.
      { find: /^use-sync-external-store\/shim/, replacement: "use-sync-external-store" },
    ],
  },
  build: {
    target: "es2023",
    reportCompressedSize: false,
    modulePreload: { polyfill: false, resolveDependencies: (file, needed) => (needed.includes(file) ? needed : [file, ...needed]) },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: partNames(), debugName: "parts" }] },
        // The entrance names all files: one character less in each is 0.3 kB less there.
        chunkFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]",
      },
    },
  },
  server: { host: "127.0.0.1", proxy: { "/api": api, "/auth": api, "/readyz": api } },
});
