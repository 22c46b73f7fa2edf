import {
  type Block,
  CONSTITUTIONAL_TAG,
  isIdentity,
  isOwn,
  type SourceClass,
  sourceName,
} from '../block/block.ts'
import {
  count,
  doubtLine,
  estimateTokens,
  HEADINGS,
  LINE_UNDER,
  preview,
  principlesHeading,
  QUOTE,
  shownEntry,
  shownLine,
  shownPassage,
} from '../block/text.ts'
import { endOf, markAt, startOf } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { FrameName } from '../engine/frames.ts'
import { hasTag } from '../index/blocks.ts'
import { predictionWords } from '../outcome/predictions.ts'
import { type Candidate, type Dropped, dropped, type Entry, type Mark, type ReadVersion } from './match.ts'
import type { Chosen, Counterpoint } from './rank.ts'

/**
 * Leaves out of an answer the blocks that the call excludes. Nothing weaker comes in their place; versions, grounds and counterpoints go by
 * the same rule.
 */
function leaveOut({ ids }: Engine, found: Chosen, { without = [], classes }: Framing): Chosen {
  if (without.length === 0 && classes === undefined) return found
  const isShown = isShownBy(without, ids.sha256)
  const mayShow = ({ sourceClass }: Block) => classes === undefined || classes.includes(sourceClass)
  const reasonOf = ({ block, passage }: Pick<Entry, 'block' | 'passage'>) => {
    const isKnown =
      isShown(block) || (passage !== undefined && isShown({ ...block, content: wordsServed(block, passage) }))
    return isKnown ? 'without' : mayShow(block) ? undefined : 'class'
  }
  const entries = found.entries.filter((each) => reasonOf(each) === undefined)
  const kept = new Set(entries.map(({ block }) => block.id))
  return {
    ...found,
    entries: entries.map((entry) => ({
      ...entry,
      versions: entry.versions.filter(({ block }) => mayShow(block)),
      outdated: entry.outdated.filter(({ ground }) => mayShow(ground)),
    })),
    counterpoints: found.counterpoints.filter((each) => !reasonOf(each) && kept.has(each.to.id)),
    dropped: [
      ...found.dropped,
      ...found.entries.flatMap((entry): Dropped[] => {
        const reason = reasonOf(entry)
        return reason === undefined ? [] : [{ id: entry.block.id, reason, score: entry.score }]
      }),
    ],
  }
}

/** Returns the words of a block that an answer serves. */
export function wordsServed({ content }: Pick<Block, 'content'>, passage: Candidate['passage']): string {
  return content.slice(passage?.from, passage?.to)
}

type Shown = Pick<Block, 'id' | 'content'>
type Sha256Hex = (text: string) => string

/** Number of characters that tell a block from others of a memory, and its words from its other words. */
const SHORT = 8

/** Returns the beginning of an id, as lines and fences name it. */
export function shortId(id: string): string {
  return id.slice(0, SHORT)
}

/** Returns the mark of a block and its words; `recall` leaves the block out by it until the words change. */
export function shownMark({ id, content }: Shown, sha256: Sha256Hex): string {
  return shortId(id) + wordsMark(content, sha256)
}

/** Returns the mark of some words, which fits any block that has them. */
export function wordsMark(content: string, sha256: Sha256Hex): string {
  return `#${sha256(content).slice(0, SHORT)}`
}

/** Returns a function that is true of blocks that a caller has: by marks, by beginnings of ids, or by marks of words alone. */
function isShownBy(marks: readonly string[], sha256: Sha256Hex): (block: Shown) => boolean {
  const known = marks.map((mark) => mark.split('#') as [id: string, words?: string])
  return ({ id, content }) => {
    let hash: string | undefined
    const has = (words: string) => {
      hash ??= sha256(content)
      return hash.startsWith(words)
    }
    return known.some(([start, words]) => id.startsWith(start) && (words === undefined || has(words)))
  }
}

