// Numbers for people.

/** A time to the microsecond. */
export function timeText(time: number): string {
  return time.toFixed(6);
}

/** A speed such as 1/250 or 2. */
export function speedText(speed: number): string {
  if (speed >= 1 || speed <= 0) return `${Number(speed.toPrecision(3))}×`;
  const part = 1 / speed;
  return `1/${Number(part.toPrecision(3)).toLocaleString("en-US")}×`;
}

/** Reads "0.01", "1/100" or "2x"; NaN: none of these. */
export function speedRead(text: string): number {
  const clean = text.replace(/[×x,\s]/g, "");
  const match = /^(\d*\.?\d+(?:e[+-]?\d+)?)(?:\/(\d*\.?\d+(?:e[+-]?\d+)?))?$/i.exec(clean);
  if (!match) return NaN;
  const value = Number(match[1]) / (match[2] === undefined ? 1 : Number(match[2]));
  return value > 0 && Number.isFinite(value) ? value : NaN;
}

export function numberText(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-9) return "0"; // floats of the run have no smaller part of anything of size 1
  return size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

export function countText(value: number): string {
  return value.toLocaleString("en-US").replace(/,/g, "\u202f");
}

export function bytesText(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A step of a scale (1, 2 or 5 times a power of ten) of at least `least`. */
export function scaleStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  return 10 * power;
}
