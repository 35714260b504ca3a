// One run on the page: its clock, its picture, its events, and the controls that act on them.

import * as THREE from "three";
import { Clock } from "./clock";
import type { Run } from "./run/decode";
import { EventFilter } from "./run/events";
import type { Theme } from "./scene/palette";
import { Stage, upperBound } from "./scene/stage";
import { detailOfBody, detailOfEvent, detailOfRun } from "./ui/detail";
import { EventList } from "./ui/eventlist";
import { speedText } from "./ui/format";
import { Timeline } from "./ui/timeline";

/** Details of what is playing are updated this often, in milliseconds. */
const DETAIL_INTERVAL = 120;

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

export class App {
  readonly clock: Clock;
  readonly filter: EventFilter;
  readonly stage: Stage;
  readonly timeline: Timeline;
  readonly list: EventList;
  /** the event stepped to or clicked; -1: none */
  event = -1;
  /** milliseconds of script of the last frames */
  readonly frames: number[] = [];
  onState: () => void = () => undefined;
  private dirty = true;
  private detailAt = -1e9;
  private detailKey = "";
  private last = 0;

  constructor(
    readonly run: Run,
    private readonly renderer: THREE.WebGLRenderer,
    private theme: Theme,
  ) {
    this.clock = new Clock(run.start, run.end);
    const duration = run.end - run.start;
    if (duration > 0 && (duration < 1.9 || duration > 30)) this.clock.speed = Number((duration / 6).toPrecision(1));
    this.filter = new EventFilter(run);
    this.stage = new Stage(run, renderer, byId("picture"));
    this.timeline = new Timeline(byId("timeline"), run, this.filter);
    this.list = new EventList(byId("list"), byId("list-count"), run, this.filter);
    this.timeline.onSeek = (time) => this.seek(time);
    this.timeline.onEvent = (event) => this.show(event);
    this.list.onEvent = (event) => this.show(event);
    this.stage.controls.addEventListener("change", () => (this.dirty = true));
    this.setTheme(theme);
    this.resize();
    this.stage.fit();
  }

  dispose(): void {
    this.timeline.dispose();
    this.list.dispose();
    this.stage.dispose();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.stage.setTheme(theme);
    this.invalidate();
  }

  /** Draws everything anew. */
  invalidate(): void {
    this.timeline.invalidate(this.theme);
    this.list.invalidate(this.theme);
    this.detailKey = "";
    this.dirty = true;
  }

  resize(): void {
    const canvas = this.renderer.domElement, width = canvas.clientWidth, height = canvas.clientHeight;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.stage.resize(width, height);
    this.timeline.invalidate();
    this.list.draw();
    this.dirty = true;
  }

  /** The list of events, which was hidden, is shown. */
  listShown(): void {
    this.list.reveal();
  }

  /** Something but the time has changed. */
  touch(): void {
    this.dirty = true;
  }

  seek(time: number): void {
    this.clock.seek(time);
    this.event = -1;
    this.dirty = true;
  }

  play(on = !this.clock.playing): void {
    if (on !== this.clock.playing) this.clock.toggle();
    if (this.clock.playing) this.event = -1;
    this.dirty = true;
    this.onState();
  }

  setSpeed(speed: number): void {
    this.clock.speed = Math.min(Math.max(speed, 1e-9), 1e4);
    this.onState();
  }

  /** Goes to an event and shows its details. */
  show(event: number): void {
    this.clock.playing = false;
    this.clock.seek(this.run.events.time[event]!);
    this.event = event;
    this.stage.select(-1);
    this.dirty = true;
    this.onState();
  }

  /** Goes to the next or previous event of those shown. */
  step(forward: boolean): void {
    const { shown } = this.filter;
    let place: number;
    if (this.event >= 0) {
      place = shown.indexOf(this.event) + (forward ? 1 : -1);
    } else if (forward && this.clock.time === this.run.start) place = this.filter.place(this.clock.time, true);
    else place = forward ? this.filter.place(this.clock.time, false) : this.filter.place(this.clock.time, true) - 1;
    if (place >= 0 && place < shown.length) this.show(shown[place]!);
    else this.seek(forward ? this.run.end : this.run.start);
  }

  select(body: number): void {
    this.stage.select(body);
    if (body < 0) this.stage.follow(-1);
    this.detailKey = "";
    this.dirty = true;
  }

  follow(body: number): void {
    this.stage.follow(this.stage.followed === body ? -1 : body);
    this.detailKey = "";
    this.dirty = true;
  }

