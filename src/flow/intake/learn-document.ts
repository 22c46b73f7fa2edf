import type { Block } from '../../domain/block/block.ts'
import { normaliseCategory } from '../../domain/block/category.ts'
import { ElfmemError } from '../../errors.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { nextTurn, Pauses } from '../engine/pauses.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  instantOf,
  refuseIdentityTags,
  refuseProtectedTags,
} from '../guard/check-input.ts'
import type { Admitted, Draft } from './admit.ts'
import { admitAll, type Drafts } from './admit-all.ts'
import { withoutEcho, withoutFrames } from './echo.ts'

/** Chunks a transaction; keeps other writers waiting for some 10 ms at most. */
const CHUNKS_PER_WRITE = 64

/** A document and what its chunks have in common. */
export interface DocumentInput {
  readonly text: string
  readonly source: string
  /** One for every version of the same text when left out. */
  readonly session?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly category: string
  readonly cue?: string | undefined
  /** ISO date or date-time. */
  readonly at?: string | undefined
}

export interface LearnDocumentResult extends DreamAdvice {
  readonly chunksTotal: number
  readonly chunksCreated: number
  readonly chunksDuplicate: number
  /** Of created and duplicate chunks, in the document's order. */
  readonly blockIds: readonly string[]
  readonly session: string
}

/**
 * A document into the inbox, chunk by chunk in one session, so that recall knows what stands next to what.
 * No model. Written in batches: a cancelled call keeps what it wrote, and repeating it only adds what is missing.
 */
export async function learnDocument(
  engine: Engine,
  context: CallContext,
  input: DocumentInput,
): Promise<LearnDocumentResult> {
  const given = await engine.store.read((tx) => withoutFrames(engine, tx, input.text))
  const drafts = await draftsOf(engine, input, given)
  const session = drafts[0]?.session ?? ''
  const admitted: Admitted[] = []
  for (let at = 0; at < drafts.length; at += CHUNKS_PER_WRITE) {
    if (context.signal?.aborted) throw cancelled(admitted.length, drafts.length)
    const batch = { drafts: drafts.slice(at, at + CHUNKS_PER_WRITE), first: at }
    admitted.push(...(await admitBatch(engine, context, batch)))
    await nextTurn()
    context.progress?.({ stage: 'storing', done: admitted.length, total: drafts.length })
  }
  const created = admitted.filter((each) => each.created)
  for (const { block } of created) engine.session.noteLearned(block.id)
  const advice = await engine.store.read(async (tx) => dreamAdvice(tx, engine, await tx.waiting()))
  return {
    chunksTotal: drafts.length,
    chunksCreated: created.length,
    chunksDuplicate: drafts.length - created.length,
    blockIds: [...new Set(admitted.map(({ block }) => block.id))],
    session,
    ...advice,
  }
}

/** A draft for each chunk, after those for blocks that a frame in the document shows again. */
async function draftsOf(
  { settings, chunker, ids }: Engine,
  input: DocumentInput,
  { text, shown }: { readonly text: string; readonly shown: readonly Block[] },
): Promise<Draft[]> {
  const { memory } = settings
  const tags = checkTags(input.tags ?? [], memory)
  refuseIdentityTags(tags, 'document')
  refuseProtectedTags(tags)
  if (input.cue !== undefined) checkCue(input.cue, memory)
  const common = {
    tags,
    category: normaliseCategory(input.category),
    source: input.source,
    sourceClass: 'document' as const,
    keepFrame: true as const,
    session: input.session || `document:${ids.sha256(input.text).slice(0, 12)}`,
    ...(input.cue ? { cue: input.cue } : {}),
    ...(input.at === undefined ? {} : { occurredAt: instantOf(input.at) }),
  }
  const chunks = await chunker.chunks(text, memory.chunkTokens)
  if (chunks.length + shown.length === 0)
    throw new ElfmemError('INVALID_INPUT', 'There is nothing to learn: the document has no text.', {
      recovery: 'Pass the text of the document itself, not its path or an empty file.',
    })
  const pauses = new Pauses()
  for (const chunk of chunks) {
    checkContent(chunk.text, memory)
    await pauses.after(chunk.text.length)
  }
  const contents = [...shown.map(({ content }) => content), ...chunks.map((chunk) => chunk.text)]
  return contents.map((content) => ({ ...common, content }))
}

function admitBatch(engine: Engine, context: CallContext, drafts: Drafts): Promise<Admitted[]> {
  const work = async (mutation: Mutation) => {
    const judged: Draft[] = []
    for (const draft of drafts.drafts) judged.push((await withoutEcho(engine, mutation, draft)).draft)
    const batch = await admitAll(engine, mutation, { ...drafts, drafts: judged })
    const created = batch.filter((each) => each.created)
    await mutation.log({
      operation: 'learn_document',
      blockIds: [...new Set(batch.map(({ block }) => block.id))],
      summary: `${created.length} of ${batch.length} chunks are new`,
      reason: drafts.drafts[0]?.source ?? '',
    })
    return batch
  }
  return mutate(engine, context, work)
}

function cancelled(done: number, total: number): ElfmemError {
  return new ElfmemError('CANCELLED', `learnDocument was cancelled after ${done} of ${total} chunks.`, {
    recovery: 'Call it again with the same text; what is stored already is not stored twice.',
    details: { done, total },
  })
}
