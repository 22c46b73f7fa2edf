import type { FrameName } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import { isIdentity, isOwn, type SourceClass } from '../../domain/block/source-class.ts'
import { CONSTITUTIONAL_TAG } from '../../domain/block/tags.ts'
import { markAt } from '../../domain/block/validity.ts'
import { HEADINGS, principlesHeading, versionLine, versionsLine } from '../../domain/safety/frame.ts'
import { shownEntry, shownLine, shownVersion } from '../../domain/safety/visible.ts'
import { count, type Fitted, fitBudget, preview } from '../../domain/text/text.ts'
import { hasTag } from '../../search/index/filter.ts'
import type { Choice } from './choose.ts'
import type { Found } from './find.ts'
import type { Candidate, Dropped, ThroughName } from './rank.ts'
import { stampOf } from './stamp.ts'
import type { Version } from './versions.ts'

/** A block that stands under an entry of the answer. */
export type RecalledVersion = Pick<Version, 'why' | 'until'> & { readonly block: Block }

/** An entry of the answer before it is known what has room. */
export interface Entry extends ThroughName {
  readonly block: Block
  readonly candidate: Candidate
  readonly guaranteed: boolean
  /** Other versions that stand under it, newest first; they count for no limit and are not used. */
  readonly versions: readonly RecalledVersion[]
  /** Number of further versions. */
  readonly moreVersions: number
}

/** A block that contradicts one of the answer; never counted as support. */
export interface Counterpoint {
  readonly block: Block
  /** The block of the answer it contradicts. */
  readonly to: Block
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
  /** It contradicts a block of the answer and is shown for that alone. */
  readonly counterpoint?: true
  /** It is only near to a question that nothing surely bears on. */
  readonly nearest?: true
  /** Lines about other versions of it, which stand under it. */
  readonly versions?: readonly string[]
  /** Ids of versions whose words stand in those lines. */
  readonly told?: readonly string[]
  /** What takes the place of those lines where they find no room, the longest first. */
  readonly versionsInShort?: readonly (readonly string[])[]
}

interface Section {
  readonly heading: string
  readonly takes: (block: RenderedBlock) => boolean
  /** Given the number of the block in its section, and in the whole answer. */
  readonly line: (block: RenderedBlock, number: number, place: number) => string
}

const isPeer = ({ sourceClass }: RenderedBlock) => sourceClass === 'peer'
const isPrinciple = (block: RenderedBlock) => isOwn(block) && block.tags.includes(CONSTITUTIONAL_TAG)
const isGoal = (block: RenderedBlock) => isOwn(block) && block.tags.includes('self/goal')
const isDecision = ({ tags, category }: RenderedBlock) => category === 'decision' || tags.includes('decision')

const bullet = ({ text }: RenderedBlock): string => `- ${text}`
/** The number is that of the block in the answer, so that whoever cites it names the block. */
const stamped = ({ text, stamp }: RenderedBlock, _number: number, place: number): string =>
  `[${place}] ${text} (${stamp})`

/** Objections come last, apart from what they object to. */
const counterpoints: Section = {
  heading: HEADINGS.counterpoints,
  takes: () => true,
  line: ({ text, stamp }) => `[!] ${text} (${stamp})`,
}

const peers: Section = {
  heading: HEADINGS.peers,
  takes: isPeer,
  line: ({ text, stamp }) => `> ${text} (${stamp})`,
}

/** What is only near stands apart from what bears on the question; the words of others are named as such there too. */
const nearest: readonly Section[] = [
  { ...peers, heading: `${HEADINGS.unsure}\n${HEADINGS.peers}` },
  { heading: HEADINGS.unsure, takes: () => true, line: stamped },
]

/** A block goes to the first section that takes it. */
function sectionsOf(frame: FrameName, agentName: string): readonly Section[] {
  const known: Section = { heading: HEADINGS.known, takes: () => true, line: stamped }
  switch (frame) {
    case 'self':
      return [
        {
          heading: principlesHeading(shownLine(agentName)),
          takes: isPrinciple,
          line: ({ text }, number) => `${number}. ${text}`,
        },
        { heading: HEADINGS.learned, takes: () => true, line: bullet },
      ]
    case 'attention':
    case 'world':
      return [peers, known]
    case 'short_term':
      return [peers, { ...known, heading: HEADINGS.session }]
    case 'task':
      return [{ heading: HEADINGS.goals, takes: isGoal, line: bullet }, peers, known]
    case 'simulate':
      return [
        peers,
        { heading: HEADINGS.identity, takes: isIdentity, line: bullet },
        {
          heading: HEADINGS.minds,
          takes: ({ tags, category }) => category === 'mind' || hasTag(tags, ['mind/*']),
          line: stamped,
        },
        { heading: HEADINGS.decisions, takes: isDecision, line: stamped },
        known,
      ]
  }
}

/** The text of a frame within its budget; blocks that do not fit are listed in `dropped`. Empty for no blocks. */
export function renderFrame(
  blocks: readonly RenderedBlock[],
  { frame, agentName, budget }: { frame: FrameName; agentName: string; budget: number },
): Fitted<RenderedBlock> {
  const sections = sectionsOf(frame, agentName)
  return fitBudget({
    items: blocks,
    render: (items) => renderSections(items, sections),
    withText: (block, text) => ({ ...block, text }),
    textOf: ({ text }) => text,
    compact: ({ versions, told, versionsInShort = [], ...block }) => {
      if (versions === undefined) return undefined
      const [shorter, ...further] = versionsInShort
      return shorter === undefined ? block : { ...block, versions: shorter, versionsInShort: further }
    },
    budget,
  })
}

