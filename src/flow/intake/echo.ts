import type { Block } from '../../domain/block/block.ts'
import { mayHoldFrame, readFrame } from '../../domain/safety/frame.ts'
import { shownLine } from '../../domain/safety/visible.ts'
import { preview } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { STATE_KEYS } from '../../ports/store/undo.ts'
import { type Engine, ownKey } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Draft } from './admit.ts'

/** So much of the new words is told in the error, in characters. */
const TOLD_LENGTH = 200

/** A part of a text, and the block that was shown with these words, if any. */
interface Part {
  readonly text: string
  readonly isNumbered: boolean
  readonly block: Block | undefined
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
  return { draft: { ...draft, content: first.content }, echoOf: ids }
}

/**
 * The active blocks of which a draft says again what a recall showed, and nothing else: one, or several in a frame or a
 * list. No statement for a text that was not shown, one otherwise. Throws `FRAME_IN_TEXT` for a frame with words besides,
 * unless the draft keeps frames.
 */
export async function echoIn(engine: Engine, tx: StoreReader, draft: Draft): Promise<readonly Block[]> {
  if (!engine.settings.memory.echoGuard) return []
  await engine.served.lookUp(tx)
  const { parts, hasHeading } = partsOf(engine, draft.content)
  const shown = parts.flatMap(({ block }) => block ?? [])
  if (shown.length === 0) return []
  const now = new Map((await tx.blocks(shown.map(({ id }) => id))).map((block) => [block.id, block]))
  const isStill = ({ id, content }: Block) =>
    now.get(id)?.status === 'active' && now.get(id)?.content === content
  const known = shown.filter(isStill)
  const others = parts.filter(({ block }) => block === undefined || !isStill(block))
  if (others.length === 0) return known
  const isFrame = hasHeading || parts.some(({ block, isNumbered }) => block !== undefined && isNumbered)
  if (isFrame && known.length > 0 && draft.keepFrame !== true) throw frameInText(others)
  return []
}

/** A text as one block of what was shown, or else as the entries of a frame. */
function partsOf(
  { served, scope }: Engine,
  content: string,
): { readonly parts: readonly Part[]; readonly hasHeading: boolean } {
  const whole = served.blockOf(content, scope)
  if (whole !== undefined)
    return { parts: [{ text: content, isNumbered: false, block: whole }], hasHeading: false }
  if (!mayHoldFrame(content)) return { parts: [], hasHeading: false }
  const { pieces, hasHeading } = readFrame(content)
  const parts = pieces.map(({ readings, isNumbered }): Part => {
    const found = readings.map((reading) => served.blockOf(reading, scope))
    const block = found.find((each) => each !== undefined)
    return { text: readings.at(-1) as string, isNumbered, block }
  })
  return { parts, hasHeading }
}

function frameInText(others: readonly Part[]): ElfmemError {
  const newWords = others.map(({ text }) => text).join('\n')
  const said = shownLine(preview(newWords, TOLD_LENGTH))
  return new ElfmemError('FRAME_IN_TEXT', `The text holds what a recall showed, and new words: ${said}`, {
    recovery:
      'Remember the new words alone (all of them in details.newWords), or pass keepFrame: true to keep the text.',
    details: { newWords },
  })
}
