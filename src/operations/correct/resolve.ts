import * as z from 'zod'
import type { Block } from '../../block/block.ts'
import { isNewer, momentWords } from '../../block/validity.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { type BlockPair, CONTRADICTS, orderedPair } from '../../graph/edge.ts'
import { isAbove, mustNotBeAbove, refusePrinciple, requireIds } from '../../intake/check-input.ts'
import { goOn } from '../../intake/supersede.ts'
import { readBlocks, saveBlocks } from '../../store/blocks.ts'
import {
  readLinks,
  readSettledPairs,
  removeEdges,
  removePendingConnections,
  removeUnlabelled,
  resolvePairs,
  savePairs,
  savePendingConnections,
} from '../../store/graph.ts'
import type { Transaction } from '../../store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { restingSentence } from '../schemas.ts'
import { sentences, shortId, someIds } from '../wording.ts'
import {
  archiveBefore,
  isAhead,
  keepOne,
  keepUntil,
  type Pair,
  type ResolveResult,
  resolved,
} from './keep-one.ts'

const input = z.object({
  a: schemas.blockId,
  b: schemas.blockId,
  keep: z
    .enum(['both', 'a', 'b', 'merge', 'keep_both', 'keep_a', 'keep_b'], {
      error: 'must be a, b, both or merge: which of the two blocks stays, by its place, not by its id',
    })
    .transform((said) => said.replace(/^keep_/, '') as 'both' | 'a' | 'b' | 'merge')
    .describe(
      'both: two facts; a, b: archive the other; merge: keep the newer, with tags and cue of the other',
    ),
})

/** Ends a flagged pair; the block that does not stay is archived, and `restore` brings it back. */
export const resolve = defineScopedOperation({
  name: 'resolve',
  summary: 'Decide which of two near-duplicates, contradicting or superseding blocks stays.',
  guide: {
    when: 'An answer or inbox({ openPairs: 20 }) names an open pair. Until then recall shows both.',
    whenNot: 'Two blocks are merely related: connect() them.',
    next: 'Nothing. restore() brings an archived one back.',
    example: "await memory.resolve({ a: '3f2a9c1e', b: 'b7d041aa', keep: 'merge' })",
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'PROTECTED', 'OWNER_ONLY'],
  input,
  output: resolved,
  positionals: ['a', 'b', 'keep'],
  run: async (engine, input, context) => {
    const result = await settle(engine, context, input)
    return { ...result, summary: summaryOf(result) }
  },
})

type ResolveInput = z.output<typeof input>

/**
 * Ends a flagged pair. The block that does not stay is archived, reversibly. `OWNER_ONLY` if that one is trusted more than
 * the caller, or if both are to stay and one is: the pair stays open for the owner.
 */
async function settle(engine: Engine, context: CallContext, input: ResolveInput): Promise<ResolveResult> {
  // What rests on the words of the one that goes is found by these.
  if (input.keep !== 'both') await engine.store.read((tx) => engine.index.refresh(tx))
  return mutate(engine, context, async (mutation) => {
    const [a, b] = await pairOf(mutation.tx, input)
    const pair = input.keep === 'both' ? undefined : chosen(input.keep, a, b)
    refuseAbove(engine, context, { pair, blocks: [a, b], keep: input.keep })
    if (pair && isAhead(pair, mutation.moment.at)) {
      await mustBeThere(mutation, [a, b])
      return keepUntil(mutation, await nameReplaced(mutation.tx, pair))
    }
    if (pair === undefined) {
      const isRepeated = await isSettled(mutation, [a, b])
      if (!isRepeated) await endPair(mutation, [a, b], input.keep)
      return keepBoth(mutation, [a, b], { isRepeated })
    }
    const saysSame = await endPair(mutation, [a, b], input.keep)
    const named = saysSame ? pair : await nameReplaced(mutation.tx, pair)
    const done = await keepOne(engine, mutation, named, input.keep === 'merge')
    const archivedBefore = await archiveBefore(engine, context, mutation, named)
    return { ...done, ...(archivedBefore.length > 0 ? { archivedBefore } : {}) }
  })
}

