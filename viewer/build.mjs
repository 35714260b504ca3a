// Builds the viewer: one HTML file with the style and the program inside.
// Usage: node build.mjs [FILE]   (default: ../build/viewer.html)
import { build } from "esbuild";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? resolve(here, "../build/viewer.html"));

async function bundle(entry) {
  const result = await build({
    entryPoints: [resolve(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "inline",
    logLevel: "warning",
  });
  return result.outputFiles[0].text;
}

const [page, style, script] = await Promise.all([
  readFile(resolve(here, "src/page.html"), "utf8"),
  bundle("src/style.css"),
  bundle("src/main.ts"),
]);
const html = page
  .replace("/* style */", () => style.trim())
  .replace("/* script */", () => script.replaceAll("</script", "<\\/script").trim());
await mkdir(dirname(out), { recursive: true });
await writeFile(`${out}.new`, html);
await rename(`${out}.new`, out);
console.log(`${out}: ${Math.round(html.length / 1000)} kB`);
