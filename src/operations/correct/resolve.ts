import * as z from 'zod'
import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, isOwn } from '../../domain/block/source-class.ts'
import { isLaterWord } from '../../domain/block/standing.ts'
import { isConstitutional, isIdentityTag, isProtectedTag } from '../../domain/block/tags.ts'
import { orderedPair } from '../../domain/graph/edge.ts'
import { setTags } from '../../domain/score/experience.ts'
import { ElfmemError } from '../../errors.ts'
import { archive } from '../../flow/blocks/archive.ts'
import { reindex } from '../../flow/blocks/reindex.ts'
import { letGoOn } from '../../flow/blocks/supersede.ts'
import type { CallContext, Engine } from '../../flow/engine/engine.ts'
import { type Mutation, mutate } from '../../flow/engine/mutate.ts'
import { checkTags } from '../../flow/guard/check-input.ts'
import { isAbove, mustNotBeAbove } from '../../flow/guard/claimed-class.ts'
import { refusePrinciple } from '../../flow/guard/owner-only.ts'
import { ownersWay, wayOfCall } from '../../flow/guard/owners-way.ts'
import { requireIds } from '../../flow/guard/resolve-ids.ts'
import type { StoreWriter } from '../../ports/store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

const input = z.object({
  a: schemas.blockId,
  b: schemas.blockId,
  keep: z
    .enum(['both', 'a', 'b', 'merge', 'keep_both', 'keep_a', 'keep_b'], {
      error: 'must be a, b, both or merge: which of the two blocks stays, by its place, not by its id',
    })
    .transform((said) => said.replace(/^keep_/, '') as 'both' | 'a' | 'b' | 'merge')
    .describe(
      'both: two facts; a or b: archive the other; merge: keep the newer, with tags and cue of the other unless that is trusted less. keep_both, keep_a and keep_b mean the same',
    ),
})

const output = z.object({
  kept: z.array(z.string()).readonly(),
  archived: z.string().optional().describe('restore brings it back'),
  mergedTags: z.array(z.string()).readonly().optional(),
  mergedCue: z.literal(true).optional(),
  summary: schemas.summary,
})

export const resolve = defineScopedOperation({
  name: 'resolve',
  summary: 'Decide which of two near-duplicates, contradicting or superseding blocks stays.',
  guide: {
    when: 'dream or show names an open pair: nearly the same, in contradiction, or one is to take the place of the other; until then recall sets one of them apart.',
    whenNot: 'For two blocks that are merely related: connect them.',
    next: 'Nothing; restore brings an archived one back.',
    example: "await memory.resolve({ a: '3f2a9c1e', b: 'b7d041aa', keep: 'merge' })",
  },
  needs: 'agent',
  effect: 'destroy',
  cost: 'instant',
  idempotent: false,
  input,
  output,
  positionals: ['a', 'b', 'keep'],
  run: async (engine, input, context) => {
    const result = await settle(engine, context, input)
    return { ...result, summary: summaryOf(result) }
  },
})

type ResolveInput = z.output<typeof input>

type ResolveResult = Omit<z.output<typeof output>, 'summary'>

interface Pair {
  readonly stays: Block
  readonly goes: Block
}

/**
 * Ends a flagged pair. The block that does not stay is archived, reversibly. `OWNER_ONLY` if that one is trusted more than
 * the caller, or if both are to stay and one is: the pair stays open for the owner.
 */
function settle(engine: Engine, context: CallContext, input: ResolveInput): Promise<ResolveResult> {
  return mutate(engine, context, async (mutation) => {
    const [a, b] = await pairOf(mutation.tx, input)
    const isNoted = await endPair(mutation, [a, b], input.keep)
    const pair = input.keep === 'both' ? undefined : chosen(input.keep, a, b)
    if (pair !== undefined) refusePrinciples(engine, context, pair, input.keep)
    const above = pair?.goes ?? [a, b].find((block) => isAbove(engine, context, block))
    if (above !== undefined)
      mustNotBeAbove(engine, context, {
        block: above,
        done: 'resolved against',
        way: wayOfCall(context, 'resolve'),
        otherwise: 'The pair stays open for the owner.',
      })
    if (pair === undefined) return keepBoth(mutation, [a, b])
    const named = isNoted ? pair : await nameReplaced(mutation.tx, pair)
    return keepOne(engine, mutation, named, input.keep === 'merge')
  })
}

/**
 * Ends an open pair. It may also be said of two living blocks that nobody noted as one: recall sets some apart by rule, and
 * `remember` names what a block may replace.
 */
async function endPair(
  { tx, moment }: Mutation,
  [a, b]: readonly [Block, Block],
  keep: ResolveInput['keep'],
): Promise<boolean> {
  if (await tx.resolvePair(a.id, b.id)) return true
  const isNew = (await tx.settledPairs([[a.id, b.id]])).length === 0
  const areThere = a.status !== 'archived' && b.status !== 'archived' && a.scope === b.scope
  if (!isNew || !areThere) throw noPair(a.id, b.id)
  if (keep !== 'both') return false
  const [one, other] = orderedPair(a.id, b.id)
  await tx.savePairs([
    { a: one, b: other, kind: 'near_duplicate', score: 0, resolved: true, createdAt: moment.at },
  ])
  return false
}

