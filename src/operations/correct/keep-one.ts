import * as z from 'zod'
import {
  type Block,
  isConstitutional,
  isIdentityTag,
  isOwn,
  isProtectedTag,
  mayCover,
} from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import { isNewer } from '../../block/validity.ts'
import { reindex } from '../../engine/embedding.ts'
import type { CallContext, Engine, Mutation } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { replacingPair } from '../../graph/edge.ts'
import { checkTags, isAbove } from '../../intake/check-input.ts'
import { archive, endedBy, goOn, readResting } from '../../intake/supersede.ts'
import { setTags } from '../../outcome/formulas.ts'
import { readBlocks, saveBlocks } from '../../store/blocks.ts'
import { savePairs } from '../../store/graph.ts'
import type { Transaction } from '../../store/transaction.ts'
import * as schemas from '../schemas.ts'
import { restingWords } from '../schemas.ts'

/** The result for a pair. */
export const resolved = z.object({
  kept: z.array(z.string()).readonly(),
  archived: z.string().optional().describe('restore brings it back'),
  archivedBefore: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('The blocks that it had superseded, archived with it'),
  endsAt: z
    .string()
    .optional()
    .describe(
      'When the other begins: the one that goes holds until then, stands under it afterwards, and may be archived by resolve then',
    ),
  endedContradiction: z
    .literal(true)
    .optional()
    .describe('The edge that said they contradict each other is gone; undo brings it back'),
  wasNoted: z.literal(true).optional().describe('It was noted so already, and nothing was changed'),
  restsOnReplaced: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('Blocks that rest on what goes, at most 20: they may be wrong now'),
  mergedTags: z.array(z.string()).readonly().optional(),
  mergedCue: z.literal(true).optional(),
  summary: schemas.summary,
})

/** The outcome of a resolved pair: the ids that stay, and the one that was archived. */
export type ResolveResult = Omit<z.output<typeof resolved>, 'summary'>

/** Two blocks of which one takes the place of the other. */
export interface Pair {
  readonly stays: Block
  readonly goes: Block
  /** True if nobody said before that the one takes the place of the other. */
  readonly isNamed?: true
}

/** True if what stays begins to hold only later: until then the other does. */
export function isAhead({ stays, goes }: Pair, at: string): boolean {
  return stays.validFrom !== undefined && stays.validFrom > at && isNewer(stays, goes)
}

/** The one that goes holds until the other begins, under which it stands from then on; the pair stays open until it is archived. */
export async function keepUntil(
  { tx, moment, log }: Mutation,
  { stays, goes, isNamed }: Pair,
): Promise<ResolveResult> {
  const ending: Block = { ...goes, ...endedBy(goes, stays) }
  const wasSo = ending.supersededAt === goes.supersededAt && stays.supersedes === goes.id
  await saveBlocks(tx, [ending])
  await savePairs(tx, [replacingPair(stays, goes, moment.at)])
  const kept = [stays.id, goes.id]
  await log({
    operation: 'resolve',
    blockIds: kept,
    summary: `one takes the place of the other when it begins, ${ending.supersededAt}`,
    ...(isNamed ? { before: { named: stays.id } } : {}),
  })
  return { kept, ...defined({ endsAt: ending.supersededAt }), ...(wasSo ? { wasNoted: true as const } : {}) }
}

/**
 * Archives what the one that goes had taken the place of, and so on: of the chain only the newest is left. What is trusted more
 * than the caller stays.
 */
export async function archiveBefore(
  engine: Engine,
  context: CallContext,
  { tx, moment, log }: Mutation,
  { stays, goes }: Pair,
): Promise<string[]> {
  const gone: string[] = []
  // An older one that stays after all may be what that chain began with.
  if (!isNewer(stays, goes)) return gone
  for (let by = goes; by.supersedes !== undefined; ) {
    const [before] = await readBlocks(tx, [by.supersedes])
    const isLeft = before?.status !== 'archived' && before?.supersededAt !== undefined
    if (before === undefined || !isLeft || isAbove(engine, context, before)) break
    if (before.id === stays.id || isConstitutional(before.tags)) break
    await archive(tx, [before], { reason: 'superseded', at: moment.at, by })
    gone.push(before.id)
    by = before
  }
  if (gone.length > 0)
    await log({
      operation: 'resolve',
      blockIds: [goes.id, ...gone],
      summary: 'archived with what had taken their place',
    })
  return gone
}

/** Archives the one that goes. */
export async function keepOne(
  engine: Engine,
  { tx, moment, log }: Mutation,
  { stays, goes, isNamed }: Pair,
  merging: boolean,
): Promise<ResolveResult> {
  if (isConstitutional(goes.tags))
    throw new ElfmemError('PROTECTED', `Block ${goes.id} is a principle of the constitution and stays.`, {
      recovery: "Keep 'both', or forget() it with allowConstitutional: true when that was agreed on.",
      details: { blockId: goes.id },
    })
  const merged = merging ? await merge(engine, tx, { stays, goes }) : {}
  if (goes.supersedes === stays.id || !isNewer(stays, goes)) await goOn(tx, stays.id)
  await archive(tx, [goes], { reason: 'superseded', at: moment.at, by: stays })
  const resting = (await readResting(tx, [goes.id], moment.at)).get(goes.id) ?? []
  await log({
    operation: 'resolve',
    blockIds: [stays.id, goes.id, ...resting],
    summary: `one stays${merging ? ' with what it may take over' : ''}, the other is archived${restingWords(resting)}`,
    ...(merging || isNamed
      ? {
          before: {
            ...(merging ? { tags: stays.tags, cue: stays.cue } : {}),
            ...(isNamed ? { named: stays.id } : {}),
          },
        }
      : {}),
  })
  return {
    kept: [stays.id],
    archived: goes.id,
    ...(resting.length > 0 ? { restsOnReplaced: [...resting] } : {}),
    ...merged,
  }
}

/** Adds tags and a missing cue of `goes` unless less trusted; none protected, identity to own words only. */
async function merge({ settings, analysis }: Engine, tx: Transaction, { stays, goes }: Pair) {
  const adds = mayCover(goes, stays)
  const goesOver = (tag: string) => !isProtectedTag(tag) && (isOwn(stays) || !isIdentityTag(tag))
  const mergedTags = adds ? goes.tags.filter((tag) => goesOver(tag) && !stays.tags.includes(tag)) : []
  const cue = stays.cue ?? (adds ? goes.cue : undefined)
  const mergedCue = stays.cue === undefined && cue !== undefined
  const tags = checkTags([...stays.tags, ...mergedTags])
  const block: Block = { ...setTags(stays, { tags }, settings.decay), ...(cue === undefined ? {} : { cue }) }
  await saveBlocks(tx, [block])
  if (mergedCue) await reindex(tx, [block], analysis)
  return {
    ...(mergedTags.length > 0 ? { mergedTags } : {}),
    ...(mergedCue ? { mergedCue: true as const } : {}),
  }
}
