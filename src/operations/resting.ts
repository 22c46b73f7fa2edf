import * as z from 'zod'
import type { Block } from '../domain/block/block.ts'
import type { Ground, OutdatedGround } from '../domain/block/grounds.ts'
import { endOf, momentWords } from '../domain/block/validity/validity.ts'
import { count, defined, preview } from '../domain/text/text.ts'
import { blockId } from './schemas.ts'
import { shortId, someIds } from './wording.ts'

/** Of a block that rests on more it is better said which part rests on what. */
const GROUNDS_MOST = 32

/** The grounds of a block, as whoever remembers it gives them. */
export const derivedFrom = z
  .array(blockId)
  .max(GROUNDS_MOST)
  .describe('Blocks it was made of or rests on; it is marked when one holds no more')

const foundBy = z
  .enum(['given', 'host'])
  .describe('given: said by whoever remembered it; host: said in a judgement')

/** The grounds of a block that no longer hold. */
export const restsOnOutdated = z
  .array(
    z.object({
      id: z.string(),
      content: z.string().describe('The first 160 characters of the ground'),
      why: z.enum(['superseded', 'ended']),
      until: z.string().optional().describe('The time from which it no longer held'),
      foundBy,
      path: z.array(z.string()).describe('From what the block rests on to this one, which is the last'),
    }),
  )
  .describe('The grounds that no longer hold, the nearest first: check the block before you use it')

const SHOWN_LENGTH = 160

/** The field of an answer; nothing when all that a block rests on holds. */
export function toRestsOnOutdated(grounds: readonly OutdatedGround[] = []): {
  restsOnOutdated?: z.output<typeof restsOnOutdated>
} {
  if (grounds.length === 0) return {}
  return {
    restsOnOutdated: grounds.map(({ ground, path, foundBy: by }) => ({
      id: ground.id,
      content: preview(ground.content, SHOWN_LENGTH),
      why: isSuperseded(ground) ? ('superseded' as const) : ('ended' as const),
      ...defined({ until: endOf(ground) }),
      foundBy: by,
      path: [...path],
    })),
  }
}

function isSuperseded({ archiveReason, supersededAt }: Block): boolean {
  return archiveReason === 'superseded' || supersededAt !== undefined
}

/** Blocks of an answer that rest on what holds no more; one that was ended or replaced is none. */
export const outdatedBlock = z.object({
  id: z.string(),
  content: z.string(),
  restsOnOutdated,
})

/** The fields of `outdatedBlock`. */
export function toOutdatedBlock(
  { id, content }: Block,
  grounds: readonly OutdatedGround[] = [],
): z.output<typeof outdatedBlock> {
  return { id, content, restsOnOutdated: toRestsOnOutdated(grounds).restsOnOutdated ?? [] }
}

/** The grounds of a block, and the blocks that rest on it. */
export const groundsOfBlock = {
  derivedFrom: z
    .array(z.object({ other: z.string(), preview: z.string(), foundBy }))
    .readonly()
    .describe('The blocks it rests on'),
  restsOnIt: z
    .array(z.object({ other: z.string(), preview: z.string(), foundBy }))
    .readonly()
    .describe('The blocks that rest on it, at most 20'),
  restsOnOutdated: restsOnOutdated.optional(),
}

/** Both directions of what rests on what, about one block. */
export function toGrounds(
  { own, others }: { readonly own: readonly Ground[]; readonly others: readonly Ground[] },
  previewOf: (id: string) => string,
) {
  const told = (other: string, by: Ground['foundBy']) => ({ other, preview: previewOf(other), foundBy: by })
  return {
    derivedFrom: own.map(({ ground, foundBy: by }) => told(ground, by)),
    restsOnIt: others.map(({ blockId: id, foundBy: by }) => told(id, by)),
  }
}

/** A line of a table about another block. */
export function groundCells({
  other,
  preview: text,
  foundBy: by,
}: {
  readonly other: string
  readonly preview: string
  readonly foundBy: Ground['foundBy']
}): readonly string[] {
  return [by, shortId(other), text]
}

/** One sentence on what rests on what holds no more; empty for nothing. */
export function outdatedSentence(grounds: readonly OutdatedGround[] = []): string {
  return grounds
    .slice(0, 2)
    .map(({ ground }) => {
      const end = endOf(ground)
      const until = end === undefined ? '' : ` (until ${momentWords(end)})`
      return `It rests on what is outdated: "${preview(ground.content, 60)}"${until}.`
    })
    .join(' ')
}

/** `2 blocks rest`, `1 block rests`. */
export function blocksRest(number: number): string {
  return `${count(number, 'block')} ${number === 1 ? 'rests' : 'rest'}`
}

/** One sentence on blocks that rest on what just ended; empty for none. */
export function restingSentence(ids: readonly string[]): string {
  return ids.length === 0
    ? ''
    : `${blocksRest(ids.length)} on what ended and may be wrong now: ${someIds(ids)}.`
}

/** The same for the log, behind what was done; empty for none. */
export function restingWords(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `; ${blocksRest(ids.length)} on what ended`
}
