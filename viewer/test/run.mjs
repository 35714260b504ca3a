// Runs the tests: node test/run.mjs [unit|browser|live]... (default: all). Environment: TACT_TOOL, TACT_VIEWER, CHROMIUM, TACT_SHOTS.
import { build } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";

const here = dirname(fileURLToPath(import.meta.url));
const names = process.argv.length > 2 ? process.argv.slice(2) : ["unit", "browser", "live"];
const out = await mkdtemp(join(here, "../node_modules/.tact-test-")); // so that packages are found
let failed = false;
for (const name of names) {
  const file = join(out, `${name}.mjs`);
  await build({ entryPoints: [resolve(here, `${name}.ts`)], bundle: true, platform: "node", format: "esm", target: "node18",
    external: ["playwright-core"], outfile: file, logLevel: "warning" });
  failed = spawnSync(process.execPath, [file], { stdio: "inherit", cwd: resolve(here, "..") }).status !== 0 || failed;
}
await rm(out, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
