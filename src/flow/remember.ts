import type { Block } from '../domain/block.ts'
import { normaliseCategory } from '../domain/category.ts'
import { isConstitutional } from '../domain/tags.ts'
import { ElfmemError } from '../errors.ts'
import type { StoreReader } from '../ports/store.ts'
import { type Admitted, admit, type Draft } from './admit.ts'
import { archive } from './archive.ts'
import { checkContent, checkCue, checkTags, instantOf, refuseProtectedTags } from './check-input.ts'
import { type DreamAdvice, dreamAdvice } from './dream-policy.ts'
import type { CallContext, Engine } from './engine.ts'
import { type Mutation, mutate } from './mutate.ts'
import { requireBlock } from './resolve-ids.ts'

/** What a caller wants to have remembered. */
export interface RememberInput {
  readonly content: string
  readonly tags?: readonly string[] | undefined
  readonly category: string
  readonly cue?: string | undefined
  readonly source?: string | undefined
  readonly session?: string | undefined
  /** ISO date or date-time. */
  readonly at?: string | undefined
  /** Id or prefix of the block this one replaces. */
  readonly supersedes?: string | undefined
}

/** What became of one thing to be remembered. */
export interface Remembered {
  readonly blockId: string
  readonly status: 'created' | 'duplicate'
  /** Whether the block still waits for a dream. */
  readonly pendingConsolidation: boolean
  readonly mergedTags?: readonly string[]
  readonly mergedCue?: true
  /** The active block that says the same already. */
  readonly activeDuplicateOf?: string
  /** The block that was archived in favour of this one. */
  readonly supersedes?: string
}

export interface RememberResult extends Remembered, DreamAdvice {}

/** Words into the inbox: one durable write, no model. */
export async function remember(
  engine: Engine,
  context: CallContext,
  input: RememberInput,
): Promise<RememberResult> {
  const draft = draftOf(engine, input)
  const result = await mutate(engine, context, async (mutation) => {
    const { tx, log } = mutation
    const admitted = await admit(engine, mutation, draft)
    const superseded =
      input.supersedes === undefined ? undefined : await supersede(mutation, input.supersedes, admitted.block)
    await log(entryOf(admitted, superseded))
    const advice = await dreamAdvice(tx, engine, await tx.waiting())
    return { ...rememberedAs(admitted, superseded), ...advice }
  })
  if (result.status === 'created') engine.session.noteLearned(result.blockId)
  return result
}

/** Throws what is wrong with a caller's input; asks no store. */
export function draftOf({ settings: { memory } }: Engine, input: RememberInput): Draft {
  checkContent(input.content, memory)
  if (input.cue !== undefined) checkCue(input.cue, memory)
  const tags = checkTags(input.tags ?? [], memory)
  refuseProtectedTags(tags)
  return {
    content: input.content,
    tags,
    category: normaliseCategory(input.category),
    ...(input.cue ? { cue: input.cue } : {}),
    ...(input.source ? { source: input.source } : {}),
    ...(input.session ? { session: input.session } : {}),
    ...(input.at === undefined ? {} : { occurredAt: instantOf(input.at) }),
  }
}

/** The block that may be replaced; throws `NOT_FOUND`, `AMBIGUOUS_ID` or, for a principle, `PROTECTED`. */
export async function replaceable(tx: StoreReader, given: string): Promise<Block> {
  const block = await requireBlock(tx, given)
  if (!isConstitutional(block.tags)) return block
  throw new ElfmemError('PROTECTED', 'A principle is not replaced by remembering something.', {
    recovery: 'Change it with edit({ blockId, content, allowConstitutional: true }).',
    details: { blockId: block.id },
  })
}

/** Returns the block as it was before it was archived, or undefined when it was archived already. */
export async function supersede({ tx }: Mutation, given: string, by: Block): Promise<Block | undefined> {
  const block = await replaceable(tx, given)
  if (block.id === by.id)
    throw new ElfmemError('INVALID_INPUT', 'A block cannot supersede itself: the contents are the same.', {
      recovery: 'Leave supersedes out, or use edit to change the block that is there.',
      details: { blockId: block.id },
    })
  const [archived] = await archive(tx, [block], { reason: 'superseded', supersededBy: by.id })
  return archived === undefined ? undefined : block
}

/** What a caller is told about a block that was admitted. */
export function rememberedAs(
  { block, created, mergedTags, mergedCue }: Admitted,
  superseded: Block | undefined,
): Remembered {
  return {
    blockId: block.id,
    status: created ? 'created' : 'duplicate',
    pendingConsolidation: block.status === 'inbox',
    ...(mergedTags.length > 0 ? { mergedTags } : {}),
    ...(mergedCue ? { mergedCue: true } : {}),
    ...(!created && block.status === 'active' ? { activeDuplicateOf: block.id } : {}),
    ...(superseded ? { supersedes: superseded.id } : {}),
  }
}

function entryOf({ block, created, before }: Admitted, superseded: Block | undefined) {
  const what = created ? `remembered ${block.id}` : `${block.id} says the same already`
  const changed = before ? { tags: before.tags, ...(before.cue ? { cue: before.cue } : {}) } : undefined
  return {
    operation: 'remember',
    blockIds: superseded ? [block.id, superseded.id] : [block.id],
    summary: superseded ? `${what}; it replaces ${superseded.id}` : what,
    ...(changed ? { before: changed } : {}),
  }
}
