import { FRAME_NAMES } from '../../config/frames.ts'
import type { Block } from '../../domain/block/block.ts'
import { isLaterWord } from '../../domain/block/standing.ts'
import { tieOf } from '../../domain/versions/tie.ts'
import {
  type RecalledVersion,
  type Tie,
  type Version,
  versionsAmong,
} from '../../domain/versions/versions.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import { type OutdatedByBlock, readOutdated } from '../blocks/grounds.ts'
import type { Engine } from '../engine/engine.ts'
import { frameOf } from '../graph/recall-reason.ts'
import { type RenderedBlock, renderedBlock, withId, withLines } from '../recall/entry.ts'
import { renderFrame } from '../recall/render.ts'
import { underOne } from '../recall/versions/past.ts'
import { replacedBy } from '../recall/versions/replaced.ts'

/** Recalls that are looked up, where each command is a process of its own. */
const RECALLS_LOOKED_UP = 3

/**
 * Renders again what other processes showed last, with what these blocks supersede, read like or contradict, and notes
 * it as shown. Five statements, one where nothing was shown.
 */
export async function lookUpShown({ served, settings }: Engine, tx: StoreReader): Promise<void> {
  const recalls = await tx.operations({ operation: 'recall', limit: RECALLS_LOOKED_UP })
  const ids = [...new Set(recalls.flatMap(({ blockIds }) => blockIds))]
  if (ids.length === 0) return
  const heads = await tx.blocks(ids)
  const living = heads.filter(({ status }) => status !== 'archived').map((entry) => ({ entry }))
  const looking = { filter: {}, isVisible: () => false }
  const replaced = new Map([...(await replacedBy(tx, living, looking)), ...(await formerAmong(tx, heads))])
  const { edges, pairs: direct } = await tx.links(ids)
  const grouped = await tx.groupedPairs(ids, ids.length + settings.recall.versionsReach)
  const pairs = [...direct, ...grouped]
  const links = { edges, pairs }
  const outdated = await readOutdated(tx, ids, recalls[0]?.at ?? '')
  const grounds = [...outdated.values()].flatMap((each) => each.map(({ ground }) => ground.id))
  const blocks = await tx.blocks([...new Set([...ids, ...grounds, ...endsOf(links)])])
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const ties = pairs.filter(({ a, b }) => byId.has(a) && byId.has(b)).map((pair) => tieOf(pair, byId))
  // Neither the question is kept nor what else it found: all that is tied is grouped, or each with each.
  const groupings = [
    versionsAmong(blocks, { ties, namedIn: () => [] }).under,
    eachUnderEach(ties, byId),
    byDates(ties, byId),
  ]
  for (const record of recalls.reverse()) {
    const frame = FRAME_NAMES.find((name) => name === frameOf(record))
    const shown = record.blockIds.flatMap((id) => byId.get(id) ?? [])
    if (frame === undefined || shown.length === 0) continue
    const against = shown.flatMap(({ id }) => contradicting(id, links)).flatMap((id) => byId.get(id) ?? [])
    for (const under of groupings)
      for (const entries of formsOf(shown, { under, replaced, outdated, byId, settings, at: record.at })) {
        const { text } = renderFrame([...entries, ...counterpointsOf(against, record.at)], {
          frame,
          agentName: settings.project.agentName,
          budget: Number.POSITIVE_INFINITY,
        })
        served.read(text, [
          ...blocks,
          ...[...replaced.values()].flatMap((each) => each.map(({ block }) => block)),
        ])
      }
  }
}

/** Steps from a former version to the block that took its place at last. */
const STEPS_MOST = 32

/** The lines under archived blocks, which a question about the past brought. Some statements for each, rarely any. */
async function formerAmong(
  tx: StoreReader,
  heads: readonly Block[],
): Promise<ReadonlyMap<string, readonly RecalledVersion[]>> {
  const found = new Map<string, readonly RecalledVersion[]>()
  for (const head of heads.filter(({ status }) => status === 'archived')) {
    let newest: Block | undefined = head
    for (let step = 0; step < STEPS_MOST && newest?.status === 'archived'; step++)
      newest = newest.supersededBy === undefined ? undefined : (await tx.blocks([newest.supersededBy]))[0]
    if (newest === undefined) continue
    const chain = await replacedBy(tx, [{ entry: newest }], {
      ...{ filter: {}, isVisible: () => false, isOfPast: true },
    })
    const all = [{ block: newest, why: 'superseded' } as const, ...(chain.get(newest.id) ?? [])]
    found.set(head.id, underOne(head, all))
  }
  return found
}

