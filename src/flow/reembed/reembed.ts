import { count, defined } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import {
  type EmbeddingLock,
  embedderMismatch,
  keepBackground,
  matchesLock,
  nameOf,
  readEmbeddingLock,
  saveEmbeddingLock,
} from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { markReports } from '../outcome/learn.ts'
import { embedMissing, probe } from './embed-missing.ts'
import { type Estimate, estimate, type Plan, readPlan } from './plan.ts'
import { readShadowLock, requireShadowOf, type ShadowLock, saveShadowLock } from './shadow-lock.ts'

/** The part of a change of embedder that is wanted; with all false the whole change is made. */
export interface ReembedRequest {
  /** Only says what it would cost. */
  readonly dryRun: boolean
  /** Only back to the vectors that were in use before. */
  readonly rollback: boolean
  /** Only lets go of the vectors that are not in use. */
  readonly drop: boolean
}

/** The outcome of a change of embedder, or, for a dry run, the plan of it. */
export interface ReembedResult {
  /**
   * `empty`: nothing has been embedded yet; `current`: the vectors are of this embedder already; `dropped`: the vectors
   * not in use are gone, if there were any.
   */
  readonly status: 'switched' | 'planned' | 'current' | 'empty' | 'dropped'
  /** Whose vectors were in use before. */
  readonly from?: EmbeddingLock
  /** Whose are in use now, or would be. */
  readonly to: { readonly model: string; readonly dimensions?: number }
  /** Blocks embedded by this call. */
  readonly embedded: number
  /** Vectors of the new model that were there already. */
  readonly reused: number
  /** Only of a dry run. */
  readonly estimate?: Estimate
  /** Vectors that are there beside those in use. */
  readonly shadow?: ShadowLock
  readonly seconds: number
}

/**
 * Changes the vectors of a memory to the engine's embedder. The old ones serve until the new ones are complete, then
 * both change places in one short transaction; whatever ends it before, the next call goes on. What others promote,
 * edit or forget meanwhile is caught up. The old ones stay for a rollback until the next change of model.
 *
 * Throws `OUT_OF_SCOPE` in a memory bound to a scope, `EMBEDDER_FAILED` and `CANCELLED` with what was done in `details`, `STORE_BUSY` when another change of model
 * was begun meanwhile. Cost: one embedding a block and one more.
 */
export async function reembed(
  engine: Engine,
  request: ReembedRequest,
  context: CallContext,
): Promise<ReembedResult> {
  refuseInScope(engine)
  const started = engine.clock.now()
  const timed = (result: Omit<ReembedResult, 'seconds'>): ReembedResult => ({
    ...result,
    seconds: (engine.clock.now() - started) / 1000,
  })
  if (request.drop) return timed(await drop(engine, context))
  if (engine.embedder.dimensions === undefined) await probe(engine, context)
  const plan = await readPlan(engine)
  if (request.rollback) refuseRollback(plan, engine)
  const { held, shadow } = plan
  const to = toOf(engine)
  const idle = { to, embedded: 0, reused: 0, ...defined({ shadow }) }
  if (held === undefined) return timed({ status: 'empty', ...idle })
  if (matchesLock(held, engine.embedder)) return timed({ status: 'current', from: held, ...idle })
  if (request.dryRun) {
    const reused = plan.totals.blocks - plan.missing
    const cost = await estimate(engine, plan, context)
    return timed({ status: 'planned', ...idle, from: held, reused, estimate: cost })
  }
  return timed(await change(engine, { ...plan, held }, context))
}

async function change(
  engine: Engine,
  { held, totals: { blocks: total }, missing }: Plan & { readonly held: EmbeddingLock },
  context: CallContext,
): Promise<Omit<ReembedResult, 'seconds'>> {
  // Before anything is dropped for it, the embedder must have shown that it works.
  const target: EmbeddingLock = { model: engine.embedder.model, dimensions: await probe(engine, context) }
  const reused = total - missing
  await begin(engine, { held, target, blocks: missing }, context)
  let embedded = 0
  do embedded += await embedMissing(engine, target, { done: reused + embedded, total }, context)
  while (!(await swap(engine, { held, target }, context)))
  engine.vectorModel.current = undefined
  await engine.store.read((tx) => engine.index.refresh(tx))
  await mutate(engine, context, ({ tx }) => keepBackground(engine, tx), NOT_UNDOABLE)
  return { status: 'switched', from: held, to: target, embedded, reused, shadow: { ...held, kept: true } }
}

