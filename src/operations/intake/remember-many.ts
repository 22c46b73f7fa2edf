import * as z from 'zod'
import { count, defined } from '../../block/text.ts'
import { dreamAdvice } from '../../dream/rest.ts'
import {
  type CallContext,
  type Engine,
  type Mutation,
  mutate,
  nextTurn,
  Pauses,
} from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { forItem, formerOf } from '../../intake/admit.ts'
import { partedFromShown, refuseFrameIn, sumLeftOut } from '../../intake/echo.ts'
import { readWaiting } from '../../store/blocks.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { dreamHint, leftOutSentence, sentences } from '../wording.ts'
import { draftOf, givenGrounds, type Item, remembered, replacedBy, takeIn, thing } from './remember.ts'

/** More in one call are a mistake, or belong into several calls. */
const MOST = 10_000

/** The cost of a block besides its length, in signs. */
const WORK_PER_ITEM = 500

/** Blocks a transaction: of its sync little is left for each, and other writers wait for some 20 ms at most. */
const BLOCKS_PER_WRITE = 256

/** Checks all blocks before the first is written; an error names the place of the block in the list. */
export const rememberMany = defineScopedOperation({
  name: 'rememberMany',
  summary: 'Put many things worth keeping into the inbox at once.',
  guide: {
    when: 'You have several: far cheaper than one call each.',
    whenNot: 'For a text that is still to be cut into statements use learnDocument().',
    next: 'dream() until nothing is left. When a block is refused, nothing was stored: correct the one that is named.',
    example:
      "await memory.rememberMany({ blocks: [{ content: 'Tea is at four.' }, { content: 'Releases go out on Tuesdays.' }] })",
  },
  tools: 'agent',
  dashboard: 'never',
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'WRONG_STATUS', 'PROTECTED', 'FRAME_IN_TEXT', 'CONFLICT'],
  input: z.object({
    blocks: z
      .array(thing.strict())
      .min(1)
      .max(MOST)
      .describe('Each as remember() takes it; in a file, a JSON list or one JSON object a line')
      .meta({ sameAs: 'remember' }),
  }),
  output: z.object({
    results: z.array(z.object(remembered)).readonly().describe('The result for each, in the given order'),
    created: z.int(),
    duplicates: z.int().describe('Things that were known already'),
    leftOut: schemas.leftOut.optional(),
    ...schemas.takenIn,
  }),
  positionals: ['blocks'],
  ownerOnly: { blocks: { sourceClass: ['user'] } },
  run: async (engine, { blocks }, context) => {
    const results = await rememberAll(engine, context, blocks)
    const { pending, shouldDream } = await engine.store.read(async (tx) =>
      dreamAdvice(engine, await readWaiting(tx)),
    )
    const created = results.filter(({ status }) => status === 'created').length
    const duplicates = results.length - created
    const leftOut = sumLeftOut(results.map((each) => each.leftOut))
    const replacing = results.filter(({ supersedes }) => supersedes !== undefined).length
    const unnoted = blocks.filter(({ supersedes }) => supersedes !== undefined).length - replacing
    const summary = sentences(
      `${count(blocks.length, 'block')}: ${created} new, ${duplicates} known already.`,
      replacing > 0 &&
        `${count(replacing, 'block')} to take the place of older ones: after the dream decide with resolve().`,
      unnoted > 0 &&
        `${count(unnoted, 'block')} cannot take the place of others, because the texts were there already.`,
      leftOutSentence(leftOut),
      dreamHint({ pending, shouldDream }),
    )
    const counts = { created, duplicates, ...defined({ leftOut }) }
    return { results, pending, shouldDream, ...counts, visible: true as const, summary }
  },
})

type Remembered = z.output<z.ZodObject<typeof remembered>>

/**
 * Remembers texts one after the other, in transactions of 256, of which the last makes all durable. Nothing is
 * written when anything given is wrong. What goes wrong later, or a cancelled call, leaves whole transactions, which a power
 * failure may undo from the last on; repeating it adds the rest.
 */
