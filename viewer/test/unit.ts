// Reading runs and evaluating motions, compared with the states that the tool computes.

import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { base64Decode, decodeRun } from "../src/run/decode";
import { EventFilter } from "../src/run/events";
import { Poses, verticesEvaluate } from "../src/run/pose";
import { creasedNormals } from "../src/scene/geometry";
import { BoxTree } from "../src/scene/tree";
import { scaleStep, speedRead, speedText } from "../src/ui/format";
import { Clock } from "../src/clock";
import { bufferOf, expect, finish, folder, near, repository, test, toolRun } from "./harness";

interface State {
  t: number;
  bodies: { name: string; translate: number[]; rotate: number[] }[];
}

/** Compares all poses of a scene with its states. Returns their number. */
function compare(scene: string, order: (states: State[]) => State[]): number {
  toolRun("run", scene, "--json", "--out", "e", "--save", "scene.run", "--states", "states", "--every", "0.0613");
  const run = decodeRun(bufferOf("scene.run")), poses = new Poses(run);
  const states = readFileSync(join(folder, "states"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as State);
  let compared = 0;
  for (const state of order(states)) {
    poses.evaluate(state.t);
    state.bodies.forEach((body, b) => {
      const m = poses.matrices.subarray(16 * b, 16 * b + 16), [x, y, z, w] = body.rotate as [number, number, number, number];
      const axes = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
      ];
      for (let column = 0; column < 3; column++) {
        const length = Math.hypot(m[4 * column]!, m[4 * column + 1]!, m[4 * column + 2]!);
        for (let row = 0; row < 3; row++)
          near(m[4 * column + row]! / length, axes[column]![row]!, 1e-5, `axis ${column} of ${body.name} at ${state.t}`);
      }
      for (let row = 0; row < 3; row++) near(m[12 + row]!, body.translate[row]!, 3e-5, `position of ${body.name} at ${state.t}`);
      compared++;
    });
  }
  return compared;
}

const forward = (states: State[]): State[] => states;
const shuffled = (states: State[]): State[] => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  return states.map((s) => [random(), s] as const).sort((a, b) => a[0] - b[0]).map(([, s]) => s);
};

test("motions give the states of the tool, in order of time", () => {
  let compared = 0;
  for (const name of ["stack", "mixed", "spheres"]) compared += compare(`${repository}/examples/scenes/${name}.json`, forward);
  expect(compared > 10000, `${compared} poses`);
});

test("motions give the states of the tool, at times in any order", () => {
  const scene = {
    end: 4,
    bodies: [
      {
        shape: { type: "box", size: [1, 2, 3] },
        place: { translate: [1, 2, 3], rotate: [1, 2, 3, 4], scale: [2, 0.5, 3] },
        motion: { velocity: [1, 0, -1], acceleration: [0.1, 0.2, 0], spin: [1, 2, 0.5], pivot: [0.5, -1, 2] },
        motion_plan: [{ at: 1.5, motion: { spin: [0, 1, 0] } }, { at: 3, motion: { velocity: [0, 5, 0], spin: [0, 0, -7] } }],
      },
      { shape: { type: "cone", radius: 1, height: 3 }, place: { translate: [20, 0, 0] }, mass: 2, motion: { spin: [9, 0.1, 0.1] } },
    ],
  };
  writeFileSync(join(folder, "scene.json"), JSON.stringify(scene));
  expect(compare("scene.json", shuffled) > 100, "few states");
  expect(compare(`${repository}/examples/scenes/stack.json`, shuffled) > 100, "few states");
});

test("vertices move along straight lines between key frames", () => {
  const mesh = (z: number): string => `v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 ${z}\nv 1.2 0.2 1\nv 0.2 1.2 2\nf 1 2 3\nf 4 5 6\n`;
  for (const [i, z] of [1, -1, -1.5].entries()) writeFileSync(join(folder, `f${i}.obj`), mesh(z));
  toolRun("play", "f0.obj", "f*.obj", "--save", "play.run", "--json");
  const run = decodeRun(bufferOf("play.run")), keys = run.keys.get(0)!, to = new Float32Array(18);
  expect(keys.length === 3 && run.end === 2, `${keys.length} key frames until ${run.end}`);
  for (const [time, z] of [[0, 1], [0.25, 0.5], [0.5, 0], [1, -1], [1.5, -1.25], [2, -1.5], [3, -1.5], [-1, 1]] as const) {
    verticesEvaluate(keys, time, to);
    near(to[11]!, z, 1e-6, `z at ${time}`);
    near(to[12]!, 1.2, 1e-6, `x at ${time}`);
  }
  near(run.events.time[0]!, 0.5, 1e-9, "time of the contact");
  near(run.events.points[0]!, 0.2, 1e-6, "x of the contact");
  near(run.events.points[2]!, 0, 1e-6, "z of the contact");
});

