import * as z from 'zod'
import { type Block, LABEL_LENGTH_MAX, type OutdatedGround, SOURCE_CLASSES } from '../block/block.ts'
import { codePointLength, count, defined, isStorable, preview, takeCodePoints } from '../block/text.ts'
import { endOf, knownValidity, momentWords, validityIn } from '../block/validity.ts'
import type { Edge } from '../graph/edge.ts'
import { ID_PREFIX_MIN, NAME_MAX } from '../intake/check-input.ts'
import { confidenceOf } from '../outcome/formulas.ts'
import { someIds } from './wording.ts'

const isoInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })])

/** A time as a caller writes it; `instantOf` reads it. */
export const instant = z
  .string()
  .max(64)
  .trim()
  .refine(
    (given) => isoInstant.safeParse(given).success,
    'must be an ISO date or date-time, such as 2024-05-01 or 2024-05-01T09:30:00Z',
  )

/** The arguments by which a caller says when something holds. */
export const validityArguments = {
  validFrom: instant.optional().describe('When it begins to hold: ISO date or date-time'),
  validUntil: instant.optional().describe('From when it no longer holds; a date is its beginning'),
}

/** An expectation makes a text a prediction. A probability of 0 or 1 is refused, because it teaches nothing about a judgement. */
export const expect = z
  .strictObject({
    by: instant.describe('ISO date, that day too'),
    probability: z.number().min(0.01).max(0.99),
  })
  .describe('A prediction: true by when, how probably')

/** Times to look back to. */
export const pastArguments = {
  asOf: instant.optional().describe('What was true then: ISO date or date-time'),
  knownAt: instant.optional().describe('What the memory knew then; use counts are of now'),
}

/** The times that were looked back to. */
export const pastFields = {
  asOf: z.string().optional(),
  knownAt: z.string().optional(),
  knownSince: z.string().optional().describe('Words and beliefs of before are not kept'),
}

/** The fields of an answer that say when a block or an edge holds. */
export const validityFields = {
  validFrom: z.string().optional().describe('When it begins to hold, if that is known'),
  validUntil: z.string().optional().describe('The time from which it no longer holds'),
}

/** Returns when a block holds and how that is known; empty when nothing says so. */
export function validitySentence(block: Block): string {
  const { validFrom, validUntil, fromBy, untilBy } = knownValidity(block, validityIn(block.content))
  const by = (known = '') => (known === 'text' ? 'read from its text' : known)
  const ends = [
    ...(validFrom ? [`from ${momentWords(validFrom)} (${by(fromBy)})`] : []),
    ...(validUntil ? [`until ${momentWords(validUntil)} (${by(untilBy)})`] : []),
  ]
  return ends.length === 0 ? '' : `Holds ${ends.join(' ')}.`
}

/** More ids than this in one call are a mistake. */
const IDS_MAX = 100_000
/** A question has a few sentences; all of it is looked up by its words. */
const QUESTION_MAX = 20_000
/** The most characters of a note, which explains something and is no content. */
const NOTE_MAX = 16_384
/** The most characters of a document, some 800 pages; a longer text comes in parts. */
const DOCUMENT_MAX = 4_000_000
/** The most characters of a block, whatever the settings are. */
const CONTENT_MAX = 1_000_000
/** The most characters of a block in a list. */
const LISTED_CONTENT = 500
/** The most bytes of a file name; no file system takes a longer one. */
const NAME_BYTES = 255
/** A text that is kept beside a block, or looked for among such texts; contents, cues and tags are checked where their limits are. */
export const kept = z.string().refine(isStorable, 'holds a NUL or half a character')

/** A text of a few words: at most 1,024 UTF-16 units. */
export const name = kept.max(NAME_MAX)
/** A question: at most 20,000 UTF-16 units. */
export const question = z.string().max(QUESTION_MAX)
/** A text that explains something: at most 16,384 UTF-16 units. */
export const note = z.string().max(NOTE_MAX)
/** A whole text: at most 4,000,000 UTF-16 units. */
export const document = z.string().max(DOCUMENT_MAX)