/** Framing is the part of a call that decides the text of an answer. */
export interface Framing {
  readonly frame: FrameName
  readonly agentName: string
  /** Each entry ends with its id. */
  readonly ids?: boolean
  /**
   * Blocks that the caller has already, by their ids or the first characters of these. A `#` and the first characters of a hash may follow:
   * then the block is left out while its words have that hash. A `#` and a hash alone mean any block with these words.
   */
  readonly without?: readonly string[] | undefined
  /** Classes of the blocks that are shown, as an entry or under one; all unless given. */
  readonly classes?: readonly SourceClass[] | undefined
}

/** A recall is rendered once its text is written; its counterpoints are those in the text. */
export interface Rendered extends Chosen {
  readonly text: string
  /** The entries that have room in the text. */
  readonly shown: readonly Entry[]
  /** Tokens of the text. */
  readonly used: number
}

/** Writes the text of an answer within its budget. Drops entries that find no room, and first the counterpoints, which stand last. */
export function render(engine: Engine, all: Chosen, framing: Framing, budget: number): Rendered {
  const found = leaveOut(engine, all, framing)
  const sections = sectionsOf(framing)
  const drawn = [...found.entries, ...found.counterpoints].map((each) => drawnAs(each, found, framing))
  const fitted = fitBudget({
    items: drawn,
    render: (items) => renderSections(items, sections),
    withText: (each, text) => ({ ...each, text }),
    textOf: ({ text }) => text,
    compact: ({ forms: [_longest, ...shorter], ...each }) =>
      shorter.length === 0 ? undefined : { ...each, forms: shorter },
    budget,
  })
  const shown = fitted.shown.flatMap(({ entry, forms: [form] }, i): Entry[] =>
    entry === undefined
      ? []
      : [{ ...entry, tellsVersions: form?.isWhole === true, cut: fitted.cutFirst && i === 0 }],
  )
  const withoutRoom = fitted.dropped.flatMap(({ entry }) => (entry ? dropped(entry, 'token_budget') : []))
  const counterpoints = found.counterpoints.slice(0, fitted.shown.length - shown.length)
  const under = shown.flatMap(({ versions }) => versions)
  const visible = new Set([
    ...[...shown, ...counterpoints].map(({ block }) => block.id),
    ...under.map(({ id }) => id),
  ])
  return {
    ...found,
    ...{ entries: all.entries, counterpoints, text: fitted.text, shown, used: fitted.used },
    // An edge or a version may have brought back what the question alone would have dropped.
    dropped: [...found.dropped, ...withoutRoom].filter(({ id }) => !visible.has(id)),
  }
}

/** An entry or a counterpoint as the text shows it: visible, harmless, and unable to pass for another part of the text. */
interface Drawn {
  /** Absent for a counterpoint. */
  readonly entry?: Entry
  readonly block: Block
  /** The block's words; further lines begin with `| `, which no line of a frame's own does. */
  readonly text: string
  /** When and by whom the block was said, for example `2026-05-08, Ana`. */
  readonly stamp: string
  /** The beginning of the block's id in brackets, as the end of the entry; empty if ids were not asked for. */
  readonly idBehind: string
  /** The first line of the text if this entry may not answer the question. */
  readonly doubt?: string
  /** Statements about the block and other blocks, each a line under it. */
  readonly marks: readonly Mark[]
  /** The lines that stand under the block, first the longest form, then shorter ones. */
  readonly forms: readonly Form[]
}

/** Lines under an entry about its other versions and its outdated grounds. */
interface Form {
  readonly lines: readonly string[]
  /** The lines have the words of the other blocks. */
  readonly isWhole: boolean
}

const NO_LINES: Form = { lines: [], isWhole: false }

function drawnAs(
  each: Entry | Counterpoint,
  { at, quality, asked }: Pick<Chosen, 'at' | 'quality' | 'asked'>,
  { ids }: Framing,
): Drawn {
  const { block, marks } = each
  const entry = 'facts' in each ? each : undefined
  const prediction = entry?.prediction
  const isDoubted = quality === 'perhaps' && entry?.guaranteed === false
  return {
    ...(entry && { entry }),
    block,
    marks,
    text: entry?.passage ? shownPassage(block.content, entry.passage) : shownEntry(block.content),
    stamp: stampOf(block, markAt(block, at)) + (prediction ? `; ${predictionWords(prediction)}` : ''),
    idBehind: ids ? ` (${shortId(block.id)})` : '',
    ...(isDoubted && { doubt: doubtLine(asked?.probability ?? 0) }),
    forms: entry === undefined ? [NO_LINES] : formsUnder(entry, at),
  }
}

