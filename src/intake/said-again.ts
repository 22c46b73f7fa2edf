import { areApart, type Block, type Occurrence } from '../block/block.ts'
import { isSameText } from '../block/same-text.ts'
import { mayCover, meetingOf } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { defined } from '../block/text.ts'
import { earlier, endBy, firstOccurrence, isNewer, isSameOccurrence } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { bringBack } from '../graph/carry.ts'
import { replacingPair } from '../graph/edge.ts'
import { readBlocks, readReplacing, saveBlocks, saveOccurrences } from '../store/blocks.ts'
import { savePairs } from '../store/pairs.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import type { Admitted, Draft } from './draft.ts'
import { goOn } from './supersede.ts'

/** Largest number of blocks that are read of the chains around those that were said again. */
const CHAIN_MOST = 64

/**
 * Returns the occurrence that a draft adds to a block that says the same. Undefined for a draft that is no new word: an echo,
 * a date that the same speaker gave before, or a retry, which comes in the same second from the same speaker with no other
 * words in between.
 */
export function occurrenceOf(
  { moment, session }: Mutation,
  known: Block,
  draft: Draft,
): Occurrence | undefined {
  if (draft.occurs !== true || draft.isEcho === true || isConstitutional(known.tags)) return undefined
  const occurrence: Occurrence = {
    ...{ blockId: known.id, at: draft.occurredAt ?? moment.at, createdAt: moment.at },
    ...{ sourceClass: draft.sourceClass, session: draft.session ?? session },
    ...defined({ source: draft.source }),
  }
  const all = [firstOccurrence(known), ...(known.occurrences ?? [])]
  const isThere = all.some((each) => isSameOccurrence(each, occurrence))
  return isThere && (draft.occurredAt !== undefined || moment.newest?.id === known.id)
    ? undefined
    : occurrence
}

/** A block that was archived for another and is back, and the living block that stands over it, if there is one. */
export interface Back {
  readonly gone: Block
  readonly block: Block
  readonly over?: Block
}

/**
 * Brings back the archived block of a draft's text, if another took its place. Undefined if it stays: it was forgotten or
 * faded, or the draft is trusted less than it or than the block over it.
 */
export async function comeBack(
  engine: Engine,
  mutation: Mutation,
  gone: Block,
  draft: Draft,
): Promise<Back | undefined> {
  const { tx } = mutation
  const isReplaced = gone.archiveReason === 'superseded' && isSameText(gone.content, draft.content)
  if (!isReplaced || draft.occurs !== true || draft.isEcho || isConstitutional(gone.tags)) return undefined
  if (areApart(gone.category, draft.category) || meetingOf(gone, draft) === 'apart') return undefined
  const over = await livingAbove(tx, gone)
  const isBelow = (other: Block) => !mayCover(draft, other)
  if (isBelow(gone) || (over !== undefined && isBelow(over))) return undefined
  await bringBack(engine, mutation, gone)
  const [block] = await readBlocks(tx, [gone.id])
  return block && { gone, block, ...defined({ over }) }
}

/** The first living block among those that took the place of an archived one, one after the other. */
async function livingAbove(tx: ReadTransaction, gone: Block): Promise<Block | undefined> {
  let [above]: (Block | undefined)[] = [gone]
  for (let i = 0; i < CHAIN_MOST && above?.status === 'archived'; i++)
    [above] = above.supersededBy === undefined ? [] : await readBlocks(tx, [above.supersededBy])
  return above?.status === 'archived' ? undefined : above
}

/** The block that one is put over since it was said again, or the one that it stays under. */
interface Place {
  readonly over?: string
  readonly under?: string
  readonly holdsAgain: boolean
}

/**
 * Keeps the occurrences that admitted texts add, and puts their blocks on top of what stands over them or is named: the words
 * hold again from this occurrence on, and what they are put over ends. Words that are trusted less, or dated before the
 * others, stay below. Returns the place of each. Two statements, a few more for each block that is put on top.
 */