/** Refuses what only the owner may decide. */
function refuseAbove(
  engine: Engine,
  context: CallContext,
  {
    pair,
    blocks,
    keep,
  }: {
    readonly pair: Pair | undefined
    readonly blocks: readonly Block[]
    readonly keep: ResolveInput['keep']
  },
): void {
  if (pair !== undefined) refusePrinciples(engine, context, pair, keep)
  const above = pair?.goes ?? blocks.find((block) => isAbove(engine, context, block))
  if (above === undefined) return
  mustNotBeAbove(engine, context, {
    block: above,
    done: 'resolved against',
    otherwise: 'The pair stays open for the owner.',
  })
}

/**
 * Ends an open pair; true if the two say the same and none is to be named as what the other took the place of. It may also be
 * said of two living blocks that nobody noted as one: recall sets some apart by rule, and `remember` names what a block may
 * replace.
 */
async function endPair(
  { tx, moment }: Mutation,
  [a, b]: readonly [Block, Block],
  keep: ResolveInput['keep'],
): Promise<boolean> {
  const kind = await mustBeThere({ tx }, [a, b])
  if (kind !== undefined) {
    await resolvePairs(tx, [[a.id, b.id]])
    return kind === 'near_duplicate'
  }
  if (keep !== 'both') return false
  const [one, other] = orderedPair(a.id, b.id)
  await savePairs(tx, [
    { a: one, b: other, kind: 'near_duplicate', score: 0, resolved: true, createdAt: moment.at },
  ])
  return false
}

/** True of two living blocks of which somebody said already that both hold, and nothing else since. */
async function isSettled({ tx }: Pick<Mutation, 'tx'>, [a, b]: readonly [Block, Block]): Promise<boolean> {
  if (a.status === 'archived' || b.status === 'archived') return false
  return (await readSettledPairs(tx, [[a.id, b.id]])).length > 0
}

/** The kind of the open pair of two blocks; undefined of two living ones of which nothing was noted yet, `NOT_FOUND` of others. */
async function mustBeThere(
  { tx }: Pick<Mutation, 'tx'>,
  [a, b]: readonly [Block, Block],
): Promise<BlockPair['kind'] | undefined> {
  const { pairs } = await readLinks(tx, [a.id])
  const open = pairs.find((pair) => !pair.resolved && (pair.a === b.id || pair.b === b.id))
  if (open !== undefined) return open.kind
  const isNew = (await readSettledPairs(tx, [[a.id, b.id]])).length === 0
  const areThere = a.status !== 'archived' && b.status !== 'archived' && a.scope === b.scope
  if (!isNew || !areThere) throw noPair(a.id, b.id)
  return undefined
}

/**
 * Notes which block the kept one supersedes, if it did not say so before, so that recall lists what was there before. If both
 * took the place of one, the later has taken it from the earlier.
 */
async function nameReplaced(tx: Transaction, { stays, goes }: Pair): Promise<Pair> {
  const isOfBoth = stays.supersedes !== undefined && stays.supersedes === goes.supersedes
  if ((stays.supersedes !== undefined && !isOfBoth) || !isNewer(stays, goes)) return { stays, goes }
  const named = { ...stays, supersedes: goes.id }
  await saveBlocks(tx, [named])
  return { stays: named, goes, isNamed: true }
}

/** Only the owner archives a principle, or lets one take over what another block was filed under. */
function refusePrinciples(
  engine: Engine,
  context: CallContext,
  { goes, stays }: Pair,
  keep: ResolveInput['keep'],
): void {
  refusePrinciple(engine, context, goes)
  if (keep === 'merge') refusePrinciple(engine, context, stays)
}

async function pairOf(tx: Transaction, input: ResolveInput): Promise<readonly [Block, Block]> {
  const ids = await requireIds(tx, [input.a, input.b])
  const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
  const [a, b] = ids.map((id) => blocks.get(id))
  if (a === undefined || b === undefined || a.id === b.id) throw noPair(ids[0] ?? '', ids[1] ?? '')
  return [a, b]
}

