import type { Block } from '../../domain/block/block.ts'
import type { OutdatedGround } from '../../domain/block/grounds.ts'
import { isIdentity, type SourceClass, sourceName } from '../../domain/block/source-class.ts'
import { endOf, markAt, startOf } from '../../domain/block/validity/validity.ts'
import { OUTDATED_LABEL, versionLine, versionsLine } from '../../domain/safety/frame.ts'
import { shownEntry, shownLine, shownVersion } from '../../domain/safety/visible.ts'
import { count, preview } from '../../domain/text/text.ts'
import type { RecalledVersion, Version } from '../../domain/versions/told.ts'
import { namesOf } from '../../search/analysis.ts'
import type { PastAsked } from '../../search/language/past.ts'
import type { OutdatedByBlock } from '../blocks/grounds.ts'
import type { Engine } from '../engine/engine.ts'
import type { Choice } from './choose.ts'
import type { Candidate, ThroughName } from './rank.ts'
import { type TurnedRound, turnedRound } from './versions.ts'

/** A statement about an entry and another block: it is perhaps newer than that, or contradicts it. */
export interface Mark {
  readonly kind: 'newer' | 'contradicts'
  /** Id of the other block. */
  readonly of: string
}

/** An entry of the answer before it is known what has room. */
export interface Entry extends ThroughName {
  readonly block: Block
  readonly candidate: Candidate
  readonly guaranteed: boolean
  /** Other versions that stand under it, newest first; they count for no limit and are not used. */
  readonly versions: readonly RecalledVersion[]
  /** Number of further versions. */
  readonly moreVersions: number
  /** The grounds it rests on that no longer hold, the nearest first. */
  readonly outdated: readonly OutdatedGround[]
  readonly marks: readonly Mark[]
}

/** A block as a frame renders it; only `renderedBlock` makes one, so that no text comes into a frame as it was given. */
export interface RenderedBlock {
  readonly id: string
  /** One entry: its further lines begin with `| `, which no line of a frame's own does. */
  readonly text: string
  readonly tags: readonly string[]
  readonly category: string
  readonly sourceClass: SourceClass
  /** When and by whom, for example `2026-05-08, Ana`. */
  readonly stamp: string
  /** The beginning of its id in brackets, which ends the entry; only where ids were asked for. */
  readonly idBehind?: string
  /** The first line of a frame that shows it, if it may not answer the question. */
  readonly doubt?: string
  /** It contradicts a block of the answer and is shown for that alone. */
  readonly counterpoint?: true
  /** Statements about it and other blocks, each a line under it. */
  readonly marks?: readonly Mark[]
  /** Lines about other versions of it and what it rests on, which stand under it. */
  readonly versions?: readonly string[]
  /** Ids of versions whose words stand in those lines. */
  readonly told?: readonly string[]
  /** Shorter forms of those lines for a small budget, the longest first. */
  readonly versionsInShort?: readonly (readonly string[])[]
}

/** A block as a frame about a time may have it: visible, harmless to draw, and unable to pass for anything but itself. */
export function renderedBlock(block: Block, at: string): RenderedBlock {
  const { id, content, tags, category, sourceClass } = block
  const stamp = stampOf(block, markAt(block, at))
  return { id, text: shownEntry(content), tags, category, sourceClass, stamp }
}

/** The same, whose entry ends with its id. */
export function withId(block: RenderedBlock): RenderedBlock {
  return { ...block, idBehind: ` (${block.id.slice(0, 8)})` }
}

/** Longest label of a source in a version line, in characters. */
const LABEL_LENGTH = 40

/** The label of a version line, with the day on which it ended, or began, wherever that is asked. */
const LABELS: Readonly<Record<RecalledVersion['why'], (block: Block) => string>> = {
  superseded: (block) => dated('before', 'until', endOf(block)),
  proposed: () => 'proposed',
  earlier: (block) => dated('earlier', 'until', endOf(block)),
  later: (block) => dated('later', 'from', startOf(block)),
}

