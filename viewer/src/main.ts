// The page: finds the runs that it holds, and connects the controls.

import * as THREE from "three";
import { App, byId } from "./app";
import { base64Decode, decodeRun, type Run } from "./run/decode";
import type { Theme } from "./scene/palette";
import { bytesText, countText, speedRead, speedText } from "./ui/format";
import { ICONS } from "./ui/icons";

interface Source {
  name: string;
  load: () => Run;
}

const HELP: [string, string][] = [
  ["Space", "play or pause"],
  [", or ←", "previous event"],
  [". or →", "next event"],
  ["Shift ← →", "a hundredth of the visible time back or on"],
  ["− or +", "slower or faster, by a factor of 2"],
  ["0", "normal speed"],
  ["Home End", "start, end"],
  ["L", "loop"],
  ["N", "contact points and normals"],
  ["B", "bounding boxes"],
  ["V", "windows of time of the event: when the boxes around its features overlap"],
  ["[ ]", "boxes of meshes and windows: up or down a level of their tree"],
  ["W", "wireframe"],
  ["F", "everything in view"],
  ["G", "follow the selected body"],
  ["Esc", "deselect"],
  ["E", "panel of events"],
  ["C", "copy a link to this moment"],
  ["T", "dark or light"],
  ["1 … 9", "another run"],
];

const sources: Source[] = [...document.querySelectorAll<HTMLScriptElement>('script[type="application/x-tact-run"]')].map(
  (script) => ({
    name: (script.dataset["name"] ?? "run").replace(/^.*[/\\]/, "").replace(/\.[a-z]\w*$/i, "") || "run",
    load: () => decodeRun(base64Decode(script.textContent ?? "")),
  }),
);

let app: App | null = null;
let current = -1;
let renderer: THREE.WebGLRenderer | null = null;
let theme: Theme = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";

const stored = (): string | null => {
  try {
    return localStorage.getItem("tact-theme");
  } catch {
    return null; // pages opened from files may have no storage
  }
};
if (stored() === "dark" || stored() === "light") theme = stored() as Theme;

function message(text: string): void {
  byId("message").hidden = text === "";
  byId("message").textContent = text;
}

let toastTimer = 0;
function toast(text: string): void {
  const element = byId("toast");
  element.textContent = text;
  element.classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => element.classList.remove("on"), 1600);
}

// ---- what the controls show ----

function stateShow(): void {
  if (!app) return;
  const { clock } = app;
  const play = byId("play");
  play.innerHTML = clock.playing ? ICONS.pause : ICONS.play;
  play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
  byId("loop").setAttribute("aria-pressed", String(clock.loop));
  byId<HTMLInputElement>("speed-slider").value = String(Math.log10(clock.speed));
  const speed = byId<HTMLInputElement>("speed");
  if (document.activeElement !== speed) speed.value = speedText(clock.speed);
  byId("time-end").textContent = `/ ${Number(app.run.end.toFixed(6))}`;
}

function legendShow(): void {
  if (!app) return;
  const { filter } = app;
  byId("legend").replaceChildren(
    ...filter.kinds.map(({ kind, count }) => {
      const button = document.createElement("button"), dot = document.createElement("i"), number = document.createElement("span");
      button.style.setProperty("--kind", kind[theme]);
      button.title = `${kind.meaning}; click to show or hide`;
      button.setAttribute("aria-pressed", String(!filter.hidden.has(kind.id)));
      button.dataset["kind"] = String(kind.id);
      number.textContent = countText(count);
      button.append(dot, kind.name, number);
      button.addEventListener("click", () => {
        filter.toggle(kind.id);
        app?.invalidate();
        legendShow();
      });
      return button;
    }),
  );
}

const OVERLAYS = [
  ["contacts", "Contact points and normals (N)"],
  ["boxes", "Bounding boxes (B)"],
  ["windows", "Windows of time of the event (V)"],
  ["wireframe", "Wireframe (W)"],
] as const;

function overlayToggle(name: "contacts" | "boxes" | "wireframe" | "windows"): void {
  if (!app) return;
  const { stage } = app;
  if (name === "wireframe") stage.setWireframe(!stage.overlays.wireframe);
  else stage.overlays[name] = !stage.overlays[name];
  app.touch();
  overlaysShow();
}

function boxLevelChange(by: number): void {
  if (!app) return;
  const { stage } = app;
  stage.boxLevel = Math.min(Math.max(stage.boxLevel + by, 0), stage.deepestLevel);
  if (!stage.overlays.windows) stage.overlays.boxes = true;
  app.touch();
  overlaysShow();
  toast(`Boxes: level ${stage.boxLevel} of ${stage.deepestLevel}`);
}

