// The page of `tact serve --page`: drag a body, and see its contacts live. The server computes them; each move is one request.

import { bodiesMake, bodyDistance, type Body, place, type Point } from "./bodies";
import { type Nearest, Picture } from "./picture";
import { type Contact, type ContactPoint, Session, type Vec } from "./protocol";

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

/** How far from a body a pointer may grab it; fingers need more than mice. In lengths of the plane. */
const GRAB = 0.35;

/** What keys and the wheel do at a time. */
const STEP = 0.05, TURN = Math.PI / 36;

const canvas = byId<HTMLCanvasElement>("picture");
const picture = new Picture(canvas);
const bodies = bodiesMake(innerWidth < innerHeight);
const live = {
  bodies,
  contacts: [] as Contact[],
  nearest: null as Nearest | null,
  /** Answers to moves so far. */
  updates: 0,
  connected: false,
};

let session: Session | null = null;
let held: Body | null = null;
let selected: Body = bodies[0]!;
let grip: Point = [0, 0];
/** Bodies whose place the server does not have yet. */
const moved = new Set<Body>();
let busy = false;

/** Points that differ in z alone are one point here. */
function flatten(points: ContactPoint[]): ContactPoint[] {
  const kept: ContactPoint[] = [];
  for (const p of points)
    if (!kept.some((q) => Math.hypot(p.pa[0] - q.pa[0], p.pa[1] - q.pa[1]) < 1e-6)) kept.push(p);
  return kept;
}

function show(): void {
  const { contacts, nearest } = live;
  picture.draw(bodies, held ?? selected, contacts, nearest);
  byId("count").textContent =
    contacts.length === 0 ? "No contacts" : contacts.length === 1 ? "1 contact" : `${contacts.length} contacts`;
  byId("contacts").replaceChildren(
    ...contacts.map((c) => {
      const item = document.createElement("li"), name = document.createElement("b"), depth = document.createElement("i");
      const detail = document.createElement("small"), points = c.points ?? [];
      name.textContent = `${c.a} – ${c.b}`;
      depth.textContent = Math.max(...points.map((p) => p.depth)).toFixed(4);
      detail.textContent = `${points.length} point${points.length === 1 ? "" : "s"}, normal ${points[0]!.normal.slice(0, 2).map((x) => x.toFixed(2).replace("-0.00", "0.00")).join(" ")}`;
      item.append(name, depth, detail);
      return item;
    }),
  );
  const value = document.createElement("b"), text = document.createElement("span");
  value.textContent = nearest ? nearest.distance.toFixed(4) : "";
  text.textContent = nearest ? `from ${selected.name} to ${nearest.name}` : "";
  byId("nearest").replaceChildren(value, text);
}

/** The other body that is closest to the selected one. */
async function nearestFind(s: Session): Promise<Nearest> {
  const me = selected;
  const others = bodies.filter((b) => b !== me);
  const answers = await Promise.all(
    others.map((b) =>
      s.ask({ op: "distance", a: { type: "shared", name: me.name, place: place(me) }, b: { type: "shared", name: b.name, place: place(b) } }),
    ),
  );
  let best: Nearest | null = null;
  for (const [i, answer] of answers.entries()) {
    const distance = answer["distance"] as number, pa = answer["pa"] as Vec, pb = answer["pb"] as Vec;
    if (!best || distance < best.distance) best = { name: others[i]!.name, distance, from: [pa[0], pa[1]], to: [pb[0], pb[1]] };
  }
  return best!;
}

/** Sends the moves, then asks what touches. While an answer is on its way, further moves are collected. */
async function update(): Promise<void> {
  if (busy || !session) return;
  busy = true;
  try {
    do {
      const moves = [...moved].map((b) => ({ body: b.name, place: place(b) }));
      moved.clear();
      const sent = session.ask({ op: "move", bodies: moves }), test = session.ask({ op: "test" }), nearest = nearestFind(session);
      const [, answer, found] = await Promise.all([sent, test, nearest]);
      live.contacts = (answer["contacts"] as Contact[])
        .filter((c) => c.phase !== "end")
        .map((c) => ({ ...c, points: flatten(c.points ?? []) }));
      live.nearest = found;
      live.updates++;
      byId("status").textContent = `${session.latency.toFixed(1)} ms`;
      show();
    } while (moved.size > 0);
  } catch {
    /* the session has ended: its onclose says why */
  } finally {
    busy = false;
  }
}

