// Bundles the pages' scripts and the style into the Python package: the same sources give the same bytes.
import { build } from "esbuild";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = process.argv[2] ?? join(here, "..", "src", "bidui", "web", "static", "dist");
const pages = readdirSync(join(here, "src", "pages"))
  .filter((name) => /\.tsx?$/.test(name))
  .sort()
  .map((name) => join(here, "src", "pages", name));

// Built first and written last, so that a page that does not compile leaves the old files in place.
const result = await build({
  absWorkingDir: here,
  entryPoints: [...pages, { in: join(here, "src", "style", "main.css"), out: "style" }].map((entry) =>
    typeof entry === "string" ? { in: entry, out: entry.replace(/^.*\/|\.tsx?$/g, "") } : entry,
  ),
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  sourcemap: false,
  legalComments: "none",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  entryNames: "[name]",
  chunkNames: "part-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  external: ["data:*"],
  write: false,
  metafile: true,
});

// The page of participants is small and stands alone: one script that the browsers inside other programs understand.
const answer = await build({
  absWorkingDir: here,
  entryPoints: [
    { in: join(here, "src", "answer", "main.ts"), out: "answer" },
    { in: join(here, "src", "answer", "answer.css"), out: "answer" },
  ],
  outdir,
  bundle: true,
  format: "iife",
  target: "es2017",
  minify: true,
  legalComments: "none",
  charset: "utf8",
  write: false,
});
const outputFiles = [...result.outputFiles, ...answer.outputFiles];

// The licences of the packages in the bundle, which ask to be named wherever their code goes.
const packages = new Set(
  Object.keys(result.metafile.inputs).flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
);
const licences = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no file with its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
for (const file of outputFiles) writeFileSync(file.path, file.contents);
writeFileSync(join(outdir, "licences.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
const total = outputFiles.reduce((sum, file) => sum + file.contents.length, 0);
console.log(`${outputFiles.length} files, ${Math.round(total / 1000)} kB`);
