import { type Block, isOwn, mayCover } from '../block/block.ts'
import {
  codePointLength,
  count,
  estimateTokens,
  preview,
  QUOTE,
  shownLine,
  takeCodePoints,
} from '../block/text.ts'
import { lastSaidAt, saidAt } from '../block/validity.ts'
import type { LanguagePack } from '../language/pack.ts'
import type { PairText } from './pair-score.ts'
import { shortId, stampOf } from './render.ts'
import { themeNames } from './theme-names.ts'

/** The constants of an overview (docs/overview.md). */
export const OVERVIEW = {
  /** Largest number of notes that are compared with each other. */
  compared: 1_000,
  /** Fewest notes that have a name; of fewer recall shows the nearest, at most `nearest`. */
  fewest: 3,
  nearest: 40,
  /** Longest words of a note, in code points. */
  line: 240,
  /** Notes that fit into so many tokens come as one list, without themes. */
  list: 600,
  /** Cosine, and share of the shorter note's words of so many letters, from which on the newer of two notes stands for both. */
  alike: { cosine: 0.65, words: 0.6, letters: 3 },
  /** Gain of the first note of a session, as a share of what a note gains that is told wholly. */
  newSession: 0.5,
  /** Most names and numbers of a note that add to its weight, which is 1 without any. */
  tells: 3,
  /** Longest text in tokens, unless a call says otherwise, and the shortest that is worth its place in an answer of recall. */
  tokens: 1_500,
  fewestTokens: 100,
  themesMost: 12,
  themeFewest: 3,
}

/** A note is a block on its way into an overview. */
export interface Note {
  readonly block: Block
  readonly text: PairText
  /** Ids of blocks that contradict it, as somebody stated. */
  readonly against: readonly string[]
  /** Says when the block holds and what it contradicts; the stamp of its line ends with it. */
  readonly mark: string | undefined
}

/** A theme has the notes that are shown, and when all notes that are nearest to it were said. */
interface Theme {
  /** The most telling words of its notes; empty if there is only one theme. */
  readonly name: string
  readonly size: number
  readonly from: string
  readonly to: string
  readonly notes: readonly Note[]
}

/** An overview has a text, and its themes, the largest first. */
export interface Overview {
  readonly text: string
  readonly themes: readonly Theme[]
}

/** How alike each two notes are: a row for each, of cosines on the scale of the built-in model; 0 where one has no vector. */
type Likeness = readonly Float32Array[]

/** Chooses the notes that stand for all within a budget, and puts each note to the theme whose centre is nearest. `notes`: by time. */
export function standing(
  notes: readonly Note[],
  { rows, budget, language }: { rows: Likeness; budget: number; language: LanguagePack },
): { readonly picks: readonly number[]; readonly groups: readonly Group[] } {
  const standIns = standInsOf(notes, rows)
  const newest = notes.flatMap((_, i) => (standIns[i]?.length === 0 ? [i] : []))
  const all = newest.reduce((sum, i) => sum + costOf(notes[i] as Note), 0)
  const first = chosen(notes, newest, { rows, budget })
  const picks = withOlder(notes, first, { rows, budget, standIns })
  const most = Math.min(OVERVIEW.themesMost, Math.round(Math.sqrt(budget / 30)), newest.length / 4)
  const centres = all <= Math.min(budget, OVERVIEW.list) ? 1 : Math.max(1, Math.ceil(most))
  const groups = groupsOf(notes.length, picks.slice(0, centres), rows)
  const named = notes.map(({ text, block }) => ({ content: block.content, terms: text.terms }))
  const names = groups.length > 1 ? themeNames(named, groups, language) : ['']
  return { picks, groups: groups.map((members, k) => groupOf(notes, members, names[k])) }
}

/** A group is a theme with the places of all its notes. */
interface Group extends Omit<Theme, 'notes'> {
  readonly members: readonly number[]
}

/** Returns the group of some notes. */
export function groupOf(notes: readonly Note[], members: readonly number[], name = ''): Group {
  const blocks = members.map((i) => (notes[i] as Note).block)
  const [from = '', to = ''] = [blocks.map(saidAt).sort()[0], blocks.map(lastSaidAt).sort().at(-1)]
  return { name, size: members.length, from, to, members }
}

