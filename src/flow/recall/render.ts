import type { FrameName } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import { isIdentity, isOwn, type SourceClass } from '../../domain/block/source-class.ts'
import { CONSTITUTIONAL_TAG } from '../../domain/block/tags.ts'
import { isShownBy } from '../../domain/conversation/shown-mark.ts'
import { doubtLine, HEADINGS, markLine, principlesHeading } from '../../domain/safety/frame.ts'
import { shownLine } from '../../domain/safety/visible.ts'
import { type Fitted, fitBudget } from '../../domain/text/budget.ts'
import type { Passage } from '../../domain/text/passage.ts'
import { estimateTokens } from '../../domain/text/text.ts'
import { hasTag } from '../../search/index/blocks.ts'
import type { Choice } from './choose.ts'
import { type Entry, type Mark, type RenderedBlock, renderedBlock, withId, withLines } from './entry.ts'
import type { Found } from './find.ts'
import type { Dropped } from './rank.ts'

/** A block that contradicts one of the answer; never counted as support. */
export interface Counterpoint {
  readonly block: Block
  /** The block of the answer it contradicts. */
  readonly to: Block
  readonly marks: readonly Mark[]
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
  line: stamped,
}

const peers: Section = {
  heading: HEADINGS.peers,
  takes: isPeer,
  line: ({ text, stamp }) => `> ${text} (${stamp})`,
}

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

/** How a frame is written. */
export interface Framing {
  readonly frame: FrameName
  readonly agentName: string
  readonly budget: number
  /** The part of an entry's text that answers the question, for an entry that has to be cut. */
  readonly passageOf?: (text: string) => Passage | undefined
}

/** The text of a frame within its budget; blocks that do not fit are listed in `dropped`. Empty for no blocks. */
function renderFrame(
  blocks: readonly RenderedBlock[],
  { frame, agentName, budget, passageOf }: Framing,
): Fitted<RenderedBlock> {
  const sections = sectionsOf(frame, agentName)
  return fitBudget({
    items: blocks,
    render: (items) => renderSections(items, sections),
    withText: (block, text) => ({ ...block, text }),
    textOf: ({ text }) => text,
    ...(passageOf && { passageOf: ({ text }) => passageOf(text) }),
    compact: ({ versions, told, versionsInShort = [], ...block }) => {
      if (versions === undefined) return undefined
      const [shorter, ...further] = versionsInShort
      return shorter === undefined ? block : { ...block, versions: shorter, versionsInShort: further }
    },
    budget,
  })
}

function renderSections(blocks: readonly RenderedBlock[], sections: readonly Section[]): string {
  const all = [...sections, counterpoints]
  const groups = new Map(all.map((section): [Section, RenderedBlock[]] => [section, []]))
  const sectionOf = (block: RenderedBlock): Section | undefined => {
    if (block.counterpoint) return counterpoints
    return sections.find(({ takes }) => takes(block))
  }
  for (const block of blocks) groups.get(sectionOf(block) as Section)?.push(block)
  const places = new Map(blocks.map((block, i) => [block, i + 1]))
  const numbered = new Map(
    [...groups]
      .filter(([{ line }]) => line === stamped)
      .flatMap(([, group]) => group.map((block) => [block.id, `[${places.get(block)}]`] as const)),
  )
  const shown = new Set(blocks.map(({ id }) => id))
  const lineOf = ({ kind, of }: Mark): string[] => {
    if (kind === 'newer' && !shown.has(of)) return []
    const name = numbered.get(of) ?? of.slice(0, ID_SHOWN)
    return [markLine(kind, shown.has(of) ? name : `${name}, which is not shown`)]
  }
  const rendered = [...groups].flatMap(([section, group]) => {
    if (group.length === 0) return []
    const entries = group.flatMap((block, n) => [
      `${section.line(block, n + 1, places.get(block) as number)}${block.idBehind ?? ''}`,
      ...(block.marks ?? []).flatMap(lineOf),
      ...(block.versions ?? []),
    ])
    return [[section.heading, ...entries].join('\n')]
  })
  const isGuessed = blocks.some(({ marks }) =>
    marks?.some(({ kind, of }) => kind === 'newer' && shown.has(of)),
  )
  const doubt = blocks.flatMap((block) => block.doubt ?? []).slice(0, 1)
  return [...doubt, ...rendered, ...(isGuessed ? [HEADINGS.differ] : [])].join('\n\n')
}

/** Digits of an id in a line about another block. */
const ID_SHOWN = 8

