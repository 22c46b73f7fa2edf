import { type Block, mayCover } from '../block/block.ts'
import {
  codePointLength,
  count,
  estimateTokens,
  preview,
  QUOTE,
  shownLine,
  takeCodePoints,
} from '../block/text.ts'
import { isNewer, lastSaidAt, saidAt } from '../block/validity.ts'
import type { PairText } from './pair-score.ts'
import { shortId, stampOf } from './render.ts'
import { namesOf } from './theme-names.ts'

/** The constants of an overview (docs/overview.md). */
export const OVERVIEW = {
  /** Largest number of notes that are compared with each other. */
  compared: 1_000,
  /** Fewest notes that have a name; of fewer recall shows the nearest. */
  fewest: 3,
  /** Number of notes that recall shows then. */
  nearest: 40,
  /** Longest words of a note, in code points. */
  line: 240,
  /** Notes that fit into so many tokens come as one list by time, without themes. */
  list: 600,
  /** Cosine, and share of the shorter note's terms, from which on the newer of two notes stands for both. */
  alike: { cosine: 0.7, terms: 0.6 },
  /** Gain of the first note of a session, as a share of what a note that is told wholly gains. */
  newSession: 0.5,
  /** Most names and numbers of a note that add to its weight, which is 1 without any. */
  tells: 3,
  themesMost: 12,
  /** Fewest notes of a theme. */
  themeFewest: 3,
}

/** A note is a block on its way into an overview. */
export interface Note {
  readonly block: Block
  readonly text: PairText
  /** When the block holds, the version that replaced it, and what contradicts it; all are said in its line. */
  readonly marks: {
    readonly holds?: string | undefined
    readonly newer?: string | undefined
    readonly against: readonly string[]
  }
}

/** A theme has the notes that are shown, in time order, and when all notes that are nearest to it were said. */
interface Theme {
  /** The most telling words of its notes; empty if there is only one theme. */
  readonly name: string
  readonly size: number
  readonly from: string
  readonly to: string
  readonly notes: readonly Note[]
}

/** An overview has the text and its themes, the largest first. */
export interface Overview {
  readonly text: string
  readonly themes: readonly Theme[]
}

/** Framing says what the notes are about, and how the text is to be. */
interface Framing {
  /** The beginning of the head, such as `48 notes name Larder`. */
  readonly counted: string
  /** Terms that name no theme, since all notes have them. */
  readonly asked: readonly string[]
  /** Number of notes there are, of which some were not compared. */
  readonly total: number
  readonly budget: number
}

/** Chooses the notes that stand for the others within a budget, and writes them in themes. */
export function standingFor(notes: readonly Note[], likeness: Likeness, framing: Framing): Overview {
  const { budget } = framing
  const newest = withoutOlder(notes, likeness)
  const isList =
    newest.reduce((sum, i) => sum + costOf(notes[i] as Note), 0) <= Math.min(budget, OVERVIEW.list)
  const picks = chosen(notes, newest, likeness, budget)
  const most = Math.min(OVERVIEW.themesMost, Math.round(Math.sqrt(budget / 30)), Math.ceil(newest.length / 4))
  const groups = groupsOf(notes.length, picks.slice(0, isList ? 1 : Math.max(1, most)), likeness)
  const names =
    groups.length > 1
      ? namesOf(
          notes.map(({ block }) => block.content),
          groups,
          framing.asked,
        )
      : ['']
  const themesOf = (shown: ReadonlySet<number>) =>
    groups
      .map((members, k): Theme => {
        const all = members.map((i) => notes[i] as Note)
        return {
          name: names[k] ?? '',
          size: all.length,
          from: all.map(({ block }) => saidAt(block)).reduce((one, other) => (one < other ? one : other)),
          to: all.map(({ block }) => lastSaidAt(block)).reduce((one, other) => (one > other ? one : other)),
          notes: members
            .filter((i) => shown.has(i))
            .map((i) => notes[i] as Note)
            .sort(byTime),
        }
      })
      .filter(({ notes: own }) => own.length > 0)
      .sort((one, other) => other.size - one.size)
  return fitted(picks.length, budget, (some) => {
    const themes = themesOf(new Set(picks.slice(0, some)))
    return {
      themes,
      text: written(themes, headOf({ ...framing, compared: notes.length, shown: some }), budget),
    }
  })
}

/** Writes notes in their order, as many as fit, under a head. */
export function listed(notes: readonly Note[], head: string, budget: number): Overview {
  return fitted(notes.length, budget, (some) => {
    const own = notes.slice(0, some)
    const times = own.map(({ block }) => saidAt(block)).sort()
    const theme = { name: '', size: some, from: times[0] ?? '', to: times.at(-1) ?? '', notes: own }
    const themes = some === 0 ? [] : [theme]
    return { themes, text: written(themes, head, budget) }
  })
}

