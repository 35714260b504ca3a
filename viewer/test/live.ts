// The page of `tact serve --page` in headless Chromium, with a server: contacts while a body is dragged, keys, tokens, the end.
// TACT_SHOTS=FOLDER keeps the screenshots.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type Page, chromium } from "playwright-core";
import { expect, finish, folder, near, test, tool } from "./harness";
import { bodyDistance, bodiesMake, place } from "../src/live/bodies";
import { LineReader } from "../src/live/protocol";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const shots = process.env["TACT_SHOTS"];
const pagePath = join(folder, "live.html");

let browser: Browser, server: ChildProcess, page: Page;
const errors: string[] = [];

/** Starts a server that writes the page; resolves when it listens. */
async function serve(...options: string[]): Promise<ChildProcess> {
  const child = spawn(tool, ["serve", "ws://127.0.0.1:0", "--page", pagePath, ...options]);
  await new Promise<void>((resolve, reject) => {
    child.stdout!.on("data", (text) => String(text).includes("listening") && resolve());
    child.on("exit", (code) => reject(new Error(`the server has ended with ${code}`)));
  });
  return child;
}

async function open(width = 1280, height = 800, colorScheme: "dark" | "light" = "dark"): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const opened = await context.newPage();
  opened.on("pageerror", (e) => errors.push(e.message));
  opened.on("console", (m) => {
    if (m.type() === "error" && !m.text().includes("WebSocket")) errors.push(m.text());
  });
  await opened.goto(`file://${pagePath}`);
  return opened;
}

