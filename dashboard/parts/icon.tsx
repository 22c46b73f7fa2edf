/** Strokes of 16 pixels. */
const PATHS = {
  home: 'M2.5 7.5 8 3l5.5 4.5V13h-4V9.5h-3V13h-4z',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  flask: 'M6 2.5h4M6.8 2.5v4L3 12.2c-.4.7 0 1.3.8 1.3h8.4c.8 0 1.2-.6.8-1.3L9.2 6.5v-4M5 10h6',
  graph:
    'M5 4h6M4.4 5.4 7.2 11M11.6 5.4 8.8 11M3.5 5.5a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM12.5 5.5a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM8 14a1.6 1.6 0 1 0 0-3.2A1.6 1.6 0 0 0 8 14z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  check: 'M3 8.5 6.5 12 13 4.5',
  pulse: 'M1.5 8h3l2-5 3 10 2-5h3',
  inbox: 'M2.5 9h3l1 2h3l1-2h3M2.5 9l2-5.5h7l2 5.5v4h-11z',
  person: 'M8 8.2a2.7 2.7 0 1 0 0-5.4 2.7 2.7 0 0 0 0 5.4zM2.8 13.5c.5-2.6 2.6-3.8 5.2-3.8s4.7 1.2 5.2 3.8',
  gear: 'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  close: 'M4 4l8 8M12 4l-8 8',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  undo: 'M5.5 3l-3 3 3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6.5',
  up: 'M8 13V3.5M4 7l4-4 4 4',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  link: 'M6.5 9.5l3-3M7 4.7 8.7 3a2.8 2.8 0 0 1 4 4L11 8.8M9 11.3 7.3 13a2.8 2.8 0 0 1-4-4L5 7.2',
  edit: 'M3 13l.6-2.8L10.8 3 13 5.2l-7.2 7.2z',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v7h9v-7M6.5 9h3',
  spark: 'M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4z',
  dream: 'M12.5 10A5 5 0 0 1 6 3.5 5 5 0 1 0 12.5 10zM10 2.5h3l-3 3.5h3',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  alert: 'M8 2.5 14 13H2zM8 6.5v3M8 11.3v.01',
  shield: 'M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z',
  tool: 'M10 3a3 3 0 0 0-2.8 4L3 11.2 4.8 13 9 8.8A3 3 0 0 0 13 6l-1.8 1.2-1.6-1.4L10 3z',
  document: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3M6 8.5h4M6 11h4',
  peer: 'M2.5 5.5h9L9 3M13.5 10.5h-9L7 13',
  model: 'M8 2.5l5 2.8v5.4l-5 2.8-5-2.8V5.3zM3 5.3 8 8l5-2.7M8 8v5.5',
  incoming: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  eye: 'M1.8 8C3.3 5 5.5 3.7 8 3.7S12.7 5 14.2 8c-1.5 3-3.7 4.3-6.2 4.3S3.3 11 1.8 8zM8 9.9a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8z',
  play: 'M5 3.5v9L12 8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  right: 'M6 3.5 10.5 8 6 12.5',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.3a2.5 2.5 0 0 1 5 0v2.2',
  erase: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 8.5h6l.5-8.5M7 7v3.5M9 7v3.5',
  ends: 'M8 2v5M4.5 4a5.5 5.5 0 1 0 7 0',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
} as const

/** The name of an icon. */
export type IconName = keyof typeof PATHS

/** An icon beside words that say the same, hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The sign of the program. */
export function Mark() {
  return (
    <svg class="mark" width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="currentColor" />
      <path
        d="M8 21c0-7 5-12 16-13-1 11-6 16-13 16M8 26c1-6 5-10 10-12"
        fill="none"
        stroke="var(--panel)"
        stroke-width="2.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
