import type { ContentVectors } from '../block/block.ts'
import { count, defined } from '../block/text.ts'
import {
  embedContents,
  embedOptionsOf,
  forgetEmbeddingLock,
  keepBackground,
  matchesLock,
  nameOf,
  readEmbeddingLock,
  saveEmbeddingLock,
  unusableVector,
} from '../engine/embedding.ts'
import { type CallContext, type EmbeddingLock, type Engine, type Mutation, mutate } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { markReports } from '../outcome/outcome.ts'
import { beginShadow, dropShadow, dropWaitingVectors, saveShadow, swapVectors } from '../store/blocks.ts'
import { dropQuestionVectors, readMeta, saveMeta } from '../store/log.ts'
import { STATE_META } from '../store/tables.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'

export interface ShadowLock extends EmbeddingLock {
  /** The set was complete and in use before. Otherwise it is being made. */
  readonly kept: boolean
}

/** Returns the model of the vectors in the shadow set; undefined if there is no set. */
export async function readShadowLock(tx: ReadTransaction): Promise<ShadowLock | undefined> {
  const value = await readMeta(tx, STATE_META.shadow)
  return value === undefined ? undefined : (JSON.parse(value) as ShadowLock)
}

async function saveShadowLock(tx: Transaction, lock: ShadowLock): Promise<void> {
  await saveMeta(tx, STATE_META.shadow, JSON.stringify(lock))
}

/** Throws `STORE_BUSY` if another change of model came in between: `found` is there in the place of `wanted`. */
function refuseOther(found: EmbeddingLock | undefined, wanted: EmbeddingLock): void {
  if (found !== undefined && matchesLock(found, wanted)) return
  throw new ElfmemError('STORE_BUSY', 'Another reembed changed the vectors meanwhile.', {
    recovery: 'Look at status(), decide on one model, then call reembed() with it.',
    details: { model: found?.model },
  })
}

/** A reembed request wants the estimate of a change (`dryRun`), the removal of the unused vectors (`drop`), or the whole change. */
export type ReembedRequest = { readonly [Part in 'dryRun' | 'drop']: boolean }

export interface ReembedResult {
  /**
   * `empty`: nothing is embedded yet; `current`: the vectors are of this embedder already; `dropped`: the vectors not in use are removed,
   * if there were any.
   */
  readonly status: 'switched' | 'planned' | 'current' | 'empty' | 'dropped'
  readonly from?: EmbeddingLock
  /** The model of the vectors in use now, or of the planned ones. */
  readonly to: { readonly model: string; readonly dimensions?: number }
  readonly embedded: number
  readonly reused: number
  /** For a dry run, the texts that a change would embed: their characters as code points, and a quarter of that as tokens. */
  readonly estimate?: { readonly blocks: number; readonly characters: number; readonly tokens: number }
  readonly shadow?: ShadowLock
  readonly seconds: number
}

type Untimed = Omit<ReembedResult, 'seconds'>

/** Returns the parts of a result that embedded nothing. */
function idleOf({ embedder: { model, dimensions } }: Engine) {
  return { to: { model, ...defined({ dimensions }) }, embedded: 0, reused: 0 }
}

/**
 * Changes the vectors of a memory to the engine's embedder. The old ones serve until the new ones are complete, then both change places in
 * one short transaction; after any interruption the next call goes on. Blocks that others promote, edit or forget meanwhile are embedded,
 * too. The old vectors stay, for a change back, until the next change of model.
 *
 * Throws `OUT_OF_SCOPE` in a memory bound to a scope, `EMBEDDER_FAILED` and `CANCELLED` with the work done in `details`, `STORE_BUSY` if
 * another change of model began meanwhile. Cost: one embedding a block and one more.
 */