/** A whole block id or the beginning of one. */
export const blockId = kept
  .trim()
  .min(ID_PREFIX_MIN)
  .max(64)
  .describe('A block id, or a unique beginning of it')

export const blockIds = z.array(blockId).max(IDS_MAX).describe('Block ids, or their beginnings')

/** The text of a block; `checkContent` checks its length. */
export const content = z
  .string()
  .max(CONTENT_MAX)
  .describe('One statement that makes sense on its own; kept as given')

/** Tags as a caller spells them; `checkTags` brings them to one spelling. */
export const tags = z.array(name).max(1_000).describe('Its subjects, such as project/atlas; lower-cased')

/** A category as a caller spells it; any word may be one. */
export const category = name.describe(
  'Its kind: decision, preference, strategy (when …, do …), observation …',
)

/** A text of one line; `checkCue` checks it. */
export const cue = note.describe('When it should come to mind; one line')

/** A date or time as a caller writes it; `instantOf` reads it. */
export const at = instant.describe('When it was said or happened: ISO date or date-time; now when left out')

/** The label of a source: at most 256 characters. */
export const source = kept.trim().max(256)
export const sourceClass = z.enum(SOURCE_CLASSES)
/** The schema of who speaks, as a caller that brings a text may say. */
export const claimedClass = sourceClass.describe(
  'Who speaks; read from the source when left out. document: somebody else; peer: another agent; user: the owner alone says it',
)

/** The name of a session: 1 to 128 characters. */
export const session = kept.trim().min(1).max(128).describe('Its conversation; the running one when left out')

/** The name of a scope: 1 to `LABEL_LENGTH_MAX` characters. */
export const scope = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_LENGTH_MAX)
  .describe('Only this project or conversation')

export const cursor = name.describe('Cursor of the page before')

/** The schema of who asked for a logged operation. */
export const actor = z
  .string()
  .describe(
    'Who asked: library, cli, mcp:<client> …; curate: a dream that found one due; auto: nobody, at rest',
  )

/** A place on the caller's machine. */
export const path = kept
  .min(1)
  .max(4_096)
  .refine(
    (text) => text.split(/[/\\]/).every((name) => Buffer.byteLength(name) <= NAME_BYTES),
    `has a name of more than ${NAME_BYTES} bytes`,
  )

export const fileName = z.string().min(1).max(120)
/** A reason for the log: at most 1,024 characters. */
export const reason = kept.trim().max(1_024)
/** The schema of a summary in one line: what happened, counts, what was not done, the next step. */
export const summary = z.string().describe('The result in one line')

/** The secrets taken out of the input, counted by kind and field. */
export const redacted = z
  .array(z.object({ kind: z.string(), count: z.int(), field: z.string() }))
  .readonly()
  .describe('Secrets that a mark took the place of')

/** Counts the parts of a text that a recall had shown and that were left out. */
export const leftOut = z
  .object({
    entries: z.int().describe('Entries of blocks; of a fence the blocks that it names'),
    characters: z.int().describe('Length of all that was left out, with headings and line breaks'),
  })
  .describe('What was left out of the text because a recall had shown it; absent if nothing was')

/** Model usage, in calls and tokens. */
export const tokenUsage = z.object({
  llmCalls: z.int().describe('Questions to language models'),
  llmInputTokens: z.int(),
  llmOutputTokens: z.int(),
  embeddingCalls: z.int(),
  embeddingTokens: z.int(),
})

/** Advice to dream, in each answer about the inbox. */
export const dreamAdvice = {
  pending: z.int().describe('Blocks waiting in the inbox, counted up to 200'),
  shouldDream: z
    .boolean()
    .describe('True if you should call dream at the next pause; never if the memory dreams by itself'),
}

