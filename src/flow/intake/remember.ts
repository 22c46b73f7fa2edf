import type { Block } from '../../domain/block/block.ts'
import { normaliseCategory } from '../../domain/block/category.ts'
import { isLessTrusted, type SourceClass } from '../../domain/block/source-class.ts'
import { isLaterWord } from '../../domain/block/standing.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import {
  checkContent,
  checkCue,
  checkTags,
  instantOf,
  refuseIdentityTags,
  refuseProtectedTags,
} from '../guard/check-input.ts'
import { claimedClass } from '../guard/claimed-class.ts'
import { type Admitted, admit, type Draft, formerOf } from './admit.ts'
import { withoutEcho } from './echo.ts'
import { makeWay, nameLaterLives, replacementsOf } from './going-back.ts'
import { readReplaceable, refuseItself } from './superseding.ts'

/** Arguments of `remember`. */
export interface RememberInput {
  readonly content: string
  readonly tags?: readonly string[] | undefined
  readonly category: string
  readonly cue?: string | undefined
  readonly source?: string | undefined
  /** Who speaks, when the source does not tell. */
  readonly sourceClass?: SourceClass | undefined
  readonly session?: string | undefined
  /** ISO date or date-time. */
  readonly at?: string | undefined
  /** Id or prefix of the block whose place this one is to take. */
  readonly supersedes?: string | undefined
  /** A frame in the text is kept with the words besides it, where it would be refused. */
  readonly keepFrame?: boolean | undefined
}

/** The result for one remembered text. */
export interface Remembered {
  readonly blockId: string
  readonly status: 'created' | 'duplicate'
  /** True if the block still waits for a dream. */
  readonly pendingConsolidation: boolean
  readonly mergedTags?: readonly string[]
  readonly mergedCue?: true
  /** The active block that says the same already. */
  readonly activeDuplicateOf?: string
  /** The block whose place it is to take, noted for dream; absent when the text was there already without that note. */
  readonly supersedes?: string
  /** That one is trusted more: recall shows both until the owner decides with `resolve`. */
  readonly proposed?: true
  /** The class the block that was there had before the owner said the same; from now on it counts as the owner's. */
  readonly raisedFrom?: SourceClass
  /** The newer block that is shown in place of the one that was there: what was said is not what holds. */
  readonly supersededBy?: string
  /** Block of a recent recall whose text this only repeats; it stays fresh, and nothing is added. */
  readonly echoOf?: string
  /** By their dates that one is the newer: until somebody resolves, recall shows it. */
  readonly datedBefore?: true
}

export interface RememberResult extends Remembered, DreamAdvice {}

/** Words into the inbox: one durable write, no model. */
export async function remember(
  engine: Engine,
  context: CallContext,
  input: RememberInput,
): Promise<RememberResult> {
  const draft = draftOf(engine, context, input)
  const { supersedes } = input
  const work = async (mutation: Mutation) => {
    const { tx, log } = mutation
    const { draft: meant, echoOf } = await withoutEcho(engine, mutation, draft)
    const replaced =
      supersedes === undefined ? undefined : (await readReplaceable(engine, tx, [supersedes]))(supersedes)
    const wanted = replaced ? { ...meant, supersedes: replaced.id } : meant
    const { drafts, earlier } = await makeWay(engine, tx, [{ draft: wanted, replaced }])
    const admitted = await admit(engine, mutation, drafts[0] ?? wanted)
    if (replaced) refuseItself(replaced, admitted.block)
    await nameLaterLives(tx, earlier, [admitted])
    const newer = await replacementsOf(tx, admitted.created ? [] : [admitted.block])
    const remembered = rememberedAs(admitted, { replaced, echoOf, newer })
    await log(entryOf(admitted, remembered))
    const advice = await dreamAdvice(tx, engine, await tx.waiting())
    return { ...remembered, ...advice }
  }
  const result = await mutate(engine, context, work)
  if (result.status === 'created') engine.session.noteLearned(result.blockId)
  return result
}

/** Throws what is wrong with a caller's input; asks no store. */
export function draftOf(engine: Engine, context: CallContext, input: RememberInput): Draft {
  const { memory } = engine.settings
  checkContent(input.content, memory)
  if (input.cue !== undefined) checkCue(input.cue, memory)
  const tags = checkTags(input.tags ?? [], memory)
  refuseProtectedTags(tags)
  const category = normaliseCategory(input.category)
  const sourceClass = claimedClass(engine, context, { ...input, tags, category })
  refuseIdentityTags(tags, sourceClass)
  return {
    content: input.content,
    tags,
    category,
    sourceClass,
    ...(input.cue ? { cue: input.cue } : {}),
    ...(input.source ? { source: input.source } : {}),
    ...(input.keepFrame ? { keepFrame: true as const } : {}),
    ...(input.session ? { session: input.session } : {}),
    ...(input.at === undefined ? {} : { occurredAt: instantOf(input.at) }),
  }
}

/** What else is known about an admitted block. */
interface Circumstances {
  /** The block it was to take the place of. */
  readonly replaced: Block | undefined
  /** Ids of the blocks of which it says again what was shown. */
  readonly echoOf: readonly string[]
  /** What took the place of blocks that were there, by their ids. */
  readonly newer: ReadonlyMap<string, Block>
}

/**
 * Returns the public result for an admitted block.
 */
export function rememberedAs(
  { block, created, mergedTags, mergedCue, raisedFrom }: Admitted,
  { replaced, echoOf: [echoOf], newer }: Circumstances,
): Remembered {
  const supersededBy = newer.get(block.id)?.id
  const noted = replaced !== undefined && block.supersedes === replaced.id
  const proposed = noted && isLessTrusted(block.sourceClass, replaced.sourceClass)
  return {
    blockId: block.id,
    status: created ? 'created' : 'duplicate',
    pendingConsolidation: block.status === 'inbox',
    ...(mergedTags.length > 0 ? { mergedTags } : {}),
    ...(mergedCue ? { mergedCue: true } : {}),
    ...(!created && block.status === 'active' ? { activeDuplicateOf: block.id } : {}),
    ...(noted ? { supersedes: replaced.id } : {}),
    ...(proposed ? { proposed: true } : {}),
    ...(raisedFrom === undefined ? {} : { raisedFrom }),
    ...(created || supersededBy === undefined ? {} : { supersededBy }),
    ...(echoOf === undefined ? {} : { echoOf }),
    ...(noted && !proposed && isLaterWord(replaced, block) ? { datedBefore: true } : {}),
  }
}

function entryOf({ block, created, before, raisedFrom }: Admitted, { supersedes, proposed }: Remembered) {
  const what = created ? `remembered ${block.id}` : `${block.id} says the same already`
  const changed = before ? formerOf(before) : undefined
  const raised = raisedFrom === undefined ? '' : `; it was of class ${raisedFrom}, and the owner says it too`
  const place =
    supersedes === undefined
      ? ''
      : `; ${proposed ? 'it is proposed' : 'it is'} to take the place of ${supersedes}`
  return {
    operation: 'remember',
    blockIds: supersedes === undefined ? [block.id] : [block.id, supersedes],
    summary: `${what}${raised}${place}`,
    ...(changed ? { before: changed } : {}),
  }
}
