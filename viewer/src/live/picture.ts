// Draws the bodies, the contacts, and the line to the nearest body.

import type { Body, Point } from "./bodies";
import type { Contact } from "./protocol";

/** The part of the plane that is always in view: half its longer and its shorter side. */
const HALF_LONG = 6.4, HALF_SHORT = 4;

export interface Nearest {
  name: string;
  distance: number;
  from: Point;
  to: Point;
}

export class Picture {
  private readonly context: CanvasRenderingContext2D;
  private scale = 1;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d")!;
  }

  /** Where a point of the window is in the plane. */
  toPlane(clientX: number, clientY: number): Point {
    const box = this.canvas.getBoundingClientRect();
    return [(clientX - box.left - box.width / 2) / this.scale, -(clientY - box.top - box.height / 2) / this.scale];
  }

  /** Half the width and height of what is in view. */
  halfSize(): Point {
    return [this.canvas.clientWidth / 2 / this.scale, this.canvas.clientHeight / 2 / this.scale];
  }

  private bodyPath(b: Body): void {
    const g = this.context;
    g.beginPath();
    for (const part of b.parts) {
      if (part.length === 1) {
        g.moveTo(b.round, 0);
        g.arc(0, 0, b.round, 0, 2 * Math.PI);
        continue;
      }
      for (const [i, [x, y]] of part.entries()) {
        if (i === 0) g.moveTo(x, y);
        else g.lineTo(x, y);
      }
      g.closePath();
    }
  }

  private bodyDraw(b: Body, color: (name: string) => string, held: boolean, touches: boolean): void {
    const g = this.context;
    const line = 1.6 / this.scale, edge = held ? color("--held") : touches ? color("--contact") : color("--edge");
    g.save();
    g.translate(b.x, b.y);
    g.rotate(b.angle);
    g.lineJoin = g.lineCap = "round";
    // the edge first, wider; then the inside over it, so that parts have no lines between them
    for (const [style, extra] of [[edge, 2 * line], [color("--body"), 0]] as const) {
      this.bodyPath(b);
      g.fillStyle = g.strokeStyle = style;
      const width = extra + (b.parts[0]!.length === 1 ? 0 : 2 * b.round);
      g.fill();
      if (width === 0) continue;
      g.lineWidth = width;
      g.stroke();
    }
    g.restore();
  }

  draw(bodies: Body[], held: Body | null, contacts: Contact[], nearest: Nearest | null): void {
    const g = this.context, ratio = devicePixelRatio;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.scale = Math.min(Math.max(width, height) / 2 / HALF_LONG, Math.min(width, height) / 2 / HALF_SHORT);
    g.setTransform(ratio * this.scale, 0, 0, -ratio * this.scale, (ratio * width) / 2, (ratio * height) / 2);
    const touching = new Set(contacts.flatMap((c) => [c.a, c.b]));
    for (const b of [...bodies.filter((one) => one !== held), ...(held ? [held] : [])])
      this.bodyDraw(b, color, b === held, touching.has(b.name));
    if (nearest && nearest.distance > 0) {
      g.strokeStyle = g.fillStyle = color("--near");
      g.lineWidth = 2 / this.scale;
      g.setLineDash([6 / this.scale, 5 / this.scale]);
      g.beginPath();
      g.moveTo(...nearest.from);
      g.lineTo(...nearest.to);
      g.stroke();
      g.setLineDash([]);
      for (const [x, y] of [nearest.from, nearest.to]) {
        g.beginPath();
        g.arc(x, y, 3.5 / this.scale, 0, 2 * Math.PI);
        g.fill();
      }
    }
    g.strokeStyle = g.fillStyle = color("--contact");
    g.lineWidth = 2.5 / this.scale;
    for (const { points } of contacts)
      for (const p of points ?? []) {
        const x = (p.pa[0] + p.pb[0]) / 2, y = (p.pa[1] + p.pb[1]) / 2, [nx, ny] = p.normal;
        const tipX = x + 0.6 * nx, tipY = y + 0.6 * ny;
        g.beginPath();
        g.arc(x, y, 4.5 / this.scale, 0, 2 * Math.PI);
        g.fill();
        g.beginPath();
        g.moveTo(x, y);
        g.lineTo(tipX, tipY);
        g.moveTo(tipX - 0.15 * nx + 0.09 * ny, tipY - 0.15 * ny - 0.09 * nx);
        g.lineTo(tipX, tipY);
        g.lineTo(tipX - 0.15 * nx - 0.09 * ny, tipY - 0.15 * ny + 0.09 * nx);
        g.stroke();
      }
  }
}