/** Writes the first of the picked notes, as many as the budget holds, in their groups. */
export function written(
  notes: readonly Note[],
  { picks, groups }: { readonly picks: readonly number[]; readonly groups: readonly Group[] },
  { headOf, budget }: { readonly headOf: (shown: number) => string; readonly budget: number },
): Overview {
  const withFirst = (some: number): Overview => {
    const shown = new Set(picks.slice(0, some))
    const themes = groups
      .map(({ members, ...group }): Theme => {
        const places = members.filter((i) => shown.has(i))
        return { ...group, notes: places.map((i) => notes[i] as Note) }
      })
      .filter((theme) => theme.notes.length > 0)
      .sort((one, other) => other.size - one.size)
    return { themes, text: [headOf(some), ...themes.map((theme) => sectionOf(theme, budget))].join('\n\n') }
  }
  let [least, most] = [0, picks.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (estimateTokens(withFirst(middle).text) <= budget) least = middle
    else most = middle - 1
  }
  return withFirst(least)
}

function sectionOf({ name, size, from, to, notes }: Theme, budget: number): string {
  const months = [...new Set([from, to].map((at) => at.slice(0, 7)))].join(' to ')
  const heading = name === '' ? [] : [`## ${name} (${count(size, 'note')}, ${months})`]
  return [...heading, ...notes.map((note) => lineOf(note, budget))].join('\n')
}

/** Returns a note on one line, as recall writes an entry, so that a pasted line is known again; others' words are quoted. */
function lineOf({ block, mark }: Note, budget: number): string {
  const words = wordsShown(block, budget)
  const source = preview(block.source ?? '', 40)
  const isNamed = source.length > 2 && words.includes(source)
  // A source that the words name is left out, because stamps would take a fifth of the budget.
  const said = isNamed ? { ...block, source: '', sourceClass: 'agent' as const } : { ...block, source }
  return `${isOwn(block) ? '- ' : QUOTE}${words} (${stampOf(said, mark)}) (${shortId(block.id)})`
}

/**
 * Returns the beginning of a block's words on one line, as whole sentences if these are more than half of what has room. If the budget is
 * small, lines are shorter, so that one has room.
 */
export function wordsShown({ content }: Pick<Block, 'content'>, budget: number): string {
  const most = Math.min(budget, OVERVIEW.line)
  const line = shownLine(takeCodePoints(content, 4 * most))
  if (codePointLength(line) <= most) return line
  const cut = takeCodePoints(line, most - 2)
  const end = Math.max(0, ...[...cut.matchAll(/[.!?](?=\s)|[。！？]/g)].map(({ index }) => index + 1))
  const space = cut.lastIndexOf(' ')
  return end > most / 2 ? cut.slice(0, end) : `${space > most / 2 ? cut.slice(0, space) : cut} …`
}

/**
 * Returns for each note the places of the newer ones that read like it and so stand for it. No note stands for one that is trusted more, of
 * another scope, or that it contradicts. Notes without a vector get their likeness first: the cosine of the sets of their words.
 */
function standInsOf(notes: readonly Note[], rows: Likeness): number[][] {
  const { cosine, words, letters } = OVERVIEW.alike
  const sets = notes.map(({ text }) => [...new Set(text.words.filter((word) => word.length >= letters))])
  const sizes = sets.map((set) => Math.max(1, set.length))
  const holding = new Map<string, number[]>()
  for (const [i, set] of sets.entries())
    for (const word of set)
      holding
        .set(word, holding.get(word) ?? [])
        .get(word)
        ?.push(i)
  const isBare = rows.map((row, i) => row[i] === 0)
  return notes.map(({ block, against }, i) => {
    const [row, size, shared] = [rows[i] as Float32Array, sizes[i] as number, new Uint16Array(notes.length)]
    for (const word of sets[i] ?? [])
      for (const j of holding.get(word) ?? []) shared[j] = (shared[j] as number) + 1
    for (let j = 0; j < row.length; j++)
      if (isBare[i] || isBare[j]) row[j] = (shared[j] as number) / Math.sqrt(size * (sizes[j] as number))
    return notes.flatMap(({ block: newer }, j) => {
      if (j <= i || (row[j] as number) < cosine || against.includes(newer.id)) return []
      const isSame = (shared[j] as number) >= words * Math.min(size, sizes[j] as number)
      return isSame && newer.scope === block.scope && mayCover(newer, block) ? [j] : []
    })
  })
}

/**
 * Returns the picks and, as long as the budget has room, notes for which one of them stands, those least like any pick first. So no older
 * note stands alone, and none is left out while there is room.
 */
