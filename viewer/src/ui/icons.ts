// Icons, 24 by 24.

const svg = (content: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;

export const ICONS = {
  play: svg('<path class="solid" d="M8 5.5v13l11-6.5z"/>'),
  pause: svg('<path d="M8.5 5.5v13M15.5 5.5v13" stroke-width="3"/>'),
  next: svg('<path class="solid" d="M6 6v12l9-6z"/><path d="M18 6v12"/>'),
  previous: svg('<path class="solid" d="M18 6v12l-9-6z"/><path d="M6 6v12"/>'),
  start: svg('<path class="solid" d="M19 6.5v11L12 12zM12 6.5v11L5 12z"/>'),
  loop: svg('<path d="M17 3l3 3-3 3"/><path d="M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3"/><path d="M20 13v2a3 3 0 0 1-3 3H4"/>'),
  panel: svg('<path d="M4 6h16M4 12h16M4 18h10"/>'),
  dark: svg('<path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z"/>'),
  light: svg('<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>'),
  help: svg('<circle cx="12" cy="12" r="9"/><path d="M9.5 9.3a2.6 2.6 0 1 1 3.7 2.6c-.8.4-1.2 1-1.2 1.9M12 17v.01"/>'),
  link: svg('<path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1"/><path d="M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1"/>'),
  fit: svg('<path d="M4 9V5a1 1 0 0 1 1-1h4M15 4h4a1 1 0 0 1 1 1v4M20 15v4a1 1 0 0 1-1 1h-4M9 20H5a1 1 0 0 1-1-1v-4"/>'),
  contacts: svg('<circle class="solid" cx="12" cy="16" r="2.6"/><path d="M12 13V4M8.5 7.5L12 4l3.5 3.5M4 20h16"/>'),
  boxes: svg('<path d="M4 8l8-4 8 4v8l-8 4-8-4z"/><path d="M4 8l8 4 8-4M12 12v8"/>'),
  windows: svg('<path d="M3 6h18M6 11h12M9 16h6M12 20v.01"/>'),
  wireframe: svg('<path d="M4 19L12 4l8 15zM8 11.5h8M12 4l-4 7.5 4 7.5 4-7.5z"/>'),
} as const;