interface Section {
  readonly heading: string
  readonly takes: (block: Block, entry: Entry) => boolean
  /** Returns the first line of a block, given its number in the section and its place in the whole answer. */
  readonly line: (drawn: Drawn, number: number, place: number) => string
}

const section = (heading: string, takes: Section['takes'] = () => true, line = stamped): Section => ({
  ...{ heading, takes, line },
})
const bullet: Section['line'] = ({ text }) => `- ${text}`
/** Returns an entry with its place in the answer, so that a citation by that number names the block. */
function stamped({ text, stamp }: Drawn, _number: number, place: number): string {
  return `[${place}] ${text} (${stamp})`
}

/** Proven strategies come first in a task frame. */
const worked = section(HEADINGS.worked, (_, { isProven }) => isProven === true)

/** Counterpoints come last, apart from the entries that they object to. */
const counterpoints = section(HEADINGS.counterpoints)

/** Returns the sections of a frame; a block goes to the first section that takes it. */
function sectionsOf({ frame, agentName }: Pick<Framing, 'frame' | 'agentName'>): readonly Section[] {
  const isOwnWith = (tag: string) => (block: Block) => isOwn(block) && block.tags.includes(tag)
  const [peers, known] = [
    section(
      HEADINGS.peers,
      ({ sourceClass }) => sourceClass === 'peer',
      ({ text, stamp }) => `> ${text} (${stamp})`,
    ),
    section(HEADINGS.known),
  ]
  switch (frame) {
    case 'self':
      return [
        section(
          principlesHeading(shownLine(agentName)),
          isOwnWith(CONSTITUTIONAL_TAG),
          ({ text }, number) => `${number}. ${text}`,
        ),
        section(HEADINGS.learned, undefined, bullet),
      ]
    case 'short_term':
      return [peers, section(HEADINGS.session)]
    case 'task':
      return [worked, section(HEADINGS.goals, isOwnWith('self/goal'), bullet), peers, known]
    case 'simulate':
      return [
        peers,
        section(HEADINGS.identity, isIdentity, bullet),
        section(HEADINGS.minds, ({ tags, category }) => category === 'mind' || hasTag(tags, ['mind/*'])),
        section(
          HEADINGS.decisions,
          ({ tags, category }) => category === 'decision' || tags.includes('decision'),
        ),
        known,
      ]
    default:
      return [peers, known]
  }
}

function renderSections(drawn: readonly Drawn[], sections: readonly Section[]): string {
  const groups = new Map([...sections, counterpoints].map((section): [Section, Drawn[]] => [section, []]))
  const places = new Map(drawn.map(({ block }, i) => [block.id, i + 1]))
  const numbered = new Set<string>()
  for (const each of drawn) {
    const { block, entry } = each
    const own = (entry && sections.find(({ takes }) => takes(block, entry))) ?? counterpoints
    groups.get(own)?.push(each)
    if (own.line === stamped) numbered.add(each.block.id)
  }
  const isGuess = ({ kind, of }: Mark) => kind === 'newer' && places.has(of)
  const lineOf = (mark: Mark): string[] => {
    const { kind, of } = mark
    if (kind === 'newer' && !isGuess(mark)) return []
    const name = numbered.has(of) ? `[${places.get(of)}]` : shortId(of)
    return [LINE_UNDER + MARKED[kind](places.has(of) ? name : `${name}, which is not shown`)]
  }
  const rendered = [...groups].flatMap(([{ heading, line }, group]) => {
    if (group.length === 0) return []
    const entries = group.flatMap((each, n) => [
      `${line(each, n + 1, places.get(each.block.id) as number)}${each.idBehind}`,
      ...each.marks.flatMap(lineOf),
      ...(each.forms[0]?.lines ?? []),
    ])
    return [[heading, ...entries].join('\n')]
  })
  const isGuessed = drawn.some(({ marks }) => marks.some(isGuess))
  const doubt = drawn.flatMap((each) => each.doubt ?? []).slice(0, 1)
  return [...doubt, ...rendered, ...(isGuessed ? [HEADINGS.differ] : [])].join('\n\n')
}