function overlaysShow(): void {
  const fit = iconButton("fit", "Everything in view (F)", () => {
    app?.stage.fit();
    app?.touch();
  });
  byId("overlay-bar").replaceChildren(
    fit,
    ...OVERLAYS.map(([name, title]) => {
      const button = iconButton(name, title, () => overlayToggle(name));
      button.setAttribute("aria-pressed", String(app?.stage.overlays[name] ?? false));
      return button;
    }),
  );
}

function iconButton(icon: keyof typeof ICONS, title: string, click: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.className = "icon";
  button.id = `overlay-${icon}`;
  button.innerHTML = ICONS[icon];
  button.title = title;
  button.setAttribute("aria-label", title);
  button.addEventListener("click", click);
  return button;
}

function tabsShow(): void {
  byId("app").classList.toggle("many", sources.length > 2);
  byId("tabs").replaceChildren(
    ...sources.map((source, i) => {
      const tab = document.createElement("button");
      tab.textContent = source.name;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(i === current));
      tab.addEventListener("click", () => open(i));
      return tab;
    }),
  );
  byId("tabs").querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function themeSet(next: Theme): void {
  theme = next;
  document.documentElement.dataset["theme"] = next;
  byId("theme-toggle").innerHTML = next === "dark" ? ICONS.light : ICONS.dark;
  app?.setTheme(next);
  legendShow();
}

function panelSet(on: boolean): void {
  byId("app").classList.toggle("no-panel", !on);
  byId("panel-toggle").setAttribute("aria-pressed", String(on));
  app?.resize();
  if (on) app?.listShown();
}

// ---- runs ----