  look(event: number): void {
    const { points, bodies, hasPoint } = this.run.events;
    if (!hasPoint[event]) {
      this.show(event);
      this.stage.update(this.clock.time, event, 1, false, this.filter.hidden);
      const around = this.stage.highlighted;
      if (around) this.stage.lookAt(around.center.toArray(), 0, 0.6 * around.radius);
      this.dirty = true;
      return;
    }
    const radius = Math.min(this.stage.radiusOf(bodies[2 * event]!), this.stage.radiusOf(bodies[2 * event + 1]!));
    this.stage.lookAt(points, 7 * event, this.run.keys.size > 0 ? this.stage.size / 25 : radius);
    this.dirty = true;
  }

  /** Called for each frame of the screen, with its time in milliseconds. */
  frame(now: number): void {
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const begun = performance.now();
    const ticked = this.clock.tick(seconds);
    if (!this.clock.playing && ticked) this.onState();
    if (!ticked && !this.dirty && !this.stage.controls.update()) return;
    this.dirty = false;
    this.draw(begun);
    this.frames.push(performance.now() - begun);
    if (this.frames.length > 600) this.frames.shift();
  }

  private draw(now: number): void {
    const { clock, stage } = this;
    if (stage.setWindows(stage.overlays.windows ? this.currentEvent : -1)) {
      this.timeline.windows = stage.windows;
      this.timeline.invalidate();
    }
    stage.update(clock.time, this.event, clock.speed, clock.playing, this.filter.hidden);
    stage.render();
    this.timeline.draw(clock.time, clock.playing);
    const input = byId<HTMLInputElement>("time");
    if (document.activeElement !== input) input.value = clock.time.toFixed(6);
    if (clock.playing && now - this.detailAt < DETAIL_INTERVAL) return;
    this.detailAt = now;
    this.detailDraw();
  }

  /** The event whose details are shown: that stepped to, or the last one of those shown that has happened. */
  get currentEvent(): number {
    if (this.event >= 0) return this.event;
    const place = this.filter.place(this.clock.time, false) - 1;
    return place >= 0 ? this.filter.shown[place]! : -1;
  }

  private detailDraw(): void {
    const { stage, run } = this;
    const event = this.currentEvent, body = stage.selectedBody;
    this.list.mark(event < 0 ? -1 : this.filter.place(run.events.time[event]!, true) + this.tiesBefore(event));
    const key = body >= 0 ? `b${body} ${this.clock.time} ${stage.followed}` : `e${event} ${stage.windowShown?.level ?? ""}`;
    if (key === this.detailKey) return;
    this.detailKey = key;
    const actions = {
      look: (e: number) => this.look(e),
      select: (b: number) => this.select(b),
      follow: (b: number) => this.follow(b),
      close: () => this.select(-1),
      zoom: (low: number, high: number) => {
        this.timeline.show(low - 0.5 * (high - low), high + 0.5 * (high - low));
        this.dirty = true;
      },
    };
    byId("detail").replaceChildren(
      ...(body >= 0
        ? detailOfBody(run, body, this.clock.time, stage.poses, stage.followed === body, actions)
        : event >= 0
          ? detailOfEvent(run, event, this.theme, stage.windowShown, actions)
          : detailOfRun(run)),
    );
  }

  /** Events at the same time before this one in the list. */
  private tiesBefore(event: number): number {
    const { shown } = this.filter, first = this.filter.place(this.run.events.time[event]!, true);
    let n = 0;
    while (first + n < shown.length && shown[first + n] !== event) n++;
    return n;
  }

  get state(): string {
    return `${this.clock.playing ? "playing" : "paused"} ${speedText(this.clock.speed)}`;
  }

  /** The part of the address that names this moment. */
  hash(runNumber: number): string {
    const round = (x: number): string => String(Number(x.toPrecision(6)));
    const camera = [...this.stage.camera.position.toArray(), ...this.stage.controls.target.toArray()].map(round).join(",");
    const event = this.event >= 0 ? `&event=${this.event}` : "";
    return `#run=${runNumber + 1}&t=${this.clock.time.toFixed(9)}${event}&view=${camera}`;
  }

  /** Goes to the moment that an address names. */
  fromHash(parameters: URLSearchParams): void {
    const event = Number(parameters.get("event") ?? NaN), time = Number(parameters.get("t") ?? NaN);
    const view = (parameters.get("view") ?? "").split(",").map(Number);
    if (Number.isInteger(event) && event >= 0 && event < this.run.events.count) this.show(event);
    else if (Number.isFinite(time)) this.seek(time);
    if (view.length === 6 && view.every(Number.isFinite)) {
      this.stage.camera.position.fromArray(view);
      this.stage.controls.target.fromArray(view, 3);
      this.stage.controls.update();
    }
    this.dirty = true;
  }

  /** Number of events that have happened. */
  get passed(): number {
    return upperBound(this.run.events.time, this.clock.time);
  }
}