export async function saidAgain(
  mutation: Mutation,
  admitted: readonly Admitted[],
  named: readonly (Block | undefined)[] = [],
): Promise<readonly (Place | undefined)[]> {
  const again = admitted.flatMap(({ block, occurrence }) => (occurrence ? [block.id] : []))
  if (again.length === 0) return []
  const chain = await readReplacing(mutation.tx, again, again.length + CHAIN_MOST)
  const places: (Place | undefined)[] = []
  for (const [i, each] of admitted.entries()) {
    const over = named[i] ?? each.over ?? topOf(chain, each.block.id)
    if (each.occurrence !== undefined) places[i] = await settle(mutation, each, over)
  }
  await saveOccurrences(
    mutation.tx,
    admitted.flatMap(({ occurrence, before }, i) => {
      const endedAt = places[i]?.holdsAgain ? before?.supersededAt : undefined
      return occurrence ? [{ ...occurrence, ...defined({ endedAt }) }] : []
    }),
  )
  return places
}

async function settle(mutation: Mutation, each: Admitted, over: Block | undefined): Promise<Place> {
  if (over === undefined) {
    const holdsAgain = mayGoOn(each)
    if (holdsAgain) await goOn(mutation.tx, each.block.id)
    return { holdsAgain }
  }
  const isOver = await putOver(mutation, each, over.id)
  return isOver ? { holdsAgain: true, over: over.id } : { holdsAgain: false, under: over.id }
}

/** True of a block whose end nothing living stands for any more. */
function mayGoOn({ block, occurrence, before }: Admitted): boolean {
  if (occurrence === undefined || before?.supersededAt === undefined) return false
  return occurrence.at >= before.supersededAt && mayCover(occurrence, block)
}

/** The living block at the end of the chain of those that took the place of a block. */
function topOf(
  chain: readonly Block[],
  id: string,
  seen: ReadonlySet<string> = new Set([id]),
): Block | undefined {
  const above = chain.findLast(({ id: other, supersedes }) => supersedes === id && !seen.has(other))
  return above && (topOf(chain, above.id, new Set([...seen, above.id])) ?? above)
}

/**
 * Puts a block over another. Blocks that had taken its place now have that of the block which it had replaced itself.
 * False if it stays below.
 */
async function putOver(
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  { block: said, occurrence, mergedValidity }: Admitted,
  overId: string,
): Promise<boolean> {
  const { id } = said
  const above = (await readReplacing(tx, [id], CHAIN_MOST)).filter(({ supersedes }) => supersedes === id)
  const blocks = new Map((await readBlocks(tx, [id, overId])).map((each) => [each.id, each]))
  const [block, over] = [blocks.get(id), blocks.get(overId)]
  if (block === undefined || over === undefined || occurrence === undefined) return false
  if (block.supersedes === overId) return true
  if (!mayCover(occurrence, block)) return false
  if (!mayCover(said, over) || !isNewer(said, over)) return false
  const { supersedes: under, supersededAt: _end, ...free } = block
  const begins = { occurredAt: occurrence.at, createdAt: occurrence.createdAt }
  const end = endBy(over, { ...begins, ...(mergedValidity ? defined({ validFrom: block.validFrom }) : {}) })
  const ended: Block = { ...over, ...defined({ supersededAt: earlier(over.supersededAt, end) }) }
  const others = [...above.filter((each) => each.id !== overId), ended].map((each): Block => {
    const { supersedes, ...rest } = each
    const place = supersedes === undefined || supersedes === id ? under : supersedes
    return place === undefined ? rest : { ...rest, supersedes: place }
  })
  await saveBlocks(tx, [{ ...free, supersedes: overId }, ...others])
  if (block.status === 'active' && over.status === 'active')
    await savePairs(tx, [replacingPair(block, over, moment.at)], { reopens: true })
  return true
}