/** The schema of a mark in each answer about a block that recall finds now. */
export const visible = z.literal(true).describe('Recall finds it from now on, before any dream')
/** The last fields of an answer about what was taken in. */
export const takenIn = { visible, ...dreamAdvice, redacted: redacted.optional(), summary }
export const status = z.enum(['inbox', 'active', 'archived'])

/** Blocks that an operation left out; the reason is one word. */
export const skipped = z
  .array(z.object({ id: z.string(), reason: z.string() }))
  .readonly()
  .describe('The ids left out, and why')

/** The edges that were evicted. */
export const evictedEdges = z
  .array(z.object({ fromId: z.string(), toId: z.string(), relation: z.string(), weight: z.number() }))
  .readonly()
  .describe('Edges that gave way; undo() brings them back')

/** The fields of `evictedEdges`. */
export function toEvictedEdges(edges: readonly Edge[]): z.output<typeof evictedEdges> {
  return edges.map(({ from, to, relation, weight }) => ({ fromId: from, toId: to, relation, weight }))
}

/** The number of connections that were given up. */
export const pendingDropped = z
  .int()
  .describe('Waiting connections given up: ten tries without room, or the two are joined by now')

/** Marks a block that a dream could not have judged. */
export const judgementPending = z.literal(true).optional().describe('A model was to judge it and did not')

/** The times at which the text of a block was said again. */
export const saidAgain = {
  occurrences: z
    .array(
      z.object({
        at: z.string().describe('When it was said or happened'),
        createdAt: z.string().describe('When it was remembered'),
        sourceClass: sourceClass.describe('Who spoke'),
        source: z.string().optional(),
        session: z.string(),
      }),
    )
    .readonly()
    .optional()
    .describe('The times its text was said again, in the order they were remembered'),
}

/** The field of `saidAgain`; none of a block whose text was said once. */
export function toSaidAgain({ occurrences: all }: Pick<Block, 'occurrences'>) {
  if (all === undefined) return {}
  return { occurrences: all.map(({ blockId: _id, endedAt: _end, ...occurrence }) => occurrence) }
}

const blockFields = {
  id: z.string(),
  content: z.string().describe('Exactly what was remembered'),
  category: z.string(),
  tags: z.array(z.string()).readonly(),
  createdAt: z.string(),
  sourceClass: sourceClass.describe('Who speaks in it'),
  source: z.string().optional().describe('Its own label; what counts is sourceClass'),
  cue: z.string().optional(),
  session: z.string(),
  scope: z.string().optional().describe('The scope it belongs to, if any'),
  ...saidAgain,
}

/** The schema of how much experience counts in ranking. */
export const trust = z
  .number()
  .describe('How far reports on other questions count here, 0..1; it begins at two thirds')

/** A waiting block as a host needs it to judge it. */
export const waitingBlock = z.object(blockFields)

/** A block in a list. */
export const listedBlock = z.object({
  ...blockFields,
  status,
  ...validityFields,
  truncated: z.literal(true).optional().describe('The content goes on; show gives all of it'),
  reinforcementCount: z.int(),
})

/** A block with all that is known about it. */
export const wholeBlock = z.object({
  ...blockFields,
  status,
  summary: z.string().optional(),
  occurredAt: z.string(),
  position: z.int(),
  ...validityFields,
  fromBy: z.enum(['given', 'text']).optional().describe('How validFrom is known'),
  untilBy: z.enum(['given', 'text', 'superseded']).optional().describe('How validUntil is known'),
  archivedAt: z.string().optional(),
  archiveReason: z.enum(['decayed', 'superseded', 'forgotten']).optional(),
  supersededBy: z.string().optional(),
  supersedes: z.string().optional().describe('The block that it is to supersede, as given to remember'),
  alignment: z.number().optional(),
  scoredAt: z.string().optional().describe('When a model or host judged it last'),
  judgementPending,
  confidence: z.number().describe('0..1; 0.5 when nothing is known'),
  successes: z.number().describe('Sum of outcome signals in its favour'),
  failures: z.number().describe('Sum of outcome signals against it'),
  reinforcementCount: z.int(),
  lastReinforcedAt: z.number().describe('Active hours'),
  lastUsefulAt: z.number().describe('Active hours'),
  decayLambda: z.number().describe('Per active hour'),
  tokenCount: z.int(),
})

