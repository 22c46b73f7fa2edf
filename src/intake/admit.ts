import {
  areApart,
  type Block,
  firstId,
  isConstitutional,
  mayCover,
  meetingOf,
  mostTrusted,
  type Occurrence,
  otherIds,
  type SourceClass,
} from '../block/block.ts'
import { defined, estimateTokens, undressed } from '../block/text.ts'
import {
  completed,
  datedAgain,
  earlier,
  endBy,
  firstOccurrence,
  isNewer,
  isSameOccurrence,
  orderOfNew,
  type Validity,
  validityIn,
} from '../block/validity.ts'
import { reindex } from '../engine/embedding.ts'
import type { Engine, Mutation } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { bringBack } from '../graph/carry.ts'
import { replacingPair } from '../graph/edge.ts'
import { setTags, tierLambda } from '../outcome/formulas.ts'
import {
  blocksById,
  freeId,
  insertBlocks,
  type NewBlock,
  readBlocks,
  readSameTexts,
  type SaidText,
  saveBlocks,
  saveOccurrences,
} from '../store/blocks.ts'
import { savePairs } from '../store/graph.ts'
import type { Prediction } from '../store/predictions.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { checkTags, mustHold, refuseIdentityTags } from './check-input.ts'
import { goOn, moveEnd, REPLACING_MOST } from './supersede.ts'

/** A draft is a text to be remembered, with its fields; it is checked, and its tags and category are normalised. */
export interface Draft {
  readonly content: string
  readonly tags: readonly string[]
  readonly category: string
  readonly cue?: string
  readonly source?: string
  readonly sourceClass: SourceClass
  /** The running session by default. */
  readonly session?: string
  /** When the text was said, ISO-8601 UTC; now by default. */
  readonly occurredAt?: string
  /** When the text holds, ISO-8601 UTC, as the caller said; a date that was not given is read from the text. */
  readonly validFrom?: string
  readonly validUntil?: string
  /** The text is a prediction: how probable it is to come true by a time. */
  readonly expects?: Pick<Prediction, 'expectedBy' | 'probability'>
  /** Id of the block whose place the new one is to take. */
  readonly supersedes?: string
  /** The id that the text had in another program; the new block has it, too, if it is free. */
  readonly id?: string
  /** Evidence that the text brings along; none by default. */
  readonly evidence?: Pick<Block, 'successes' | 'failures'>
  /** The text may hold a frame and other words besides. */
  readonly keepFrame?: true
  /** If a block says the same already, this is another occurrence of its text. */
  readonly occurs?: true
  /** The text only says again what a recall has just shown. */
  readonly isEcho?: true
  /** An explicit trusted act, which may also change a principle that says the same. */
  readonly trusted?: boolean
  /** The text says who the agent is; it is not merged into a less trusted block that says the same. */
  readonly insists?: true
}

/** An admitted draft ended up in a block: a new one, or one that says the same already. */
export interface Admitted {
  readonly block: Block
  readonly created: boolean
  /** Tags that an existing block gained. */
  readonly mergedTags: readonly string[]
  /** The draft's cue replaced that of an existing block. */
  readonly mergedCue: boolean
  /** The draft dated an existing block. */
  readonly mergedValidity?: true
  /** The draft's dates were refused, because the block is trusted more. */
  readonly refusedValidity?: true
  /** The class of an existing block before the owner said the same. */
  readonly raisedFrom?: SourceClass
  /** The block before the draft changed it. */
  readonly before?: Block
  /** The occurrence of a text that was said again; `saidAgain` has yet to keep it. */
  readonly occurrence?: Occurrence
  /** The living block that stands over a block that was archived and is back. */
  readonly over?: Block
}

/** The drafts of a call, and the place of the first among the texts that the caller gave, if a refusal is to name it. */
export interface Drafts {
  readonly drafts: readonly Draft[]
  readonly first?: number
}

/** Blocks that drafts can meet, with the changes of earlier drafts. */
interface Known {
  readonly byId: Map<string, Block>
  /** Living blocks by `meetingKey`. */
  readonly byText: Map<string, Block>
  /** The first id of each draft, which it gets if no block has it. */
  readonly firstIds: readonly string[]
}

/** Puts one draft into the inbox as `admitAll` does; returns the block where it ended up. */
export async function admit(engine: Engine, mutation: Mutation, draft: Draft): Promise<Admitted> {
  const [admitted] = await admitAll(engine, mutation, { drafts: [draft] })
  return admitted as Admitted
}

