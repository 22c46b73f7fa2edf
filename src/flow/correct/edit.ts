import type { Block } from '../../domain/block/block.ts'
import { normaliseCategory } from '../../domain/block/category.ts'
import { leastTrusted, type SourceClass } from '../../domain/block/source-class.ts'
import { isConstitutional, isProtectedTag } from '../../domain/block/tags.ts'
import { estimateTokens, normaliseContent } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import { reindex } from '../blocks/reindex.ts'
import { findSameContent } from '../blocks/same-content.ts'
import { setTags } from '../blocks/set-tags.ts'
import { type EmbeddingLock, embedOptionsOf, ensureEmbeddingLock } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  refuseIdentityTags,
  refuseProtectedTags,
} from '../guard/check-input.ts'
import { highestFor, mustNotBeAbove } from '../guard/claimed-class.ts'
import { refusePrinciple } from '../guard/owner-only.ts'
import { requireBlock } from '../guard/resolve-ids.ts'

export interface EditInput {
  readonly blockId: string
  readonly content?: string | undefined
  /** Blank takes the cue away. */
  readonly cue?: string | undefined
  /** Instead of the tags it has. */
  readonly tags?: readonly string[] | undefined
  readonly category?: string | undefined
  /** Who is to count as speaking in it: authorises the words of others, or takes trust back. */
  readonly sourceClass?: SourceClass | undefined
  readonly allowConstitutional: boolean
}

const FIELDS = ['content', 'cue', 'tags', 'category', 'sourceClass'] as const

export interface EditResult {
  readonly blockId: string
  /** Fields that changed. */
  readonly changed: readonly (typeof FIELDS)[number][]
  /** Another living block that was remembered with the new content. */
  readonly sameAs?: string
}

/**
 * Corrects an inbox or active block; what it was stays in the log. `OWNER_ONLY` if it is trusted more than the caller. A new content of an active block costs one
 * embedding, made before the transaction.
 */
export async function edit(engine: Engine, context: CallContext, input: EditInput): Promise<EditResult> {
  const patch = patchOf(engine, context, input)
  const seen = await engine.store.read((tx) => requireBlock(tx, input.blockId))
  mayEdit(engine, context, seen, input)
  const vector =
    seen.status === 'active' && patch.content !== undefined && patch.content !== seen.content
      ? await embedOne(engine, context, patch.content)
      : undefined
  const result = await mutate(engine, context, async (mutation) => {
    const before = await requireBlock(mutation.tx, seen.id)
    mayEdit(engine, context, before, input)
    const after = reclassed({ before, patch, after: edited(engine, before, patch, input) })
    if (after.status === 'active' && after.content !== before.content && vector === undefined)
      throw movedOn(after.id)
    return save(engine, mutation, { before, after, vector })
  })
  if (vector !== undefined) engine.vectorModel.current = lockOf(engine, vector)
  return result
}

interface Change {
  readonly before: Block
  readonly after: Block
  readonly vector: Float32Array | undefined
}

async function save(
  engine: Engine,
  { tx, log, used }: Mutation,
  { before, after, vector }: Change,
): Promise<EditResult> {
  const changed = FIELDS.filter((field) => String(before[field] ?? '') !== String(after[field] ?? ''))
  if (changed.length > 0) await tx.saveBlocks([after])
  if (changed.includes('content') && vector !== undefined) {
    await ensureEmbeddingLock(tx, lockOf(engine, vector))
    await tx.saveIndex([engine.analysis.entry(after, vector)])
  } else if (changed.includes('cue')) await reindex(tx, [after], engine.analysis)
  await log({
    operation: 'edit',
    blockIds: [after.id],
    summary: changed.length === 0 ? 'nothing was different' : `changed ${changed.join(', ')}`,
    ...(changed.length === 0
      ? {}
      : { before: Object.fromEntries(changed.map((field) => [field, before[field]])) }),
    ...used,
  })
  const same = changed.includes('content') ? await findSameContent(tx, after) : undefined
  return { blockId: after.id, changed, ...(same === undefined ? {} : { sameAs: same.id }) }
}

type Patch = Partial<Pick<Block, (typeof FIELDS)[number]>>

