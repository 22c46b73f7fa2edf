import { type Block, mayCover } from '../../block/block.ts'
import { defined } from '../../block/text.ts'
import { endOf, isNewer, knownValidity, validityIn } from '../../block/validity.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Mutation } from '../../engine/mutate.ts'
import { type Admitted, type Draft, saidAgain } from '../../intake/admit.ts'
import { readIds } from '../../intake/check-input.ts'
import { type EchoCount, type Meant, withoutEcho } from '../../intake/echo.ts'
import { endReplaced, readReplaceable, readResting, refuseItself } from '../../intake/supersede.ts'
import { saveGrounds } from '../../store/blocks.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import type { Remembered } from './remembered.ts'

/** A thing to be remembered, checked. */
export interface Item {
  /** The place of the item in what the caller gave. */
  readonly index: number
  readonly draft: Draft
  readonly supersedes: string | undefined
  /** Ids or prefixes of the blocks that it rests on. */
  readonly derivedFrom?: readonly string[] | undefined
}

/** The result for an item. */
interface Taken {
  readonly admitted: Admitted
  readonly remembered: Remembered
}

/** The functions that differ between one item and many. */
interface Taking {
  readonly admit: (drafts: readonly Draft[]) => Promise<Admitted[]>
  /** Runs work for the item with an index; says for which when it fails. */
  readonly forItem: <T>(index: number, work: () => T) => T
}

/** Takes items into the inbox, in an open transaction: what only echoes is not copied, what is replaced makes way. */
export async function takeIn(
  engine: Engine,
  mutation: Mutation,
  items: readonly Item[],
  { admit, forItem }: Taking,
): Promise<Taken[]> {
  const { tx, moment } = mutation
  const meant: Meant[] = []
  for (const { draft } of items) meant.push(await withoutEcho(engine, mutation, draft))
  const replaced = await replacedBy(engine, tx, items, forItem)
  const grounds = await givenGrounds(tx, items, forItem)
  const drafts = meant.map(({ draft }, i) => ({ ...draft, ...defined({ supersedes: replaced[i]?.id }) }))
  const admitted = await admit(drafts)
  for (const [i, { block }] of admitted.entries()) {
    const older = replaced[i]
    if (older) forItem(items[i]?.index ?? i, () => refuseItself(block, [older.id], 'supersedes'))
  }
  const places = await saidAgain(mutation, admitted, replaced)
  const taking = admitted.map(({ block, created }, i) =>
    created && block.supersedes === replaced[i]?.id ? replaced[i] : undefined,
  )
  const resting = taking.some(Boolean)
    ? await endAll(mutation, admitted, taking)
    : new Map<string, string[]>()
  const noted = admitted.map((each, i) =>
    meant[i]?.echoOf.length === 0
      ? restingNow(items[i] as Item, each, { grounds: grounds[i] ?? [], forItem })
      : [],
  )
  await saveGrounds(
    tx,
    noted.flatMap((ids, i) =>
      ids.map((ground) => ({
        blockId: admitted[i]?.block.id as string,
        ...{ ground, foundBy: 'given' as const, createdAt: moment.at },
      })),
    ),
  )
  return admitted.map((each, i) => ({
    admitted: each,
    remembered: rememberedAs(each, {
      ...{ replaced: replaced[i], place: places[i] ?? {}, echoOf: meant[i]?.echoOf ?? [] },
      leftOut: meant[i]?.leftOut,
      ...{ grounds: noted[i] ?? [], resting: resting.get(replaced[i]?.id ?? '') ?? [] },
    }),
  }))
}

/** The grounds of an admitted block from now on; a draft that is trusted less adds nothing to one that was there. */
function restingNow(
  { index, draft }: Item,
  { block, created }: Admitted,
  { grounds, forItem }: { readonly grounds: readonly string[]; readonly forItem: Taking['forItem'] },
): readonly string[] {
  if (grounds.length === 0) return []
  forItem(index, () => refuseItself(block, grounds, 'derivedFrom'))
  return created || mayCover(draft, block) ? grounds : []
}

/** Ends the blocks that are replaced; returns what rests on it, by its id. */
async function endAll(
  mutation: Mutation,
  admitted: readonly Admitted[],
  taking: readonly (Block | undefined)[],
): ReturnType<typeof readResting> {
  const { tx, moment } = mutation
  const pairs = admitted.flatMap(({ block: newer }, i) => (taking[i] ? [{ newer, older: taking[i] }] : []))
  await endReplaced(
    tx,
    pairs.map(({ newer }) => newer),
  )
  const ending = pairs.filter(({ newer, older }) => mayCover(newer, older))
  const now = ending.filter(({ newer: { validFrom } }) => validFrom === undefined || validFrom <= moment.at)
  return readResting(
    tx,
    now.map(({ older }) => older.id),
    moment.at,
  )
}