/**
 * Puts drafts into the inbox, one after the other, unless a living block says the same, or one that was archived for another. Such a block
 * gains the draft's tags, cue and dates, and is the owner's if the owner says so (`meetingOf`). Runs at most eight statements, however many
 * drafts there are. A refusal of one draft refuses all and names it.
 */
export async function admitAll(
  engine: Engine,
  mutation: Mutation,
  { drafts, first: start }: Drafts,
): Promise<Admitted[]> {
  const { tx } = mutation
  const known = await knownOf(engine, tx, drafts)
  const back = await bringAllBack(engine, mutation, drafts, known)
  const fresh = new Map<string, NewBlock>()
  const changed = new Map<string, Block>()
  const recued = new Set<string>()
  let now = mutation
  const admitted = drafts.map((draft, i): Admitted => {
    const said = meetingKey(draft)
    const there = known.byText.get(said)
    const each =
      there === undefined || meetingOf(there, draft) === 'apart'
        ? created({ ...newBlock(engine, now, draft, idOf(engine, draft, i, known)), position: 0 })
        : forItem(start === undefined ? undefined : start + i, () => mergedInto(engine, now, there, draft))
    const { block } = each
    now = after(now, each)
    known.byId.set(block.id, block)
    known.byText.set(said, block)
    if (each.created || fresh.has(block.id)) fresh.set(block.id, block)
    else if (each.before) changed.set(block.id, block)
    if (each.mergedCue) recued.add(block.id)
    return each
  })
  for (const block of (await insertBlocks(tx, [...fresh.values()])).map((each) => each.block))
    known.byId.set(block.id, block)
  await saveBlocks(tx, [...changed.values()])
  for (const { before, block, mergedValidity } of admitted)
    if (before !== undefined && mergedValidity) await moveEnd(tx, before, block)
  const withCue = [...changed.values()].filter(({ id }) => recued.has(id))
  await reindex(tx, withCue, engine.analysis)
  return admitted.map((each) => {
    const { id } = each.block
    const { position } = known.byId.get(id) as Block
    const restored = back.get(id)
    // Only the first draft of a text brought its block back.
    back.delete(id)
    return { ...each, block: { ...each.block, position }, ...restored }
  })
}

/** Returns the mutation with the moment that the next draft needs. */
function after(mutation: Mutation, { block, created }: Admitted): Mutation {
  const { moment } = mutation
  const { id, session, createdAt, lastToldAt: at = createdAt } = block
  const { newest = { at: '' } } = moment
  const isNewest = at > newest.at || (created && at === newest.at)
  return isNewest ? { ...mutation, moment: { ...moment, newest: { id, session, at } } } : mutation
}

/**
 * Brings back the archived blocks whose texts are said again, so that drafts meet them, if others took their places and no more trusted
 * block stands over them. Returns by id the former blocks and the blocks that stand over them. Runs no statement if there are none.
 */
async function bringAllBack(
  engine: Engine,
  mutation: Mutation,
  drafts: readonly Draft[],
  { byId, byText, firstIds }: Known,
): Promise<Map<string, Pick<Admitted, 'before' | 'over'>>> {
  const { tx } = mutation
  const back = new Map<string, Pick<Admitted, 'before' | 'over'>>()
  for (const [i, draft] of drafts.entries()) {
    const said = meetingKey(draft)
    const gone = byId.get(firstIds[i] as string)
    if (gone?.status !== 'archived' || gone.archiveReason !== 'superseded' || byText.has(said)) continue
    if (meetingKey(gone) !== said || !mayOccur(gone, draft) || meetingOf(gone, draft) === 'apart') continue
    const over = await livingAbove(tx, gone)
    if (!mayCover(draft, gone) || (over !== undefined && !mayCover(draft, over))) continue
    await bringBack(engine, mutation, gone)
    const [block = gone] = await readBlocks(tx, [gone.id])
    back.set(gone.id, { before: gone, ...defined({ over }) })
    byId.set(gone.id, block)
    byText.set(said, block)
  }
  return back
}

/** Reads the blocks that the drafts' texts and ids can meet. Runs at most three statements. */
async function knownOf(engine: Engine, tx: ReadTransaction, drafts: readonly Draft[]): Promise<Known> {
  const { sha256 } = engine.ids
  const texts = drafts.map((draft) => textOf(engine, draft))
  const firstIds = texts.map((text) => firstId(text, sha256))
  const [living, holders] = await Promise.all([
    readSameTexts(tx, texts),
    readBlocks(tx, [...firstIds, ...drafts.flatMap(({ id }) => id ?? [])]),
  ])
  const taken = new Set(holders.map(({ id }) => id))
  // Two drafts may want the same id, so that an id counts as taken by the first.
  const contested = texts.filter((_, i) => {
    const isTaken = taken.has(firstIds[i] as string)
    taken.add(firstIds[i] as string)
    return isTaken
  })
  const others = contested.flatMap((text) => otherIds(text, sha256))
  const byText = new Map<string, Block>()
  for (const [said, alike] of Map.groupBy(living, meetingKey)) byText.set(said, mostTrusted(alike) as Block)
  return { byId: await blocksById(tx, others, [...holders, ...living]), byText, firstIds }
}

