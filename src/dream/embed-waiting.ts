import {
  type Embedded,
  type EmbeddingLock,
  embedBlocks,
  ensureEmbeddingLock,
  forgetEmbeddingLock,
  matchesLock,
  readEmbeddingLock,
} from '../engine/embedding.ts'
import { type CallContext, type Engine, nextTurn } from '../engine/engine.ts'
import { rememberAnalysis } from '../engine/upkeep.ts'
import { ElfmemError } from '../errors.ts'
import { mayWrite } from '../intake/caller.ts'
import { dropWaitingVectors, readBlocks, saveWaitingVectors } from '../store/blocks.ts'
import { readShadowLock } from './reembed.ts'

/** Waiting texts that are embedded before others have their turn: some 15 ms. */
export const WAITING_BATCH = 4

/** These writes can be done at any other time: they wait for nobody, and are no news to the log. */
const AT_ANY_TIME = { durable: false, waits: false } as const

/**
 * Makes vectors of the newest waiting blocks that lack one, in small batches, each kept at once; the dream takes them over.
 * Returns how many still lack one. One call works at a time, and none while a dream does, so that no text is embedded
 * twice. Ends quietly when the signal is aborted, the embedder fails, or somebody else holds the lock: words find the rest,
 * and the next call goes on.
 *
 * @param portion.most blocks of one call
 * @param portion.milliseconds no batch is begun later; the one at hand is ended
 */
export async function embedWaiting(
  engine: Engine,
  context: CallContext,
  { most, milliseconds }: { readonly most: number; readonly milliseconds: number },
): Promise<number> {
  const { embedding, index, clock } = engine
  const deadline = clock.now() + milliseconds
  const mayGoOn = () => embedding.dreams === 0 && !context.signal?.aborted && clock.now() < deadline
  const work = embedding.queue.then(() =>
    embedNewest(engine, context, { most, mayGoOn }).catch((error: unknown) => {
      if (!ElfmemError.is(error)) throw error
    }),
  )
  embedding.queue = work.catch(() => undefined)
  await work
  return index.waiting.lacking
}

/**
 * Embeds waiting blocks in front of a question, which goes on when the time is over; what is at hand then is kept when it is
 * ready. Does nothing when none lacks a vector, and asks no embedder somewhere else.
 */
export async function embedBefore(engine: Engine, context: CallContext): Promise<void> {
  const { embedder, index, settings, vectorModel } = engine
  const { waitingMilliseconds: milliseconds } = settings.recall
  const isDone = index.waiting.lacking === 0 && matchesLock(vectorModel.current, embedder)
  // Who only looks writes no vectors either.
  if (embedder.remote || isDone || milliseconds === 0 || !mayWrite(engine, context)) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeIsOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  const work = embedWaiting(engine, context, { most: settings.memory.embedBatch, milliseconds })
  work.catch(() => undefined)
  await Promise.race([work, timeIsOver])
  clearTimeout(timer)
}

/**
 * Lets go of the model of the vectors here when only blocks that wait have any, so that another takes its place. False when
 * other blocks have some, or another set of vectors is kept. They are embedded anew.
 */
export async function letGoOfModel({ store, embedder, vectorModel }: Engine): Promise<boolean> {
  const isFree = await store.write(async (tx) => {
    if (matchesLock(await readEmbeddingLock(tx), embedder)) return true
    if ((await readShadowLock(tx)) !== undefined || !(await dropWaitingVectors(tx))) return false
    await forgetEmbeddingLock(tx)
    return true
  }, AT_ANY_TIME)
  if (isFree) vectorModel.current = undefined
  return isFree
}

async function embedNewest(
  engine: Engine,
  context: CallContext,
  { most, mayGoOn }: { readonly most: number; readonly mayGoOn: () => boolean },
): Promise<void> {
  const { index, store } = engine
  const lock = await store.read(async (tx) => {
    await index.refresh(tx)
    return readEmbeddingLock(tx)
  })
  if (!mayGoOn()) return
  if (!matchesLock(lock, engine.embedder)) {
    if (index.active > 0 || !(await letGoOfModel(engine))) return
    await store.read((tx) => index.refresh(tx))
  }
  const ids = index.waiting.newestLacking(most)
  for (let at = 0; at < ids.length && mayGoOn(); at += WAITING_BATCH) {
    const found = await store.read((tx) => readBlocks(tx, ids.slice(at, at + WAITING_BATCH)))
    const waiting = found.filter(({ status }) => status === 'inbox')
    const metered = { ...context, meter: context.meter ?? engine.unbilled }
    await keep(engine, await embedBlocks(engine, waiting, metered))
    // An embedder in this very thread never leaves the others a turn.
    await nextTurn()
  }
}

async function keep(engine: Engine, embedded: readonly Embedded[]): Promise<void> {
  const { store, index, embedder, analysis, vectorModel } = engine
  const [first] = embedded
  if (first === undefined) return
  const lock: EmbeddingLock = { model: embedder.model, dimensions: first.vectors.vector.length }
  await store.write(async (tx) => {
    if ((await readEmbeddingLock(tx)) === undefined) await rememberAnalysis(tx, analysis)
    await ensureEmbeddingLock(tx, lock)
    const made = embedded.map(({ block: { id, content }, vectors }) => ({ id, content, ...vectors }))
    await saveWaitingVectors(tx, made)
  }, AT_ANY_TIME)
  await store.read((tx) => index.refresh(tx))
  vectorModel.current ??= lock
}
