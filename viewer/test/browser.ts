// The page in headless Chromium: load, play, step, click, keyboard, screenshots.
// TACT_SHOTS=FOLDER keeps the screenshots.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type Page, chromium } from "playwright-core";
import { expect, finish, folder, near, repository, test, toolRun } from "./harness";
import type { App } from "../src/app";

declare global {
  interface Window {
    tact: { app: App };
  }
}

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const shots = process.env["TACT_SHOTS"];

let browser: Browser;
const errors: string[] = [], requests: string[] = [];

async function open(hash = "", width = 1280, height = 800, colorScheme: "dark" | "light" = "dark"): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("console", (m) => {
    if (m.type() === "error") errors.push(m.text());
  });
  page.on("request", (r) => requests.push(r.url()));
  await page.goto(`file://${folder}/page.html${hash}`);
  await page.waitForFunction("window.tact?.app?.frames.length > 0", null, { timeout: 30000 });
  return page;
}

/** Waits until what was done is drawn. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

const time = (page: Page): Promise<number> => page.evaluate(() => window.tact.app.clock.time);

/** The number of different colours in a screenshot of the picture. */
async function colors(page: Page, name: string): Promise<number> {
  await drawn(page);
  const file = join(folder, `${name}.png`);
  const png = await page.screenshot({ path: file });
  if (shots) {
    mkdirSync(shots, { recursive: true });
    copyFileSync(file, join(shots, `${name}.png`));
  }
  const box = (await page.locator("#picture").boundingBox())!;
  return page.evaluate(
    async ([data, x, y, w, h]) => {
      const image = new Image();
      image.src = data as string;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [w as number, h as number];
      const context = canvas.getContext("2d")!;
      context.drawImage(image, -(x as number), -(y as number));
      const seen = new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer));
      return seen.size;
    },
    [`data:image/png;base64,${png.toString("base64")}`, box.x, box.y, Math.floor(box.width), Math.floor(box.height)] as const,
  );
}

test("it starts", async () => {
  expect(existsSync(executablePath), `${executablePath} does not exist; CHROMIUM names another browser`);
  const scenes = `${repository}/examples/scenes`;
  toolRun("run", `${scenes}/stack.json`, "--json", "--out", "events", "--save", "stack.run");
  toolRun("run", `${scenes}/ground.json`, "--json", "--out", "events", "--save", "ground.run");
  const mesh = (z: number): string => `v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 ${z}\nv 1.2 0.2 1\nv 0.2 1.2 2\nf 1 2 3\nf 4 5 6\n`;
  for (const [i, z] of [1, -1].entries()) writeFileSync(join(folder, `f${i}.obj`), mesh(z));
  toolRun("play", "f0.obj", "f*.obj", "--save", "play.run", "--json");
  writeFileSync(join(folder, "crossing.obj"), mesh(-1));
  toolRun("check", "crossing.obj", "f0.obj", "--save", "check.run");
  toolRun("view", "stack.run", "ground.run", "play.run", "check.run", "-o", "page.html");
  browser = await chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      `--crash-dumps-dir=${mkdtempSync(join(folder, "dumps-"))}`,
    ],
  });
});

let page: Page;

test("the page shows its runs without a network", async () => {
  page = await open();
  const tabs = await page.locator("#tabs button").allTextContents();
  expect(tabs.join() === "stack,ground,play,check", tabs.join());
  expect((await page.title()) === "stack – Tact", await page.title());
  expect(requests.every((url) => /^(file|data|blob):/.test(url)), requests.join("\n"));
  const seen = await colors(page, "stack-1280x800-dark");
  expect(seen > 300, `${seen} colours in the picture`);
});

test("play and pause", async () => {
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.tact.app.clock.time > 0.05);
  await page.click("#play");
  const paused = await time(page);
  await page.waitForTimeout(100);
  expect(paused > 0 && (await time(page)) === paused, "it goes on");
});

test("steps go to the events, at their exact times", async () => {
  await page.keyboard.press("Home");
  const found: { t: number; kind: string }[] = await page.evaluate(() => {
    const a = window.tact.app;
    return Array.from({ length: 25 }, () => {
      a.step(true);
      return { t: a.clock.time, kind: String(a.run.events.kind[a.event]) };
    });
  });
  const { readFileSync } = await import("node:fs");
  toolRun("run", `${repository}/examples/scenes/stack.json`, "--json", "--out", "events");
  const kinds = ["", "touch", "begin", "end", "sleep", "wake", "crushed"];
  const events = readFileSync(join(folder, "events"), "utf8").trim().split("\n").map((l) => JSON.parse(l) as { t: number; kind: string });
  const after = events;
  found.forEach((f, i) => expect(f.t === after[i]!.t && kinds[Number(f.kind)] === after[i]!.kind, `event ${i} at ${f.t}`));
  await page.keyboard.press(",");
  expect((await time(page)) === after[23]!.t, "back");
  await page.click("#next");
  expect((await time(page)) === after[24]!.t, "on");
  await drawn(page);
  const shown = (await page.locator("#time").inputValue()) === after[24]!.t.toFixed(6);
  expect(shown, `time shown: ${await page.locator("#time").inputValue()}`);
  expect((await page.locator("#detail").textContent())!.includes(after[24]!.t.toFixed(9)), "details");
});