/** Returns the id that a draft brings along if no block has it, else the first of its own ids that is free. */
function idOf(engine: Engine, draft: Draft, i: number, { byId, firstIds }: Known): string {
  const first = firstIds[i] as string
  if (draft.id !== undefined && !byId.has(draft.id)) return draft.id
  return byId.has(first) ? freeId(textOf(engine, draft), byId, engine.ids) : first
}

/** Does the work for one of many items; a refusal names the place of the item, from 0, if it is given. */
export function forItem<T>(index: number | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (index === undefined || !ElfmemError.is(error)) throw error
    throw new ElfmemError(error.code, `blocks[${index}]: ${error.message}`, {
      recovery: error.recovery,
      details: { ...error.details, index },
      cause: error,
    })
  }
}

/** Returns the key by which equal words become one block: the normalised words, and whether they are the text of an item. */
export function meetingKey({ category, content }: Pick<Block, 'category' | 'content'>): string {
  return `${areApart(category, '') ? 'item' : 'other'} ${undressed(content)}`
}

/** Returns the text of a draft in the engine's scope, which decides its ids. */
export function textOf({ scope }: Engine, { content }: Draft): SaidText {
  return { content, ...defined({ scope }) }
}

/** Returns the new block of a draft. */
export function newBlock(
  engine: Engine,
  { moment, session: running }: Mutation,
  draft: Draft,
  id: string,
): NewBlock {
  const { content, cue, source, sourceClass, category, supersedes, tags, evidence } = draft
  const { occurredAt = moment.at, session = running } = draft
  return {
    ...{ id, content, sourceClass, category, tags, session, occurredAt },
    ...defined({ cue: cue || undefined, source: source || undefined, supersedes }),
    status: 'inbox',
    createdAt: moment.at,
    ...orderOfNew(moment, { occurredAt, session }),
    ...completed(draft, validityIn(content)),
    successes: evidence?.successes ?? 0,
    failures: evidence?.failures ?? 0,
    reinforcementCount: 0,
    lastReinforcedAt: moment.hours,
    lastUsefulAt: moment.hours,
    decayLambda: tierLambda(draft, engine.settings.decay),
    tokenCount: Math.max(1, estimateTokens(content)),
  }
}

function created(block: Block): Admitted {
  return { block, created: true, mergedTags: [], mergedCue: false }
}

/**
 * Returns a block with the tags, the cue and the dates of a draft, and as the owner's if the owner says the same; `before` is left out if
 * nothing changes. A draft that is trusted less adds nothing but its occurrence. Throws `PROTECTED` if the words of others would become
 * identity.
 */
function mergedInto({ settings }: Engine, mutation: Mutation, known: Block, draft: Draft): Admitted {
  const isRaised = meetingOf(known, draft) === 'raise'
  const before: Block = isRaised ? { ...known, sourceClass: draft.sourceClass } : known
  refuseIdentityTags(draft.tags, before.sourceClass)
  const isOpen = (draft.trusted === true || !isConstitutional(before.tags)) && mayCover(draft, before)
  const mergedTags = isOpen ? draft.tags.filter((tag) => !before.tags.includes(tag)) : []
  const cue = isOpen && draft.cue && draft.cue !== before.cue ? draft.cue : undefined
  const dates = otherDates(before, draft)
  const isOther = Object.keys(dates).length > 0
  const isDated = isOther && isOpen
  const occurrence = occurrenceOf(mutation, known, draft)
  const refusedValidity = isOther && !isOpen ? (true as const) : undefined
  const mergedCue = cue !== undefined
  const merge = { created: false, mergedTags, mergedCue, ...defined({ refusedValidity }) }
  if (mergedTags.length === 0 && !mergedCue && !isRaised && !isDated && occurrence === undefined)
    return { ...merge, block: before }
  const tags = checkTags([...before.tags, ...mergedTags])
  const merged: Block = { ...setTags(before, { tags }, settings.decay), ...defined({ cue }) }
  const dated = isDated ? mustHold({ ...merged, ...dates }) : merged
  return {
    ...merge,
    block: occurrence === undefined ? dated : withOccurrence(mutation, dated, occurrence),
    ...(isDated && { mergedValidity: true as const }),
    ...(isRaised && { raisedFrom: known.sourceClass }),
    ...defined({ occurrence }),
    before: known,
  }
}

