import * as z from 'zod'
import { sourceName } from '../../block/block.ts'
import { count, defined, preview, shownLine } from '../../block/text.ts'
import { validityWords } from '../../block/validity.ts'
import type { Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { inPast, type Looking, momentsOf, pastNote } from '../../history/past.ts'
import { fadeRule } from '../../outcome/formulas.ts'
import { readPage } from '../../store/blocks.ts'
import type { BlockOrder } from '../../store/database.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields } from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'
import { archiveFloor, conditionFrom, conditions, details, detailWords, readDetails } from './rules.ts'

/** The arguments. Unlisted ones are taken over MCP without being in its list. */
const input = z.object({
  ...conditions,
  sort: z.enum(['newest', 'oldest', 'used', 'proved', 'doubted', 'fading', 'joined']).default('newest'),
  limit: z.int().min(1).max(500).default(50).describe('At most so many'),
  cursor: schemas.cursor.optional(),
  offset: z
    .int()
    .min(0)
    .max(100_000_000)
    .optional()
    .describe('So many are passed over, to jump into a long list; without cursor')
    .meta({ unlisted: true }),
  count: z.boolean().default(false).describe('Also says how many fit').meta({ unlisted: true }),
  details: z
    .boolean()
    .default(false)
    .describe('Each block comes with its belief, freshness, tier and edges')
    .meta({ unlisted: true }),
  ...pastArguments,
})

const listed = schemas.listedBlock.extend({ details: details.optional().describe('Only when asked for') })

type Listed = z.output<typeof listed>

/** Returns a page of blocks, whose `cursor` leads to the next. */
export const ls = defineScopedOperation({
  name: 'ls',
  summary: 'List blocks by tag, category, status or session.',
  guide: {
    when: 'You want to look at what is there, or need an id; also of archived blocks.',
    whenNot: 'To find what bears on a question use recall().',
    next: 'show() for one of them, or the next page with cursor.',
    example: "const { blocks } = await memory.ls({ tag: 'project/*', limit: 20 })",
  },
  tools: 'agent',
  needs: 'reader',
  effect: 'read',
  cost: 'instant',
  idempotent: true,
  input,
  output: z.object({
    blocks: z.array(listed).readonly().describe('In the order of sort'),
    cursor: z.string().optional().describe('Pass it to get the next page'),
    total: z.int().optional().describe('How many fit on all pages; only when asked for'),
    archiveFloor: archiveFloor.optional(),
    ...pastFields,
    summary: schemas.summary,
  }),
  page: 'limit',
  run: (engine, input) =>
    inPast(engine, input, async (looking) => {
      const page = await listBlocks(looking, engine, input)
      const { blocks, cursor, total } = page
      return {
        blocks,
        ...defined({ cursor, total }),
        ...(input.details ? { archiveFloor: fadeRule(looking.engine.settings).floor } : {}),
        ...momentsOf(looking),
        summary: sentences(summaryOf(page, input.status), pastNote(looking)),
      }
    }),
  render: ({ blocks, summary }) => [...blocks.map(lineOf), summary].join('\n'),
})

/** Returns a block as one line. */
function lineOf({ id, content, tags, scope, sourceClass, source = '', ...block }: Listed): string {
  const speaker = sourceName({ sourceClass, source: shownLine(source) })
  return [
    shortId(id),
    scope,
    block.details && detailWords(block.details),
    [
      preview(content, 80),
      tags.length > 0 && `[${tags.slice(0, 3).join(', ')}${tags.length > 3 ? ', …' : ''}]`,
      speaker && `(${preview(speaker, 40)})`,
      validityWords(block),
    ]
      .filter(Boolean)
      .join('  '),
  ]
    .filter((part) => part !== undefined)
    .join('  ')
}

type Asked = z.output<typeof input>
type Page = Awaited<ReturnType<typeof listBlocks>>

const ORDERS: Readonly<Record<Asked['sort'], BlockOrder>> = {
  ...{ newest: 'newest', oldest: 'arrival', used: 'recent' },
  ...{ proved: 'proved', doubted: 'doubted', fading: 'fading', joined: 'joined' },
}

/** Reads a page of blocks: one statement for the page, one for the total, two for details. */
function listBlocks({ engine }: Looking, present: Engine, asked: Asked) {
  const { sort, limit, cursor, offset, count: counts } = asked
  if (cursor !== undefined && offset !== undefined)
    throw new ElfmemError('INVALID_INPUT', 'ls: cursor and offset are two places to begin at.', {
      recovery: 'Pass cursor to go on behind a page, or offset to jump to a place in the list.',
    })
  return engine.store.read(async (tx) => {
    const { hours } = present.session.moment((await tx.state()).clock)
    const place = defined({ cursor, offset, count: counts || undefined })
    const page = await readPage(tx, { ...conditionFrom(asked), order: ORDERS[sort], hours, limit, ...place })
    const more = asked.details ? await readDetails(tx, { engine, hours }, page.blocks) : undefined
    const blocks = page.blocks.map((block) => ({
      ...schemas.toListedBlock(block),
      ...defined({ details: more?.get(block.id) }),
    }))
    return { ...page, blocks }
  })
}

function summaryOf({ blocks, cursor, total }: Page, status: Asked['status']): string {
  const shown = blocks.length
  if (shown === 0)
    return `No ${status} block fits${status === 'active' ? '; status inbox lists what waits' : ''}.`
  if (total !== undefined && total > shown) return `${shown} of ${count(total, `${status} block`)}.`
  return `${count(shown, `${status} block`)}${cursor === undefined ? '' : '; there are more'}.`
}
