import * as z from 'zod'
import { type Block, normaliseTag } from '../../block/block.ts'
import { count, defined, splitWhitespace } from '../../block/text.ts'
import type { Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { instantOf } from '../../intake/check-input.ts'
import { DECAY_TIERS, decayTier, fadeRule, freshnessOf, hoursUntilArchived } from '../../outcome/formulas.ts'
import type { BlockCondition } from '../../store/database.ts'
import type { ReadTransaction } from '../../store/transaction.ts'
import * as schemas from '../schemas.ts'
import { instant } from '../schemas.ts'

/** The most words that are looked for at once. */
const WORDS_MOST = 8

/** The arguments that choose blocks. Those that no agent needs are taken over MCP without being listed. */
export const conditions = {
  tag: schemas.name.optional().describe('A whole tag, or a beginning and *, as self/*'),
  category: schemas.name.optional().describe('Only this category'),
  status: schemas.status.default('active'),
  session: schemas.name.optional().describe('Only this conversation or document'),
  words: schemas.kept
    .max(200)
    .optional()
    .describe('Each of these words stands in the text, the cue or the summary, anywhere in it')
    .meta({ unlisted: true }),
  sourceClass: schemas.sourceClass.optional().describe('Who speaks').meta({ unlisted: true }),
  source: schemas.name.optional().describe('Exactly this label of a source').meta({ unlisted: true }),
  tier: z
    .enum(DECAY_TIERS)
    .optional()
    .describe('How slowly it fades, without what reports changed')
    .meta({ unlisted: true }),
  since: instant.optional().describe('Came not before this date or date-time').meta({ unlisted: true }),
  until: instant.optional().describe('Came before this date or date-time').meta({ unlisted: true }),
  isolated: z.boolean().default(false).describe('Only blocks without edges').meta({ unlisted: true }),
  undecided: z
    .boolean()
    .default(false)
    .describe('Only blocks with a pair to decide about, which resolve settles')
    .meta({ unlisted: true }),
}

/** The values of `conditions`. */
export type Conditions = z.output<z.ZodObject<typeof conditions>>

/** Returns the condition for the store. */
export function conditionFrom({ tag, category, words, since, until, ...asked }: Conditions): BlockCondition {
  const { status, session, sourceClass, source, tier, isolated, undecided } = asked
  return {
    ...{ status, isolated, undecided },
    ...defined({
      ...{ session, sourceClass, source, tier },
      tag: tag === undefined ? undefined : tagPattern(tag),
      category: category?.trim().toLowerCase(),
      words: words === undefined ? undefined : wordsOf(words),
      since: since && instantOf(since),
      until: until && instantOf(until),
    }),
  }
}

/** Returns the pattern of a tag, in which nothing but a `*` at the end is special (W50). */
function tagPattern(tag: string): string {
  const pattern = normaliseTag(tag)
  if (!pattern.slice(0, -1).includes('*')) return pattern
  throw new ElfmemError('INVALID_INPUT', `"${tag}" is not a tag pattern.`, {
    recovery: 'Write the whole tag, or the beginning of tags followed by one *, such as self/*.',
  })
}

function wordsOf(text: string): string[] {
  const words = splitWhitespace(text)
  if (words.length <= WORDS_MOST) return words
  throw new ElfmemError('INVALID_INPUT', `${words.length} words are too many to look for.`, {
    recovery: `Give at most ${WORDS_MOST}; recall() finds what bears on a longer text.`,
  })
}

/** The schema of how a block fades. */
export const fading = {
  freshness: z.number().describe('What is left since its last use, 0..1'),
  tier: z.enum(DECAY_TIERS).describe('How slowly it fades, without what reports changed'),
  archivedAfterHours: z
    .number()
    .optional()
    .describe('Active hours without use until curate archives it; absent: it never does'),
}

/** The schema of the freshness below which a block is archived. */
export const archiveFloor = z.number().describe('Below this freshness curate archives a block that may fade')

/** The fields of `fading`. */
export function toFading(
  { settings }: Pick<Engine, 'settings'>,
  block: Block,
  hours: number,
): z.output<z.ZodObject<typeof fading>> {
  return {
    freshness: freshnessOf(block, hours),
    tier: decayTier(block.tags, block.category),
    ...defined({ archivedAfterHours: hoursUntilArchived(block, fadeRule(settings), hours) }),
  }
}

/** The schema of the details of a listed block. */
export const details = z.object({
  belief: z.number().describe('Its belief for all questions, 0..1; .5 without reports'),
  successes: z.number().describe('Sum of outcome signals in its favour'),
  failures: z.number().describe('Sum of outcome signals against it'),
  ...fading,
  degree: z.int().describe('Number of its edges'),
  strength: z.number().describe('Sum of the weights of its edges, with their use'),
})

/** Details of some blocks, by id. One statement, and what was reported since the last reading. */
export async function readDetails(
  tx: ReadTransaction,
  { engine, hours }: { readonly engine: Engine; readonly hours: number },
  blocks: readonly Block[],
): Promise<ReadonlyMap<string, z.output<typeof details>>> {
  const { experience } = engine
  const ids = blocks.map(({ id }) => id)
  const joined = await tx.queries.strengths(ids)
  await experience.refresh(tx, engine.index.generation)
  return new Map(
    blocks.map((block) => [
      block.id,
      {
        belief: (1 + experience.general(block.id)) / 2,
        ...{ successes: block.successes, failures: block.failures },
        ...toFading(engine, block, hours),
        ...(joined.get(block.id) ?? { degree: 0, strength: 0 }),
      },
    ]),
  )
}

/** Details on a line of a list: `belief .67 (2 reports), fresh .40 standard, archived after 62 h, 3 edges`. */
export function detailWords(found: z.output<typeof details>): string {
  const { belief, successes, failures, freshness, tier, archivedAfterHours, degree } = found
  const share = (value: number) => value.toFixed(2).replace(/^0/, '')
  const reports = Math.round((successes + failures) * 10) / 10
  const gone = archivedAfterHours === undefined ? '' : `, archived after ${Math.ceil(archivedAfterHours)} h`
  return `belief ${share(belief)} (${count(reports, 'report')}), fresh ${share(freshness)} ${tier}${gone}, ${count(degree, 'edge')}`
}