/** Longest words of a version line, in code points; `show` gives the whole text. */
const VERSION_LENGTH = 160
/** The label of a line about a ground of an entry that no longer holds. */
const OUTDATED_LABEL = 'rests on what is outdated'

/** Statements about an entry and another block, which is named by its number or id. */
const MARKED = {
  newer: (name: string) => `perhaps newer than ${name}; both are kept`,
  contradicts: (name: string) => `contradicts ${name}`,
} as const

/** Returns the label of a version line, with the day on which the version ended or began, if it has one. */
function labelOf({ why, block }: ReadVersion): string {
  const at = why === 'later' ? startOf(block) : why === 'proposed' ? undefined : endOf(block)
  const label = why === 'superseded' ? 'before' : why
  return at === undefined ? label : `${label}, ${why === 'later' ? 'from' : 'until'} ${at.slice(0, 10)}`
}

/** Returns the lines under an entry about its versions and its outdated grounds, the longest form first. */
function formsUnder({ block, versions, outdated }: Entry, at: string): readonly Form[] {
  const grounds = outdated.slice(0, 2).map(({ ground }) => ground)
  const others = [...grounds, ...versions.map((each) => each.block)]
  if (others.length === 0) return [NO_LINES]
  const inShort = (label: string, blocks: readonly Block[]) =>
    blocks.length > 0 ? [lineUnder(label, blocks.map(({ id }) => shortId(id)).join(', '))] : []
  const short = {
    isWhole: false,
    lines: [
      ...inShort(OUTDATED_LABEL, grounds),
      ...inShort(count(versions.length, 'version'), others.slice(grounds.length)),
    ],
  }
  // Only words that are identity themselves may stand under a block of identity.
  if (isIdentity(block) && !others.every(isIdentity)) return [short, NO_LINES]
  const lines = [
    ...grounds.map((ground) => lineAbout(ground, OUTDATED_LABEL, markAt(ground, at))),
    ...versions.map((each) => lineAbout(each.block, labelOf(each))),
  ]
  return [{ lines, isWhole: true }, short, NO_LINES]
}

/** Returns one line about another block, which stands under an entry. */
function lineAbout(block: Block, label: string, mark?: string): string {
  const source = block.source && { source: preview(shownLine(block.source), 40) }
  const words = `${block.sourceClass === 'peer' ? QUOTE : ''}${preview(shownLine(block.content), VERSION_LENGTH)}`
  return lineUnder(label, `${words} (${stampOf({ ...block, ...source }, mark)}) (${shortId(block.id)})`)
}

/** Returns one line under an entry. */
function lineUnder(label: string, text: string): string {
  return `${LINE_UNDER}${label}: ${text}`
}

/** Replaces brackets, so that no source ends the brackets it stands in or looks like a number in brackets. */
const withoutBrackets = (name: string) => name.replace(/[([（［]/g, '‹').replace(/[)\]）］]/g, '›')

type Stamped = Pick<Block, 'occurredAt' | 'occurrences' | 'source' | 'sourceClass' | 'status'>

/** Largest number of days, and of speakers, that a stamp names for a block that was said again. */
const AGAIN_MOST = 3

/** Returns when and by whom a block was said, until when it held if it holds no more, and whether it waits for its dream. */
export function stampOf(block: Stamped, mark?: string): string {
  return [
    ...daysOf(block),
    ...namesIn(block),
    ...(mark === undefined ? [] : [mark]),
    ...(block.status === 'inbox' ? ['waiting'] : []),
  ].join(', ')
}

