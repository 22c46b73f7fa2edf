import type { Block } from '../../domain/block/block.ts'
import { type FrameItem, frameItems, idsUnder, readFrame } from '../../domain/safety/frame.ts'
import { holdsFence, withoutFences } from '../../domain/safety/memory-fence.ts'
import { mayHoldFrame, readingsOf } from '../../domain/safety/pasted.ts'
import { shownLine } from '../../domain/safety/visible.ts'
import { preview } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { STATE_KEYS } from '../../ports/store/undo.ts'
import { type Engine, ownKey, Pauses, WORK_BETWEEN } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Recognised } from '../engine/served-texts.ts'
import type { Draft } from './draft.ts'
import { lookUpShown } from './look-up-shown.ts'
import { mended } from './mended.ts'

/** The cost of a line besides its length, in signs. */
const WORK_PER_ITEM = 800

/** So much of the new words is quoted in the error, in characters. */
const TOLD_LENGTH = 200

/** A part of a text, and what it says again, if anything. */
interface Part {
  readonly item: FrameItem
  readonly said: Recognised | undefined
}

/** A text as what was shown. */
interface Paste {
  /** The reading of the text in which something was found. */
  readonly text: string
  /** The blocks that were shown and still say this. */
  readonly known: readonly Block[]
  /** The items that were not returned before. */
  readonly others: readonly FrameItem[]
  readonly isFrame: boolean
  /** It stood between the marks of a prompt. */
  readonly isFenced?: true
}

/**
 * The draft, or, when it says again what a recall showed and nothing else, one with the content of the first block it
 * says, and the ids of all of those blocks, which stay fresh; the echo is counted. Throws as `echoIn`.
 */
export async function withoutEcho(
  engine: Engine,
  { tx, moment }: Mutation,
  draft: Draft,
): Promise<{ readonly draft: Draft; readonly echoOf: readonly string[] }> {
  const said = await echoIn(engine, tx, draft)
  const [first] = said
  if (first === undefined) return { draft, echoOf: [] }
  const ids = [...new Set(said.map(({ id }) => id))]
  await tx.reinforceBlocks(ids, moment.hours)
  const key = ownKey(engine, STATE_KEYS.echoes)
  await tx.saveMeta(key, String(Number((await tx.meta(key)) ?? 0) + 1))
  return { draft: { ...draft, content: first.content, isEcho: true }, echoOf: ids }
}

/**
 * The blocks of which a draft says again what a recall showed, and nothing else: one, or several in a frame or a
 * list. No statement for a text that was not shown, one otherwise. Throws `FRAME_IN_TEXT` for a frame with words besides,
 * unless the draft keeps frames.
 */
export async function echoIn(engine: Engine, tx: StoreReader, draft: Draft): Promise<readonly Block[]> {
  const paste = await pasteIn(engine, tx, draft.content)
  if (paste === undefined) return []
  const { known, others, isFrame, isFenced } = paste
  if (others.length === 0 && known.length > 0) return known
  // Lines about what is archived alone: there is no block that they could be added to.
  if (others.length === 0 && draft.keepFrame !== true) throw frameInText(others)
  if (isFrame && (known.length > 0 || isFenced) && draft.keepFrame !== true) throw frameInText(others)
  return []
}

/** Throws `FRAME_IN_TEXT` if words that a block is to have hold what a recall showed, and the block does not hold it yet. */
export async function refuseFrame(
  engine: Engine,
  tx: StoreReader,
  { before, after }: { readonly before: string; readonly after: string | undefined },
): Promise<void> {
  if (after === undefined || after === before) return
  const paste = await pasteIn(engine, tx, after)
  if (paste?.isFrame !== true || (await pasteIn(engine, tx, before))?.isFrame === true) return
  const { message } = frameInText(paste.others)
  const recovery = 'Pass the words of the block alone, without number, date and id of an answer.'
  throw new ElfmemError('FRAME_IN_TEXT', message, { recovery, details: { newWords: newWordsOf(paste) } })
}