interface Shown {
  /** The versions that may have been lines under a block. */
  readonly under: ReadonlyMap<string, readonly Version[]>
  /** The blocks that each superseded, archived since. */
  readonly replaced: ReadonlyMap<string, readonly RecalledVersion[]>
  readonly outdated: OutdatedByBlock
  readonly byId: ReadonlyMap<string, Block>
  readonly settings: Engine['settings']
  /** When it was shown, ISO-8601 UTC. */
  readonly at: string
}

const WHY = {
  supersession: 'superseded',
  near_duplicate: 'near_duplicate',
  contradiction: 'contradicted',
  slot: 'earlier',
} as const

/** Each of two tied blocks under the other. */
function eachUnderEach(ties: readonly Tie[], byId: ReadonlyMap<string, Block>): Shown['under'] {
  const versions = ties.flatMap(({ one, other, kind }) =>
    [
      [one, other],
      [other, one],
    ].flatMap(([by = '', id = '']): Version[] => {
      const head = byId.get(by)
      return head === undefined ? [] : [{ id, by, why: WHY[kind] }]
    }),
  )
  return Map.groupBy(versions, ({ by }) => by)
}

/** The same as a rule shows them at recall: earlier and later, by their dates. */
function byDates(ties: readonly Tie[], byId: ReadonlyMap<string, Block>): Shown['under'] {
  const versions = ties.flatMap(({ one, other }) =>
    [
      [one, other],
      [other, one],
    ].flatMap(([by = '', id = '']): Version[] => {
      const [head, version] = [byId.get(by), byId.get(id)]
      if (head === undefined || version === undefined) return []
      return isLaterWord(version, head) ? [{ id, by, why: 'later' }] : [{ id, by, why: 'earlier' }]
    }),
  )
  return Map.groupBy(versions, ({ by }) => by)
}

/** Entries as they may have stood in an answer: surely or only near. */
function formsOf(
  shown: readonly Block[],
  { under, replaced, outdated, byId, settings, at }: Shown,
): RenderedBlock[][] {
  const { versionsMost } = settings.recall
  const entries = shown.map((block) => {
    const all = (under.get(block.id) ?? []).map((each) => ({ ...each, block: byId.get(each.id) as Block }))
    // Which of them the question named most is not kept: each of all may have been told.
    const moreVersions = Math.max(0, all.length - versionsMost)
    return withLines(
      renderedBlock(block, at),
      {
        versions: [...all, ...(replaced.get(block.id) ?? [])],
        moreVersions,
        outdated: outdated.get(block.id) ?? [],
      },
      at,
    )
  })
  // A command shows ids, a program only where it asks for them; the words behind an entry are told apart only from its whole form.
  const nearest = entries.map((entry) => ({ ...entry, nearest: true as const }))
  return [entries, nearest, entries.map(withId), nearest.map(withId)]
}

function counterpointsOf(against: readonly Block[], at: string): RenderedBlock[] {
  return against.map((block) => ({ ...renderedBlock(block, at), counterpoint: true }))
}

function endsOf({ edges, pairs }: Links): string[] {
  const contradictions = edges.filter(({ relation }) => relation === 'contradicts')
  return [...pairs.flatMap(({ a, b }) => [a, b]), ...contradictions.flatMap(({ from, to }) => [from, to])]
}

function contradicting(id: string, { edges, pairs }: Links): string[] {
  const ends = [
    ...pairs.filter(({ kind }) => kind === 'contradiction').map(({ a, b }) => [a, b] as const),
    ...edges.filter(({ relation }) => relation === 'contradicts').map(({ from, to }) => [from, to] as const),
  ]
  return ends.flatMap(([one, other]) => (one === id ? [other] : other === id ? [one] : []))
}