/** Returns the overview with as many notes as its budget holds. */
function fitted(notes: number, budget: number, withFirst: (some: number) => Overview): Overview {
  let [least, most] = [0, notes]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (estimateTokens(withFirst(middle).text) <= budget) least = middle
    else most = middle - 1
  }
  return withFirst(least)
}

/** How alike each two notes are: a row for each, of cosines on the scale of the built-in model. */
export type Likeness = readonly Float32Array[]

/** Fills in the likeness of notes without a vector: the cosine of the sets of their terms. */
export function withWords(notes: readonly Note[], likeness: Likeness): void {
  const bare = notes.flatMap((_, i) => (likeness[i]?.[i] === 0 ? [i] : []))
  if (bare.length === 0) return
  const holding = new Map<string, number[]>()
  for (const [i, { text }] of notes.entries())
    for (const term of text.terms) holding.set(term, [...(holding.get(term) ?? []), i])
  for (const i of bare)
    for (const [j, alike] of wordsAlike(notes, i, holding).entries()) {
      ;(likeness[i] as Float32Array)[j] = alike
      ;(likeness[j] as Float32Array)[i] = alike
    }
}

/** Returns how alike a note is to each other one by its terms; `holding` has the places of the notes with a term. */
function wordsAlike(
  notes: readonly Note[],
  i: number,
  holding: ReadonlyMap<string, readonly number[]>,
): Float32Array {
  const { terms } = (notes[i] as Note).text
  const shared = new Float32Array(notes.length)
  for (const term of terms) for (const j of holding.get(term) ?? []) shared[j] = (shared[j] as number) + 1
  return shared.map((each, j) =>
    i === j ? 1 : each / Math.sqrt(Math.max(1, terms.length * (notes[j] as Note).text.terms.length)),
  )
}

/**
 * Returns the places of the notes without those that read like a newer one, which then stands for both: the cosine is high and the shorter
 * one's terms are nearly all in the other. No note stands for one that is trusted more, or of another scope.
 */
function withoutOlder(notes: readonly Note[], likeness: Likeness): number[] {
  const { cosine, terms } = OVERVIEW.alike
  const sets = notes.map(({ text }) => new Set(text.terms))
  const share = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...one].filter((term) => other.has(term)).length / Math.max(1, Math.min(one.size, other.size))
  return notes.flatMap(({ block }, i) => {
    const row = likeness[i] as Float32Array
    const isOlder = notes.some(({ block: newer }, j) => {
      if (i === j || (row[j] as number) < cosine || newer.scope !== block.scope) return false
      const mayStand = isNewer(newer, block) && mayCover(newer, block)
      return mayStand && share(sets[i] as Set<string>, sets[j] as Set<string>) >= terms
    })
    return isOlder ? [] : [i]
  })
}

/** Returns about how many tokens the line of a note takes. */
function costOf({ block }: Note): number {
  return Math.ceil((Math.min(block.content.length, OVERVIEW.line) + 26) / 4)
}

/** Returns how much a note tells: 1, and more for the names and numbers in it. */
function weightOf({ text }: Note): number {
  return 1 + Math.min(OVERVIEW.tells, text.names.size + text.numbers.size)
}

/**
 * Returns the notes that together stand for all, best first (greedy facility location). Each next one adds most likeness to what no note
 * told yet, and something for a session that was not heard yet, by the square root of its tokens.
 */
function chosen(
  notes: readonly Note[],
  among: readonly number[],
  likeness: Likeness,
  budget: number,
): number[] {
  const weights = Float32Array.from(among, (i) => weightOf(notes[i] as Note))
  const newSession = (OVERVIEW.newSession * weights.reduce((sum, weight) => sum + weight, 0)) / among.length
  const told = new Float32Array(among.length)
  const heard = new Set<string>()
  const sessionOf = (i: number) =>
    `${(notes[i] as Note).block.scope ?? ''}\0${(notes[i] as Note).block.session}`
  const rows = new Map(among.map((i) => [i, Float32Array.from(among, (j) => likeness[i]?.[j] ?? 0)]))
  const gainOf = (i: number): number => {
    const row = rows.get(i) as Float32Array
    let gain = heard.has(sessionOf(i)) ? 0 : newSession
    for (let j = 0; j < row.length; j++) {
      const more = (row[j] as number) - (told[j] as number)
      if (more > 0) gain += more * (weights[j] as number)
    }
    return gain / Math.sqrt(costOf(notes[i] as Note))
  }
  const idOf = ({ i }: { readonly i: number }) => (notes[i] as Note).block.id
  // The best is last. Gains only fall, so a note that is still the best after a new look is the best of all.
  const queue = among
    .map((i) => ({ i, gain: gainOf(i) }))
    .sort((one, other) => one.gain - other.gain || (idOf(one) < idOf(other) ? 1 : -1))
  const picks: number[] = []
  for (let left = budget, next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { i } = next
    const gain = gainOf(i)
    if (gain < (queue.at(-1)?.gain ?? 0)) {
      queue.splice(placeOf(queue, gain), 0, { i, gain })
      continue
    }
    const cost = costOf(notes[i] as Note)
    if (cost > left) continue
    left -= cost
    picks.push(i)
    heard.add(sessionOf(i))
    for (const [j, alike] of (rows.get(i) as Float32Array).entries())
      told[j] = Math.max(told[j] as number, alike)
  }
  return picks
}