function dated(label: string, preposition: string, at: string | undefined): string {
  return at === undefined ? label : `${label}, ${preposition} ${at.slice(0, 10)}`
}

/** Of what an entry rests on so many are named that hold no more. */
const OUTDATED_MOST = 2

/** An entry with lines about the other versions that stand under it, and about what it rests on and holds no more. */
export function withLines(
  entry: RenderedBlock,
  { versions, moreVersions, outdated }: Pick<Entry, 'versions' | 'moreVersions' | 'outdated'>,
  at: string,
): RenderedBlock {
  const number = versions.length + moreVersions
  if (number === 0 && outdated.length === 0) return entry
  // Under who the agent is stands only what says so, too; of the rest the ids.
  const isToldOf = (block: Block) => !isIdentity(entry) || isIdentity(block)
  const told = versions.filter(({ block }) => isToldOf(block))
  const lines = told.map(({ block, why }) => lineAbout(block, LABELS[why](block)))
  const untold = versions.filter((each) => !told.includes(each))
  const resting = outdated
    .filter(({ ground }) => isToldOf(ground))
    .slice(0, OUTDATED_MOST)
    .map(({ ground }) => lineAbout(ground, OUTDATED_LABEL, markAt(ground, at)))
  const restingIds = outdated.slice(0, OUTDATED_MOST).map(({ ground }) => ground.id.slice(0, 8))
  const restingInShort = restingIds.length > 0 ? [versionsLine(OUTDATED_LABEL, restingIds.join(', '))] : []
  return {
    ...entry,
    versions: [...resting, ...lines, ...inShort(untold, moreVersions)],
    told: told.map(({ block }) => block.id),
    versionsInShort: [
      [...resting, ...inShort(versions, moreVersions)],
      [
        ...restingInShort,
        ...(number > 0 ? [versionsLine(count(number, 'version'), 'no room for their ids')] : []),
      ],
    ],
  }
}

/** One line under an entry about another block. */
function lineAbout(block: Block, label: string, mark?: string): string {
  const source = block.source && { source: preview(shownLine(block.source), LABEL_LENGTH) }
  return versionLine(label, {
    words: shownVersion(block.content),
    stamp: stampOf({ ...block, ...source }, mark),
    isQuoted: block.sourceClass === 'peer',
    id: block.id.slice(0, 8),
  })
}

/** At most one line that counts versions and names them by their ids. */
function inShort(versions: Entry['versions'], more: number): string[] {
  const ids = versions.map(({ block }) => block.id.slice(0, 8)).join(', ')
  const number = versions.length + more
  if (number === 0) return []
  if (ids === '') return [versionsLine(count(more, 'further version'), 'not named')]
  return [versionsLine(count(number, 'version'), more === 0 ? ids : `${ids} and ${more} more`)]
}

/** No source may end the brackets it stands in, or look like a number in brackets. */
const withoutBrackets = (name: string) => name.replace(/[([（［]/g, '‹').replace(/[)\]）］]/g, '›')

/** The parts of a stamp. */
type Stamped = Pick<Block, 'occurredAt' | 'occurrences' | 'source' | 'sourceClass' | 'status'>

/** Largest number of days, and of speakers, that a stamp names of a block that was said again. */
const AGAIN_MOST = 3

/** When and by whom, until when it held if it holds no more, and whether it waits for its dream. */
function stampOf(block: Stamped, mark?: string): string {
  return [
    ...daysOf(block),
    ...namesIn(block),
    ...(mark === undefined ? [] : [mark]),
    ...(block.status === 'inbox' ? ['waiting'] : []),
  ].join(', ')
}

/** The first day a text was said, and the days it was said again: `2026-03-01`, `again 2026-03-15`. */
function daysOf({ occurredAt, occurrences = [] }: Stamped): string[] {
  const days = [occurredAt, ...occurrences.map(({ at }) => at)].map((at) => at.slice(0, 10))
  const [first, ...again] = [...new Set(days)].sort() as [string, ...string[]]
  const last = again.at(-1)
  if (last === undefined) return [first]
  return again.length <= AGAIN_MOST
    ? [first, `again ${again.join(', ')}`]
    : [first, `again on ${count(again.length, 'day')}, last ${last}`]
}

