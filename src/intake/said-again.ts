import type { Block, Occurrence } from '../block/block.ts'
import { areApart } from '../block/kept-as-said.ts'
import { firstOccurrence, isSameOccurrence } from '../block/occurrence.ts'
import { isSameText } from '../block/same-text.ts'
import { mayCover, meetingOf } from '../block/source-class.ts'
import { isConstitutional } from '../block/tags.ts'
import { defined } from '../block/text.ts'
import { earlier, endBy, isNewer } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { bringBack } from '../graph/carry.ts'
import { replacingPair } from '../graph/edge.ts'
import { readBlocks, readReplacing, saveBlocks, saveOccurrences } from '../store/blocks.ts'
import { savePairs } from '../store/pairs.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import type { Admitted, Draft } from './admit.ts'
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
  if (!mayOccur(known, draft)) return undefined
  const occurrence: Occurrence = {
    ...{ blockId: known.id, at: draft.occurredAt ?? moment.at, createdAt: moment.at },
    ...{ sourceClass: draft.sourceClass, session: draft.session ?? session },
    ...defined({ source: draft.source }),
  }
  const all = [firstOccurrence(known), ...(known.occurrences ?? [])]
  const isThere = all.some((each) => isSameOccurrence(each, occurrence))
  const isRetry = draft.occurredAt !== undefined || moment.newest?.id === known.id
  return isThere && isRetry ? undefined : occurrence
}

function mayOccur({ tags }: Block, { occurs, isEcho }: Draft): boolean {
  return occurs === true && isEcho !== true && !isConstitutional(tags)
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
  if (!isReplaced || !mayOccur(gone, draft)) return undefined
  if (areApart(gone.category, draft.category) || meetingOf(gone, draft) === 'apart') return undefined
  const over = await livingAbove(tx, gone)
  if (!mayCover(draft, gone) || (over !== undefined && !mayCover(draft, over))) return undefined
  await bringBack(engine, mutation, gone)
  const [block] = await readBlocks(tx, [gone.id])
  return block && { gone, block, ...defined({ over }) }
}

/** The first living block among those that took the place of an archived one, one after the other. */
async function livingAbove(tx: ReadTransaction, gone: Block): Promise<Block | undefined> {
  let above: Block | undefined = gone
  for (let i = 0; i < CHAIN_MOST && above?.status === 'archived'; i++)
    above = above.supersededBy === undefined ? undefined : (await readBlocks(tx, [above.supersededBy]))[0]
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
  const { tx } = mutation
  const again = admitted.flatMap(({ block, occurrence }) => (occurrence ? [block.id] : []))
  if (again.length === 0) return []
  const chain = await readReplacing(tx, again, again.length + CHAIN_MOST)
  const places: (Place | undefined)[] = []
  const occurrences: Occurrence[] = []
  for (const [i, each] of admitted.entries()) {
    const { block, before, occurrence } = each
    if (occurrence === undefined) continue
    const over = named[i] ?? each.over ?? topOf(chain, block.id)
    const place =
      over === undefined ? await onTop(mutation, each, occurrence) : await putOver(mutation, each, over.id)
    places[i] = place
    const endedAt = place.holdsAgain ? before?.supersededAt : undefined
    occurrences.push({ ...occurrence, ...defined({ endedAt }) })
  }
  await saveOccurrences(tx, occurrences)
  return places
}

/** Lets a block go on that had ended for one that is away by now. */
async function onTop({ tx }: Mutation, { block, before }: Admitted, by: Occurrence): Promise<Place> {
  const endedAt = before?.supersededAt
  const holdsAgain = endedAt !== undefined && by.at >= endedAt && mayCover(by, block)
  if (holdsAgain) await goOn(tx, block.id)
  return { holdsAgain }
}

/** The living block at the end of the chain of those that took the place of a block. */
function topOf(chain: readonly Block[], id: string): Block | undefined {
  const seen = new Set([id])
  let top: Block | undefined
  for (;;) {
    const under = top?.id ?? id
    const above = chain.findLast((each) => each.supersedes === under && !seen.has(each.id))
    if (above === undefined) return top
    seen.add(above.id)
    top = above
  }
}

/** Puts a block over another. Blocks that had taken its place now have that of the block which it had replaced itself. */
async function putOver(
  { tx, moment }: Mutation,
  { block: said, occurrence, mergedValidity }: Admitted,
  overId: string,
): Promise<Place> {
  const { id } = said
  const [isOver, stays] = [
    { holdsAgain: true, over: overId },
    { holdsAgain: false, under: overId },
  ]
  const above = (await readReplacing(tx, [id], CHAIN_MOST)).filter(({ supersedes }) => supersedes === id)
  const blocks = new Map((await readBlocks(tx, [id, overId])).map((each) => [each.id, each]))
  const [block, over] = [blocks.get(id), blocks.get(overId)]
  if (block === undefined || over === undefined || occurrence === undefined) return stays
  if (block.supersedes === overId) return isOver
  if (!mayCover(occurrence, block) || !mayCover(said, over) || !isNewer(said, over)) return stays
  const { supersedes: under, supersededAt: _end, ...free } = block
  const validFrom = mergedValidity ? block.validFrom : undefined
  const begins = { occurredAt: occurrence.at, createdAt: occurrence.createdAt, ...defined({ validFrom }) }
  const ended = { ...over, ...defined({ supersededAt: earlier(over.supersededAt, endBy(over, begins)) }) }
  const others = [...above.filter((each) => each.id !== overId), ended].map((each): Block => {
    const { supersedes, ...rest } = each
    return { ...rest, ...defined({ supersedes: supersedes === id ? under : (supersedes ?? under) }) }
  })
  await saveBlocks(tx, [{ ...free, supersedes: overId }, ...others])
  if (block.status === 'active' && over.status === 'active')
    await savePairs(tx, [replacingPair(block, over, moment.at)], { reopens: true })
  return isOver
}