function patchOf(engine: Engine, context: CallContext, input: EditInput): Patch {
  const { content, cue, tags, category, sourceClass } = input
  const { memory } = engine.settings
  if (FIELDS.every((field) => input[field] === undefined))
    throw new ElfmemError('INVALID_INPUT', 'There is nothing to edit.', {
      recovery: 'Pass content, cue, tags, category or sourceClass.',
    })
  if (content !== undefined) checkContent(content, memory)
  if (cue !== undefined) checkCue(cue, memory)
  return {
    ...(content === undefined ? {} : { content }),
    ...(cue === undefined ? {} : { cue: cue.trim() }),
    ...(tags === undefined ? {} : { tags: checkTags(tags, memory) }),
    ...(category === undefined ? {} : { category: normaliseCategory(category) }),
    ...(sourceClass === undefined
      ? {}
      : { sourceClass: leastTrusted(sourceClass, highestFor(engine, context)) }),
  }
}

function mayEdit(engine: Engine, context: CallContext, block: Block, input: EditInput): void {
  const { id } = block
  refusePrinciple(engine, context, block, `elfmem edit ${id} --allow-constitutional`)
  mustNotBeAbove(engine, context, {
    block,
    done: 'edited',
    command: `elfmem edit ${id} '…'`,
    otherwise: `Say otherwise beside it with remember({ content, supersedes: '${id}' }): that is a proposal to the owner.`,
  })
  checkEditable(block, input)
}

function checkEditable(block: Block, { allowConstitutional }: EditInput): void {
  if (block.status === 'archived')
    throw new ElfmemError('WRONG_STATUS', `Block ${block.id} is archived and cannot be edited.`, {
      recovery: `Bring it back with restore({ blockId: '${block.id}' }) first.`,
      details: { blockId: block.id, status: block.status },
    })
  if (isConstitutional(block.tags) && !allowConstitutional)
    throw new ElfmemError('PROTECTED', `Block ${block.id} is a principle of the constitution.`, {
      recovery: 'Pass allowConstitutional: true when its change was agreed on; what it was stays in the log.',
      details: { blockId: block.id },
    })
}

function edited(
  { settings }: Engine,
  before: Block,
  patch: Patch,
  { allowConstitutional }: EditInput,
): Block {
  const { content, cue, tags, category } = patch
  const kept = tags === undefined ? before.tags : editedTags(before.tags, tags, allowConstitutional)
  const withNewTags = setTags(before, { tags: kept, category: category ?? before.category }, settings.decay)
  const { cue: oldCue, ...withoutCue } = withNewTags
  const newCue = cue ?? oldCue
  const cued: Block = newCue ? { ...withoutCue, cue: newCue } : withoutCue
  return content === undefined || content === before.content ? cued : reworded(cued, content)
}

/**
 * The edited block with who speaks in it now: whom the owner named, else who did before. Throws `PROTECTED` when the words
 * of others would be identity.
 */
function reclassed({
  before,
  patch,
  after,
}: {
  readonly before: Block
  readonly patch: Patch
  readonly after: Block
}): Block {
  const sourceClass = patch.sourceClass ?? before.sourceClass
  refuseIdentityTags(after.tags, sourceClass)
  return { ...after, sourceClass }
}

/** Protected tags are neither given nor, unless the constitution may be changed, lost by an edit; peer tags never. */
function editedTags(
  before: readonly string[],
  wanted: readonly string[],
  allowConstitutional: boolean,
): string[] {
  refuseProtectedTags(wanted.filter((tag) => !before.includes(tag)))
  const lasting = before.filter(
    (tag) => isProtectedTag(tag) && !(allowConstitutional && isConstitutional([tag])),
  )
  return [...new Set([...wanted, ...lasting])].sort()
}

/** A digest and a judgement of the old words do not hold for new ones. */
function reworded(
  { summary: _summary, alignment: _alignment, scoredAt: _scoredAt, ...block }: Block,
  content: string,
): Block {
  return { ...block, content, tokenCount: Math.max(1, estimateTokens(content)) }
}

/** A dream promoted it, or another edit changed it, between the two looks at it: there is no vector for the words. */
function movedOn(blockId: string): ElfmemError {
  return new ElfmemError('STORE_BUSY', `Block ${blockId} was changed by somebody else in this very moment.`, {
    recovery: 'Call edit again; nothing was changed.',
    details: { blockId },
  })
}

function lockOf({ embedder }: Engine, vector: Float32Array): EmbeddingLock {
  return { model: embedder.model, dimensions: vector.length }
}

async function embedOne(
  engine: Engine,
  context: CallContext,
  content: string,
): Promise<Float32Array | undefined> {
  const [vector] = await engine.embedder.embed([normaliseContent(content)], embedOptionsOf(context))
  return vector
}