/** The speakers of a text, each once, in the order in which they said it first. */
function namesIn({ source = '', sourceClass, occurrences = [] }: Stamped): string[] {
  const again = occurrences.map((each) => ({ ...each, source: preview(each.source ?? '', LABEL_LENGTH) }))
  const said = [{ source, sourceClass }, ...again]
  const names = said.flatMap((each) => sourceName({ ...each, source: shownLine(each.source) }) ?? [])
  const distinct = [...new Set(names.map(withoutBrackets))]
  const more = distinct.length - AGAIN_MOST
  return more <= 0 ? distinct : [...distinct.slice(0, AGAIN_MOST), `${more} more`]
}

/** The facts read about the blocks of an answer. */
interface Read {
  readonly choice: Choice
  readonly blocks: ReadonlyMap<string, Block>
  readonly guaranteed: ReadonlySet<string>
  readonly replaced: ReadonlyMap<string, readonly RecalledVersion[]>
  readonly outdated: OutdatedByBlock
  /** Which part of the past the question wants, if any. */
  readonly past: PastAsked | undefined
  readonly marksOf: (id: string) => readonly Mark[]
  /** How a block was found by itself, if it was. */
  readonly candidateOf: (id: string) => Candidate | undefined
}

/** The entry of a candidate with all that stands under it; none where its block is gone. */
export function entryOf(engine: Engine, candidate: Candidate, read: Read): Entry[] {
  const { choice, blocks, guaranteed, replaced, outdated, past, marksOf } = read
  const { id } = candidate.facts
  const block = blocks.get(id)
  if (block === undefined) return []
  const toVersions = (under: readonly Version[] = []) =>
    under.flatMap(({ id: version, why }) => {
      const other = blocks.get(version)
      return other ? [{ block: other, why }] : []
    })
  const archived = replaced.get(id) ?? []
  if (past !== undefined && !guaranteed.has(id)) {
    const all = [...toVersions(choice.under.get(id)), ...archived]
    const turned = turnedRound(past, block, all)
    if (turned !== undefined) return [turnedEntry(engine, candidate, turned, read)]
  }
  const through = throughOf(engine, candidate, blocks)
  return [
    {
      ...{ block, candidate, guaranteed: guaranteed.has(id) },
      versions: [...toVersions(choice.versions.get(id)), ...archived],
      moreVersions: choice.moreVersions.get(id) ?? 0,
      outdated: outdated.get(id) ?? [],
      marks: marksOf(id),
      ...(through ? { through } : {}),
    },
  ]
}

/** The entry of a version of then; what it rested on may have ended since, which says nothing of then. */
function turnedEntry(
  engine: Engine,
  candidate: Candidate,
  { head, versions }: TurnedRound,
  { candidateOf, marksOf }: Pick<Read, 'candidateOf' | 'marksOf'>,
): Entry {
  const { versionsMost } = engine.settings.recall
  return {
    block: head,
    candidate: candidateOf(head.id) ?? { ...candidate, facts: head },
    ...{ guaranteed: false, outdated: [], marks: marksOf(head.id) },
    versions: versions.slice(0, versionsMost),
    moreVersions: Math.max(0, versions.length - versionsMost),
  }
}

/** The name that led to a candidate, in the words of the block that has it where that was read, else in comparable ones. */
function throughOf(
  { analysis }: Engine,
  { match }: Candidate,
  blocks: ReadonlyMap<string, Block>,
): ThroughName['through'] {
  if (match?.through === undefined) return undefined
  const { block: id, terms } = match.through
  const from = blocks.get(id)
  const key = terms.join(' ')
  const name = from && namesOf(from, analysis.language).find((each) => each.terms.join(' ') === key)
  return { name: name?.text ?? key, block: id }
}
