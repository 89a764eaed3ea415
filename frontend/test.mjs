// Bundles the unit tests and runs them with Node's own test runner: `node test.mjs`, or `node test.mjs sheets` for one file.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tests = join(here, "tests");
const names = readdirSync(tests).filter((name) => name.endsWith(".test.ts") && name.startsWith(process.argv[2] ?? ""));
const outdir = mkdtempSync(join(tmpdir(), "bidui-tests-"));
try {
  await build({
    absWorkingDir: here,
    entryPoints: names.map((name) => join(tests, name)),
    inject: [join(tests, "browser.ts")], // runs first, since the sources read the page when they are loaded
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const files = readdirSync(outdir).map((name) => join(outdir, name));
  const done = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=dot", ...files], { stdio: "inherit" });
  process.exitCode = done.status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
