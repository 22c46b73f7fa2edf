import * as z from 'zod'
import { DEFAULT_CATEGORY, normaliseCategory } from '../../block/block.ts'
import { count, defined } from '../../block/text.ts'
import { dreamAdvice } from '../../dream/rest.ts'
import { type CallContext, type Engine, type Mutation, mutate, Pauses } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { type Admitted, admitAll, type Draft, type Drafts } from '../../intake/admit.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  instantOf,
  refuseIdentityTags,
  refuseProtectedTags,
} from '../../intake/check-input.ts'
import { type EchoCount, partedFromShown } from '../../intake/echo.ts'
import { readWaiting } from '../../store/blocks.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { dreamHint, leftOutSentence, sentences } from '../wording.ts'
import { inBatches } from './remember-many.ts'

const DEFAULT_SOURCE = 'document'

/** Chunks a transaction; keeps other writers waiting for some 10 ms at most. */
const CHUNKS_PER_WRITE = 64

const input = z.object({
  text: schemas.document.describe('The document itself; Markdown is cut at its headings'),
  source: schemas.source.default(DEFAULT_SOURCE).describe('Where it comes from, such as a file name'),
  session: schemas.session.optional().describe('Groups the chunks; made from the text when left out'),
  tags: schemas.tags.optional(),
  category: schemas.category.default(DEFAULT_CATEGORY),
  cue: schemas.cue.optional(),
  at: schemas.at.optional(),
})

/** Returns the ids of all chunks in the order of the document; chunks that are known are not stored again. */
export const learnDocument = defineScopedOperation({
  name: 'learnDocument',
  summary: 'Cut a document into blocks and put them into the inbox.',
  guide: {
    when: 'A longer text should be found piece by piece: notes, a README, minutes.',
    whenNot: 'For one fact use remember(). A text that you can look up at any time need not be learned.',
    next: 'dream() until nothing is left. recall() finds the pieces at once, and the dream links them.',
    example: "await memory.learnDocument({ text: 'Releases go out on Tuesdays.', source: 'NOTES.md' })",
  },
  tools: 'agent',
  dashboard: 'never',
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  cost: 'instant',
  idempotent: true,
  refuses: ['PROTECTED'],
  input,
  output: z.object({
    chunksTotal: z.int(),
    chunksCreated: z.int(),
    chunksDuplicate: z.int().describe('Chunks that were known already'),
    blockIds: z.array(z.string()).readonly().describe('In the order of the document, known ones included'),
    leftOut: schemas.leftOut.optional(),
    session: z.string(),
    ...schemas.takenIn,
  }),
  positionals: ['text'],
  fromFile: { text: 'text', name: 'source' },
  // No model. Written in batches: a cancelled call keeps what it wrote, and repeating it only adds what is missing.
  run: async (engine, input, context) => {
    const { own: text = input.text, leftOut } = partedFromShown(engine, input.text) ?? {}
    const drafts = await draftsOf(engine, input, { text, leftOut })
    const batches = { context, items: drafts, size: CHUNKS_PER_WRITE, name: 'learnDocument' }
    const admitted = await inBatches(engine, batches, (batch, own, first) =>
      admitBatch(engine, own, { drafts: batch, first }),
    )
    const created = admitted.filter((each) => each.created)
    for (const { block } of created) engine.session.noteLearned(block.id)
    const { pending, shouldDream } = await engine.store.read(async (tx) =>
      dreamAdvice(engine, await readWaiting(tx)),
    )
    const chunksDuplicate = drafts.length - created.length
    return {
      chunksTotal: drafts.length,
      chunksCreated: created.length,
      chunksDuplicate,
      blockIds: [...new Set(admitted.map(({ block }) => block.id))],
      session: drafts[0]?.session ?? '',
      ...{ pending, shouldDream, visible: true as const },
      ...defined({ leftOut }),
      summary: sentences(
        `${count(drafts.length, 'chunk')}: ${created.length} new, ${chunksDuplicate} known already.`,
        leftOutSentence(leftOut),
        dreamHint({ pending, shouldDream }),
      ),
    }
  },
})

/** A draft for each chunk of a document's own text; none for a document that only says what a recall had shown. */
async function draftsOf(
  { settings, chunker, ids }: Engine,
  asked: z.output<typeof input>,
  { text, leftOut }: { readonly text: string; readonly leftOut: EchoCount | undefined },
): Promise<Draft[]> {
  const { memory } = settings
  const tags = checkTags(asked.tags ?? [])
  refuseIdentityTags(tags, 'document')
  refuseProtectedTags(tags)
  if (asked.cue !== undefined) checkCue(asked.cue)
  const common = {
    tags,
    category: normaliseCategory(asked.category),
    source: asked.source || DEFAULT_SOURCE,
    sourceClass: 'document' as const,
    session: asked.session || `document:${ids.sha256(asked.text).slice(0, 12)}`,
    ...defined({ cue: asked.cue || undefined, occurredAt: asked.at && instantOf(asked.at) }),
  }
  const chunks = await chunker.chunks(text, memory.chunkTokens)
  if (chunks.length === 0 && leftOut === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is nothing to learn: the document has no text.', {
      recovery: 'Pass the text of the document itself, not its path or an empty file.',
    })
  const pauses = new Pauses()
  for (const chunk of chunks) {
    checkContent(chunk.text, memory)
    await pauses.after(chunk.text.length)
  }
  return chunks.map(({ text: content }) => ({ ...common, content }))
}

function admitBatch(engine: Engine, context: CallContext, drafts: Drafts): Promise<Admitted[]> {
  const work = async (mutation: Mutation) => {
    const batch = await admitAll(engine, mutation, drafts)
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