/** The blocks that a call leaves out of the text, though they were found. */
export interface LeftOutOfText {
  /**
   * Ids of blocks, or at least their first characters: whoever asks has them already. Behind a `#`, the first characters of the
   * hash of the words that it has: the block is left out while it has these. Words alone, `#` first, are any block's.
   */
  readonly without?: readonly string[] | undefined
  /** Only what one of these speaks in is shown, as an entry or under one; all unless given. */
  readonly classes?: readonly SourceClass[] | undefined
}

/** An answer as it was chosen, before its text is made. */
interface Chosen {
  readonly entries: readonly Entry[]
  readonly counterpoints: readonly Counterpoint[]
  readonly dropped: readonly Dropped[]
}

/**
 * The answer without what the call leaves out. It was chosen before, so nothing weaker comes in its place; what stands under
 * an entry or objects to it goes by the same rule.
 */
export function leavingOut<T extends Chosen>(
  answer: T,
  { without = [], classes }: LeftOutOfText,
  sha256: (text: string) => string,
): T {
  if (without.length === 0 && classes === undefined) return answer
  const isKnown = isShownBy(without, sha256)
  const mayShow = ({ sourceClass }: Block) => classes === undefined || classes.includes(sourceClass)
  const isKept = ({ block }: { readonly block: Block }) => !isKnown(block) && mayShow(block)
  const entries = answer.entries.filter(isKept).map((entry) => {
    const versions = entry.versions.filter(({ block }) => mayShow(block))
    const hidden = entry.versions.length - versions.length
    const outdated = entry.outdated.filter(({ ground }) => mayShow(ground))
    return { ...entry, versions, moreVersions: entry.moreVersions + hidden, outdated }
  })
  const ids = new Set(entries.map(({ block }) => block.id))
  const left = answer.entries.filter((entry) => !isKept(entry))
  return {
    ...answer,
    entries,
    counterpoints: answer.counterpoints.filter((each) => isKept(each) && ids.has(each.to.id)),
    dropped: [
      ...answer.dropped,
      ...left.map(({ block, candidate: { score } }) => ({
        id: block.id,
        reason: isKnown(block) ? ('without' as const) : ('class' as const),
        score,
      })),
    ],
  }
}

/** An entry that has room in the text. */
export interface FittedEntry extends Entry {
  /** Its text was cut to fit the budget. */
  readonly cut: boolean
  /** Ids of its versions whose words stand in the text. */
  readonly told: readonly string[]
}

/** A text within its budget. */
export interface Fit {
  readonly text: string
  readonly shown: readonly FittedEntry[]
  readonly dropped: readonly Dropped[]
  /** Tokens of the text. */
  readonly used: number
}

/** How the blocks of a frame are drawn. */
export interface Drawing {
  /** The time the frame is about, ISO-8601 UTC. */
  readonly at: string
  /** True if each entry ends with its id. */
  readonly ids: boolean
}

function drawing({ at, ids }: Drawing): (block: Block) => RenderedBlock {
  return (block) => (ids ? withId(renderedBlock(block, at)) : renderedBlock(block, at))
}

/** How sure an answer is. */
type Sureness = Pick<Found, 'quality' | 'probability'>

function drawnEntry(entry: Entry, { quality, probability = 0 }: Sureness, how: Drawing): RenderedBlock {
  const isDoubted = quality === 'perhaps' && !entry.guaranteed
  const rendered = { ...drawing(how)(entry.block), marks: entry.marks }
  return withLines(isDoubted ? { ...rendered, doubt: doubtLine(probability) } : rendered, entry, how.at)
}

/** Tokens of the text if it had room for all entries up to one, this one included. */
export function tokensUpTo(
  last: string,
  { found, entries }: { readonly found: Sureness; readonly entries: readonly Entry[] },
  { frame, agentName, ...how }: Pick<Framing, 'frame' | 'agentName'> & Drawing,
): number {
  const count = entries.findIndex(({ block }) => block.id === last) + 1
  const drawn = entries.slice(0, count).map((entry) => drawnEntry(entry, found, how))
  return estimateTokens(renderSections(drawn, sectionsOf(frame, agentName)))
}

/** The text of an answer within its budget, and what found no room in it. */
export function fitAnswer(
  {
    found,
    entries,
    counterpoints,
    leftWith,
  }: {
    readonly found: Sureness
    readonly entries: readonly Entry[]
    readonly counterpoints: readonly Counterpoint[]
    readonly leftWith: Choice['leftWith']
  },
  { at, ids, ...framing }: Framing & Drawing,
): Fit {
  const entryOf = new Map(entries.map((entry) => [entry.block.id, entry]))
  const drawn = drawing({ at, ids })
  const fitted = renderFrame(
    [
      ...entries.map((entry) => drawnEntry(entry, found, { at, ids })),
      ...counterpoints.map(({ block, marks }) => ({ ...drawn(block), marks, counterpoint: true as const })),
    ],
    framing,
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
