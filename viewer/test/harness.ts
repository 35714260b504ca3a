// A small test harness: prints a line for each test, as scripts/test counts them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const tests: [string, () => void | Promise<void>][] = [];

export function test(name: string, run: () => void | Promise<void>): void {
  tests.push([name, run]);
}

export function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

export function near(found: number, expected: number, tolerance: number, what: string): void {
  expect(Math.abs(found - expected) <= tolerance, `${what} is ${found}, not ${expected} within ${tolerance}`);
}

/** The tool, and the folder of the repository. */
export const tool = resolve(process.env["TACT_TOOL"] ?? "../build/tact");
export const repository = resolve(process.env["TACT_REPOSITORY"] ?? "..");

/** A folder of the tests' own. */
export const folder = mkdtempSync(join(tmpdir(), "tact-viewer-"));

export function toolRun(...words: string[]): string {
  return execFileSync(tool, words, { cwd: folder, encoding: "utf8" });
}

export function bufferOf(path: string): ArrayBuffer {
  const bytes = readFileSync(join(folder, path));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

/** Runs the tests; the exit status says whether all are good. */
export async function finish(): Promise<void> {
  let failed = 0;
  for (const [name, run] of tests) {
    try {
      await run();
      console.log(`ok viewer: ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED viewer: ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = failed > 0 ? 1 : 0;
}