async function rememberAll(
  engine: Engine,
  context: CallContext,
  inputs: readonly z.output<typeof thing>[],
): Promise<Remembered[]> {
  const items: Item[] = []
  const pauses = new Pauses()
  for (const [index, input] of inputs.entries()) {
    const draft = forItem(index, () => draftOf(engine, context, input))
    items.push({ index, draft, supersedes: input.supersedes, derivedFrom: input.derivedFrom })
    await pauses.after(input.content.length + WORK_PER_ITEM)
  }
  await checkAll(engine, items)
  const batches = { context, items, size: BLOCKS_PER_WRITE, name: 'rememberMany' }
  const results = await inBatches(engine, batches, (batch, own) => {
    const isLast = batch.at(-1) === items.at(-1)
    return rememberBatch(engine, own, { batch, durable: isLast })
  })
  for (const { blockId, status } of results) if (status === 'created') engine.session.noteLearned(blockId)
  return results
}

/** The parts of a long work, and the call it belongs to. */
interface Batches<T> {
  readonly context: CallContext
  readonly items: readonly T[]
  readonly size: number
  readonly name: string
}

/**
 * Does a long work in batches, each a transaction, with a turn for others between them. `undo` takes all batches back together. Throws
 * `CANCELLED` if the caller gives up.
 */
export async function inBatches<T, R>(
  { ids }: Engine,
  { context, items, size, name }: Batches<T>,
  work: (batch: readonly T[], own: CallContext, first: number) => Promise<readonly R[]>,
): Promise<R[]> {
  const own = items.length > size ? { ...context, run: ids.random() } : context
  const done: R[] = []
  for (let first = 0; first < items.length; first += size) {
    const counts = { done: done.length, total: items.length }
    if (context.signal?.aborted)
      throw new ElfmemError('CANCELLED', `${name} was cancelled after ${counts.done} of ${counts.total}.`, {
        recovery: 'Call it again with the same; what is stored already is not stored twice.',
        details: counts,
      })
    done.push(...(await work(items.slice(first, first + size), own, first)))
    await nextTurn()
    context.progress?.({ stage: 'storing', ...counts, done: done.length })
  }
  return done
}

/** Refuses the whole call while nothing is written yet; each transaction looks again. */
async function checkAll(engine: Engine, items: readonly Item[]): Promise<void> {
  await engine.store.read(async (tx) => {
    await replacedBy(engine, tx, items)
    await givenGrounds(tx, items)
    for (const { index, draft } of items.filter((item) => partedFromShown(engine, item.draft.content)))
      await refuseFrameIn(engine, tx, draft).catch((error: unknown) =>
        forItem(index, () => {
          throw error
        }),
      )
  })
}

function rememberBatch(
  engine: Engine,
  context: CallContext,
  { batch: items, durable }: { readonly batch: readonly Item[]; readonly durable: boolean },
): Promise<Remembered[]> {
  const work = async (mutation: Mutation) => {
    const batch = await takeIn(engine, mutation, items)
    await logBatch(mutation, batch)
    return batch.map((each) => each.remembered)
  }
  return mutate(engine, context, work, { durable })
}

/** Logs one entry for a whole batch. It keeps what was changed in blocks that were there, oldest first. */
async function logBatch({ log }: Mutation, batch: Awaited<ReturnType<typeof takeIn>>): Promise<void> {
  const ids = batch.flatMap(({ remembered: { blockId, supersedes = [], restsOnReplaced = [] } }) =>
    [blockId].concat(supersedes, restsOnReplaced),
  )
  const before = batch.flatMap(({ admitted: { before: block } }) =>
    block ? [{ blockId: block.id, ...formerOf(block) }] : [],
  )
  const created = batch.filter(({ remembered: { status } }) => status === 'created').length
  await log({
    operation: 'remember_many',
    blockIds: [...new Set(ids)],
    summary: `${created} of ${batch.length} are new`,
    ...(before.length > 0 ? { before } : {}),
  })
}