export async function reembed(
  engine: Engine,
  request: ReembedRequest,
  context: CallContext,
): Promise<ReembedResult> {
  const { scope } = engine
  // The vectors of all scopes change together, so that any of them can be compared.
  if (scope !== undefined)
    throw new ElfmemError('OUT_OF_SCOPE', `This memory was opened for the scope ${scope} alone.`, {
      recovery:
        'Open the memory for no scope and call reembed() there: it changes the vectors of all scopes.',
      details: { scope },
    })
  const started = engine.clock.now()
  const result = await reembedUntimed(engine, request, context)
  return { ...result, seconds: (engine.clock.now() - started) / 1000 }
}

async function reembedUntimed(
  engine: Engine,
  request: ReembedRequest,
  context: CallContext,
): Promise<Untimed> {
  const { embedder, store } = engine
  if (request.drop) return drop(engine, context)
  if (embedder.dimensions === undefined) await probe(engine, context)
  const { held, shadow, totals } = await store.read(async (tx) => ({
    held: await readEmbeddingLock(tx),
    shadow: await readShadowLock(tx),
    totals: await tx.queries.vectorTotals(),
  }))
  const isBegun = shadow !== undefined && matchesLock(shadow, embedder)
  const missing = isBegun ? (totals.missing ?? 0) : totals.blocks
  const idle = { ...idleOf(engine), ...defined({ shadow }) }
  if (held === undefined) return { status: 'empty', ...idle }
  if (matchesLock(held, embedder)) return { status: 'current', from: held, ...idle }
  if (!request.dryRun) return change(engine, held, { total: totals.blocks, missing }, context)
  // The texts to embed are estimated to have the average length of all texts.
  const characters = totals.blocks === 0 ? 0 : Math.round((totals.characters * missing) / totals.blocks)
  const estimate = { blocks: missing, characters, tokens: Math.floor(characters / 4) }
  return { status: 'planned', ...idle, from: held, reused: totals.blocks - missing, estimate }
}

/** Returns the dimensions of the embedder's vectors, by one embedding; throws the embedder's own errors. */
async function probe(engine: Engine, context: CallContext): Promise<number> {
  const [vector] = await engine.embedder.embed(['Hello'], embedOptionsOf(context))
  if (vector === undefined || vector.length === 0) throw unusableVector(engine.embedder, vector?.length ?? 0)
  return vector.length
}

/** Writes a step of a change of model. It is undone by a change back, not by `undo`. */
function write<T>(
  engine: Engine,
  context: CallContext,
  work: (mutation: Mutation) => Promise<T>,
): Promise<T> {
  return mutate(engine, context, work, { undoable: false })
}

async function change(
  engine: Engine,
  held: EmbeddingLock,
  { total, missing }: { readonly total: number; readonly missing: number },
  context: CallContext,
): Promise<Untimed> {
  // The embedder must show that it works before anything is dropped for it.
  const target: EmbeddingLock = { model: engine.embedder.model, dimensions: await probe(engine, context) }
  const reused = total - missing
  await write(engine, context, async ({ tx, log }) => {
    refuseOther(await readEmbeddingLock(tx), held)
    const shadow = await readShadowLock(tx)
    // An earlier call, or an earlier use of the model, may have left vectors.
    if (shadow === undefined || !matchesLock(shadow, target)) {
      await beginShadow(tx)
      await saveShadowLock(tx, { ...target, kept: false })
    }
    const summary = `${count(missing, 'block')} to embed with ${nameOf(target)}`
    await log({ operation: 'reembed', blockIds: [], summary })
  })
  let embedded = 0
  do embedded += await embedMissing(engine, target, { done: reused + embedded, total }, context)
  while (!(await swap(engine, { held, target }, context)))
  engine.vectorModel.current = undefined
  await engine.store.read((tx) => engine.index.refresh(tx))
  await write(engine, context, ({ tx }) => keepBackground(engine, tx))
  return { status: 'switched', from: held, to: target, embedded, reused, shadow: { ...held, kept: true } }
}

/**
 * Embeds the blocks that the shadow set lacks, a batch at a time, each kept at once; returns their number. Their writes need not be
 * durable: the last write of the change makes all of them so, and blocks that are undone before are missing again.
 */