/** A document without the frames that stand in it, and the blocks these showed. */
export async function withoutFrames(
  engine: Engine,
  tx: StoreReader,
  text: string,
): Promise<{ readonly text: string; readonly shown: readonly Block[] }> {
  const paste = await pasteIn(engine, tx, text)
  if (paste === undefined || !paste.isFrame) return { text, shown: [] }
  if (paste.known.length === 0 && !paste.isFenced) return { text, shown: [] }
  const lines = paste.text.split(/\r?\n/)
  const kept = paste.others.flatMap(({ from, to }, i) => {
    const isApart = from > (paste.others[i - 1]?.to ?? 0)
    return [...(isApart ? [''] : []), ...lines.slice(from, to)]
  })
  return { text: kept.join('\n'), shown: paste.known }
}

async function pasteIn(engine: Engine, tx: StoreReader, content: string): Promise<Paste | undefined> {
  if (!engine.settings.memory.echoGuard) return undefined
  const inFence = await fencedPaste(tx, content)
  if (inFence !== undefined) return inFence
  if (engine.served.wantsLookUp()) await lookUpShown(engine, tx)
  const { served, scope } = engine
  const whole = served.blockOf(content, scope)
  if (whole !== undefined && (await stillHere(tx, [whole])).has(whole.id))
    return { text: content, known: [whole], others: [], isFrame: false }
  if (served.isEmpty || !mayHoldFrame(content)) return undefined
  let best: Paste | undefined
  for (const text of readingsOf(content)) {
    const paste = await read(engine, tx, text)
    // What stands around a text may be a part of what it says, unless a frame is in it.
    // The order of statements may be what a text adds to them.
    const isRun = text === content && served.areInOrder(paste.known)
    if (isPaste(paste, isRun) && paste.others.length < (best?.others.length ?? Number.POSITIVE_INFINITY))
      best = paste
  }
  if (best?.others.length === 0) return best
  return (await mendedPaste(engine, tx, content, best)) ?? best
}

/** A text with fences, which hold what was shown, whoever showed it; the blocks they name. Two statements at most. */
async function fencedPaste(tx: StoreReader, content: string): Promise<Paste | undefined> {
  if (!holdsFence(content)) return undefined
  const { text, ids } = withoutFences(content)
  const byPrefix = ids.length === 0 ? [] : [...(await tx.idsByPrefix(ids)).values()]
  const named = byPrefix.flatMap((found) => (found.length === 1 ? found : []))
  const blocks = named.length === 0 ? [] : await tx.blocks(named)
  const others = readFrame(text)
  return {
    text,
    known: blocks.filter(({ status }) => status !== 'archived'),
    others,
    isFrame: true,
    isFenced: true,
  }
}

/** The same for a text whose lines were broken anew, if more of it is known then. */
async function mendedPaste(
  engine: Engine,
  tx: StoreReader,
  content: string,
  exact: Paste | undefined,
): Promise<Paste | undefined> {
  const { served, scope } = engine
  let best = exact
  for (const reading of readingsOf(content)) {
    const text = await mended(reading, served.wrapped(scope))
    if (text === undefined) continue
    const paste = await read(engine, tx, text)
    const isRun = reading === content && served.areInOrder(paste.known)
    if (isPaste(paste, isRun) && newWordsOf(paste).length < (best ? newWordsOf(best).length : Infinity))
      best = paste
  }
  return best
}

function newWordsOf({ others }: Pick<Paste, 'others'>): string {
  return others.map(({ text }) => text).join('\n')
}

/** True of what says a block again, alone, in a run or in a frame, and of lines of a frame about what is archived. */
function isPaste({ known, others, isFrame }: Paste, isRun: boolean): boolean {
  return known.length > 0 ? isRun || isFrame : isFrame && others.length === 0
}

async function read(engine: Engine, tx: StoreReader, text: string): Promise<Paste> {
  const parts = await partsOf(engine, text)
  const shown = parts.flatMap(({ said }) => said?.block ?? [])
  const still = await stillHere(tx, shown)
  // A line under an entry may tell of what is archived, and so may an entry about the past.
  const isKnown = ({ said, item }: Part) => {
    if (said?.block === undefined) return said !== undefined
    const isOfPast = said.isOfFrame && said.block.status === 'archived'
    return item.kind === 'version' || isOfPast || still.has(said.block.id)
  }
  return {
    text,
    known: shown.filter(({ id }) => still.has(id)),
    others: parts.filter((part) => !isKnown(part)).map(({ item }) => item),
    isFrame: parts.some((part) => isKnown(part) && part.said?.isOfFrame === true) || isNoteAlone(parts),
  }
}

