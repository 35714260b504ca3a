// Builds the viewer, and beside it live.html, the page of `tact serve`: HTML files with the style and the program inside.
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

async function pageWrite(folder, file) {
  const [page, style, script] = await Promise.all([
    readFile(resolve(here, folder, "page.html"), "utf8"),
    bundle(`${folder}/style.css`),
    bundle(`${folder}/main.ts`),
  ]);
  const html = page
    .replace("/* style */", () => style.trim())
    .replace("/* script */", () => script.replaceAll("</script", "<\\/script").trim());
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, html);
  await rename(`${file}.new`, file);
  console.log(`${file}: ${Math.round(html.length / 1000)} kB`);
}

await pageWrite("src", out);
await pageWrite("src/live", resolve(dirname(out), "live.html"));