function chosen(keep: Exclude<ResolveInput['keep'], 'both'>, a: Block, b: Block): Pair {
  const first = keep === 'merge' ? isNewer(a, b) : keep === 'a'
  return first ? { stays: a, goes: b } : { stays: b, goes: a }
}

function noPair(a: string, b: string): ElfmemError {
  return new ElfmemError('NOT_FOUND', `${a} and ${b} are not an open pair.`, {
    recovery:
      'inbox({ openPairs: 20 }) lists the open pairs, show({ blockId }) those of a block; a resolved pair needs nothing more.',
    details: { a, b },
  })
}

function summaryOf({
  kept,
  archived,
  archivedBefore = [],
  endsAt,
  wasNoted,
  mergedTags,
  mergedCue,
  restsOnReplaced = [],
  endedContradiction,
}: ResolveResult): string {
  const stays = kept.map(shortId).join(' and ')
  if (endsAt !== undefined)
    return `${shortId(kept[0] ?? '')} takes the place of ${shortId(kept[1] ?? '')} from ${momentWords(endsAt)} on, by itself; until then that one holds.${wasNoted ? ' That was noted already: nothing was changed.' : ''}`
  if (archived === undefined)
    return sentences(
      `${stays} both stay; neither hides the other any more.`,
      endedContradiction && 'The edge that said they contradict each other is gone.',
      wasNoted && 'That was noted already: nothing was changed.',
    )
  return sentences(
    `${stays} stays, ${shortId(archived)} is archived (restore() brings it back).`,
    mergedTags !== undefined && `It took over the tags ${mergedTags.join(', ')}.`,
    mergedCue && 'It took over the cue.',
    archivedBefore.length > 0 && `With it went what it had taken the place of: ${someIds(archivedBefore)}.`,
    restingSentence(restsOnReplaced),
  )
}

/** Lets two blocks stand beside each other: neither takes the place of the other, and nothing says that they contradict. */
async function keepBoth(
  { tx, log }: Mutation,
  blocks: readonly [Block, Block],
  { isRepeated }: { readonly isRepeated: boolean },
): Promise<ResolveResult> {
  const kept = blocks.map(({ id }) => id)
  const newer = blocks.find(({ supersedes }) => supersedes !== undefined && kept.includes(supersedes))
  if (newer?.supersedes !== undefined) {
    const { supersedes, ...alone } = newer
    await goOn(tx, supersedes)
    await saveBlocks(tx, [alone])
  }
  const isEnded = await endContradiction(tx, blocks)
  // A model that is asked how they relate might say that they contradict, and open again what was decided.
  await removeUnlabelled(tx, [orderedPair(blocks[0].id, blocks[1].id)])
  const wasNoted = isRepeated && !isEnded && newer === undefined
  await log({
    operation: 'resolve',
    blockIds: kept,
    summary: `both stay${isEnded ? ', and the edge that said they contradict is gone' : ''}${wasNoted ? ', as was noted' : ''}`,
  })
  return {
    kept,
    ...(isEnded ? { endedContradiction: true as const } : {}),
    ...(wasNoted ? { wasNoted: true as const } : {}),
  }
}

/** Removes the edge by which each of two blocks is a counterpoint of the other, and one that waits for room. Four statements at most. */
async function endContradiction(tx: Transaction, [a, b]: readonly [Block, Block]): Promise<boolean> {
  const ends = orderedPair(a.id, b.id)
  const { edges } = await readLinks(tx, [a.id])
  const isBetween = ({ from, to }: { readonly from: string; readonly to: string }) =>
    from === ends[0] && to === ends[1]
  const edge = edges.find((each) => isBetween(each) && each.relation === CONTRADICTS)
  if (edge !== undefined) await removeEdges(tx, [ends])
  const waiting = await removePendingConnections(tx, [ends])
  const others = waiting.filter(({ relation }) => relation !== CONTRADICTS)
  if (others.length > 0) await savePendingConnections(tx, others)
  return edge !== undefined || others.length < waiting.length
}