/** Returns the place before the first of a queue with a greater or equal gain. */
function placeOf(queue: readonly { readonly gain: number }[], gain: number): number {
  let [low, high] = [0, queue.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((queue[middle] as { gain: number }).gain < gain) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the notes of each group: those that are nearest to its centre. A group of too few notes goes to the other ones. */
function groupsOf(size: number, centres: readonly number[], likeness: Likeness): number[][] {
  const groups = centres.map((): number[] => [])
  for (let i = 0; i < size; i++) {
    let nearest = 0
    for (let k = 1; k < centres.length; k++)
      if (alike(i, centres[k]) > alike(i, centres[nearest])) nearest = k
    groups[nearest]?.push(i)
  }
  const kept = centres.filter((_, k) => (groups[k] as number[]).length >= OVERVIEW.themeFewest)
  if (kept.length === centres.length || centres.length <= 1) return groups
  return groupsOf(size, kept.length > 0 ? kept : centres.slice(0, 1), likeness)

  function alike(i: number, centre = -1): number {
    return likeness[i]?.[centre] ?? -1
  }
}

function byTime({ block: one }: Note, { block: other }: Note): number {
  return saidAt(one) === saidAt(other) ? (isNewer(one, other) ? 1 : -1) : saidAt(one) < saidAt(other) ? -1 : 1
}

/** Returns the first line of an overview: how many notes there are and are shown, and what it is not. */
function headOf({ counted, total, compared, shown }: Framing & { compared: number; shown: number }): string {
  if (total === 0) return `${counted}.`
  const some = shown === total ? 'all of them are here' : `${shown} of them stand for the rest here`
  const of = total > OVERVIEW.compared ? `, of ${compared} that were compared` : ''
  return `${counted}; ${some}${of}. Words as they were kept, no summary; for one thing ask recall.`
}

function written(themes: readonly Theme[], head: string, budget: number): string {
  const sections = themes.map(({ name, size, from, to, notes }) => {
    const months = [...new Set([from, to].map((at) => at.slice(0, 7)))].join(' to ')
    const heading = name === '' ? [] : [`## ${name} (${count(size, 'note')}, ${months})`]
    return [...heading, ...notes.map((note) => lineOf(note, budget))].join('\n')
  })
  return [head, ...sections].join('\n\n')
}

/** Returns a note on one line: when and by whom it was said, the beginning of its words, and its id. */
function lineOf({ block, marks: { holds, newer, against } }: Note, budget: number): string {
  const source = block.source && { source: preview(shownLine(block.source), 40) }
  const marks = [
    ...(holds === undefined ? [] : [holds]),
    ...(newer === undefined ? [] : [`replaced by ${shortId(newer)}`]),
    ...against.map((id) => `contradicts ${shortId(id)}`),
  ]
  const stamp = stampOf({ ...block, ...source }, marks.join(', ') || undefined)
  return `- ${stamp}: ${block.sourceClass === 'peer' ? QUOTE : ''}${wordsShown(block, budget)} (${shortId(block.id)})`
}

/**
 * Returns the beginning of a block's words on one line, at most `OVERVIEW.line` code points, and as whole sentences if these are more than
 * half of it. If the budget is small, lines are shorter, so that one has room.
 */
export function wordsShown({ content }: Pick<Block, 'content'>, budget: number): string {
  const most = Math.min(budget, OVERVIEW.line)
  const line = shownLine(takeCodePoints(content, 4 * most))
  if (codePointLength(line) <= most) return line
  const cut = takeCodePoints(line, most - 2)
  const end = Math.max(...[...cut.matchAll(/[.!?](?=\s)|[。！？]/g)].map(({ index }) => index + 1), 0)
  if (end > most / 2) return cut.slice(0, end)
  const space = cut.lastIndexOf(' ')
  return `${space > most / 2 ? cut.slice(0, space) : cut} …`
}