function withOlder(
  notes: readonly Note[],
  picks: readonly number[],
  given: {
    readonly rows: Likeness
    readonly budget: number
    readonly standIns: readonly (readonly number[])[]
  },
): number[] {
  const { rows, budget, standIns } = given
  const all = [...picks]
  const shown = new Set(picks)
  let left = budget - picks.reduce((sum, i) => sum + costOf(notes[i] as Note), 0)
  const told = Float64Array.from(notes, (_, i) => Math.max(0, ...picks.map((pick) => rows[i]?.[pick] ?? 0)))
  const waiting = new Set([...notes.keys()].filter((i) => (standIns[i]?.length ?? 0) > 0))
  for (;;) {
    const fits = [...waiting].filter(
      (i) => costOf(notes[i] as Note) <= left && standIns[i]?.some((newer) => shown.has(newer)),
    )
    const [next] = fits.sort((one, other) => (told[one] as number) - (told[other] as number))
    if (next === undefined) return all
    waiting.delete(next)
    shown.add(next)
    all.push(next)
    left -= costOf(notes[next] as Note)
    for (const i of waiting) told[i] = Math.max(told[i] as number, rows[i]?.[next] ?? 0)
  }
}

/**
 * Returns the notes that together stand for those in `among`, best first (greedy facility location). Each next one adds most likeness to
 * what no note told yet, and something for a session that was not heard yet, by the square root of its tokens.
 */
function chosen(
  notes: readonly Note[],
  among: readonly number[],
  { rows, budget }: { readonly rows: Likeness; readonly budget: number },
): number[] {
  const weights = new Float64Array(notes.length)
  for (const i of among) weights[i] = weightOf(notes[i] as Note)
  const newSession = (OVERVIEW.newSession * weights.reduce((sum, each) => sum + each, 0)) / among.length
  const told = new Float64Array(notes.length)
  const heard = new Set<string>()
  const sessions = notes.map(({ block: { scope = '', session } }) => `${scope}\0${session}`)
  const gainOf = (i: number): number => {
    const row = rows[i] as Float32Array
    let gain = heard.has(sessions[i] as string) ? 0 : newSession
    for (let j = 0; j < row.length; j++) {
      const more = (row[j] as number) - (told[j] as number)
      if (more > 0) gain += more * (weights[j] as number)
    }
    return gain / Math.sqrt(costOf(notes[i] as Note))
  }
  const gains = new Float64Array(notes.length).fill(-1)
  for (const i of among) gains[i] = gainOf(i)
  const picks: number[] = []
  for (let left = budget; ; ) {
    const best = placeOfGreatest(gains)
    const known = gains[best] ?? -1
    if (known < 0) return picks
    const cost = costOf(notes[best] as Note)
    gains[best] = cost > left ? -1 : gainOf(best)
    // Gains only fall, so the greatest known one is that of the best note as soon as it is still right.
    if (gains[best] !== known) continue
    gains[best] = -1
    left -= cost
    picks.push(best)
    heard.add(sessions[best] as string)
    const row = rows[best] as Float32Array
    for (let j = 0; j < row.length; j++) told[j] = Math.max(told[j] as number, row[j] as number)
  }
}

/** Returns the place of the greatest number, the first of several; 0 if there is none. */
function placeOfGreatest(numbers: Float64Array): number {
  let best = 0
  for (let i = 1; i < numbers.length; i++) if ((numbers[i] as number) > (numbers[best] as number)) best = i
  return best
}

/** Returns about how many tokens the line of a note takes. */
function costOf({ block }: Note): number {
  return (Math.min(block.content.length, OVERVIEW.line) + 26) / 4
}

/** Returns how much a note tells: 1, and more for the names and numbers in it. */
function weightOf({ text }: Note): number {
  return 1 + Math.min(OVERVIEW.tells, text.names.size + text.numbers.size)
}

/** Returns the places of the notes that are nearest to each centre. A group of too few notes goes to the other ones. */
function groupsOf(size: number, centres: readonly number[], rows: Likeness): number[][] {
  const groups = centres.map((): number[] => [])
  for (let i = 0; i < size; i++) {
    groups[placeOfGreatest(Float64Array.from(centres, (centre) => rows[i]?.[centre] ?? 0))]?.push(i)
  }
  const kept = centres.filter((_, k) => (groups[k]?.length ?? 0) >= OVERVIEW.themeFewest)
  const isDone = kept.length === centres.length || centres.length === 1
  return isDone ? groups : groupsOf(size, kept.length > 0 ? kept : centres.slice(0, 1), rows)
}
