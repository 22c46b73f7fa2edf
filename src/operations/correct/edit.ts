import * as z from 'zod'
import {
  type Block,
  type ContentVectors,
  isConstitutional,
  isProtectedTag,
  leastTrusted,
  normaliseCategory,
} from '../../block/block.ts'
import { defined, estimateTokens } from '../../block/text.ts'
import { endOf, momentWords, type Validity, validityIn } from '../../block/validity.ts'
import { embedContents, embedOptionsOf, ensureEmbeddingLock, reindex } from '../../engine/embedding.ts'
import {
  type CallContext,
  type EmbeddingLock,
  type Engine,
  type Mutation,
  mutate,
} from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  highestFor,
  instantOf,
  mustHold,
  mustNotBeAbove,
  refuseIdentityTags,
  refusePrinciple,
  refuseProtectedTags,
  requireBlock,
} from '../../intake/check-input.ts'
import { refuseFrame } from '../../intake/echo.ts'
import { moveEnd, readResting, restOn } from '../../intake/supersede.ts'
import { setTags } from '../../outcome/formulas.ts'
import { readSameTexts, saveBlocks, saveIndex } from '../../store/blocks.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { derivedFrom, instant, restingWords } from '../schemas.ts'
import { sentences, shortId, wordsStay } from '../wording.ts'

/** The fields that an edit may change. */
const FIELDS = ['content', 'cue', 'tags', 'category', 'sourceClass', 'validFrom', 'validUntil'] as const

/** The new values of fields of a block. */
type Patch = Partial<Pick<Block, (typeof FIELDS)[number]>>

const ownEnd = z.union([z.literal('').meta({ unlisted: true }), instant]).optional()

const input = z.object({
  blockId: schemas.blockId,
  content: schemas.content.optional(),
  cue: schemas.cue.optional().describe('When it should come to mind; blank takes it away'),
  tags: schemas.tags.optional().describe('Instead of the tags it has'),
  category: schemas.category.optional(),
  validFrom: ownEnd.describe('When it begins to hold; blank takes it away'),
  validUntil: ownEnd.describe('From when it no longer holds; blank takes it away'),
  derivedFrom: derivedFrom.optional().describe('The blocks it rests on, instead of the noted ones'),
  sourceClass: schemas.sourceClass
    .optional()
    .describe('Who is to count as speaking: user vouches for it; only the owner may say it'),
  allowConstitutional: z.boolean().default(false).describe('Needed to change a principle'),
})