function renderSections(blocks: readonly RenderedBlock[], sections: readonly Section[]): string {
  const all = [...sections, ...nearest, counterpoints]
  const groups = new Map(all.map((section): [Section, RenderedBlock[]] => [section, []]))
  const sectionOf = (block: RenderedBlock): Section | undefined => {
    if (block.counterpoint) return counterpoints
    return (block.nearest ? nearest : sections).find(({ takes }) => takes(block))
  }
  for (const block of blocks) groups.get(sectionOf(block) as Section)?.push(block)
  const places = new Map(blocks.map((block, i) => [block, i + 1]))
  return [...groups]
    .flatMap(([section, group]) => {
      if (group.length === 0) return []
      const entries = group.flatMap((block, n) => [
        section.line(block, n + 1, places.get(block) as number),
        ...(block.versions ?? []),
      ])
      return [[section.heading, ...entries].join('\n')]
    })
    .join('\n\n')
}

/** A block as a frame of a moment may show it: visible, harmless to draw, and unable to pass for anything but itself. */
export function renderedBlock(block: Block, at: string): RenderedBlock {
  const { id, content, tags, category, sourceClass } = block
  const stamp = stampOf(block, markAt(block, at))
  return { id, text: shownEntry(content), tags, category, sourceClass, stamp }
}

/** Longest label of a source in a version line, in characters. */
const LABEL_LENGTH = 40

/** What a version line calls a version. */
const LABELS: Readonly<Record<Entry['versions'][number]['why'], (date: string) => string>> = {
  superseded: (until) => `before, until ${until}`,
  proposed: () => 'proposed',
  near_duplicate: () => 'reads alike',
  contradicted: () => 'contradicted',
  earlier: () => 'earlier',
  later: (since) => `later, from ${since}`,
}

/** An entry with lines about the other versions that stand under it. */
export function withVersions(
  entry: RenderedBlock,
  { versions, moreVersions }: Pick<Entry, 'versions' | 'moreVersions'>,
): RenderedBlock {
  const number = versions.length + moreVersions
  if (number === 0) return entry
  // Under who the agent is stands only what says so, too; of the rest the ids.
  const told = versions.filter(({ block }) => !isIdentity(entry) || isIdentity(block))
  const lines = told.map(({ block, why, until }) =>
    versionLine(LABELS[why](until.slice(0, 10)), {
      words: shownVersion(block.content),
      stamp: stampOf({
        ...block,
        ...(block.source && { source: preview(shownLine(block.source), LABEL_LENGTH) }),
      }),
      isQuoted: block.sourceClass === 'peer',
    }),
  )
  const untold = versions.filter((each) => !told.includes(each))
  return {
    ...entry,
    versions: [...lines, ...inShort(untold, moreVersions)],
    told: told.map(({ block }) => block.id),
    versionsInShort: [
      inShort(versions, moreVersions),
      [versionsLine(count(number, 'version'), 'no room for their ids')],
    ],
  }
}

/** At most one line that counts versions and names them by their ids. */
function inShort(versions: Entry['versions'], more: number): string[] {
  const ids = versions.map(({ block }) => block.id.slice(0, 8)).join(', ')
  const number = versions.length + more
  if (number === 0) return []
  if (ids === '') return [versionsLine(count(more, 'further version'), 'not named')]
  return [versionsLine(count(number, 'version'), more === 0 ? ids : `${ids} and ${more} more`)]
}

/** An entry that has room in the text. */
export interface FittedEntry extends Entry {
  /** Its text was cut to fit the budget. */
  readonly cut: boolean
  /** Ids of its versions whose words stand in the text. */
  readonly told: readonly string[]
}

interface Fit {
  readonly text: string
  readonly shown: readonly FittedEntry[]
  readonly dropped: readonly Dropped[]
  /** Tokens of the text. */
  readonly used: number
}

/** The text of an answer within its budget, and what found no room in it. */
export function fitAnswer(
  {
    found,
    entries,
    counterpoints,
    leftWith,
  }: {
    readonly found: Pick<Found, 'quality'>
    readonly entries: readonly Entry[]
    readonly counterpoints: readonly Counterpoint[]
    readonly leftWith: Choice['leftWith']
  },
  { frame, agentName, budget, at }: { frame: FrameName; agentName: string; budget: number; at: string },
): Fit {
  const entryOf = new Map(entries.map((entry) => [entry.block.id, entry]))
  const fitted = renderFrame(
    [
      ...entries.map((entry) => {
        const isNearest = found.quality === 'unsure' && !entry.guaranteed
        const rendered = renderedBlock(entry.block, at)
        return withVersions(isNearest ? { ...rendered, nearest: true } : rendered, entry)
      }),
      ...counterpoints.map(({ block }) => ({
        ...renderedBlock(block, at),
        counterpoint: true as const,
      })),
    ],
    { frame, agentName, budget },
  )
  return {
    text: fitted.text,
    shown: fitted.shown.flatMap(({ id, counterpoint, told = [] }, i) => {
      const entry = entryOf.get(id)
      return entry && counterpoint === undefined ? [{ ...entry, told, cut: fitted.cutFirst && i === 0 }] : []
    }),
    dropped: fitted.dropped.flatMap(({ id, counterpoint }) =>
      counterpoint === undefined ? leftWith(id, 'token_budget') : [],
    ),
    used: fitted.used,
  }
}