/** Returns the first day on which a text was said, and the days of its repeats: `2026-03-01`, `again 2026-03-15`. */
function daysOf({ occurredAt, occurrences = [] }: Stamped): string[] {
  const days = [occurredAt, ...occurrences.map(({ at }) => at)].map((at) => at.slice(0, 10))
  const [first, ...again] = [...new Set(days)].sort() as [string, ...string[]]
  const last = again.at(-1)
  if (last === undefined) return [first]
  return again.length <= AGAIN_MOST
    ? [first, `again ${again.join(', ')}`]
    : [first, `again on ${count(again.length, 'day')}, last ${last}`]
}

/** Returns the speakers of a text, each once, in the order in which they first said it. */
function namesIn({ source = '', sourceClass, occurrences = [] }: Stamped): string[] {
  const again = occurrences.map((each) => ({ ...each, source: preview(each.source ?? '', 40) }))
  const said = [{ source, sourceClass }, ...again]
  const names = said.flatMap((each) => sourceName({ ...each, source: shownLine(each.source) }) ?? [])
  const distinct = [...new Set(names.map(withoutBrackets))]
  const more = distinct.length - AGAIN_MOST
  return more <= 0 ? distinct : [...distinct.slice(0, AGAIN_MOST), `${more} more`]
}

/** Ends a text that was cut to fit its budget. */
export const CUT_MARK = ' … [cut]'

/** Arguments of `fitBudget`: the items in order of importance, and functions that turn them into a text. */
interface BudgetRequest<T> {
  readonly items: readonly T[]
  /** Returns the whole text of some items with headings; '' for none. It must not shrink if an item is added or grows. */
  readonly render: (items: readonly T[]) => string
  readonly withText: (item: T, text: string) => T
  readonly textOf: (item: T) => string
  /** Returns the item with fewer lines beside its text; undefined if there are none. It is called again until the item fits. */
  readonly compact?: (item: T) => T | undefined
  /** Largest size of the text, in tokens as `estimateTokens` counts them. */
  readonly budget: number
}

/** The result of fitting has all items in order: those of `shown`, as they fitted, and then those of `dropped`. */
export interface Fitted<T> {
  readonly text: string
  readonly shown: readonly T[]
  readonly dropped: readonly T[]
  /** Only a cut version of the first item fitted; `shown` holds that version. */
  readonly cutFirst: boolean
  readonly used: number
}

/**
 * Returns as many items, in order, as the whole rendered text can hold; stops at the first that does not fit (Python elfmem). If even the
 * first does not fit, its text is cut, with as few lines beside it as possible, and ends with `CUT_MARK`. If no character of it fits,
 * nothing is shown.
 */
export function fitBudget<T>({ items, render, budget, compact, ...request }: BudgetRequest<T>): Fitted<T> {
  const fits = (some: readonly T[]) => estimateTokens(render(some)) <= budget
  let shown: readonly T[] = []
  let least = items[0]
  for (const item of items) {
    let form: T | undefined = item
    while (form !== undefined && !fits([...shown, form])) {
      if (shown.length === 0) least = form
      form = compact?.(form)
    }
    if (form === undefined) break
    shown = [...shown, form]
  }
  const cut = shown.length > 0 || least === undefined ? undefined : cutToFit(least, fits, request)
  if (cut !== undefined) shown = [cut]
  const text = shown.length === 0 ? '' : render(shown)
  const dropped = items.slice(shown.length)
  return { text, shown, dropped, cutFirst: cut !== undefined, used: estimateTokens(text) }
}

/** Returns the item with as much of its text as fits; undefined if no character fits. */
function cutToFit<T>(
  item: T,
  fits: (some: readonly T[]) => boolean,
  { withText, textOf }: Pick<BudgetRequest<T>, 'withText' | 'textOf'>,
): T | undefined {
  const signs = [...textOf(item)]
  const cutAt = (to: number) => withText(item, signs.slice(0, to).join('').trimEnd() + CUT_MARK)
  let [low, high] = [0, signs.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits([cutAt(middle)])) low = middle
    else high = middle - 1
  }
  return low > 0 ? cutAt(low) : undefined
}