/** Changes fields of an inbox or active block and returns their names; an archived block is refused. */
export const edit = defineScopedOperation({
  name: 'edit',
  summary: 'Correct the words, cue, tags, category, dates or source class of a block.',
  guide: {
    when: 'A block is wrong or badly put, and its record should stay.',
    whenNot:
      'If the fact itself changed, use remember() with supersedes. For an archived block use restore() first.',
    next: 'Nothing: the next recall uses it. history() shows what it was.',
    example: "await memory.edit({ blockId: '3f2a9c1e', content: 'Releases go out on Thursdays.' })",
  },
  tools: 'agent',
  needs: 'agent',
  effect: 'write',
  cost: 'embedding',
  idempotent: true,
  refuses: [
    'NOT_FOUND',
    'AMBIGUOUS_ID',
    'WRONG_STATUS',
    'PROTECTED',
    'OWNER_ONLY',
    'FRAME_IN_TEXT',
    'STORE_BUSY',
    'EMBEDDER_FAILED',
    'EMBEDDER_MISMATCH',
  ],
  input,
  output: z.object({
    blockId: z.string(),
    changed: z.array(z.enum([...FIELDS, 'derivedFrom']).meta({ namesFields: true })).readonly(),
    sameAs: z.string().optional().describe('Another block that says the same now'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['blockId', 'content'],
  ownerOnly: { sourceClass: 'given', allowConstitutional: [true] },
  run: async (engine, input, context) => {
    const { blockId, changed, moved, sameAs } = await correct(engine, context, input)
    const end = moved && endOf(moved)
    const text = sentences(
      changed.length === 0
        ? `${shortId(blockId)} was like this already.`
        : `Changed ${changed.join(', ')} of ${shortId(blockId)}.`,
      end !== undefined &&
        `${shortId(moved?.id ?? '')}, whose place it took, holds until ${momentWords(end)} now.`,
      (changed.includes('content') || changed.includes('cue')) && wordsStay('elfmem erase --query'),
      sameAs !== undefined && `${shortId(sameAs)} says the same: forget() one of them.`,
    )
    return { blockId, changed, ...defined({ sameAs }), summary: text }
  },
})

type EditInput = z.output<typeof input>

/**
 * Corrects an inbox or active block. A new content of an active one costs an embedding, made before the transaction.
 *
 * @param also what belongs to it, in the same transaction
 */
export async function correct(
  engine: Engine,
  context: CallContext,
  input: EditInput,
  also?: (mutation: Mutation) => Promise<void>,
) {
  const [result] = await correctAll(engine, context, [input], also)
  return result as NonNullable<typeof result>
}

/** Corrects blocks in one transaction as `correct` does, all of them or none. */
export async function correctAll(
  engine: Engine,
  context: CallContext,
  inputs: readonly (EditInput & { readonly was?: string })[],
  also?: (mutation: Mutation) => Promise<void>,
) {
  const asked = await engine.store.read((tx) =>
    Promise.all(inputs.map(async (input) => ({ input, seen: await requireBlock(tx, input.blockId) }))),
  )
  const edits = asked.map(({ input, seen }) => ({
    input,
    seen,
    patch: checkEdit(engine, context, seen, input),
  }))
  const fresh = edits.flatMap(({ seen, patch: { content } }) =>
    seen.status === 'active' && content !== undefined && content !== seen.content ? [content] : [],
  )
  const vectors = fresh.length > 0 ? await embedContents(engine.embedder, fresh, embedOptionsOf(context)) : []
  const vectorsOf = new Map(fresh.map((content, at) => [content, vectors[at]]))
  const results = await mutate(engine, context, async (mutation) => {
    const saved: Awaited<ReturnType<typeof save>>[] = []
    for (const { input, seen, patch } of edits) {
      const before = await requireBlock(mutation.tx, seen.id)
      mayEdit(engine, context, before, input)
      const after = edited(engine, before, patch, input.allowConstitutional)
      const isNew = after.content !== before.content
      const vectors = isNew && after.status === 'active' ? vectorsOf.get(after.content) : undefined
      const isOther = input.was !== undefined && before.content !== input.was
      if (isOther || (isNew && after.status === 'active' && vectors === undefined)) throw movedOn(after.id)
      saved.push(await save(engine, mutation, { before, after, vectors, derivedFrom: input.derivedFrom }))
    }
    await also?.(mutation)
    return saved
  })
  const [made] = vectors
  if (made !== undefined) engine.vectorModel.current = lockOf(engine, made)
  return results
}

/** Returns what an edit changes; throws if the caller may not edit the block so. */
export function checkEdit(engine: Engine, context: CallContext, block: Block, input: EditInput): Patch {
  const patch = patchOf(engine, context, input)
  mayEdit(engine, context, block, input)
  refuseFrame(engine, { before: block.content, after: patch.content })
  return patch
}

interface Change {
  readonly before: Block
  readonly after: Block
  readonly vectors: ContentVectors | undefined
  /** Ids or prefixes, if it is to rest on others from now on. */
  readonly derivedFrom: readonly string[] | undefined
}

/** Returns the fields that changed, and another living block that was remembered with the new content. */
async function save(
  engine: Engine,
  { tx, moment, log, used }: Mutation,
  { before, after, vectors, derivedFrom }: Change,
) {
  // What took its place ended it, too.
  const [was, is] = [before, after].map((block) => ({ ...block, validUntil: endOf(block) })) as [Block, Block]
  const fields = FIELDS.filter((field) => String(was[field] ?? '') !== String(is[field] ?? ''))
  if (fields.length > 0) await saveBlocks(tx, [after])
  const moved = fields.includes('validFrom') ? await moveEnd(tx, before, after) : undefined
  const restedOn = derivedFrom && (await restOn({ tx, moment }, after, derivedFrom))
  const changed = [...fields, ...(restedOn ? (['derivedFrom'] as const) : [])]
  if (changed.includes('content') && vectors !== undefined) {
    await ensureEmbeddingLock(tx, lockOf(engine, vectors))
    await saveIndex(tx, [engine.analysis.entry(after, vectors)])
  } else if (changed.includes('cue')) await reindex(tx, [after], engine.analysis)
  const isEnding = fields.includes('validUntil') && is.validUntil !== undefined
  const resting = isEnding ? ((await readResting(tx, [after.id], moment.at)).get(after.id) ?? []) : []
  await log({
    operation: 'edit',
    blockIds: [after.id, ...resting, ...(moved ? [moved.id] : [])],
    summary:
      changed.length === 0
        ? 'nothing was different'
        : `changed ${changed.join(', ')}${restingWords(resting)}`,
    ...(changed.length === 0
      ? {}
      : {
          before: {
            ...Object.fromEntries(fields.map((field) => [field, was[field]])),
            ...defined({ derivedFrom: restedOn }),
          },
        }),
    ...used,
  })
  const same = changed.includes('content')
    ? (await readSameTexts(tx, [after])).find(({ id }) => id !== after.id)
    : undefined
  return { blockId: after.id, changed, ...defined({ moved, sameAs: same?.id }) }
}

function patchOf(engine: Engine, context: CallContext, input: EditInput): Patch {
  const { content, cue, tags, category, sourceClass, validFrom, validUntil } = input
  const { memory } = engine.settings
  if (input.derivedFrom === undefined && FIELDS.every((field) => input[field] === undefined))
    throw new ElfmemError('INVALID_INPUT', 'There is nothing to edit.', {
      recovery: 'Pass content, cue, tags, category, validFrom, validUntil, derivedFrom or sourceClass.',
    })
  if (content !== undefined) checkContent(content, memory)
  if (cue !== undefined) checkCue(cue)
  return defined({
    content,
    cue: cue?.trim(),
    tags: tags && checkTags(tags),
    category: category === undefined ? undefined : normaliseCategory(category),
    validFrom: validFrom && instantOf(validFrom),
    validUntil: validUntil && instantOf(validUntil),
    sourceClass: sourceClass && leastTrusted(sourceClass, highestFor(engine, context)),
  })
}

function mayEdit(engine: Engine, context: CallContext, block: Block, input: EditInput): void {
  if (block.status === 'archived')
    throw new ElfmemError('WRONG_STATUS', `Block ${block.id} is archived and cannot be edited.`, {
      recovery: `Bring it back with restore({ blockId: '${block.id}' }) first.`,
      details: { blockId: block.id, status: block.status },
    })
  mayChange(engine, context, block, { done: 'edited', ...input })
}

/** Throws if the caller may not change or archive a block: a principle without `allowConstitutional`, or a block that is trusted more. */
export function mayChange(
  engine: Engine,
  context: CallContext,
  block: Block,
  { done, allowConstitutional }: { readonly done: string; readonly allowConstitutional: boolean },
): void {
  refusePrinciple(engine, context, block)
  mustNotBeAbove(engine, context, {
    ...{ block, done },
    otherwise: `Say otherwise beside it with remember({ content, supersedes: '${block.id}' }): that is a proposal to the owner.`,
  })
  if (!isConstitutional(block.tags) || allowConstitutional) return
  throw new ElfmemError('PROTECTED', `Block ${block.id} is a principle of the constitution.`, {
    recovery: 'Pass allowConstitutional: true when that was agreed on; what it was stays in the log.',
    details: { blockId: block.id },
  })
}

/** A dream promoted it, or another edit changed it, between the two looks at it: there is no vector for the words. */
function movedOn(blockId: string): ElfmemError {
  return new ElfmemError('STORE_BUSY', `Block ${blockId} was changed by somebody else in this very moment.`, {
    recovery: 'Call edit() again; nothing was changed.',
    details: { blockId },
  })
}

function lockOf({ embedder }: Engine, { vector }: ContentVectors): EmbeddingLock {
  return { model: embedder.model, dimensions: vector.length }
}

/**
 * Returns a block as a patch makes it; blank cues and dates are taken away.
 *
 * @param allowConstitutional true if the tags of a principle may go
 */
function edited(
  { settings }: Pick<Engine, 'settings'>,
  before: Block,
  patch: Patch,
  allowConstitutional: boolean,
): Block {
  const { content = before.content, cue, tags, category } = patch
  const kept = tags === undefined ? before.tags : editedTags(before.tags, tags, allowConstitutional)
  const withNewTags = setTags(before, { tags: kept, category: category ?? before.category }, settings.decay)
  const { cue: oldCue, validFrom: _from, validUntil: _until, supersededAt, ...withoutCue } = withNewTags
  const newCue = cue ?? oldCue
  // The owner may name another source class; words of others are no identity (`PROTECTED`).
  const sourceClass = patch.sourceClass ?? before.sourceClass
  const after: Block = {
    ...withoutCue,
    ...(newCue ? { cue: newCue } : {}),
    ...editedValidity(before, patch, content),
    // A blank end also takes away the end that a successor gave the block.
    ...(patch.validUntil === '' ? {} : defined({ supersededAt })),
    sourceClass,
  }
  refuseIdentityTags(after.tags, sourceClass)
  if (after.validFrom !== before.validFrom) mustHold(after)
  return content === before.content ? after : reworded(after, content)
}

/** Returns the validity of the edited block by the edit, else as it was given before, else by its words. */
function editedValidity(before: Block, patch: Patch, content: string): Validity {
  const [was, is] = [validityIn(before.content), validityIn(content)]
  const endOf = (end: 'validFrom' | 'validUntil') =>
    patch[end] ?? (before[end] === was[end] ? is[end] : before[end])
  const { validFrom, validUntil } = { validFrom: endOf('validFrom'), validUntil: endOf('validUntil') }
  const validity = { ...(validFrom && { validFrom }), ...(validUntil && { validUntil }) }
  return mustHold(validity)
}

/** Returns the tags after an edit. It adds no protected tags, and removes them only if `allowConstitutional`; peer tags stay. */
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

/** Returns a block with new words, without the digest and the judgement of the old ones. */
function reworded(
  { summary: _summary, alignment: _alignment, scoredAt: _scoredAt, ...block }: Block,
  content: string,
): Block {
  return { ...block, content, tokenCount: Math.max(1, estimateTokens(content)) }
}
