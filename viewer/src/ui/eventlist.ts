// The list of events: only the visible rows exist, so that it may be of any length.

import type { Run } from "../run/decode";
import { eventTitle, kindOf, type EventFilter } from "../run/events";
import type { Theme } from "../scene/palette";
import { countText, timeText } from "./format";

const ROW = 30;
/** Browsers limit the height of an element. */
const MAX_HEIGHT = 15e6;

export class EventList {
  onEvent: (event: number) => void = () => undefined;
  private readonly inner = document.createElement("div");
  private readonly rows = new Map<number, HTMLElement>();
  private now = -1;
  private theme: Theme = "dark";
  private scrolledAt = -1e9;
  private readonly abort = new AbortController();

  constructor(
    private readonly element: HTMLElement,
    private readonly count: HTMLElement,
    private readonly run: Run,
    private readonly filter: EventFilter,
  ) {
    element.replaceChildren(this.inner);
    this.inner.style.position = "relative";
    element.scrollTop = 0;
    const { signal } = this.abort;
    element.addEventListener("scroll", () => this.draw(), { signal });
    for (const name of ["wheel", "pointerdown"] as const)
      element.addEventListener(name, () => (this.scrolledAt = performance.now()), { signal, passive: true });
    element.addEventListener("click", (e) => {
      const row = (e.target as HTMLElement).closest<HTMLElement>(".row");
      if (row) this.onEvent(Number(row.dataset["event"]));
    }, { signal });
  }

  dispose(): void {
    this.abort.abort();
  }

  private get height(): number {
    return Math.min(ROW * this.filter.shown.length, MAX_HEIGHT);
  }

  /** Rows per pixel of the scroll bar is 1 / ROW, unless the list is too high for the browser. */
  private get scale(): number {
    return this.height > 0 ? (ROW * this.filter.shown.length) / this.height : 1;
  }

  invalidate(theme: Theme = this.theme): void {
    this.theme = theme;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.inner.style.height = `${this.height}px`;
    const all = this.run.events.count, shown = this.filter.shown.length;
    this.count.textContent =
      all === 0 ? "no events" : shown === all ? `${countText(all)} event${all === 1 ? "" : "s"}` : `${countText(shown)} of ${countText(all)} events`;
    this.draw();
  }

  /** Marks the event with this place in the list, and scrolls to it. */
  mark(place: number): void {
    if (place === this.now) return;
    this.rows.get(this.now)?.classList.remove("now");
    this.now = place;
    this.rows.get(place)?.classList.add("now");
    if (performance.now() - this.scrolledAt >= 1500) this.reveal();
  }

  /** Scrolls to the marked event, as after the list was hidden. */
  reveal(): void {
    if (this.now < 0) return;
    const at = (ROW * this.now) / this.scale, { scrollTop, clientHeight } = this.element;
    if (at < scrollTop || at + ROW > scrollTop + clientHeight) {
      this.element.scrollTop = at - 0.4 * clientHeight;
      this.draw(); // not at the scroll event of the next frame: while the run plays, the list would be empty till then
    }
  }

  draw(): void {
    const { shown } = this.filter, scale = this.scale;
    const first = Math.max(0, Math.floor((this.element.scrollTop * scale) / ROW) - 3);
    const last = Math.min(shown.length, first + Math.ceil(this.element.clientHeight / ROW) + 7);
    for (const [place, row] of this.rows)
      if (place < first || place >= last) {
        row.remove();
        this.rows.delete(place);
      }
    const offset = this.element.scrollTop * (1 - scale);
    for (let place = first; place < last; place++) {
      let row = this.rows.get(place);
      if (!row) {
        row = this.rowMake(shown[place]!);
        this.rows.set(place, row);
        this.inner.append(row);
      }
      row.style.top = `${ROW * place + offset}px`;
      row.classList.toggle("now", place === this.now);
    }
  }

  private rowMake(event: number): HTMLElement {
    const row = document.createElement("div"), kind = kindOf(this.run.events.kind[event]!);
    row.className = "row";
    row.setAttribute("role", "option");
    row.dataset["event"] = String(event);
    row.style.setProperty("--kind", kind[this.theme]);
    const parts: [string, string, string][] = [
      ["i", "", ""],
      ["span", "t", timeText(this.run.events.time[event]!)],
      ["span", "what", eventTitle(this.run, event)],
      ["span", "kind", kind.name],
    ];
    for (const [tag, name, text] of parts) {
      const part = document.createElement(tag);
      part.className = name;
      part.textContent = text;
      row.append(part);
    }
    return row;
  }
}
