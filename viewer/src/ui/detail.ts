// Details of an event or a body.

import { KINDS, NONE, type Run } from "../run/decode";
import { eventTitle, kindOf } from "../run/events";
import type { Poses } from "../run/pose";
import type { Theme } from "../scene/palette";
import type { TimeWindow } from "../scene/windows";
import { countText, numberText, timeText } from "./format";

export interface DetailActions {
  look(event: number): void;
  select(body: number): void;
  follow(body: number): void;
  close(): void;
  zoom(low: number, high: number): void;
}

const element = <K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] => {
  const e = document.createElement(tag);
  e.className = className;
  e.textContent = text;
  return e;
};

const button = (text: string, title: string, run: () => void, pressed?: boolean): HTMLButtonElement => {
  const b = element("button", "text", text);
  b.title = title;
  if (pressed !== undefined) b.setAttribute("aria-pressed", String(pressed));
  b.addEventListener("click", run);
  return b;
};

const vectorText = (v: ArrayLike<number>, at: number): string => [0, 1, 2].map((k) => numberText(v[at + k]!)).join("  ");

function list(rows: [string, string][]): HTMLElement {
  const dl = element("dl");
  for (const [name, value] of rows) dl.append(element("dt", "", name), element("dd", "", value));
  return dl;
}

export function detailOfRun(run: Run): Node[] {
  const chip = element("span", "chip", `${run.program} · ${run.command}`);
  const triangles = run.shapes.reduce((n, s) => n + s.indices.length / 3, 0);
  return [
    chip,
    element("h2", "", run.title.replace(/^.*[/\\]/, "")),
    list([
      ["bodies", countText(run.bodies.length)],
      ["shapes", `${countText(run.shapes.length)}, ${countText(triangles)} triangles`],
      ["motions", countText(run.motions.time.length)],
      ["time", `${numberText(run.start)} to ${numberText(run.end)}`],
    ]),
  ];
}

export function detailOfEvent(run: Run, event: number, theme: Theme, window: TimeWindow | undefined, actions: DetailActions): Node[] {
  const { events } = run;
  const kind = kindOf(events.kind[event]!);
  const chip = element("span", "chip");
  chip.style.setProperty("--kind", kind[theme]);
  chip.append(element("i"), `${kind.name}: ${kind.meaning}`);
  const rows: [string, string][] = [["time", events.time[event]!.toFixed(9)]];
  if (events.hasPoint[event]) {
    rows.push(["point", vectorText(events.points, 7 * event)]);
    rows.push(["normal", vectorText(events.points, 7 * event + 3)]);
  }
  const speed = events.points[7 * event + 6]!;
  if (Number.isFinite(speed)) rows.push([kind.id === KINDS.segment ? "length" : "closing speed", numberText(speed)]);
  if (kind.id === KINDS.touch || kind.id === KINDS.intersection) {
    const f = [0, 1, 2, 3].map((k) => events.features[4 * event + k]!);
    if (f[0] !== NONE && f.some((n) => n !== 0)) rows.push(["leaf, face", `${f[0]}, ${f[1]}  ·  ${f[2]}, ${f[3]}`]);
  }
  if (window) rows.push([`window, level ${window.level}`, `${timeText(window.low)} – ${timeText(window.high)}`]);
  const bar = element("div", "actions");
  if (window) bar.append(button("Window", "Show this window of time on the time line", () => actions.zoom(window.low, window.high)));
  if (events.hasPoint[event] || kind.id === KINDS.intersection) bar.append(button("Look closer", "Move the camera to the contact", () => actions.look(event)));
  for (const k of [0, 1]) {
    const body = events.bodies[2 * event + k]!;
    if (k === 1 && body === events.bodies[2 * event]) continue;
    if (body !== NONE && run.bodies.length > 1 && run.bodies[body])
      bar.append(button(run.bodies[body]!.name, "Details of this body", () => actions.select(body)));
  }
  return [chip, element("h2", "", eventTitle(run, event)), list(rows), bar];
}

export function detailOfBody(run: Run, body: number, time: number, poses: Poses, followed: boolean, actions: DetailActions): Node[] {
  const { name, mass, shape } = run.bodies[body]!;
  const info = run.shapes[shape]?.info;
  const rows: [string, string][] = [["shape", info?.type ?? "–"], ["mass", mass > 0 ? numberText(mass) : "kinematic"]];
  const parameters = ["radius", "height", "size", "radii", "margin"].filter((k) => info?.[k] !== undefined);
  for (const k of parameters) rows.splice(1, 0, [k, [info![k]].flat().map((x) => numberText(Number(x))).join("  ")]);
  if (!run.keys.has(body)) {
    rows.push(["position", vectorText(poses.matrices, 16 * body + 12)]);
    const motion = poses.motionOf(body);
    if (motion >= 0) {
      const v = run.motions.values, at = 19 * motion, s = time - run.motions.time[motion]!;
      rows.push(["velocity", [0, 1, 2].map((k) => numberText(v[at + 7 + k]! + s * v[at + 10 + k]!)).join("  ")]);
      rows.push(["spin", vectorText(v, at + 13)]);
    }
  }
  const bar = element("div", "actions");
  bar.append(button("Follow", "Keep the camera on this body (G)", () => actions.follow(body), followed));
  bar.append(button("Close", "Show the events again (Esc)", () => actions.close()));
  return [element("span", "chip", "body"), element("h2", "", name), list(rows), bar];
}
