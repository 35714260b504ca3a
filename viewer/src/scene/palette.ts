// Colours of the scene, dark and light.

import * as THREE from "three";

export type Theme = "dark" | "light";

export interface SceneColors {
  sky: string;
  ground: string;
  fixed: string;
  grid: string;
  hemisphere: [string, string, number];
  sun: number;
  box: string;
  window: string;
  highlight: string;
}

export const SCENE_COLORS: Record<Theme, SceneColors> = {
  dark: {
    sky: "#171c24",
    ground: "#0b0e13",
    fixed: "#454f5e",
    grid: "#2a323d",
    hemisphere: ["#c9d8ff", "#2a2420", 1.15],
    sun: 2.1,
    box: "#53657f",
    window: "#6ea0ff",
    highlight: "#ff5d6c",
  },
  light: {
    sky: "#f4f6f9",
    ground: "#dde3ea",
    fixed: "#b4c0d0",
    grid: "#8b99ab",
    hemisphere: ["#f4f8ff", "#8f9aa8", 1.35],
    sun: 2.0,
    box: "#8a98ac",
    window: "#2f66d8",
    highlight: "#e0203a",
  },
};

/** Colours of moving bodies: muted, of about equal lightness. */
const BODIES = ["#5b8def", "#e8945a", "#5cb88a", "#c77dbb", "#d9b44a", "#5ab5c8", "#e0707c", "#8f86e0", "#93b75a", "#c99a7a"];

/** The colour of a body: by number, with a little variation so that neighbours differ. */
export function bodyColor(body: number, isFixed: boolean, theme: Theme, to: THREE.Color): THREE.Color {
  const variation = (Math.imul(body + 1, 0x9e3779b1) >>> 0) / 2 ** 32 - 0.5;
  if (isFixed) return to.set(SCENE_COLORS[theme].fixed).offsetHSL(0, 0, 0.07 * variation);
  to.set(BODIES[(body * 7) % BODIES.length]!);
  return to.offsetHSL(0, 0, 0.08 * variation);
}

/** Colours of bodies whose vertices move. */
const SURFACES = ["#7fa6d9", "#e0a36c", "#86b98f", "#b79ad0"];

export function deformingColor(body: number, to: THREE.Color): THREE.Color {
  return to.set(SURFACES[body % SURFACES.length]!);
}