function open(index: number): void {
  if (!renderer || index === current || !sources[index]) return;
  const old = app;
  try {
    const run = sources[index].load();
    old?.dispose();
    app = new App(run, renderer, theme);
  } catch (error) {
    message(`${sources[index].name}: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  current = index;
  app.onState = stateShow;
  message("");
  document.title = `${sources[index].name} – Tact`;
  const { run, stage } = app;
  byId("stats").textContent =
    `${countText(run.bodies.length)} ${run.bodies.length === 1 ? "body" : "bodies"} · ${countText(Math.round(stage.triangles))} triangles · ` +
    `${countText(run.events.count)} ${run.events.count === 1 ? "event" : "events"} · ${bytesText(run.bytes)}`;
  tabsShow();
  stateShow();
  legendShow();
  overlaysShow();
}

function hashRead(): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const index = Number(parameters.get("run") ?? "1") - 1;
  if (sources[index]) open(index);
  app?.fromHash(parameters);
}

async function linkCopy(): Promise<void> {
  if (!app) return;
  history.replaceState(null, "", app.hash(current));
  try {
    await navigator.clipboard.writeText(location.href);
    toast("Link copied");
  } catch {
    toast("The address bar has the link");
  }
}

// ---- input ----

function speedChange(factor: number): void {
  if (app) app.setSpeed(app.clock.speed * factor);
}

function keyDown(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (!app || e.ctrlKey || e.metaKey || e.altKey || (target instanceof HTMLInputElement && target.type !== "range")) return;
  const help = byId<HTMLDialogElement>("help");
  if (help.open && e.key !== "?") return;
  const a = app;
  const hundredth = 0.01 * (a.timeline.high - a.timeline.low);
  const actions: Record<string, () => void> = {
    " ": () => a.play(),
    ",": () => a.step(false),
    ".": () => a.step(true),
    ArrowLeft: () => (e.shiftKey ? a.seek(a.clock.time - hundredth) : a.step(false)),
    ArrowRight: () => (e.shiftKey ? a.seek(a.clock.time + hundredth) : a.step(true)),
    "-": () => speedChange(0.5),
    "+": () => speedChange(2),
    "=": () => speedChange(2),
    "0": () => a.setSpeed(1),
    Home: () => a.seek(a.run.start),
    End: () => a.seek(a.run.end),
    l: () => {
      a.clock.loop = !a.clock.loop;
      stateShow();
    },
    n: () => overlayToggle("contacts"),
    b: () => overlayToggle("boxes"),
    v: () => overlayToggle("windows"),
    "[": () => boxLevelChange(-1),
    "]": () => boxLevelChange(1),
    w: () => overlayToggle("wireframe"),
    f: () => {
      a.stage.fit();
      a.touch();
    },
    g: () => {
      if (a.stage.selectedBody >= 0) a.follow(a.stage.selectedBody);
    },
    Escape: () => a.select(-1),
    e: () => panelSet(byId("app").classList.contains("no-panel")),
    c: () => void linkCopy(),
    t: () => themeSet(theme === "dark" ? "light" : "dark"),
    "?": () => (help.open ? help.close() : help.showModal()),
  };
  const action = actions[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  const digit = Number(e.key);
  if (action) action();
  else if (digit >= 1 && sources[digit - 1]) open(digit - 1);
  else return;
  e.preventDefault();
}

/** A click that did not move the camera selects a body. */
function pickInstall(canvas: HTMLCanvasElement): void {
  let x = 0, y = 0, at = 0;
  canvas.addEventListener("pointerdown", (e) => {
    [x, y, at] = [e.clientX, e.clientY, e.timeStamp];
  });
  canvas.addEventListener("pointerup", (e) => {
    if (!app || Math.hypot(e.clientX - x, e.clientY - y) > 5 || e.timeStamp - at > 500) return;
    const box = canvas.getBoundingClientRect();
    app.select(app.stage.pick((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height));
  });
}

function numberInstall(id: string, read: (text: string) => number, apply: (value: number) => void): void {
  const input = byId<HTMLInputElement>(id);
  const enter = (): void => {
    const value = read(input.value);
    if (Number.isFinite(value)) apply(value);
    app?.touch();
  };
  input.addEventListener("focus", () => input.select());
  input.addEventListener("change", enter);
  input.addEventListener("keydown", (e) => {
    if (e.key === "Enter" || e.key === "Escape") input.blur();
  });
  input.addEventListener("blur", () => {
    stateShow();
    app?.touch();
  });
}

function controlsInstall(): void {
  const icons: [string, keyof typeof ICONS][] = [
    ["to-start", "start"], ["previous", "previous"], ["play", "play"], ["next", "next"], ["loop", "loop"],
    ["panel-toggle", "panel"], ["help-toggle", "help"], ["link", "link"],
  ];
  for (const [id, icon] of icons) byId(id).innerHTML = ICONS[icon];
  const click = (id: string, run: () => void): void => byId(id).addEventListener("click", run);
  click("to-start", () => app?.seek(app.run.start));
  click("previous", () => app?.step(false));
  click("next", () => app?.step(true));
  click("play", () => app?.play());
  click("loop", () => {
    if (app) app.clock.loop = !app.clock.loop;
    stateShow();
  });
  click("link", () => void linkCopy());
  click("panel-toggle", () => panelSet(byId("app").classList.contains("no-panel")));
  click("theme-toggle", () => {
    themeSet(theme === "dark" ? "light" : "dark");
    try {
      localStorage.setItem("tact-theme", theme);
    } catch {
      // not stored
    }
  });
  const help = byId<HTMLDialogElement>("help");
  help.innerHTML = `<h2>Keyboard and mouse</h2><dl>${HELP.map(
    ([keys, what]) => `<dt>${keys.split(" ").map((k) => (["or", "…"].includes(k) ? k : `<kbd>${k}</kbd>`)).join(" ")}</dt><dd>${what}</dd>`,
  ).join("")}</dl><p>Picture: drag to turn, right button or two fingers to move, wheel or pinch to zoom, click a body for its motion. Time line: drag to
    any moment, click a tick for its event, wheel or pinch to zoom in to a microsecond, shift and drag to move, double click for all. Drop a run file on the page to open it.</p>`;
  click("help-toggle", () => help.showModal());
  help.addEventListener("click", (e) => {
    if (e.target === help) help.close();
  });
  byId<HTMLInputElement>("speed-slider").addEventListener("input", (e) => {
    const power = Number((e.target as HTMLInputElement).value);
    app?.setSpeed(Math.abs(power) < 0.04 ? 1 : 10 ** power);
  });
  numberInstall("speed", speedRead, (speed) => app?.setSpeed(speed));
  numberInstall("time", Number, (time) => app?.seek(time));
  document.addEventListener("keydown", keyDown);
  window.addEventListener("hashchange", hashRead);
  window.addEventListener("dragover", (e) => e.preventDefault());
  window.addEventListener("drop", (e) => {
    e.preventDefault();
    const file = e.dataTransfer?.files[0];
    if (!file) return;
    void file.arrayBuffer().then((buffer) => {
      sources.push({ name: file.name.replace(/\.[^.]*$/, ""), load: () => decodeRun(buffer) });
      tabsShow();
      open(sources.length - 1);
    });
  });
}

function begin(): void {
  document.documentElement.dataset["theme"] = theme;
  controlsInstall();
  panelSet(window.innerWidth > 720);
  themeSet(theme);
  tabsShow();
  const canvas = byId<HTMLCanvasElement>("picture");
  try {
    renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: "high-performance" });
  } catch {
    return message("This browser has no WebGL 2, which the picture needs.");
  }
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  renderer.toneMapping = THREE.ACESFilmicToneMapping;
  renderer.toneMappingExposure = 1.05;
  pickInstall(canvas);
  if (sources.length === 0) message("No run.\nDrop a file of `tact run --save` here.");
  hashRead();
  if (!app && sources.length > 0) open(0);
  new ResizeObserver(() => app?.resize()).observe(canvas);
  const frame = (now: number): void => {
    app?.frame(now);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

// for tests and for the console
Object.defineProperty(window, "tact", {
  value: {
    get app() {
      return app;
    },
    open,
  },
});

begin();