function move(b: Body, x: number, y: number, angle: number): void {
  const [w, h] = picture.halfSize();
  b.x = Math.max(-w, Math.min(w, x));
  b.y = Math.max(-h, Math.min(h, y));
  b.angle = angle;
  moved.add(b);
  show();
  void update();
}

/* ---- pointer and keys ---- */

canvas.addEventListener("pointerdown", (e) => {
  const [x, y] = picture.toPlane(e.clientX, e.clientY);
  // of bodies over each other the selected one, which is drawn last, else the one that is drawn later
  let near = selected, distance = bodyDistance(selected, x, y);
  for (const b of [...bodies].reverse()) {
    const d = bodyDistance(b, x, y);
    if (d < distance) [near, distance] = [b, d];
  }
  if (distance > GRAB) return;
  held = selected = near;
  grip = [held.x - x, held.y - y];
  canvas.setPointerCapture(e.pointerId);
  canvas.classList.add("holds");
  moved.add(held);
  void update();
});
canvas.addEventListener("pointermove", (e) => {
  if (!held) return;
  const [x, y] = picture.toPlane(e.clientX, e.clientY);
  move(held, x + grip[0], y + grip[1], held.angle);
});
for (const end of ["pointerup", "pointercancel"])
  canvas.addEventListener(end, () => {
    held = null;
    canvas.classList.remove("holds");
    show();
  });
canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  move(selected, selected.x, selected.y, selected.angle - Math.sign(e.deltaY) * TURN);
}, { passive: false });

function themeSet(theme: string): void {
  document.documentElement.dataset["theme"] = theme;
  show();
}

const themeToggle = (): void => themeSet(document.documentElement.dataset["theme"] === "light" ? "dark" : "light");

document.addEventListener("keydown", (e) => {
  if (e.target instanceof HTMLInputElement || e.ctrlKey || e.metaKey || e.altKey) return;
  const b = selected, by: Record<string, Point> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
  const d = by[e.key];
  if (d) move(b, b.x + d[0], b.y + d[1], b.angle);
  else if (e.key === "r" || e.key === "R") move(b, b.x, b.y, b.angle + (e.shiftKey ? -TURN : TURN));
  else if (e.key === "n" || e.key === "N") {
    selected = bodies[(bodies.indexOf(b) + (e.shiftKey ? bodies.length - 1 : 1)) % bodies.length]!;
    move(selected, selected.x, selected.y, selected.angle);
  } else if (e.key === "t" || e.key === "T") themeToggle();
  else return;
  e.preventDefault();
});
byId("theme").addEventListener("click", themeToggle);
addEventListener("resize", show);

/* ---- the session ---- */

function disconnected(reason: string): void {
  session = null;
  live.connected = false;
  byId("status").textContent = "not connected";
  byId("status").classList.remove("open");
  byId("reason").textContent = reason;
  const dialog = byId<HTMLDialogElement>("connect");
  if (!dialog.open) dialog.showModal();
}

async function connect(address: string, token: string): Promise<void> {
  byId("status").textContent = `connecting to ${address}`;
  try {
    const s = await Session.open(address, token);
    s.onclose = disconnected;
    // shapes and bodies once; from now on only what moves
    await Promise.all([
      ...bodies.map((b) => s.ask({ op: "shape", name: b.name, shape: b.shape })),
      s.ask({ op: "world" }),
      ...bodies.map((b) => s.ask({ op: "body", name: b.name, shape: { type: "shared", name: b.name }, place: place(b) })),
    ]);
    session = s;
    live.connected = true;
    byId("status").classList.add("open");
    moved.add(selected);
    await update();
  } catch (error) {
    disconnected(error instanceof Error ? error.message : String(error));
  }
}

byId("connect").querySelector("form")!.addEventListener("submit", () => {
  void connect(byId<HTMLInputElement>("address").value, byId<HTMLInputElement>("token").value);
});

declare global {
  interface Window {
    tactLive: typeof live;
  }
}
window.tactLive = live;
themeSet(matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
const config = document.querySelector('script[type="application/x-tact-serve"]');
if (config) {
  const { address, token } = JSON.parse(config.textContent ?? "{}") as { address: string; token: string };
  byId<HTMLInputElement>("address").value = address;
  byId<HTMLInputElement>("token").value = token;
  void connect(address, token);
} else {
  disconnected("");
}
