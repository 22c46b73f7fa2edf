import type { Block } from '../../domain/block/block.ts'
import { mayHoldFrame } from '../../domain/safety/pasted.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { nextTurn, Pauses } from '../engine/pauses.ts'
import { type Admitted, type Draft, formerOf } from './admit.ts'
import { admitAll, forItem } from './admit-all.ts'
import { echoIn, withoutEcho } from './echo.ts'
import { makeWay, nameLaterLives, replacementsOf } from './going-back.ts'
import { draftOf, type Remembered, type RememberInput, rememberedAs } from './remember.ts'
import { readReplaceable, refuseItself } from './superseding.ts'

/** What a block costs besides its length, in signs. */
const WORK_PER_ITEM = 500

/** Blocks a transaction: of its sync little is left for each, and other writers wait for some 20 ms at most. */
const BLOCKS_PER_WRITE = 256

export interface RememberManyResult extends DreamAdvice {
  /** One for each thing given, in that order. */
  readonly results: readonly Remembered[]
}

/** A thing to be remembered, checked. */
interface Item {
  /** Its place in what the caller gave. */
  readonly index: number
  readonly draft: Draft
  readonly supersedes: string | undefined
}

/**
 * The same as `remember` for one after the other, in durable transactions of 256. Nothing is written when anything
 * given is wrong. What goes wrong later, or a cancelled call, leaves whole transactions; repeating it adds the rest.
 */
export async function rememberMany(
  engine: Engine,
  context: CallContext,
  inputs: readonly RememberInput[],
): Promise<RememberManyResult> {
  const items: Item[] = []
  const pauses = new Pauses()
  for (const [index, input] of inputs.entries()) {
    const draft = forItem(index, () => draftOf(engine, context, input))
    items.push({ index, draft, supersedes: input.supersedes })
    await pauses.after(input.content.length + WORK_PER_ITEM)
  }
  await checkAll(engine, items)
  const results: Remembered[] = []
  for (let at = 0; at < items.length; at += BLOCKS_PER_WRITE) {
    if (context.signal?.aborted) throw cancelled(results.length, items.length)
    results.push(...(await rememberBatch(engine, context, items.slice(at, at + BLOCKS_PER_WRITE))))
    await nextTurn()
    context.progress?.({ stage: 'storing', done: results.length, total: items.length })
  }
  for (const { blockId, status } of results) if (status === 'created') engine.session.noteLearned(blockId)
  const advice = await engine.store.read(async (tx) => dreamAdvice(tx, engine, await tx.waiting()))
  return { results, ...advice }
}

/** Refuses the whole call while nothing is written yet; each transaction looks again. */
async function checkAll(engine: Engine, items: readonly Item[]): Promise<void> {
  await engine.store.read(async (tx) => {
    await replacedBy(engine, tx, items)
    for (const { index, draft } of items.filter((item) => mayHoldFrame(item.draft.content))) {
      const refusal = await echoIn(engine, tx, draft).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      if (refusal !== undefined)
        forItem(index, () => {
          throw refusal.error
        })
    }
  })
}

/** For each item the block it is to take the place of. No statement when none is to. */
async function replacedBy(
  engine: Engine,
  tx: StoreReader,
  items: readonly Item[],
): Promise<readonly (Block | undefined)[]> {
  const given = items.flatMap(({ supersedes }) => supersedes ?? [])
  if (given.length === 0) return []
  const replaceable = await readReplaceable(engine, tx, given)
  return items.map(({ index, supersedes }) =>
    supersedes === undefined ? undefined : forItem(index, () => replaceable(supersedes)),
  )
}

function rememberBatch(engine: Engine, context: CallContext, items: readonly Item[]): Promise<Remembered[]> {
  const work = async (mutation: Mutation) => {
    const replaced = await replacedBy(engine, mutation.tx, items)
    const judged: Awaited<ReturnType<typeof withoutEcho>>[] = []
    for (const { draft } of items) judged.push(await withoutEcho(engine, mutation, draft))
    const drafts = judged.map(({ draft }, i): Draft => {
      const older = replaced[i]
      return older ? { ...draft, supersedes: older.id } : draft
    })
    const way = await makeWay(
      engine,
      mutation.tx,
      drafts.map((draft, i) => ({ draft, replaced: replaced[i] })),
    )
    const admitted = await admitAll(engine, mutation, { drafts: way.drafts, first: items[0]?.index ?? 0 })
    await nameLaterLives(mutation.tx, way.earlier, admitted)
    const known = admitted.filter(({ created }) => !created).map(({ block }) => block)
    const newer = await replacementsOf(mutation.tx, known)
    const batch = admitted.map((each, i) => {
      const older = replaced[i]
      if (older) forItem(items[i]?.index ?? i, () => refuseItself(older, each.block))
      return {
        admitted: each,
        result: rememberedAs(each, { replaced: older, echoOf: judged[i]?.echoOf ?? [], newer }),
      }
    })
    await logBatch(mutation, batch)
    return batch.map(({ result }) => result)
  }
  return mutate(engine, context, work)
}

/** One entry for all: what was changed in blocks that were there is kept in it, oldest first. */
async function logBatch(
  { log }: Mutation,
  batch: readonly { readonly admitted: Admitted; readonly result: Remembered }[],
): Promise<void> {
  const ids = batch.flatMap(({ result: { blockId, supersedes = [] } }) => [blockId].concat(supersedes))
  const before = batch.flatMap(({ admitted: { before: block } }) =>
    block ? [{ blockId: block.id, ...formerOf(block) }] : [],
  )
  const created = batch.filter(({ result }) => result.status === 'created').length
  await log({
    operation: 'remember_many',
    blockIds: [...new Set(ids)],
    summary: `${created} of ${batch.length} are new`,
    ...(before.length > 0 ? { before } : {}),
  })
}

function cancelled(done: number, total: number): ElfmemError {
  return new ElfmemError('CANCELLED', `rememberMany was cancelled after ${done} of ${total}.`, {
    recovery: 'Call it again with the same; what is stored already is not stored twice.',
    details: { done, total },
  })
}
