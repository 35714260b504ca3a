// The CPU time of a frame: node test/bench.mjs PAGE.html [SECONDS]. Prints milliseconds of script while the page plays.
// The GPU is emulated, so frames are few; what is measured is the work of the page, its calls of WebGL included.
import { chromium } from "playwright-core";
import { resolve } from "node:path";

const seconds = Number(process.argv[3] ?? 20);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await (await browser.newContext({ viewport: { width: 480, height: 360 } })).newPage();
const begun = Date.now();
await page.goto(`file://${resolve(process.argv[2])}`);
await page.waitForFunction("window.tact?.app?.frames.length > 0", null, { timeout: 120000 });
console.log(`${await page.textContent("#stats")}; loaded in ${Date.now() - begun} ms`);
await page.evaluate(() => {
  window.tact.app.frames.length = 0;
  window.tact.app.play(true);
});
await page.waitForTimeout(1000 * seconds);
const frames = (await page.evaluate(() => window.tact.app.frames)).sort((a, b) => a - b);
const part = (p) => frames[Math.min(Math.floor(p * frames.length), frames.length - 1)].toFixed(1);
console.log(`${frames.length} frames: median ${part(0.5)} ms, 90 % ${part(0.9)} ms, largest ${part(1)} ms`);
await browser.close();
