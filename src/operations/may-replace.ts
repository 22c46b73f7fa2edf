import * as z from 'zod'
import { preview } from '../block/text.ts'
import { saidAt } from '../block/validity.ts'
import type { Replaceable } from '../intake/supersede.ts'
import { shortId } from './wording.ts'

const shape = {
  content: z.string().describe('The first 160 characters of the older block'),
  saidAt: z.string().describe('When the older one was said'),
  score: z.number().describe('Probability by the pair score, 0..1'),
  resolve: z
    .object({ a: z.string(), b: z.string(), keep: z.literal('b') })
    .describe('Arguments of resolve by which the newer replaces the older'),
}

/** Older blocks that a block may replace. */
export const replaceableBlocks = z
  .array(z.object({ id: z.string().describe('Of the older block'), ...shape }))
  .describe('Earlier blocks that it may replace. A guess by words: nothing is noted')

/** Pairs of which the newer may replace the older. */
export const replacingBlocks = z
  .array(z.object({ id: z.string().describe('Of the newer block'), older: z.string(), ...shape }))
  .readonly()
  .describe(
    'New blocks that may replace older ones, the first 20. Both stay entries; decisions of the kind perhaps_newer lists all',
  )

const CONTENT_LENGTH = 160
/** The most code points of an older block in a sentence. */
const QUOTED_LENGTH = 60

/** Returns the fields of an older block, and the call by which the newer replaces it. */
export function toReplaceable(newer: string, { older, score }: Replaceable) {
  return {
    id: older.id,
    content: preview(older.content, CONTENT_LENGTH),
    saidAt: saidAt(older),
    score,
    resolve: { a: older.id, b: newer, keep: 'b' as const },
  }
}

/** Says that one block may replace another, with the call of the library, or the command, that does it. */
export function mayReplaceSentence(
  { content, saidAt: at, resolve: { a, b, keep } }: Omit<ReturnType<typeof toReplaceable>, 'id' | 'score'>,
  isCommand = false,
): string {
  const [older, newer] = [shortId(a), shortId(b)]
  const quoted = `"${preview(content, QUOTED_LENGTH)}", ${at.slice(0, 10)}`
  const call = isCommand
    ? `elfmem resolve ${older} ${newer} ${keep}`
    : `resolve({ a: '${older}', b: '${newer}', keep: '${keep}' })`
  return `${newer} may replace ${older} (${quoted}). If it does: ${call}`
}
