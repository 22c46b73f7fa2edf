import * as z from 'zod'
import { type knownValidity, momentWords, wholeInstant } from '../block/validity.ts'

const isoInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })])

/** The end of a refusal of a wrong date, which says what is wanted and repeats no value of the caller. */
export const DATE_WANTED = 'must be an ISO date or date-time, such as 2024-05-01'

/** A time as a caller writes it; `instantOf` reads it. */
export const instant = z
  .string()
  .max(64)
  .trim()
  .refine((given) => isoInstant.safeParse(wholeInstant(given)).success, DATE_WANTED)

/** The arguments by which a caller says when something holds. */
export const validityArguments = {
  validFrom: instant.optional().describe('When it begins to hold: ISO date or date-time'),
  validUntil: instant.optional().describe('From when it no longer holds; a date is its beginning'),
}

/** Times to look back to. */
export const pastArguments = {
  asOf: instant.optional().describe('What was true then: ISO date or date-time'),
  knownAt: instant.optional().describe('What the memory knew then; use counts are of now'),
}

/** The times that were looked back to. */
export const pastFields = {
  asOf: z.string().optional().describe('The time of asOf, if one was given'),
  knownAt: z.string().optional().describe('The time of knownAt, if one was given'),
  knownSince: z
    .string()
    .optional()
    .describe('Words and beliefs of before are not kept; which blocks there were is known for all time'),
}

/** The fields of an answer that say when a block holds. */
export const validityOfBlock = {
  validFrom: z.string().optional().describe('When it begins to hold, if that was given or its text says it'),
  validUntil: z
    .string()
    .optional()
    .describe('The time from which it no longer holds: given, in its text, or when its successor began'),
}

/** The fields that say how the dates of one block are known. */
export const howKnown = {
  fromBy: z
    .enum(['given', 'text'])
    .optional()
    .describe('How validFrom is known: text is a reading of its words'),
  untilBy: z
    .enum(['given', 'text', 'superseded'])
    .optional()
    .describe('How validUntil is known: text is a reading of its words'),
}

/** The fields of an answer that say when an edge holds. */
export const validityOfEdge = {
  validFrom: z.string().optional().describe('When what it says begins to hold, if that was said'),
  validUntil: z.string().optional().describe('The time from which it no longer holds, if given'),
}

/** The words for how it is known that a block begins and ends. */
const KNOWN_BY = { given: 'given', text: 'read from its text', superseded: 'superseded' } as const

/** Returns when a block holds and how that is known; empty when nothing says so. */
export function validitySentence({
  validFrom,
  validUntil,
  fromBy,
  untilBy,
}: {
  readonly [K in keyof ReturnType<typeof knownValidity>]?: ReturnType<typeof knownValidity>[K] | undefined
}): string {
  const ends = [
    ...(validFrom && fromBy ? [`from ${momentWords(validFrom)} (${KNOWN_BY[fromBy]})`] : []),
    ...(validUntil && untilBy ? [`until ${momentWords(validUntil)} (${KNOWN_BY[untilBy]})`] : []),
  ]
  return ends.length === 0 ? '' : `Holds ${ends.join(' ')}.`
}