async function embedMissing(
  engine: Engine,
  target: EmbeddingLock,
  { done, total }: { readonly done: number; readonly total: number },
  context: CallContext,
): Promise<number> {
  const { store, embedder, settings } = engine
  for (let embedded = 0; ; ) {
    const now = done + embedded
    context.progress?.({ stage: 'embedding', done: now, total: Math.max(now, total) })
    const blocks = await store.read((tx) => tx.queries.missingShadow(settings.memory.embedBatch))
    if (blocks.length === 0) return embedded
    try {
      if (context.signal?.aborted) throw cancelled()
      const texts = blocks.map(({ content }) => content)
      const vectors = await embedContents(embedder, texts, embedOptionsOf(context))
      const made = blocks.map(({ id, content }, i) => ({ id, content, ...(vectors[i] as ContentVectors) }))
      const other = made.find(({ vector }) => vector.length !== target.dimensions)
      if (other !== undefined) throw unusableVector(embedder, other.vector.length)
      const work = async (tx: Transaction) => {
        refuseOther(await readShadowLock(tx), target)
        await saveShadow(tx, made)
      }
      await store.write(work, { durable: false })
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      const { code, message, details } = error
      const recovery = code === 'CANCELLED' ? cancelled().recovery : error.recovery
      throw new ElfmemError(code, message, {
        recovery,
        details: { ...details, done: now, total },
        cause: error,
      })
    }
    embedded += blocks.length
  }
}

function cancelled(): ElfmemError {
  return new ElfmemError('CANCELLED', 'reembed was cancelled.', {
    recovery: 'What was embedded is kept; call reembed() again to go on, or with drop to give up.',
  })
}

/** Swaps the vectors in a short transaction; returns false if somebody promoted or edited a block since the last look. */
function swap(
  engine: Engine,
  { held, target }: { readonly held: EmbeddingLock; readonly target: EmbeddingLock },
  context: CallContext,
): Promise<boolean> {
  return write(engine, context, async ({ tx, log, used }) => {
    refuseOther(await readEmbeddingLock(tx), held)
    refuseOther(await readShadowLock(tx), target)
    if (!(await swapVectors(tx))) return false
    await dropQuestionVectors(tx)
    await markReports(tx, engine.ids.random())
    await saveEmbeddingLock(tx, target)
    await saveShadowLock(tx, { ...held, kept: true })
    await log({
      operation: 'reembed',
      blockIds: [],
      summary: `vectors of ${nameOf(target)} are in use instead of ${nameOf(held)}`,
      before: { model: held.model, dimensions: held.dimensions },
      ...used,
    })
    return true
  })
}

async function drop(engine: Engine, context: CallContext): Promise<Untimed> {
  const shadow = await write(engine, context, async ({ tx, log }) => {
    const dropped = await readShadowLock(tx)
    await dropShadow(tx)
    const summary = dropped === undefined ? 'nothing to drop' : `vectors of ${nameOf(dropped)} dropped`
    await log({ operation: 'reembed', blockIds: [], summary })
    return dropped
  })
  return { status: 'dropped', ...idleOf(engine), ...defined({ shadow }) }
}

/**
 * Forgets the model of the vectors if only waiting blocks have any, so that another can take its place; they are embedded anew. Returns
 * false if other blocks have vectors, or another set of vectors is kept.
 */
export async function letGoOfModel({ store, embedder, vectorModel }: Engine): Promise<boolean> {
  const isFree = await store.write(
    async (tx) => {
      if (matchesLock(await readEmbeddingLock(tx), embedder)) return true
      if ((await readShadowLock(tx)) !== undefined || !(await dropWaitingVectors(tx))) return false
      await forgetEmbeddingLock(tx)
      return true
    },
    { durable: false, waits: false },
  )
  if (isFree) vectorModel.current = undefined
  return isFree
}