/** True of what stands under an answer without it; a number of a recall alone may be anybody's words. */
function isNoteAlone(parts: readonly Part[]): boolean {
  const isNote = ({ said }: Part) => said !== undefined && said.block === undefined && !said.isOfFrame
  return parts.every(isNote) && parts.some(({ item }) => idsUnder(item.text)?.length !== 0)
}

/** A heading is known where an entry under it is; a line about a version belongs to the entry before it. */
async function partsOf(engine: Engine, text: string): Promise<readonly Part[]> {
  const items = await itemsOf(text)
  const pauses = new Pauses()
  const parts: Part[] = []
  let owner: Block | undefined
  for (const item of items) {
    const found = itemAsParts(engine, item, { owner, isOneOfMany: items.length > 1 })
    owner = found.owner
    parts.push(...found.parts)
    await pauses.after(item.text.length + WORK_PER_ITEM)
  }
  const headings = new Set(parts.flatMap(({ item, said }) => (said?.isOfFrame ? (item.heading ?? []) : [])))
  return parts.map((part) => {
    const isKnown = part.item.kind === 'heading' && headings.has(part.item.text)
    return isKnown ? { ...part, said: { isOfFrame: true } } : part
  })
}

async function itemsOf(text: string): Promise<readonly FrameItem[]> {
  const items: FrameItem[] = []
  const pauses = new Pauses()
  for (const item of frameItems(text)) {
    if (item) items.push(item)
    await pauses.after(item ? item.text.length + WORK_PER_ITEM : WORK_BETWEEN)
  }
  return items
}

/** One line of a frame, or the entry it begins with and the words behind. */
function itemAsParts(
  { served, scope }: Engine,
  item: FrameItem,
  { owner, isOneOfMany }: { readonly owner: Block | undefined; readonly isOneOfMany: boolean },
): { readonly parts: readonly Part[]; readonly owner: Block | undefined } {
  if (item.kind === 'heading') return { parts: [{ item, said: undefined }], owner }
  const said = served.recognise(item, { scope, owner, isOneOfMany })
  const begun = said ? undefined : served.beginning(item, scope)
  const next = item.kind === 'entry' ? (said?.block ?? begun?.block) : owner
  if (begun === undefined) return { parts: [{ item, said }], owner: next }
  const parts = [
    { item, said: { block: begun.block, isOfFrame: true } },
    { item: { ...item, text: begun.rest }, said: undefined },
  ]
  return { parts, owner: next }
}

/** Ids of those among blocks shown that nobody has archived or edited since. At most one statement. */
async function stillHere(tx: StoreReader, shown: readonly Block[]): Promise<ReadonlySet<string>> {
  if (shown.length === 0) return new Set()
  const now = new Map((await tx.blocks(shown.map(({ id }) => id))).map((block) => [block.id, block]))
  const isStill = ({ id, content }: Block) =>
    now.has(id) && now.get(id)?.status !== 'archived' && now.get(id)?.content === content
  return new Set(shown.filter(isStill).map(({ id }) => id))
}

function frameInText(others: readonly FrameItem[]): ElfmemError {
  const newWords = newWordsOf({ others })
  if (newWords === '')
    return new ElfmemError(
      'FRAME_IN_TEXT',
      'The text only says again what a recall showed, and not the words of a block.',
      {
        recovery: 'Nothing of it is new; pass keepFrame: true to keep it all the same.',
        details: { newWords },
      },
    )
  const said = shownLine(preview(newWords, TOLD_LENGTH))
  return new ElfmemError('FRAME_IN_TEXT', `The text holds what a recall showed, and new words: ${said}`, {
    recovery:
      'Remember the new words alone (all of them in details.newWords), or pass keepFrame: true to keep the text.',
    details: { newWords },
  })
}
