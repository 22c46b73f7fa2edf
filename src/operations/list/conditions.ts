import * as z from 'zod'
import { normaliseTag } from '../../block/block.ts'
import { defined, splitWhitespace } from '../../block/text.ts'
import { ElfmemError } from '../../errors.ts'
import { instantOf } from '../../intake/check-input.ts'
import { DECAY_TIERS } from '../../outcome/formulas.ts'
import type { BlockCondition } from '../../store/database.ts'
import * as schemas from '../schemas.ts'
import { instant } from '../schemas.ts'

/** The most words that are looked for at once. */
const WORDS_MOST = 8

/** The arguments that say which blocks are meant; what no agent needs is taken over MCP without being listed. */
export const conditions = {
  tag: schemas.name.optional().describe('A whole tag, or a beginning and *, as self/*'),
  category: schemas.name.optional().describe('Only this category'),
  status: schemas.status.default('active'),
  session: schemas.name.optional().describe('Only this conversation or document'),
  words: schemas.kept
    .max(200)
    .optional()
    .describe(
      'Each of these words stands in the text, the cue or the summary, anywhere in it, in small or capital letters',
    )
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
