/** Colours of the series, the first for elfmem: on light ground, on dark ground. Told apart with any sight of colour. */
const COLOURS = [
  ['#0969da', '#4493f8'],
  ['#bc4c00', '#f0883e'],
  ['#1a7f37', '#3fb950'],
  ['#8250df', '#ab7df8'],
  ['#bf3989', '#db61a2'],
  ['#0a7b83', '#39c5cf'],
  ['#6e7781', '#9198a1'],
] as const

export const WIDTH = 720

/** Where the marks of a chart may stand, in pixels. */
export interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** What every chart says in words. */
export interface Caption {
  readonly title: string
  /** What it shows, for those who do not see it. */
  readonly description: string
}

type Attributes = Readonly<Record<string, string | number>>

/** One element; numbers are written to a tenth of a pixel. */
export function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? pixels(value) : escaped(value)}"`)
    .join('')
  return content.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${content.join('')}</${name}>`
}

/** Text at a point; `anchor` is start, middle or end. */
export function label(text: string, { x, y, anchor = 'start', style = 'muted' }: LabelPlace): string {
  return element('text', { x, y, 'text-anchor': anchor, class: style }, escaped(text))
}

export interface LabelPlace {
  readonly x: number
  readonly y: number
  readonly anchor?: 'start' | 'middle' | 'end'
  /** A class of the style sheet. */
  readonly style?: string
}

/** The classes of the i-th series, elfmem being 0; there are seven. */
export function colourClass(i: number): string {
  return `c${i % COLOURS.length}`
}

/** A whole picture with its caption, readable on light and dark ground. */
export function picture({ title, description }: Caption, height: number, marks: readonly string[]): string {
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>${styleSheet()}</style>`,
    element('rect', { class: 'ground', width: WIDTH, height, rx: 6 }),
    label(title, { x: 20, y: 28, style: 'title' }),
    ...marks,
    '</svg>',
  ]
  return `${lines.join('\n')}\n`
}

function styleSheet(): string {
  const colours = (dark: 0 | 1) =>
    COLOURS.map((pair, i) => `.c${i}{stroke:${pair[dark]};fill:${pair[dark]}}`).join('')
  return [
    'text{font:13px system-ui,sans-serif;stroke:none!important}',
    '.title{font-size:16px;font-weight:600}',
    '.strong{font-weight:600}',
    '.line{fill:none!important;stroke-width:2;stroke-linejoin:round}',
    '.bold{stroke-width:3.5}',
    '.bar{stroke:none!important}',
    '.ground{fill:#fff}.title,.ink{fill:#1f2328}.muted{fill:#59636e}.grid{stroke:#d1d9e0}',
    colours(0),
    `@media(prefers-color-scheme:dark){.ground{fill:#0d1117}.title,.ink{fill:#f0f6fc}.muted{fill:#9198a1}.grid{stroke:#3d444d}${colours(1)}}`,
  ].join('')
}

function pixels(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