/** Waits until a condition of the page holds. Its policy forbids to evaluate text, so the condition is asked for again. */
async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20000; !(await condition()); ) {
    expect(Date.now() < end, `the page does not come to: ${what}`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

const updates = (): Promise<number> => page.evaluate(() => window.tactLive.updates);
const pairs = (): Promise<string[]> => page.evaluate(() => window.tactLive.contacts.map((c) => `${c.a} ${c.b}`).sort());

/** Where the plane's point is on the screen: as the page has it. */
const onScreen = (x: number, y: number): Promise<[number, number]> =>
  page.evaluate(([px, py]) => {
    const box = document.getElementById("picture")!.getBoundingClientRect();
    const scale = Math.min(Math.max(box.width, box.height) / 12.8, Math.min(box.width, box.height) / 8);
    return [box.left + box.width / 2 + px! * scale, box.top + box.height / 2 - py! * scale] as [number, number];
  }, [x, y]);

async function drag(from: [number, number], to: [number, number]): Promise<void> {
  const [x0, y0] = await onScreen(...from), [x1, y1] = await onScreen(...to);
  await page.mouse.move(x0, y0);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) await page.mouse.move(x0 + ((x1 - x0) * i) / 8, y0 + ((y1 - y0) * i) / 8);
  await page.mouse.up();
}

async function shot(name: string): Promise<void> {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Pairs that overlap where the page has its bodies, by `tact query`. */
async function pairsByQuery(): Promise<string[]> {
  const at = await page.evaluate(() => window.tactLive.bodies.map((b) => [b.x, b.y, b.angle]));
  const bodies = bodiesMake(false).map((b, i) => ({ ...b, x: at[i]![0]!, y: at[i]![1]!, angle: at[i]![2]! }));
  const asked: string[] = [], lines: string[] = [];
  for (const [i, a] of bodies.entries())
    for (const b of bodies.slice(i + 1)) {
      asked.push(`${a.name} ${b.name}`);
      lines.push(JSON.stringify({ op: "intersect", a: { ...a.shape, place: place(a) }, b: { ...b.shape, place: place(b) } }));
    }
  const answers = execFileSync(tool, ["query"], { input: `${lines.join("\n")}\n`, encoding: "utf8" }).trim().split("\n");
  return asked.filter((_, i) => (JSON.parse(answers[i]!) as { hit: boolean }).hit).sort();
}

const works = spawnSync(tool, ["serve", "ws://none"], { encoding: "utf8" });
if (works.stderr.includes("built without nng")) {
  console.log("skipped: the page of tact serve, because the tool is built without nng");
} else if (!existsSync(executablePath)) {
  console.log(`skipped: the page of tact serve, because ${executablePath} does not exist; CHROMIUM names another browser`);
} else {
  test("answers arrive in lines", () => {
    const reader = new LineReader();
    expect(reader.add('{"a":1').length === 0, "half a line");
    expect(reader.add('}\n\n{"b":2}\n{').join("|") === '{"a":1}|{"b":2}', "two lines");
    expect(reader.add("}\n").join("|") === "{}", "the rest");
  });

  test("bodies are where the pointer finds them", () => {
    const [disc, triangle, square] = bodiesMake(false);
    near(bodyDistance(disc!, -4.6, 3.6), 1, 1e-12, "distance of the disc");
    near(bodyDistance(triangle!, 0.4, 2.4 - 0.65 - 0.5), 0.5, 1e-12, "distance of the triangle");
    near(bodyDistance(square!, 3.6, 1.9), 0, 0, "distance of the square");
  });

  test("the page of a server connects", async () => {
    server = await serve();
    browser = await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox"] });
    page = await open();
    await until("a first update", async () => (await updates()) > 0);
    expect((await pairs()).join() === (await pairsByQuery()).join(), "contacts at the start");
  });

  test("a body that is dragged has the contacts of tact query", async () => {
    let contacts = 0;
    for (const to of [[1.6, 1.5], [0.2, -0.9], [-3.4, -1.9], [-4.5, 1.2], [3.6, 1.9]] as [number, number][]) {
      const from = await page.evaluate(() => window.tactLive.bodies.filter((b) => b.name === "square").map((b) => [b.x, b.y])[0]!);
      const before = await updates();
      await drag(from as [number, number], to);
      const at = await page.evaluate(() => window.tactLive.bodies.filter((b) => b.name === "square").map((b) => [b.x, b.y])[0]!);
      near(at[0]!, to[0], 0.02, "x of the square");
      near(at[1]!, to[1], 0.02, "y of the square");
      await until("an update", async () => (await updates()) > before);
      const expected = await pairsByQuery();
      await until(`the contacts ${expected.join()}`, async () => (await pairs()).join() === expected.join());
      contacts += expected.length;
      if (contacts === expected.length) await shot("live-wide");
    }
    expect(contacts >= 4, `only ${contacts} contacts`);
  });

  test("keys select, move and turn", async () => {
    const state = (): Promise<number[]> => page.evaluate(() => window.tactLive.bodies.flatMap((b) => [b.x, b.y, b.angle]));
    await page.keyboard.press("n"); // after the square: the pentagon
    const before = await state();
    for (const key of ["ArrowRight", "ArrowUp", "ArrowUp", "r"]) await page.keyboard.press(key);
    const after = await state();
    const changed = after.map((x, i) => x - before[i]!);
    near(changed[9]!, 0.05, 1e-9, "x");
    near(changed[10]!, 0.1, 1e-9, "y");
    near(changed[11]!, Math.PI / 36, 1e-9, "angle");
    expect(changed.every((x, i) => x === 0 || (i >= 9 && i < 12)), "no other body moves");
    await page.keyboard.press("t");
    expect((await page.evaluate(() => document.documentElement.dataset["theme"])) === "light", "light");
  });

  test("a wrong token and the end of the server are explained", async () => {
    const dialog = (): Promise<string> => page.evaluate(() => (document.querySelector("dialog[open] #reason") as HTMLElement | null)?.textContent ?? "");
    server.kill("SIGTERM");
    await until("a dialog", async () => (await dialog()).includes("closed the connection"));
    await shot("live-dialog");
    server = await serve();
    const good = readFileSync(pagePath, "utf8");
    writeFileSync(pagePath, good.replace(/"token":"[0-9a-f]{8}/, '"token":"00000000'));
    await page.context().close();
    page = await open();
    await until("a dialog", async () => (await dialog()).includes("needs a hello with the right token"));
    writeFileSync(pagePath, good);
  });

  test("it fits a narrow window", async () => {
    await page.context().close();
    page = await open(390, 780, "light");
    await until("a first update", async () => (await updates()) > 0);
    await drag([1.9, -3.6], [2.0, -1.4]);
    await until("a contact", async () => (await pairs()).length > 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the window");
    await shot("live-narrow");
    await page.context().close();
    await browser.close();
    server.kill("SIGTERM");
    expect(errors.length === 0, errors.join("\n"));
  });

  await finish();
}
