import type { Block } from '../../domain/block/block.ts'
import { mayHoldTogether } from '../../domain/block/validity/validity.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { readOutdated } from '../blocks/grounds.ts'
import type { Engine } from '../engine/engine.ts'
import { answerSize, type MatchQuality } from './answer-size.ts'
import { type Choice, choose, disputesAmong, objectionsTo } from './choose.ts'
import { findInSession } from './effects.ts'
import { type Entry, entryOf } from './entry.ts'
import { type FindRequest, type Found, find } from './find.ts'
import type { Dropped } from './rank.ts'
import type { Counterpoint } from './render.ts'
import { replacedBy } from './versions/replaced.ts'
import { readTies, withBrought } from './versions/ties.ts'

/** The found and chosen candidates, with the blocks. */
export interface Gathered {
  readonly found: Found
  readonly entries: readonly Entry[]
  readonly counterpoints: readonly Counterpoint[]
  /** Ids of entries that contradict each other, since the question names something of each. */
  readonly disputes: readonly (readonly [string, string])[]
  readonly dropped: readonly Dropped[]
  readonly leftWith: Choice['leftWith']
  readonly choice: Choice
}

/** The match qualities of an answer that bears on the question, or on the frame if nothing is asked. */
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
  const ties = await readTies(engine, tx, { ...request, question, found })
  const choice = choose(found.ranked, {
    guaranteed: found.guaranteed,
    ties,
    versionsMost: recall.versionsMost,
    sizeOf: (entries) => answerSize(recall.topK, request, found.quality, entries),
  })
  const guaranteed = new Set(found.guaranteed.map(({ facts }) => facts.id))
  const chosen = choice.chosen.map(({ facts }) => facts.id)
  const bearing = BEARS.has(found.quality) ? chosen.filter((id) => !guaranteed.has(id)) : []
  const past = request.asked?.past
  const under = past === undefined ? choice.versions : choice.under
  const versionsOf = (id: string) => (under.get(id) ?? []).map((each) => each.id)
  const versions = chosen.flatMap(versionsOf)
  const visible = new Set([...chosen, ...versions])
  const links = await withBrought(tx, { ...found, pairs: ties.pairs }, choice.chosen)
  const objections = objectionsTo(bearing, links, {
    isVisible: (id) => visible.has(id),
    most: graph.counterpoints,
  })
  const wanted = [...visible, ...objections.map(({ id }) => id)]
  const blocks = await livingBlocks(tx, wanted, ties.blocks)
  const heads = chosen.flatMap((id) => blocks.get(id) ?? [])
  const chains = heads.map((entry) => ({
    entry,
    versions: versionsOf(entry.id).flatMap((id) => blocks.get(id) ?? []),
  }))
  const replaced = await replacedBy(tx, chains, {
    filter: request.filter,
    isVisible: (id) => visible.has(id),
    isOfPast: past !== undefined,
  })
  const outdated = await readOutdated(tx, chosen, request.at)
  const ranked = new Map(found.ranked.map((each) => [each.facts.id, each]))
  const candidateOf = (id: string) => ranked.get(id)
  return {
    found,
    entries: choice.chosen.flatMap((candidate) =>
      entryOf(engine, candidate, {
        ...{ choice, blocks, guaranteed, replaced, outdated, past },
        ...{ namedIn: ties.namedIn, candidateOf },
      }),
    ),
    counterpoints: objections.flatMap(({ id, to }) => {
      const [block, against] = [blocks.get(id), blocks.get(to)]
      return block && against && mayHoldTogether(block, against) ? [{ block, to: against }] : []
    }),
    disputes: disputesAmong(chosen, links).filter((both) => {
      const [one, other] = both.map((id) => blocks.get(id))
      return !one || !other || mayHoldTogether(one, other)
    }),
    // What an edge brought is left out for what befell it then.
    dropped: [...found.dropped.filter(({ id }) => !ranked.has(id)), ...choice.dropped],
    leftWith: choice.leftWith,
    choice,
  }
}

/** The living ones of some blocks by their ids; those that were not read before in one statement. */
async function livingBlocks(
  tx: StoreReader,
  wanted: readonly string[],
  known: ReadonlyMap<string, Block>,
): Promise<ReadonlyMap<string, Block>> {
  const missing = await tx.blocks(wanted.filter((id) => !known.has(id)))
  const all = [...wanted.flatMap((id) => known.get(id) ?? []), ...missing]
  return new Map(all.filter(({ status }) => status !== 'archived').map((block) => [block.id, block]))
}

/** All blocks that may stand in the text of an answer. */
export function blocksOf({ entries, counterpoints }: Gathered): Block[] {
  return [
    ...entries.flatMap(({ block, versions, outdated }) => [
      block,
      ...versions.map((each) => each.block),
      ...outdated.map(({ ground }) => ground),
    ]),
    ...counterpoints.map(({ block }) => block),
  ]
}
