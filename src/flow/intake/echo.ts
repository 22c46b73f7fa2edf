import type { Block } from '../../domain/block/block.ts'
import { holdsFence, withoutFences } from '../../domain/safety/memory-fence.ts'
import { shownLine } from '../../domain/safety/visible.ts'
import { codePointLength, preview } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { STATE_KEYS } from '../../ports/store/undo.ts'
import { type Engine, ownKey } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Draft } from './draft.ts'

/** The longest part of the new words in the message of an error, in characters. */
const TOLD_LENGTH = 200

/** The size of what was left out of a text because a recall had shown it. */
export interface EchoCount {
  /** Number of entries. */
  readonly entries: number
  /** Length in code points, with headings and the lines under entries. */
  readonly characters: number
}

/** A text parted from what a recall showed. */
interface Parted {
  /** The rest, without white space around it; empty if there is none. */
  readonly own: string
  /** The blocks of the entries that were taken out, as they were shown. */
  readonly shown: readonly Block[]
  /** The first 8 characters of the ids that fences name. */
  readonly fenced: readonly string[]
  readonly leftOut: EchoCount
}

/** A draft, and the blocks that it only says again, if it is an echo. */
interface Meant {
  readonly draft: Draft
  /** Ids; empty for a draft that says something itself. */
  readonly echoOf: readonly string[]
  readonly leftOut?: EchoCount
}

/**
 * Parts a text from what a recall showed: closed fences, and entries and frames exactly as this process wrote them.
 * Undefined if it holds none, or `memory.echoGuard` is off. No statement; one pass.
 */
export function partedFromShown(engine: Engine, text: string): Parted | undefined {
  if (!engine.settings.memory.echoGuard) return undefined
  const { text: unfenced, ids: fenced } = withoutFences(text)
  const parted = engine.served.part(unfenced, engine.scope)
  if (parted === undefined && !holdsFence(text)) return undefined
  const own = (parted?.rest ?? unfenced).trim()
  const shown = parted?.blocks ?? []
  const characters = codePointLength(text.trim()) - codePointLength(own)
  return { own, shown, fenced, leftOut: { entries: shown.length + fenced.length, characters } }
}

/** The sum of what was left out of some texts; undefined if nothing was. */
export function sumLeftOut(parts: readonly (EchoCount | undefined)[]): EchoCount | undefined {
  return parts.reduce((sum, part) => {
    if (sum === undefined || part === undefined) return sum ?? part
    return { entries: sum.entries + part.entries, characters: sum.characters + part.characters }
  }, undefined)
}

/**
 * The draft, or, if a recall has shown all of it, one with the content of the first block that it says again. These blocks stay
 * fresh, and the echo is counted. Throws as `echoIn`.
 */
export async function withoutEcho(engine: Engine, { tx, moment }: Mutation, draft: Draft): Promise<Meant> {
  const parted = partedFromShown(engine, draft.content)
  const said = parted === undefined ? [] : await saidAgain(tx, draft, parted)
  const [first] = said
  if (parted === undefined || first === undefined) return { draft, echoOf: [] }
  const echoOf = [...new Set(said.map(({ id }) => id))]
  await tx.reinforceBlocks(echoOf, moment.hours)
  const key = ownKey(engine, STATE_KEYS.echoes)
  await tx.saveMeta(key, String(Number((await tx.meta(key)) ?? 0) + 1))
  return { draft: { ...draft, content: first.content, isEcho: true }, echoOf, leftOut: parted.leftOut }
}

/** Throws `FRAME_IN_TEXT` for a draft that `withoutEcho` would refuse. */
export async function refuseFrameIn(engine: Engine, tx: StoreReader, draft: Draft): Promise<void> {
  const parted = partedFromShown(engine, draft.content)
  if (parted !== undefined) await saidAgain(tx, draft, parted)
}

/**
 * The living blocks that a draft only says again; none if it keeps words of its own beside them. Throws `FRAME_IN_TEXT` for such words,
 * and if no living block says it any more, unless the draft keeps frames. Two statements at most.
 */
async function saidAgain(tx: StoreReader, { keepFrame }: Draft, parted: Parted): Promise<readonly Block[]> {
  const living = parted.own === '' ? await livingOf(tx, parted) : []
  if (living.length === 0 && keepFrame !== true) throw frameInText(parted.own)
  return living
}

/** The blocks that fences name, and those that say what was shown of them. */
async function livingOf(tx: StoreReader, { shown, fenced }: Parted): Promise<readonly Block[]> {
  const found = fenced.length === 0 ? [] : [...(await tx.idsByPrefix(fenced)).values()]
  const named = found.flatMap((ids) => (ids.length === 1 ? ids : []))
  const before = new Map(shown.map((block) => [block.id, block.content]))
  const ids = [...new Set([...before.keys(), ...named])]
  const blocks = ids.length === 0 ? [] : await tx.blocks(ids)
  const isSame = ({ id, content }: Block) => (before.get(id) ?? content) === content
  return blocks.filter((block) => block.status !== 'archived' && isSame(block))
}

/** Throws `FRAME_IN_TEXT` if words that a block is to have hold what a recall showed, and the block does not hold it yet. */
export function refuseFrame(
  engine: Engine,
  { before, after }: { readonly before: string; readonly after: string | undefined },
): void {
  if (after === undefined || after === before) return
  const parted = partedFromShown(engine, after)
  if (parted === undefined || partedFromShown(engine, before) !== undefined) return
  throw frameInText(
    parted.own,
    'Pass the words of the block alone, without number, date and id of an answer.',
  )
}

const HOW_TO_REMEMBER =
  'Remember the new words alone (all of them in details.newWords), or pass keepFrame: true to keep the text.'

function frameInText(newWords: string, recovery = HOW_TO_REMEMBER): ElfmemError<'FRAME_IN_TEXT'> {
  const said =
    newWords === '' ? 'no words of its own.' : `new words: ${shownLine(preview(newWords, TOLD_LENGTH))}`
  const message = `The text holds what a recall showed, and ${said}`
  return new ElfmemError('FRAME_IN_TEXT', message, { recovery, details: { newWords } })
}
