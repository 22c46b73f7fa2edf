import * as z from 'zod'
import { type Block, isConstitutional } from '../../block/block.ts'
import { isNewer, momentWords } from '../../block/validity.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { type BlockPair, CONTRADICTS, orderedPair, replacingPair } from '../../graph/edge.ts'
import { isAbove, mustNotBeAbove, refusePrinciple, requireIds } from '../../intake/check-input.ts'
import { archive, endedBy, goOn, readResting } from '../../intake/supersede.ts'
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
import { restingSentence, restingWords } from '../schemas.ts'
import { sentences, shortId, someIds } from '../wording.ts'

const input = z.object({
  a: schemas.blockId,
  b: schemas.blockId,
  keep: z
    .enum(['both', 'a', 'b', 'keep_both', 'keep_a', 'keep_b'], {
      error: 'must be a, b or both: which of the two blocks stays, by its place, not by its id',
    })
    .transform((said) => said.replace(/^keep_/, '') as 'both' | 'a' | 'b')
    .describe('both: two facts; a, b: archive the other'),
})

const output = z.object({
  kept: z.array(z.string()).readonly(),
  archived: z.string().optional().describe('restore brings it back'),
  restsOnReplaced: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('Blocks that rest on what goes, at most 20: they may be wrong now'),
  summary: schemas.summary,
})

/** Ends a flagged pair; the block that does not stay is archived, and `restore` brings it back. */
export const resolve = defineScopedOperation({
  name: 'resolve',
  summary: 'Decide which of two near-duplicates, contradicting or superseding blocks stays.',
  guide: {
    when: 'An answer or inbox({ openPairs: 20 }) names an open pair. Until then recall shows both.',
    whenNot: 'For blocks that are merely related use connect().',
    next: 'Nothing. restore() brings an archived one back.',
    example: "await memory.resolve({ a: '3f2a9c1e', b: 'b7d041aa', keep: 'b' })",
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'PROTECTED', 'OWNER_ONLY'],
  input,
  output,
  positionals: ['a', 'b', 'keep'],
  run: settle,
})

type ResolveInput = z.output<typeof input>
type ResolveResult = z.output<typeof output>

/** A pair of blocks: the one that stays takes the place of the one that goes. */
interface Pair {
  readonly stays: Block
  readonly goes: Block
  /** True if this call is the first to say that one takes the place of the other. */
  readonly isNamed?: true
}

/**
 * Ends a flagged pair. The block that does not stay is archived, reversibly. `OWNER_ONLY` if that one is trusted more than
 * the caller, or if both are to stay and one is: the pair stays open for the owner.
 */
async function settle(engine: Engine, input: ResolveInput, context: CallContext): Promise<ResolveResult> {
  const { keep } = input
  // What rests on the words of the one that goes is found by these.
  if (keep !== 'both') await engine.store.read((tx) => engine.index.refresh(tx))
  return mutate(engine, context, async (mutation) => {
    const blocks = await pairOf(mutation.tx, input)
    const [a, b] = blocks
    const [stays, goes] = keep === 'a' ? [a, b] : [b, a]
    const pair: Pair | undefined = keep === 'both' ? undefined : { stays, goes }
    refuseAbove(engine, context, pair, blocks)
    const noted = await notedOf(mutation.tx, blocks)
    if (noted === undefined || (noted === 'settled' && pair !== undefined)) throw noPair(a.id, b.id)
    if (pair === undefined) return keepBoth(mutation, blocks, noted)
    return keepStaying(engine, context, mutation, { pair, noted })
  })
}

/** Archives the block that goes, or lets it hold until the block that stays begins to hold. */
async function keepStaying(
  engine: Engine,
  context: CallContext,
  mutation: Mutation,
  { pair, noted }: { readonly pair: Pair; readonly noted: Noted },
): Promise<ResolveResult> {
  const { tx, moment } = mutation
  if (isAhead(pair, moment.at)) return keepUntil(mutation, await nameReplaced(tx, pair))
  if (noted !== 'none') await resolvePairs(tx, [[pair.stays.id, pair.goes.id]])
  const named = noted === 'near_duplicate' ? pair : await nameReplaced(tx, pair)
  return keepOne(engine, context, mutation, named)
}