/** Returns for each item the whole ids of the blocks that it is said to rest on. No statement when nothing is said. */
export async function givenGrounds(
  tx: ReadTransaction,
  items: readonly Item[],
  forItem: Taking['forItem'],
): Promise<string[][]> {
  const given = items.flatMap(({ derivedFrom: ids = [] }) => ids)
  if (given.length === 0) return items.map(() => [])
  const { idOf } = await readIds(tx, given)
  return items.map(({ index, derivedFrom: ids = [] }) => forItem(index, () => [...new Set(ids.map(idOf))]))
}

/** Returns for each item the block that it is to replace. No statement when none is to. */
export async function replacedBy(
  engine: Engine,
  tx: ReadTransaction,
  items: readonly Item[],
  forItem: Taking['forItem'],
): Promise<readonly (Block | undefined)[]> {
  const given = items.flatMap(({ supersedes }) => supersedes ?? [])
  if (given.length === 0) return []
  const replaceable = await readReplaceable(engine, tx, given)
  return items.map(({ index, supersedes }) =>
    supersedes === undefined ? undefined : forItem(index, () => replaceable(supersedes)),
  )
}

/** The other facts about an admitted block. */
interface Circumstances {
  /** The block it was to take the place of. */
  readonly replaced: Block | undefined
  /** Ids of the block that it was put over since it was said again, or that it stays under. */
  readonly place: { readonly over?: string; readonly under?: string }
  /** Ids of the shown blocks that the text repeats. */
  readonly echoOf: readonly string[]
  readonly leftOut: EchoCount | undefined
  /** Ids of the blocks that it rests on, as noted now. */
  readonly grounds: readonly string[]
  /** Ids of what rests on the block it takes the place of. */
  readonly resting: readonly string[]
}

/** Returns the public result for an admitted block. */
function rememberedAs(
  admitted: Admitted,
  { replaced, place, echoOf: [echoOf], leftOut, grounds, resting }: Circumstances,
): Remembered {
  const { block, created, mergedTags, mergedCue, mergedValidity, refusedValidity, raisedFrom } = admitted
  return {
    blockId: block.id,
    status: created ? 'created' : 'duplicate',
    pendingConsolidation: block.status === 'inbox',
    ...(mergedTags.length > 0 ? { mergedTags } : {}),
    ...(mergedCue ? { mergedCue: true } : {}),
    ...validityOf(block),
    ...defined({ mergedValidity, refusedValidity }),
    ...(admitted.occurrence === undefined ? {} : { saidAgain: true }),
    ...(!created && block.status === 'active' ? { activeDuplicateOf: block.id } : {}),
    ...placeOf(block, replaced, place.over),
    ...defined({
      raisedFrom,
      supersededBy: replaced === undefined ? place.under : undefined,
      echoOf,
      leftOut,
    }),
    ...(grounds.length > 0 ? { derivedFrom: [...grounds] } : {}),
    ...(resting.length > 0 ? { restsOnReplaced: [...resting] } : {}),
  }
}

/** The block whose place another takes or is to take. */
function placeOf(
  block: Block,
  replaced: Block | undefined,
  putOver: string | undefined,
): Pick<Remembered, 'supersedes' | 'proposed' | 'datedBefore'> {
  const supersedes = putOver ?? (replaced?.id === block.supersedes ? replaced?.id : undefined)
  if (replaced === undefined || supersedes !== replaced.id) return defined({ supersedes })
  if (!mayCover(block, replaced)) return { supersedes, proposed: true }
  return { supersedes, ...(isNewer(replaced, block) ? { datedBefore: true as const } : {}) }
}

/** Returns when a block holds, and which of its dates were read from its text. */
function validityOf(block: Block) {
  if (block.validFrom === undefined && endOf(block) === undefined) return {}
  const { fromBy, untilBy, ...known } = knownValidity(block, validityIn(block.content))
  const readFromText = [
    ...(fromBy === 'text' ? (['validFrom'] as const) : []),
    ...(untilBy === 'text' ? (['validUntil'] as const) : []),
  ]
  return { ...known, ...(readFromText.length > 0 ? { readFromText } : {}) }
}