/** What takes a place without having said so before says it now, so that recall shows what was there before. */
async function nameReplaced(tx: StoreWriter, { stays, goes }: Pair): Promise<Pair> {
  if (stays.supersedes !== undefined || !isLaterWord(stays, goes)) return { stays, goes }
  const named = { ...stays, supersedes: goes.id }
  await tx.saveBlocks([named])
  return { stays: named, goes }
}

/** How a principle goes, which `resolve` archives for nobody. */
const FORGETS = { name: 'forget', positionals: ['blockId'] }

/** Only the owner archives a principle, or lets one take over what another block was filed under. */
function refusePrinciples(
  engine: Engine,
  context: CallContext,
  { goes, stays }: Pair,
  keep: ResolveInput['keep'],
): void {
  const gone = { blockId: goes.id, allowConstitutional: true }
  refusePrinciple(engine, context, goes, ownersWay(FORGETS, gone, engine.store.location))
  if (keep === 'merge') refusePrinciple(engine, context, stays, wayOfCall(context, 'resolve'))
}

async function pairOf(tx: StoreWriter, input: ResolveInput): Promise<readonly [Block, Block]> {
  const ids = await requireIds(tx, [input.a, input.b])
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  const [a, b] = ids.map((id) => blocks.get(id))
  if (a === undefined || b === undefined || a.id === b.id) throw noPair(ids[0] ?? '', ids[1] ?? '')
  return [a, b]
}

function chosen(keep: Exclude<ResolveInput['keep'], 'both'>, a: Block, b: Block): Pair {
  const first = keep === 'merge' ? isLaterWord(a, b) : keep === 'a'
  return first ? { stays: a, goes: b } : { stays: b, goes: a }
}

async function keepBoth({ tx, log }: Mutation, blocks: readonly Block[]): Promise<ResolveResult> {
  await keepGoing(tx, blocks)
  const kept = blocks.map(({ id }) => id)
  await log({ operation: 'resolve', blockIds: kept, summary: 'both stay' })
  return { kept }
}

/** Of two that both stay neither ends for the other. */
async function keepGoing(tx: StoreWriter, [a, b]: readonly Block[]): Promise<void> {
  for (const [newer, older] of [[a, b] as const, [b, a] as const])
    if (newer !== undefined && newer.supersedes === older?.id) await letGoOn(tx, newer)
}

async function keepOne(
  engine: Engine,
  { tx, moment, log }: Mutation,
  { stays, goes }: Pair,
  merging: boolean,
): Promise<ResolveResult> {
  if (isConstitutional(goes.tags))
    throw new ElfmemError('PROTECTED', `Block ${goes.id} is a principle of the constitution and stays.`, {
      recovery: "Keep 'both', or forget it with allowConstitutional: true when that was agreed on.",
      details: { blockId: goes.id },
    })
  const merged = merging ? await merge(engine, tx, { stays, goes }) : {}
  if (goes.supersedes === stays.id) await letGoOn(tx, goes)
  await archive(tx, [goes], { reason: 'superseded', at: moment.at, by: stays })
  await log({
    operation: 'resolve',
    blockIds: [stays.id, goes.id],
    summary: `${stays.id} stays${merging ? ' with what it may take over' : ''}, ${goes.id} is archived`,
    ...(merging ? { before: { tags: stays.tags, cue: stays.cue } } : {}),
  })
  return { kept: [stays.id], archived: goes.id, ...merged }
}

/** Adds tags and a missing cue of `goes` unless less trusted; none protected, identity to own words only. */
async function merge({ settings, analysis }: Engine, tx: StoreWriter, { stays, goes }: Pair) {
  const adds = !isLessTrusted(goes.sourceClass, stays.sourceClass)
  const goesOver = (tag: string) => !isProtectedTag(tag) && (isOwn(stays) || !isIdentityTag(tag))
  const mergedTags = adds ? goes.tags.filter((tag) => goesOver(tag) && !stays.tags.includes(tag)) : []
  const cue = stays.cue ?? (adds ? goes.cue : undefined)
  const mergedCue = stays.cue === undefined && cue !== undefined
  const tags = checkTags([...stays.tags, ...mergedTags], settings.memory)
  const block: Block = { ...setTags(stays, { tags }, settings.decay), ...(cue === undefined ? {} : { cue }) }
  await tx.saveBlocks([block])
  if (mergedCue) await reindex(tx, [block], analysis)
  return {
    ...(mergedTags.length > 0 ? { mergedTags } : {}),
    ...(mergedCue ? { mergedCue: true as const } : {}),
  }
}

function noPair(a: string, b: string): ElfmemError {
  return new ElfmemError('NOT_FOUND', `${a} and ${b} are not an open pair.`, {
    recovery: 'show({ blockId }) lists the open pairs of a block; a resolved pair needs nothing more.',
    details: { a, b },
  })
}

function summaryOf({ kept, archived, mergedTags, mergedCue }: ResolveResult): string {
  const stays = kept.map(shortId).join(' and ')
  if (archived === undefined) return `${stays} both stay; recall shows both again.`
  return sentences(
    `${stays} stays, ${shortId(archived)} is archived (restore brings it back).`,
    mergedTags !== undefined && `It took over the tags ${mergedTags.join(', ')}.`,
    mergedCue && 'It took over the cue.',
  )
}