/** Returns the dates that a draft gives and a block does not have yet. */
function otherDates(before: Block, { validFrom, validUntil }: Draft): Validity {
  return defined({
    validFrom: validFrom === before.validFrom ? undefined : validFrom,
    validUntil: validUntil === before.validUntil ? undefined : validUntil,
  })
}

function withOccurrence({ moment }: Mutation, block: Block, occurrence: Occurrence): Block {
  const dated = datedAgain(block, occurrence, moment.newest?.at)
  return { ...dated, occurrences: [...(block.occurrences ?? []), occurrence] }
}

/** Returns the fields of a block that a draft with the same words may change, for the log. */
export function formerOf({ tags, cue, sourceClass, validFrom, validUntil }: Block) {
  return { tags, ...(cue ? { cue } : {}), sourceClass, ...defined({ validFrom, validUntil }) }
}

/**
 * Returns the occurrence that a draft adds to a block that says the same. Returns undefined for an echo, for a date that the same speaker
 * gave before, and for a retry, which comes in the same second from the same speaker with no other text in between.
 */
function occurrenceOf({ moment, session }: Mutation, known: Block, draft: Draft): Occurrence | undefined {
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

/** Returns the first living block in the chain of blocks that took the place of an archived one. */
async function livingAbove(tx: ReadTransaction, gone: Block): Promise<Block | undefined> {
  let above: Block | undefined = gone
  for (let i = 0; i < REPLACING_MOST && above?.status === 'archived'; i++)
    above = above.supersededBy === undefined ? undefined : (await readBlocks(tx, [above.supersededBy]))[0]
  return above?.status === 'archived' ? undefined : above
}

/** The place of a block that was said again: the block that it is put over, or the one that it stays under. */
interface Place {
  readonly over?: string
  readonly under?: string
  readonly holdsAgain: boolean
}

/**
 * Keeps the occurrences that admitted texts add, and puts each block over the one that stands above it or is named: its words hold again
 * from this occurrence on, and the other block ends. A block that is trusted less or dated earlier stays below. Returns the place of each
 * block. Runs two statements, and a few more for each block that is put on top.
 */
export async function saidAgain(
  mutation: Mutation,
  admitted: readonly Admitted[],
  named: readonly (Block | undefined)[] = [],
): Promise<readonly (Place | undefined)[]> {
  const { tx } = mutation
  const again = admitted.flatMap(({ block, occurrence }) => (occurrence ? [block.id] : []))
  if (again.length === 0) return []
  const chain = await tx.queries.replacing(again, again.length + REPLACING_MOST)
  const places: (Place | undefined)[] = []
  const occurrences: Occurrence[] = []
  for (const [i, each] of admitted.entries()) {
    const { block, before, occurrence } = each
    if (occurrence === undefined) continue
    const over = named[i] ?? each.over ?? topOf(chain, block)
    const place =
      over === undefined ? await onTop(mutation, each, occurrence) : await putOver(mutation, each, over.id)
    places[i] = place
    const endedAt = place.holdsAgain ? before?.supersededAt : undefined
    occurrences.push({ ...occurrence, ...defined({ endedAt }) })
  }
  await saveOccurrences(tx, occurrences)
  return places
}

/** Lets a block that had ended hold again, if the block that ended it is gone. */
async function onTop({ tx }: Mutation, { block, before }: Admitted, by: Occurrence): Promise<Place> {
  const endedAt = before?.supersededAt
  const holdsAgain = endedAt !== undefined && by.at >= endedAt && mayCover(by, block)
  if (holdsAgain) await goOn(tx, block.id)
  return { holdsAgain }
}

/** Returns the living block at the end of the chain of blocks that took the place of a block. A block trusted less only proposes to. */
function topOf(chain: readonly Block[], block: Block): Block | undefined {
  const seen = new Set([block.id])
  for (let top = block; ; ) {
    const above = chain.findLast(
      (each) => each.supersedes === top.id && mayCover(each, top) && !seen.has(each.id),
    )
    if (above === undefined) return top === block ? undefined : top
    seen.add(above.id)
    top = above
  }
}

/** Puts a block over another. Blocks that had replaced it now replace the block that it had replaced itself. */
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
  const above = (await tx.queries.replacing([id], REPLACING_MOST)).filter(
    ({ supersedes }) => supersedes === id,
  )
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