/** Returns true if the block that stays has not begun to hold; until then the other does. */
function isAhead({ stays, goes }: Pair, at: string): boolean {
  return stays.validFrom !== undefined && stays.validFrom > at && isNewer(stays, goes)
}

/** Throws `OWNER_ONLY` for a decision against words that are trusted more, or about a principle. */
function refuseAbove(
  engine: Engine,
  context: CallContext,
  pair: Pair | undefined,
  blocks: readonly Block[],
): void {
  if (pair !== undefined) refusePrinciple(engine, context, pair.goes)
  const above = pair?.goes ?? blocks.find((block) => isAbove(engine, context, block))
  if (above === undefined) return
  mustNotBeAbove(engine, context, {
    block: above,
    done: 'resolved against',
    otherwise: 'The pair stays open for the owner.',
  })
}

type Noted = BlockPair['kind'] | 'none' | 'settled'

/**
 * Returns the kind of the open pair of two blocks. Of two living blocks of one scope it is `none` if nobody noted a pair, because recall
 * and `remember` name such pairs, too, and `settled` if somebody said that both hold. It is undefined otherwise.
 */
async function notedOf(tx: Transaction, [a, b]: readonly [Block, Block]): Promise<Noted | undefined> {
  const { pairs } = await readLinks(tx, [a.id])
  const open = pairs.find((pair) => !pair.resolved && (pair.a === b.id || pair.b === b.id))
  if (open !== undefined) return open.kind
  if (a.status === 'archived' || b.status === 'archived') return undefined
  if ((await readSettledPairs(tx, [[a.id, b.id]])).length > 0) return 'settled'
  return a.scope === b.scope ? 'none' : undefined
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

async function pairOf(tx: Transaction, { a, b }: ResolveInput): Promise<readonly [Block, Block]> {
  const ids = await requireIds(tx, [a, b])
  const blocks = new Map((await readBlocks(tx, ids)).map((block) => [block.id, block]))
  const [one, other] = ids.map((id) => blocks.get(id))
  if (one === undefined || other === undefined || one.id === other.id)
    throw noPair(ids[0] ?? '', ids[1] ?? '')
  return [one, other]
}

function noPair(a: string, b: string): ElfmemError {
  return new ElfmemError('NOT_FOUND', `${a} and ${b} are not an open pair.`, {
    recovery:
      'inbox({ openPairs: 20 }) lists the open pairs, show({ blockId }) those of a block; a resolved pair needs nothing more.',
    details: { a, b },
  })
}

/** Lets two blocks stand beside each other: neither takes the place of the other, and nothing says that they contradict. */
async function keepBoth(
  { tx, moment, log }: Mutation,
  blocks: readonly [Block, Block],
  noted: Noted,
): Promise<ResolveResult> {
  const [a, b] = orderedPair(blocks[0].id, blocks[1].id)
  if (noted !== 'settled' && noted !== 'none') await resolvePairs(tx, [[a, b]])
  if (noted === 'none')
    await savePairs(tx, [{ a, b, kind: 'near_duplicate', score: 0, resolved: true, createdAt: moment.at }])
  const kept = blocks.map(({ id }) => id)
  const newer = blocks.find(({ supersedes }) => supersedes !== undefined && kept.includes(supersedes))
  if (newer?.supersedes !== undefined) {
    const { supersedes, ...alone } = newer
    await goOn(tx, supersedes)
    await saveBlocks(tx, [alone])
  }
  const isEnded = await endContradiction(tx, blocks)
  // A model that is asked how they relate might say that they contradict, and open again what was decided.
  await removeUnlabelled(tx, [[a, b]])
  const wasNoted = noted === 'settled' && !isEnded && newer === undefined
  await log({
    operation: 'resolve',
    blockIds: kept,
    summary: `both stay${isEnded ? ', and the edge that said they contradict is gone' : ''}${wasNoted ? ', as was noted' : ''}`,
  })
  return {
    kept,
    summary: sentences(
      `${kept.map(shortId).join(' and ')} both stay; neither hides the other any more.`,
      isEnded && 'The edge that said they contradict each other is gone.',
      wasNoted && 'That was noted already: nothing was changed.',
    ),
  }
}

/** Removes the edge by which each of two blocks is a counterpoint of the other, and one that waits for room. Four statements at most. */
async function endContradiction(tx: Transaction, [a, b]: readonly [Block, Block]): Promise<boolean> {
  const ends = orderedPair(a.id, b.id)
  const { edges } = await readLinks(tx, [a.id])
  const edge = edges.find(
    ({ from, to, relation }) => from === ends[0] && to === ends[1] && relation === CONTRADICTS,
  )
  if (edge !== undefined) await removeEdges(tx, [ends])
  const waiting = await removePendingConnections(tx, [ends])
  const others = waiting.filter(({ relation }) => relation !== CONTRADICTS)
  if (others.length > 0) await savePendingConnections(tx, others)
  return edge !== undefined || others.length < waiting.length
}

/** Lets the block that goes hold until the other begins, and stand under it from then on. The pair stays open until it is archived. */
async function keepUntil(
  { tx, moment, log }: Mutation,
  { stays, goes, isNamed }: Pair,
): Promise<ResolveResult> {
  const ending: Block = { ...goes, ...endedBy(goes, stays) }
  const endsAt = ending.supersededAt ?? ''
  await saveBlocks(tx, [ending])
  await savePairs(tx, [replacingPair(stays, goes, moment.at)])
  const kept = [stays.id, goes.id]
  await log({
    operation: 'resolve',
    blockIds: kept,
    summary: `one takes the place of the other when it begins, ${endsAt}`,
    ...(isNamed ? { before: { named: stays.id } } : {}),
  })
  const summary = `${shortId(stays.id)} takes the place of ${shortId(goes.id)} from ${momentWords(endsAt)} on, by itself; until then that one holds.`
  return { kept, summary }
}

/** Archives the block that goes, and the blocks that it had superseded. */
async function keepOne(
  engine: Engine,
  context: CallContext,
  mutation: Mutation,
  { stays, goes, isNamed }: Pair,
): Promise<ResolveResult> {
  const { tx, moment, log } = mutation
  if (isConstitutional(goes.tags))
    throw new ElfmemError('PROTECTED', `Block ${goes.id} is a principle of the constitution and stays.`, {
      recovery:
        "Keep 'both', or take it out with forget() and allowConstitutional: true when that was agreed on.",
      details: { blockId: goes.id },
    })
  if (goes.supersedes === stays.id || !isNewer(stays, goes)) await goOn(tx, stays.id)
  await archive(tx, [goes], { reason: 'superseded', at: moment.at, by: stays })
  const resting = (await readResting(tx, [goes.id], moment.at)).get(goes.id) ?? []
  await log({
    operation: 'resolve',
    blockIds: [stays.id, goes.id, ...resting],
    summary: `one stays, the other is archived${restingWords(resting)}`,
    ...(isNamed ? { before: { named: stays.id } } : {}),
  })
  const archivedBefore = await archiveBefore(engine, context, mutation, { stays, goes })
  return {
    ...{ kept: [stays.id], archived: goes.id },
    ...(resting.length > 0 ? { restsOnReplaced: [...resting] } : {}),
    summary: sentences(
      `${shortId(stays.id)} stays, ${shortId(goes.id)} is archived (restore() brings it back).`,
      archivedBefore.length > 0 && `With it went what it had taken the place of: ${someIds(archivedBefore)}.`,
      restingSentence(resting),
    ),
  }
}

/**
 * Archives the chain of blocks that the block that goes had superseded, so that only the newest is left. A block trusted more
 * than the caller stays.
 */
async function archiveBefore(
  engine: Engine,
  context: CallContext,
  { tx, moment, log }: Mutation,
  { stays, goes }: Pair,
): Promise<string[]> {
  const gone: string[] = []
  // If the older block stays, the chain may begin with it.
  if (!isNewer(stays, goes)) return gone
  for (let by = goes; by.supersedes !== undefined; ) {
    const [before] = await readBlocks(tx, [by.supersedes])
    const isLeft = before?.status !== 'archived' && before?.supersededAt !== undefined
    if (before === undefined || !isLeft || isAbove(engine, context, before)) break
    if (before.id === stays.id || isConstitutional(before.tags)) break
    await archive(tx, [before], { reason: 'superseded', at: moment.at, by })
    gone.push(before.id)
    by = before
  }
  if (gone.length > 0)
    await log({
      operation: 'resolve',
      blockIds: [goes.id, ...gone],
      summary: 'archived with what had taken their place',
    })
  return gone
}