test("a click on an event or a tick goes there", async () => {
  await page.keyboard.press("Home");
  const row = page.locator("#list .row[data-event='6']"), text = (await row.locator(".t").textContent())!;
  await row.click();
  near(await time(page), Number(text), 1e-6, "time");
  await page.waitForFunction(() => document.querySelector("#list .row[data-event='6']")?.classList.contains("now"));
  const box = (await page.locator("#timeline").boundingBox())!;
  const wake = await page.evaluate(() => {
    const { events } = window.tact.app.run;
    return events.time[events.kind.indexOf(5)]!;
  });
  await page.mouse.click(box.x + (wake / 6) * box.width + 1, box.y + 20);
  expect((await time(page)) === wake, `${await time(page)} instead of ${wake}`);
  await page.mouse.click(box.x + 0.4 * box.width, box.y + 20);
  near(await time(page), 2.4, 0.02, "time on the time line");
});

test("the legend hides kinds of events", async () => {
  const before = await page.locator("#list-count").textContent();
  await page.click("#legend button[data-kind='1']");
  const after = await page.locator("#list-count").textContent();
  expect(before !== after && after!.includes(" of "), `${before}, ${after}`);
  expect((await page.locator("#list .row .kind").allTextContents()).every((k) => k !== "touch"), "touches are in the list");
  await page.click("#legend button[data-kind='1']");
});

test("speed and time can be typed", async () => {
  await page.fill("#speed", "1/1000");
  await page.keyboard.press("Enter");
  near(await page.evaluate(() => window.tact.app.clock.speed), 0.001, 1e-12, "speed");
  await page.fill("#time", "1.9");
  await page.keyboard.press("Enter");
  near(await time(page), 1.9, 1e-9, "time");
  await page.keyboard.press(" ");
  await page.waitForTimeout(150);
  await page.keyboard.press(" ");
  const now = await time(page);
  expect(now > 1.9 && now < 1.91, `slow motion is at ${now}`);
  await page.keyboard.press("0");
  near(await page.evaluate(() => window.tact.app.clock.speed), 1, 0, "normal speed");
});

test("keyboard: overlays, theme, help, runs", async () => {
  for (const key of ["b", "w", "n"]) await page.keyboard.press(key);
  const overlays = await page.evaluate(() => window.tact.app.stage.overlays);
  expect(overlays.boxes && overlays.wireframe && !overlays.contacts, JSON.stringify(overlays));
  for (const key of ["w", "n"]) await page.keyboard.press(key);
  const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset["theme"]);
  expect((await theme()) === "dark", "dark as the system");
  await page.keyboard.press("t");
  expect((await theme()) === "light", "light");
  const seen = await colors(page, "stack-1280x800-light");
  expect(seen > 300, `${seen} colours in the picture`);
  await page.keyboard.press("?");
  expect(await page.locator("#help").isVisible(), "help");
  await page.keyboard.press("Escape");
  expect(!(await page.locator("#help").isVisible()), "no help");
  await page.keyboard.press("2");
  expect((await page.title()) === "ground – Tact", await page.title());
  const ground = await colors(page, "ground-1280x800-light");
  expect(ground > 300, `${ground} colours in the picture`);
  await page.keyboard.press("1");
});

test("a click selects a body, which can be followed", async () => {
  const at = await page.evaluate(() => {
    const { app } = window.tact;
    app.seek(0);
    app.stage.fit();
    app.stage.update(0, -1, 1, false, new Set());
    app.stage.render();
    const body = app.run.bodies.findIndex((b) => b.name === "3rd");
    const m = app.stage.poses.matrices, p = app.stage.camera.position.clone().fromArray(m, 16 * body + 12).project(app.stage.camera);
    return [p.x, p.y];
  });
  const box = (await page.locator("#picture").boundingBox())!;
  await page.mouse.click(box.x + (0.5 + 0.5 * at[0]!) * box.width, box.y + (0.5 - 0.5 * at[1]!) * box.height);
  await page.waitForFunction(() => document.querySelector("#detail h2")?.textContent === "3rd", null, { timeout: 5000 });
  await page.keyboard.press("g");
  expect((await page.evaluate(() => window.tact.app.stage.followed)) >= 0, "followed");
  await page.keyboard.press("Escape");
  expect((await page.evaluate(() => window.tact.app.stage.selectedBody)) === -1, "selected");
});

