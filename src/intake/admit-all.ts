import { type Block, firstId, otherIds } from '../block/block.ts'
import { mostTrusted } from '../block/source-class.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import { reindex } from '../engine/upkeep.ts'
import { ElfmemError } from '../errors.ts'
import { insertBlocks, type NewBlock, readBlocks, readSameTexts, saveBlocks } from '../store/blocks.ts'
import { blocksById, freeId } from '../store/look-up.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { backAs, created, meetingKey, mergedInto, newBlock, staysApart, textOf } from './admit.ts'
import type { Admitted, Draft } from './draft.ts'
import { type Back, comeBack } from './said-again.ts'
import { moveEnd } from './supersede.ts'

/** Some of the texts a caller gave, and the place of the first among them, if a refusal is to name it. */
export interface Drafts {
  readonly drafts: readonly Draft[]
  readonly first?: number
}

/** The store as it would be by now, as far as drafts can meet it. */
interface Known {
  /** By id, those among them whose ids drafts may want. */
  readonly byId: Map<string, Block>
  /** Living blocks by what they say and where words may meet (`meetingKey`). */
  readonly byText: Map<string, Block>
  /** The id that each draft has where it is free. */
  readonly firstIds: readonly string[]
}

/** Puts one draft into the inbox as `admitAll` does; returns where it ended up. */
export async function admit(engine: Engine, mutation: Mutation, draft: Draft): Promise<Admitted> {
  const [admitted] = await admitAll(engine, mutation, { drafts: [draft] })
  return admitted as Admitted
}

/**
 * Puts drafts into the inbox, one after the other, unless a living block says the same, or one that was archived for another; that one
 * then gains the draft's tags and cue, is dated by it, and is the owner's if the owner says so (`meetingOf`). At most eight statements,
 * however many there are. A refusal of one refuses all and says which.
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
  const placeOf = (i: number) => (start === undefined ? undefined : start + i)
  let now = mutation
  const admitted = drafts.map((draft, i): Admitted => {
    const first = known.firstIds[i] as string
    const said = meetingKey(draft)
    const there = known.byText.get(said)
    const same = there && !staysApart(there, draft) ? there : undefined
    const block = same ?? {
      ...newBlock(engine, now, draft, idOf(engine, draft, first, known)),
      position: 0,
    }
    const merge = () => mergedInto(engine, now, block, draft)
    const each = same === undefined ? created(block) : forItem(placeOf(i), merge)
    now = after(now, each)
    known.byId.set(each.block.id, each.block)
    known.byText.set(said, each.block)
    if (each.created || fresh.has(block.id)) fresh.set(block.id, each.block)
    else if (each.before) changed.set(block.id, each.block)
    if (each.mergedCue) recued.add(block.id)
    return each
  })
  for (const { block } of await insertBlocks(tx, [...fresh.values()])) known.byId.set(block.id, block)
  await saveBlocks(tx, [...changed.values()])
  for (const { before, block, mergedValidity } of admitted)
    if (before !== undefined && mergedValidity) await moveEnd(tx, before, block)
  await reindex(
    tx,
    [...changed.values()].filter(({ id }) => recued.has(id)),
    engine.analysis,
  )
  return admitted.map((each) => {
    const { position } = known.byId.get(each.block.id) as Block
    return asBack({ ...each, block: { ...each.block, position } }, back)
  })
}

/** The mutation as the next draft finds it. */
function after(mutation: Mutation, { block, created }: Admitted): Mutation {
  const { moment } = mutation
  const { id, session, createdAt, lastToldAt: at = createdAt } = block
  const { newest = { at: '' } } = moment
  const isNewest = at > newest.at || (created && at === newest.at)
  return isNewest ? { ...mutation, moment: { ...moment, newest: { id, session, at } } } : mutation
}

/** The result for the first draft that met a block which was archived and is back; any other as it is. */
function asBack(each: Admitted, back: Map<string, Back>): Admitted {
  const cameBack = back.get(each.block.id)
  back.delete(each.block.id)
  return cameBack === undefined ? each : backAs(each, cameBack)
}

/** Brings back the archived blocks whose texts are said again, so that drafts meet them. No statement where none is. */
async function bringAllBack(
  engine: Engine,
  mutation: Mutation,
  drafts: readonly Draft[],
  { byId, byText, firstIds }: Known,
): Promise<Map<string, Back>> {
  const back = new Map<string, Back>()
  for (const [i, draft] of drafts.entries()) {
    const gone = byId.get(firstIds[i] as string)
    if (gone?.status !== 'archived' || byText.has(meetingKey(draft))) continue
    const each = await comeBack(engine, mutation, gone, draft)
    if (each === undefined) continue
    back.set(gone.id, each)
    byId.set(gone.id, each.block)
    byText.set(meetingKey(draft), each.block)
  }
  return back
}

/** Returns the id that a draft brings along, if no block has it; else its first id that is free. */
function idOf(engine: Engine, draft: Draft, first: string, { byId }: Known): string {
  if (draft.id !== undefined && !byId.has(draft.id)) return draft.id
  return byId.has(first) ? freeId(textOf(engine, draft), byId, engine.ids) : first
}

/** Reads the blocks that the drafts' texts and ids can meet. At most three statements. */
async function knownOf(engine: Engine, tx: ReadTransaction, drafts: readonly Draft[]): Promise<Known> {
  const texts = drafts.map((draft) => textOf(engine, draft))
  const living = await readSameTexts(tx, texts)
  const firstIds = texts.map((text) => firstId(text, engine.ids.sha256))
  const holders = await readBlocks(tx, [...firstIds, ...drafts.flatMap(({ id }) => id ?? [])])
  const taken = new Set(holders.map(({ id }) => id))
  // Two drafts may want the same id, too.
  const contested = texts.filter((_, i) => {
    const id = firstIds[i] as string
    const isTaken = taken.has(id)
    taken.add(id)
    return isTaken
  })
  const others = contested.flatMap((text) => otherIds(text, engine.ids.sha256))
  return {
    byId: await blocksById(tx, others, [...holders, ...living]),
    byText: bestByText(living),
    firstIds,
  }
}

/** The most trusted of the blocks that say the same, of these the oldest, by what they say. */
function bestByText(living: readonly Block[]): Map<string, Block> {
  const alike = Map.groupBy(living, meetingKey)
  return new Map([...alike].flatMap(([said, blocks]) => [[said, mostTrusted(blocks) as Block] as const]))
}

/** Does the work for one of many; a refusal names its place, counted from 0, if there is one. */
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
