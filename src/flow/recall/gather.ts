import type { Block } from '../../domain/block/block.ts'
import type { Links, StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { answerSize, type MatchQuality } from './answer-size.ts'
import { type Choice, choose } from './choose.ts'
import { type FindRequest, type Found, find } from './find.ts'
import { disputesAmong, objectionsTo } from './objections.ts'
import type { Candidate, Dropped } from './rank.ts'
import { findInSession } from './session-blocks.ts'
import { readTies } from './ties.ts'
import type { Version } from './versions.ts'

/** A block that stands under an entry of the answer. */
interface RecalledVersion extends Pick<Version, 'why' | 'until'> {
  readonly block: Block
}

/** An entry of the answer before it is known what has room. */
export interface Entry {
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

/** What was found and chosen, with the blocks. */
export interface Gathered {
  readonly found: Found
  readonly entries: readonly Entry[]
  readonly counterpoints: readonly Counterpoint[]
  /** Ids of entries that contradict each other, since the question names something of each. */
  readonly disputes: readonly (readonly [string, string])[]
  readonly dropped: readonly Dropped[]
  readonly leftWith: Choice['leftWith']
}

/** What bears on the question, when anything does, or on the frame, when nothing is asked. */
const BEARS: ReadonlySet<MatchQuality> = new Set(['match', 'weak', 'unasked'])

/** Finds, chooses and reads the blocks of an answer. */
export async function gather(
  engine: Engine,
  tx: StoreReader,
  question: string | undefined,
  request: FindRequest,
): Promise<Gathered> {
  const { graph, recall } = engine.settings
  const inSession = request.frame.sessionOnly && question === undefined
  const found = inSession ? await findInSession(engine, tx, request.filter) : await find(engine, tx, request)
  const ties = await readTies(engine, tx, { question, filter: request.filter, found })
  const choice = choose(found.ranked, {
    guaranteed: found.guaranteed,
    ties,
    versionsMost: recall.versionsMost,
    sizeOf: (entries) => answerSize(recall.topK, request, found.quality, entries),
  })
  const guaranteed = new Set(found.guaranteed.map(({ facts }) => facts.id))
  const chosen = choice.chosen.map(({ facts }) => facts.id)
  const bearing = BEARS.has(found.quality) ? chosen.filter((id) => !guaranteed.has(id)) : []
  const versions = [...choice.versions.values()].flatMap((each) => each.map(({ id }) => id))
  const visible = new Set([...chosen, ...versions])
  const links = await withBrought(tx, { ...found, pairs: ties.pairs }, choice.chosen)
  const objections = objectionsTo(bearing, links, {
    isVisible: (id) => visible.has(id),
    most: graph.counterpoints,
  })
  const all = await tx.blocks([...visible, ...objections.map(({ id }) => id)])
  const blocks = new Map(all.filter(({ status }) => status !== 'archived').map((block) => [block.id, block]))
  return {
    found,
    entries: choice.chosen.flatMap((candidate): Entry[] => {
      const { id } = candidate.facts
      const block = blocks.get(id)
      if (block === undefined) return []
      const under = (choice.versions.get(id) ?? []).flatMap(({ id: version, why, until }) => {
        const other = blocks.get(version)
        return other ? [{ block: other, why, until }] : []
      })
      const moreVersions = choice.moreVersions.get(id) ?? 0
      return [{ block, candidate, guaranteed: guaranteed.has(id), versions: under, moreVersions }]
    }),
    counterpoints: objections.flatMap(({ id, to }) => {
      const [block, against] = [blocks.get(id), blocks.get(to)]
      return block && against ? [{ block, to: against }] : []
    }),
    disputes: disputesAmong(chosen, links),
    dropped: [...found.dropped, ...choice.dropped],
    leftWith: choice.leftWith,
  }
}

/** Edges and pairs around all that is chosen: what an edge brought was not looked up yet. */
async function withBrought(tx: StoreReader, found: Links, chosen: readonly Candidate[]): Promise<Links> {
  const brought = chosen.filter(({ path, match }) => path && !match).map(({ facts }) => facts.id)
  if (brought.length === 0) return found
  const more = await tx.links(brought)
  return { edges: [...found.edges, ...more.edges], pairs: [...found.pairs, ...more.pairs] }
}

/** All blocks that may stand in the text of an answer. */
export function blocksOf({ entries, counterpoints }: Gathered): Block[] {
  return [
    ...entries.flatMap(({ block, versions }) => [block, ...versions.map((each) => each.block)]),
    ...counterpoints.map(({ block }) => block),
  ]
}