test("a link leads to a moment", async () => {
  await page.evaluate(() => {
    const { app } = window.tact;
    app.show(30);
    app.look(30);
  });
  await page.keyboard.press("c");
  await page.waitForFunction(() => location.hash.includes("event=30"));
  const hash = await page.evaluate(() => location.hash), at = await time(page);
  const other = await open(hash);
  expect((await time(other)) === at && (await other.evaluate(() => window.tact.app.event)) === 30, hash);
  const [one, two] = await Promise.all([page, other].map((p) => p.evaluate(() => window.tact.app.stage.camera.position.toArray())));
  one!.forEach((x, i) => near(two![i]!, x, 1e-4 * Math.max(1, Math.abs(x)), "camera"));
  await other.context().close();
});

test("the time line can be zoomed to a microsecond", async () => {
  const box = (await page.locator("#timeline").boundingBox())!;
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 20);
  for (let i = 0; i < 20; i++) await page.mouse.wheel(0, -600);
  await page.waitForTimeout(50);
  const span = await page.evaluate(() => window.tact.app.timeline.high - window.tact.app.timeline.low);
  expect(span < 1e-4 && span > 0, `${span}`);
  await page.mouse.dblclick(box.x + 0.3 * box.width, box.y + 20);
  near(await page.evaluate(() => window.tact.app.timeline.high), 6, 0, "all of it");
});

test("features of an animation are shown", async () => {
  await page.keyboard.press("3");
  await page.keyboard.press(".");
  near(await time(page), 0.5, 1e-9, "time of the contact");
  await drawn(page);
  expect((await page.locator("#detail").textContent())!.includes("vertex 3"), "details");
  for (const key of ["]", "]"]) await page.keyboard.press(key);
  await drawn(page);
  expect(await page.evaluate(() => window.tact.app.stage.overlays.boxes), "boxes");
  await colors(page, "play-1280x800-light");
});

test("windows of time are shown on the time line and in the picture", async () => {
  await page.keyboard.press("b");
  await page.keyboard.press("v");
  await drawn(page);
  const seen = await page.evaluate(() => window.tact.app.stage.windows.map((w) => [w.low, w.high]));
  expect(seen.length > 0 && seen.every(([low, high]) => low! <= 0.5 && high! >= 0.5), JSON.stringify(seen));
  const shown = await page.evaluate(() => window.tact.app.timeline.windows.length);
  expect(shown === seen.length, `${shown} windows on the time line`);
  expect((await page.locator("#detail").textContent())!.includes("window, level"), "details");
  await colors(page, "windows-1280x800-light");
  await page.click("#detail .actions button:has-text('Window')");
  const part = await page.evaluate(() => [window.tact.app.timeline.low, window.tact.app.timeline.high]);
  expect(part[0]! <= seen[seen.length - 1]![0]! && part[1]! >= seen[seen.length - 1]![1]!, JSON.stringify(part));
  await page.keyboard.press("v");
  await drawn(page);
  expect((await page.evaluate(() => window.tact.app.timeline.windows.length)) === 0, "they stay");
});

test("intersections of meshes are shown", async () => {
  await page.keyboard.press("4");
  const title = async (): Promise<string> => {
    await drawn(page);
    return (await page.locator("#detail").textContent())!;
  };
  const count = await page.evaluate(() => window.tact.app.run.events.count);
  expect(count > 0, "no intersections");
  await page.keyboard.press(".");
  expect((await title()).includes("intersect"), await title());
  await page.click("#detail .actions button");
  expect((await page.evaluate(() => window.tact.app.event)) === 0, "the event");
  await colors(page, "check-1280x800-light");
});

test("it fits a phone", async () => {
  const phone = await open("#run=1&t=2", 390, 844, "light");
  const wide = (): Promise<number> => phone.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
  expect((await wide()) <= 390, `${await wide()} pixels`);
  for (const tab of await phone.locator("#tabs button").all()) {
    const box = (await tab.boundingBox())!;
    expect(box.x >= 0 && box.x + box.width <= 390, `the tab ${await tab.textContent()} is outside: ${JSON.stringify(box)}`);
  }
  const seen = await colors(phone, "stack-390x844-light");
  expect(seen > 200, `${seen} colours in the picture`);
  await phone.click("#panel-toggle");
  expect(await phone.locator("#list .row").first().isVisible(), "events");
  expect(await phone.locator("#list .row.now").isVisible(), "the list shows the present event");
  expect((await wide()) <= 390, `${await wide()} pixels`);
  for (const id of ["#play", "#next", "#speed-slider", "#timeline"]) {
    const box = (await phone.locator(id).boundingBox())!;
    expect(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, `${id} is outside: ${JSON.stringify(box)}`);
  }
  await colors(phone, "stack-390x844-events");
  await phone.context().close();
});

test("nothing went wrong on the way", async () => {
  await browser?.close();
  expect(errors.length === 0, errors.join("\n"));
});

void finish();
