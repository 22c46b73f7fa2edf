import { relationColour } from '../../../format.ts'
import { mixed } from './colours.ts'

/** How the map is coloured: by group, by who speaks, or by belief. */
export type ColourBy = 'group' | 'speaker' | 'belief'

/** Colours of the theme as a canvas wants them. */
export interface Look {
  readonly ground: string
  readonly ink: string
  readonly grey: string
  readonly font: string
  /** Seven colours for data, seven of half strength, one for the rest, one for what is even. */
  readonly colours: readonly string[]
  readonly relation: (relation: string) => string
}

const DATA = [1, 2, 3, 4, 5, 6, 7]
/** Places in `colours`. */
const REST = 14
const EVEN = 15

/** Reads the colours of the theme that is set. */
export function readLook(): Look {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string) => style.getPropertyValue(name).trim()
  const ground = read('--bg')
  const grey = read('--ink3')
  const data = DATA.map((at) => read(`--data-${at}`))
  return {
    ground,
    grey,
    ink: read('--ink'),
    font: `12px ${read('--sans') || 'sans-serif'}`,
    colours: [
      ...data,
      ...data.map((colour) => mixed(colour, ground, 0.5)),
      mixed(grey, ground, 0.45),
      read('--line2'),
    ],
    relation: (relation) => read(relationColour(relation).replace(/^var\((.*)\)$/, '$1')),
  }
}

/** The place of a group's colour; groups after the fourteenth are grey. */
export function groupColour(group: number): number {
  return group < REST ? group : REST
}

/** The same as CSS has it, for the list of groups. */
export function groupSwatch(group: number): string {
  if (group < DATA.length) return `var(--data-${group + 1})`
  if (group < REST) return `color-mix(in srgb, var(--data-${group - DATA.length + 1}) 50%, var(--bg))`
  return 'color-mix(in srgb, var(--ink3) 45%, var(--bg))'
}

/** The places of the speakers' colours. */
export const SPEAKERS: Readonly<Record<string, number>> = {
  ...{ user: 0, peer: 1, agent: 2, model: 3, import: 4, document: 5, tool: 6 },
}

/** Beliefs from here up, and from here down, in hundredths, are told from those that are even. */
const BELIEF = { high: 55, low: 45 }

/** What a block's colour is taken from. */
interface Coloured {
  readonly group: number | undefined
  readonly speaker: string
  readonly belief: number
}

/** The place of a block's colour. */
export function colourOf(by: ColourBy, { group, speaker, belief }: Coloured): number {
  if (by === 'group') return group === undefined ? REST : groupColour(group)
  if (by === 'speaker') return SPEAKERS[speaker] ?? REST
  if (belief > BELIEF.high) return 0
  return belief < BELIEF.low ? 4 : EVEN
}