/** The fields of `waitingBlock`. */
export function toWaitingBlock(block: Block): z.output<typeof waitingBlock> {
  const { id, content, category, tags, createdAt, source, sourceClass, cue, session, scope } = block
  const kept = { id, content, category, tags, createdAt, sourceClass, session }
  return { ...kept, ...defined({ source, cue, scope }), ...toSaidAgain(block) }
}

/** The fields of `listedBlock`; a long content is cut. */
export function toListedBlock(block: Block): z.output<typeof listedBlock> {
  const { status, reinforcementCount } = block
  const validUntil = endOf(block)
  const long = codePointLength(block.content) > LISTED_CONTENT
  return {
    ...toWaitingBlock(block),
    status,
    ...defined({ validFrom: block.validFrom, validUntil }),
    reinforcementCount,
    ...(long
      ? { content: `${takeCodePoints(block.content, LISTED_CONTENT)}…`, truncated: true as const }
      : {}),
  }
}

/** The fields of `wholeBlock`. */
export function toWholeBlock(block: Block): z.output<typeof wholeBlock> {
  const { validFrom: _from, validUntil: _until, supersededAt: _end, ...known } = block
  const { lastAt: _at, lastToldAt: _toldAt, occurrences: _all, ...fields } = known
  return {
    ...fields,
    ...toSaidAgain(block),
    ...knownValidity(block, validityIn(block.content)),
    confidence: confidenceOf(block),
  }
}

/**
 * Declares the name that the Python elfmem has for an argument or for a field of a result. An argument is taken under both
 * names, a field stands under both; help and lists of tools show the first alone.
 */
export function alias<S extends z.ZodType>(name: string, schema: S): S {
  return schema.describe(`Another name of ${name}`).meta({ aliasOf: name, unlisted: true })
}

/** Returns the argument or field that a schema is another name of. */
export function aliasOf(schema: z.ZodType): string | undefined {
  return schema.meta()?.aliasOf as string | undefined
}

/** Largest number of grounds of a block; one with more is better remembered in parts, each with its own grounds. */
const GROUNDS_MOST = 32

/** The grounds of a block, as whoever remembers it gives them. */
export const derivedFrom = z
  .array(blockId)
  .max(GROUNDS_MOST)
  .describe('Blocks it was made of or rests on; it is marked when one holds no more')

/** The grounds of a block that no longer hold. */
export const restsOnOutdated = z
  .array(
    z.object({
      id: z.string(),
      content: z.string().describe('The first 160 characters of the ground'),
      why: z.enum(['superseded', 'ended']),
      until: z.string().optional().describe('The time from which it no longer held'),
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
    restsOnOutdated: grounds.map(({ ground }) => {
      const { id, content, archiveReason, supersededAt } = ground
      const isSuperseded = archiveReason === 'superseded' || supersededAt !== undefined
      const why = isSuperseded ? 'superseded' : 'ended'
      return { id, content: preview(content, SHOWN_LENGTH), why, ...defined({ until: endOf(ground) }) }
    }),
  }
}

/** Returns one sentence on blocks whose grounds hold no more; empty if there are none. */
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

/** Returns one sentence on blocks that rest on a block that just ended; empty if there are none. */
export function restingSentence(ids: readonly string[]): string {
  return ids.length === 0
    ? ''
    : `${blocksRest(ids.length)} on what ended and may be wrong now: ${someIds(ids)}.`
}

/** Returns words for the log on blocks that rest on a block that just ended; empty if there are none. */
export function restingWords(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `; ${blocksRest(ids.length)} on what ended`
}
