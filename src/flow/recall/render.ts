import type { FrameName } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import { isOwn, type SourceClass, sourceName } from '../../domain/block/source-class.ts'
import { CONSTITUTIONAL_TAG, isIdentityTag } from '../../domain/block/tags.ts'
import { HEADINGS, principlesHeading, versionLine } from '../../domain/safety/frame.ts'
import { shownEntry, shownLine } from '../../domain/safety/visible.ts'
import { type Fitted, fitBudget } from '../../domain/text/budget.ts'
import { count } from '../../domain/text/count.ts'
import { preview } from '../../domain/text/text.ts'
import { hasTag } from '../../search/filter.ts'
import type { Version } from './versions.ts'

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
  /** Lines about other versions of it, which stand under it. */
  readonly versions?: readonly string[]
  /** One line that takes the place of those where they find no room. */
  readonly versionsInShort?: string
}

interface Section {
  readonly heading: string
  readonly takes: (block: RenderedBlock) => boolean
  readonly line: (block: RenderedBlock, number: number) => string
}

const isPeer = ({ sourceClass }: RenderedBlock) => sourceClass === 'peer'
const isPrinciple = (block: RenderedBlock) => isOwn(block) && block.tags.includes(CONSTITUTIONAL_TAG)
const isGoal = (block: RenderedBlock) => isOwn(block) && block.tags.includes('self/goal')
const isIdentity = (block: RenderedBlock) => isOwn(block) && block.tags.some(isIdentityTag)
const isDecision = ({ tags, category }: RenderedBlock) => category === 'decision' || tags.includes('decision')

const bullet = ({ text }: RenderedBlock): string => `- ${text}`
const stamped = ({ text, stamp }: RenderedBlock, number: number): string => `[${number}] ${text} (${stamp})`

/** Objections come last, apart from what they object to. */
const counterpoints: Section = {
  heading: HEADINGS.counterpoints,
  takes: () => true,
  line: ({ text, stamp }) => `[!] ${text} (${stamp})`,
}

/** A block goes to the first section that takes it. */
function sectionsOf(frame: FrameName, agentName: string): readonly Section[] {
  const peers: Section = {
    heading: HEADINGS.peers,
    takes: isPeer,
    line: ({ text, stamp }) => `> ${text} (${stamp})`,
  }
  const known: Section = { heading: HEADINGS.known, takes: () => true, line: stamped }
  switch (frame) {
    case 'self':
      return [
        {
          heading: principlesHeading(agentName),
          takes: isPrinciple,
          line: ({ text }, number) => `${number}. ${text}`,
        },
        { heading: HEADINGS.learned, takes: () => true, line: bullet },
      ]
    case 'attention':
      return [peers, known]
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
    compact: ({ versions, versionsInShort, ...block }) => {
      if (versions === undefined) return undefined
      return versionsInShort === undefined ? block : { ...block, versions: [versionsInShort] }
    },
    budget,
  })
}

function renderSections(blocks: readonly RenderedBlock[], sections: readonly Section[]): string {
  const all = [...sections, counterpoints]
  const groups = all.map((): RenderedBlock[] => [])
  for (const block of blocks) {
    const place = block.counterpoint ? sections.length : sections.findIndex(({ takes }) => takes(block))
    groups[place]?.push(block)
  }
  return groups
    .flatMap((group, i) => {
      const section = all[i] as Section
      if (group.length === 0) return []
      const entries = group.flatMap((block, n) => [section.line(block, n + 1), ...(block.versions ?? [])])
      return [[section.heading, ...entries].join('\n')]
    })
    .join('\n\n')
}

/** A block as a frame may show it: visible, harmless to draw, and unable to pass for anything but itself. */
export function renderedBlock(block: Block, agentName: string): RenderedBlock {
  const { id, content, tags, category, sourceClass } = block
  return { id, text: shownEntry(content), tags, category, sourceClass, stamp: stampOf(block, agentName) }
}

/** Longest version line, in characters; show gives the whole text. */
const VERSION_LENGTH = 160

/** A block with lines about the other versions that stand under it. */
export function withVersions(
  entry: RenderedBlock,
  newest: Block,
  versions: readonly { readonly block: Block; readonly why: Version['why'] }[],
): RenderedBlock {
  if (versions.length === 0) return entry
  const until = newest.occurredAt.slice(0, 10)
  const lines = versions.map(({ block, why }) => {
    const day = block.occurredAt.slice(0, 10)
    const label = why === 'superseded' ? `before, until ${until}` : `reads alike, ${day}`
    return versionLine(label, preview(shownLine(block.content), VERSION_LENGTH))
  })
  const ids = versions.map(({ block }) => block.id.slice(0, 8)).join(', ')
  return { ...entry, versions: lines, versionsInShort: versionLine(count(versions.length, 'version'), ids) }
}

/** When and by whom. */
function stampOf(block: Pick<Block, 'occurredAt' | 'source' | 'sourceClass'>, agentName: string): string {
  const day = block.occurredAt.slice(0, 10)
  const name = sourceName(block, agentName)
  return name === undefined ? day : `${day}, ${shownLine(name)}`
}
