import * as z from 'zod'
import { count, defined, preview, shownLine } from '../../block/text.ts'
import { inPast, momentsOf, pastNote } from '../../history/past.ts'
import { countNames } from '../../index/name-counts.ts'
import { readPage } from '../../store/blocks.ts'
import { FACETS } from '../../store/database.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields } from '../schemas.ts'
import { section, sentences } from '../wording.ts'
import { conditionFrom, conditions } from './rules.ts'

const facet = z.object({
  values: z
    .array(
      z.object({
        value: z.string().describe('The value'),
        blocks: z.int().describe('How many blocks have it'),
        firstAt: z.string().optional().describe('Of a name: when it was said first'),
        lastAt: z.string().optional().describe('Of a name: when it was said last'),
      }),
    )
    .readonly()
    .describe('The most frequent first, at most limit'),
  distinct: z.int().describe('How many different values there are'),
})

/** The facets by their names in answers, with those for people. */
const NAMES = {
  name: 'Name',
  status: 'Status',
  sourceClass: 'Who speaks',
  tier: 'Tier',
  category: 'Category',
  tag: 'Tag',
  source: 'Source',
  session: 'Session',
} as const

const NONE = { values: [], distinct: 0 }

/** Returns how many of the blocks that fit have each tag, category, speaker, source, session, tier and status; names only when asked. */
export const facets = defineScopedOperation({
  name: 'facets',
  summary:
    'Count blocks by tag, category, speaker, source, session, tier and status, or by the names in them.',
  guide: {
    when: 'You want to know what a memory is made of, or which filters of ls() lead on.',
    whenNot: 'For the numbers of the whole memory use status().',
    next: 'ls() with one of the values.',
    example: "const { tag, total } = await memory.facets({ sourceClass: 'user' })",
  },
  tools: 'all',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    ...conditions,
    limit: z.int().min(1).max(1_000).default(20).describe('At most so many values of each'),
    of: z
      .array(z.enum([...FACETS, 'name']))
      .min(1)
      .max(FACETS.length + 1)
      .optional()
      .describe('Only these are counted, and the others come empty; all but name when left out')
      .meta({ unlisted: true }),
    ...pastArguments,
  }),
  output: z.object({
    tag: facet.describe('By tag; a block with two counts at both'),
    category: facet.describe('By category'),
    sourceClass: facet.describe('By who speaks'),
    source: facet.describe('By label of the source; blocks without one are left out'),
    session: facet.describe('By conversation or document'),
    tier: facet.describe('By how slowly they fade, without what reports changed'),
    status: facet.describe('By status, of all that fit but for the status asked for'),
    name: facet.describe('By name in the text, if of asks for it: this reads all blocks that fit'),
    total: z.int().describe('How many blocks fit'),
    ...pastFields,
    summary: schemas.summary,
  }),
  run: (engine, { limit, of, asOf, knownAt, ...asked }) =>
    inPast(engine, { asOf, knownAt }, async (looking) => {
      const condition = conditionFrom(asked)
      const columns = of?.filter((each) => each !== 'name')
      const rest = { order: 'arrival', limit: 0, count: true, facets: limit } as const
      const filter = { ...condition, ...rest, ...defined({ facetsOf: columns }) }
      const { store, analysis } = looking.engine
      const { page, name } = await store.read(async (tx) => ({
        page: await readPage(tx, filter),
        name: of?.includes('name')
          ? await countNames(tx, condition, { language: analysis.language, limit })
          : NONE,
      }))
      const { total = 0, facets: found } = page
      const counted = found as NonNullable<typeof found>
      return {
        ...counted,
        name,
        total,
        ...momentsOf(looking),
        summary: sentences(`${count(total, `${asked.status} block`)}.`, pastNote(looking)),
      }
    }),
  render: ({ summary, ...counted }) =>
    [
      summary,
      ...Object.entries(NAMES).flatMap(([key, name]) => {
        const { values, distinct } = counted[key as keyof typeof NAMES]
        const more = distinct > values.length ? ` (the first ${values.length} of ${distinct})` : ''
        const rows = values.map(({ value, blocks, firstAt, lastAt }) => [
          String(blocks),
          `${preview(shownLine(value), 60)}${spanOf(firstAt, lastAt)}`,
        ])
        return section(`${name}${more}:`, rows)
      }),
    ].join('\n'),
})

/** Returns the days between which a name was said; nothing for other values. */
function spanOf(first = '', last = ''): string {
  const [from, to] = [first, last].map((time) => time.slice(0, 10))
  if (from === '') return ''
  return from === to ? `  ${from}` : `  ${from} to ${to}`
}