test("damaged runs are rejected", () => {
  const whole = new Uint8Array(bufferOf("scene.run"));
  const rejects = (bytes: Uint8Array): boolean => {
    try {
      decodeRun(bytes.slice().buffer);
      return false;
    } catch {
      return true;
    }
  };
  expect(!rejects(whole), "the whole run");
  for (let size = 0; size < whole.length; size += Math.ceil(whole.length / 97)) expect(rejects(whole.subarray(0, size)), `${size} bytes`);
  const version = whole.slice();
  version[8] = 2;
  expect(rejects(version), "another version");
});

test("base64", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) & 255);
  const decoded = new Uint8Array(base64Decode(Buffer.from(bytes).toString("base64")));
  expect(bytes.every((b, i) => decoded[i] === b) && decoded.length === 1000, "differs");
});

test("the filter of events", () => {
  const run = decodeRun(bufferOf("scene.run")), filter = new EventFilter(run), { time } = run.events;
  expect(filter.shown.length === run.events.count && run.events.count > 20, `${run.events.count} events`);
  for (let i = 0; i < time.length; i++) {
    const first = filter.place(time[i]!, true), after = filter.place(time[i]!, false);
    expect(first <= i && i < after && time[first] === time[i] && (after === time.length || time[after]! > time[i]!), `place of ${i}`);
  }
  filter.toggle(1);
  expect(filter.shown.every((e) => run.events.kind[e] !== 1) && filter.shown.length < run.events.count, "touches are hidden");
});

test("normals are smooth only across flat edges", () => {
  // two triangles in a plane and one at a right angle
  const positions = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]);
  const { normals } = creasedNormals(positions, new Uint32Array([0, 1, 2, 0, 2, 3, 0, 4, 1]));
  for (let corner = 0; corner < 6; corner++) near(normals[3 * corner + 2]!, 1, 1e-6, `z of corner ${corner}`);
  for (let corner = 6; corner < 9; corner++) near(Math.abs(normals[3 * corner + 1]!), 1, 1e-6, `y of corner ${corner}`);
});

test("speeds and scales", () => {
  for (const [text, speed] of [["1/100", 0.01], ["2×", 2], ["0.5", 0.5], ["1e-6", 1e-6], ["1/2,500×", 0.0004]] as const)
    near(speedRead(text), speed, 1e-12, text);
  for (const text of ["", "x", "0", "-1", "1/0", "1/"]) expect(Number.isNaN(speedRead(text)), text);
  for (const speed of [1, 0.001, 1e-6, 3, 0.37]) near(speedRead(speedText(speed)) / speed, 1, 0.006, speedText(speed));
  for (const [least, step] of [[0.9, 1], [1.1, 2], [2.1, 5], [0.03, 0.05], [6, 10]] as const) near(scaleStep(least), step, 1e-9, `${least}`);
});

test("boxes of a level contain the triangles, and those of the level below", () => {
  let seed = 7;
  const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const positions = Float32Array.from({ length: 900 }, random), indices = Uint32Array.from({ length: 1500 }, () => Math.floor(300 * random()));
  const tree = new BoxTree(positions, indices), moved = positions.map((x) => 2 * x - 0.3 * x * x);
  let volume = Infinity;
  for (let level = 0; level < tree.levels.length; level++) {
    let triangles = 0, sum = 0;
    for (const [first, end] of tree.levels[level]!) triangles += end - first;
    tree.boxes(level, moved, (b) => (sum += (b[3]! - b[0]!) * (b[4]! - b[1]!) * (b[5]! - b[2]!)));
    expect(triangles === 500, `level ${level} has ${triangles} triangles`);
    if (level === 0) tree.boxes(0, moved, (b) => near(b[3]!, moved.reduce((m, x, i) => (i % 3 === 0 && indices.includes(i / 3) ? Math.max(m, x) : m), 0), 1e-6, "x"));
    expect(level === 0 || sum < 2 * volume, "boxes grow");
    volume = sum;
  }
  expect(tree.levels.length === 8, `${tree.levels.length} levels`);
});

test("the clock", () => {
  const clock = new Clock(1, 3);
  clock.speed = 0.5;
  expect(!clock.tick(1), "it is paused");
  clock.toggle();
  expect(clock.tick(1) && clock.time === 1.5, "half speed");
  clock.tick(4);
  near(clock.time, 1.5, 1e-12, "after a loop");
  clock.loop = false;
  clock.tick(10);
  near(clock.time, 3, 0, "the end");
  expect(!clock.playing, "it stops at the end");
  clock.toggle();
  near(clock.time, 1, 0, "it begins anew");
  clock.seek(99);
  near(clock.time, 3, 0, "within the run");
});

void finish();