interface Change {
  readonly held: EmbeddingLock
  readonly target: EmbeddingLock
}

/** A rollback takes it back. */
const NOT_UNDOABLE = { undoable: false } as const

/** Makes room for the new vectors unless an earlier call, or what was in use before, left some. */
function begin(
  engine: Engine,
  { held, target, blocks }: Change & { readonly blocks: number },
  context: CallContext,
): Promise<void> {
  return mutate(
    engine,
    context,
    async ({ tx, log }) => {
      await refuseOtherHeld(tx, held)
      const shadow = await readShadowLock(tx)
      if (shadow === undefined || !matchesLock(shadow, target)) {
        await tx.beginShadow()
        await saveShadowLock(tx, { ...target, kept: false })
      }
      const summary = `${count(blocks, 'block')} to embed with ${nameOf(target)}`
      await log({ operation: 'reembed', blockIds: [], summary })
    },
    NOT_UNDOABLE,
  )
}

/** The short transaction of the change; false when somebody promoted or edited a block since it was looked at. */
function swap(engine: Engine, { held, target }: Change, context: CallContext): Promise<boolean> {
  return mutate(
    engine,
    context,
    async ({ tx, log, used }) => {
      await refuseOtherHeld(tx, held)
      await requireShadowOf(tx, target)
      if (!(await tx.swapVectors())) return false
      await tx.dropQuestionVectors()
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
    },
    NOT_UNDOABLE,
  )
}

/** Somebody else may have changed the vectors meanwhile. */
async function refuseOtherHeld(tx: StoreReader, held: EmbeddingLock): Promise<void> {
  const now = await readEmbeddingLock(tx)
  if (now !== undefined && matchesLock(now, held)) return
  throw new ElfmemError('STORE_BUSY', 'Another reembed changed the vectors meanwhile.', {
    recovery: 'Look at status(), then call reembed() again if the model is not the one you want.',
    details: { model: now?.model },
  })
}

async function drop(engine: Engine, context: CallContext): Promise<Omit<ReembedResult, 'seconds'>> {
  const dropped = await mutate(
    engine,
    context,
    async ({ tx, log }) => {
      const shadow = await readShadowLock(tx)
      await tx.dropShadow()
      await saveShadowLock(tx, undefined)
      await log({
        operation: 'reembed',
        blockIds: [],
        summary: shadow === undefined ? 'nothing to drop' : `vectors of ${nameOf(shadow)} dropped`,
      })
      return shadow
    },
    NOT_UNDOABLE,
  )
  return { status: 'dropped', to: toOf(engine), embedded: 0, reused: 0, ...defined({ shadow: dropped }) }
}

/** A rollback must not turn into embedding everything, and must leave vectors that this embedder can ask. */
function refuseRollback({ held, shadow }: Plan, { embedder }: Engine): void {
  if (shadow?.kept !== true)
    throw new ElfmemError('NOT_FOUND', 'No vectors of an earlier model are kept.', {
      recovery:
        'Configure the model you want and call reembed() without rollback: it embeds all blocks with that model.',
      details: { held: held?.model },
    })
  if (matchesLock(shadow, embedder)) return
  throw new ElfmemError(
    'EMBEDDER_MISMATCH',
    `The vectors kept are of ${nameOf(shadow)}; the embedder is ${nameOf(embedder)}.`,
    {
      recovery: `Configure ${nameOf(shadow)} again, then call reembed() with rollback.`,
      details: embedderMismatch(shadow, embedder).details,
    },
  )
}

function toOf({ embedder: { model, dimensions } }: Engine): ReembedResult['to'] {
  return { model, ...defined({ dimensions }) }
}

/** The vectors of all scopes change together, so that any of them can be compared. */
function refuseInScope({ scope }: Engine): void {
  if (scope === undefined) return
  throw new ElfmemError('OUT_OF_SCOPE', `This memory was opened for the scope ${scope} alone.`, {
    recovery: 'Open the memory for no scope and call reembed() there: it changes the vectors of all scopes.',
    details: { scope },
  })
}
