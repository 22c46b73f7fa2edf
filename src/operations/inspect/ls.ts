import * as z from 'zod'
import { type SourceClass, sourceName } from '../../domain/block/source-class.ts'
import { normaliseTag } from '../../domain/block/tags.ts'
import { validityWords } from '../../domain/block/validity/validity.ts'
import type { PendingConnection } from '../../domain/graph/edge.ts'
import { shownLine } from '../../domain/safety/visible.ts'
import { count, defined, preview } from '../../domain/text/text.ts'
import { ElfmemError } from '../../errors.ts'
import type { Engine } from '../../flow/engine/engine.ts'
import { inPast, momentsOf, pastNote } from '../../flow/past/in-past.ts'
import type { BlockPage } from '../../ports/store/transaction.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { pastArguments, pastFields } from '../validity.ts'
import { sentences, shortId } from '../wording.ts'

const pendingConnection = z.object({
  source: z.string(),
  target: z.string(),
  relation: z.string(),
  weight: z.number(),
  note: z.string().optional(),
  requestedAt: z.number().describe('Active hours'),
  attempts: z.int().describe('Curations that found no room; it is given up after ten'),
})

const input = z.object({
  tag: z.string().optional().describe('A whole tag, or a beginning and *, as self/*'),
  category: z.string().optional().describe('Exactly this category'),
  status: schemas.status.default('active'),
  session: z.string().optional().describe('Only blocks of this conversation or document'),
  pending: z.boolean().default(false).describe('Connections that wait for room, not blocks, oldest first'),
  sort: z
    .enum(['newest', 'oldest', 'used'])
    .default('newest')
    .describe('By when they came, or the last used first'),
  limit: z.int().min(1).max(500).default(50).describe('At most so many'),
  cursor: schemas.cursor.optional(),
  ...pastArguments,
})

/** Returns a page of blocks, whose `cursor` leads to the next, or the connections that wait for room. */
export const ls = defineScopedOperation({
  name: 'ls',
  summary: 'List blocks by tag, category, status or session.',
  guide: {
    when: 'You want to look at what is there, or need an id; also of archived blocks.',
    whenNot: 'To find what bears on a question: recall() ranks, this does not.',
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
    blocks: z.array(schemas.listedBlock).readonly().describe('In the order of sort'),
    pendingConnections: z
      .array(pendingConnection)
      .readonly()
      .optional()
      .describe('Only when asked for; curate makes them when there is room, disconnect calls one off'),
    cursor: z.string().optional().describe('Pass it to get the next page'),
    ...pastFields,
    summary: schemas.summary,
  }),
  page: 'limit',
  run: async (engine, input) => {
    if (input.pending) return pendingList(await engine.store.read((tx) => tx.pendingConnections(input.limit)))
    return inPast(engine, { ...input, extent: 'blocks' }, async (looking) => {
      const { engine: then } = looking
      const { blocks, cursor } = await listBlocks(then, input)
      const told =
        blocks.length === 0
          ? await nothingFits(then, input)
          : summaryOf(blocks.length, input.status, cursor !== undefined)
      return {
        blocks: blocks.map(schemas.toListedBlock),
        ...defined({ cursor }),
        ...momentsOf(looking),
        summary: sentences(told, pastNote(looking)),
      }
    })
  },
  render: ({ blocks, pendingConnections = [], summary }) =>
    [
      ...pendingConnections.map(
        ({ source, target, relation, note }) =>
          `${shortId(source)} ${relation} ${shortId(target)}${note === undefined ? '' : `  ${preview(note, 60)}`}`,
      ),
      ...blocks.map(
        ({ id, content, tags, scope, sourceClass, source, validFrom, validUntil }) =>
          `${shortId(id)}${scope === undefined ? '' : `  ${scope}`}  ${preview(content, 80)}${tagList(tags)}${byline(sourceClass, source)}${holds({ validFrom, validUntil })}`,
      ),
      summary,
    ].join('\n'),
})

type Asked = z.output<typeof input>

const ORDERS = { newest: 'newest', oldest: 'arrival', used: 'recent' } as const

function listBlocks(
  engine: Engine,
  { tag, category, status, session, sort, limit, cursor }: Asked,
): Promise<BlockPage> {
  const pattern = tag === undefined ? undefined : tagPattern(tag)
  const wanted = { tag: pattern, category: category?.trim().toLowerCase(), session, cursor }
  return engine.store.read((tx) => tx.page({ status, order: ORDERS[sort], limit, ...defined(wanted) }))
}

/** Nothing but a `*` at the end is special (W50). */
function tagPattern(tag: string): string {
  const pattern = normaliseTag(tag)
  if (!pattern.slice(0, -1).includes('*')) return pattern
  throw new ElfmemError('INVALID_INPUT', `"${tag}" is not a tag pattern.`, {
    recovery: 'Write the whole tag, or the beginning of tags followed by one *, such as self/*.',
  })
}

function pendingList(pending: readonly PendingConnection[]) {
  const many = count(pending.length, 'connection')
  const summary =
    pending.length === 0
      ? 'No connection waits for room.'
      : `${many} wait${pending.length === 1 ? 's' : ''} for room.`
  return { blocks: [], pendingConnections: pending.map((each) => ({ ...each })), summary }
}

/** Who speaks, the class first; nothing for the agent's own words without a label. */
function byline(sourceClass: SourceClass, source = ''): string {
  const name = sourceName({ sourceClass, source: shownLine(source) })
  return name === undefined ? '' : `  (${preview(name, 40)})`
}

/** When it holds, if anything is said of that. */
function holds(validity: Parameters<typeof validityWords>[0]): string {
  const words = validityWords(validity)
  return words === '' ? '' : `  ${words}`
}

function tagList(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `  [${tags.slice(0, 3).join(', ')}${tags.length > 3 ? ', …' : ''}]`
}

async function nothingFits(engine: Engine, input: Asked): Promise<string> {
  const nothing = `No ${input.status} block fits`
  if (input.status !== 'active') return `${nothing}.`
  const waiting = await listBlocks(engine, { ...input, status: 'inbox', limit: 1, cursor: undefined })
  return waiting.blocks.length === 0 ? `${nothing}.` : `${nothing}, but of those with status inbox some do.`
}

function summaryOf(shown: number, status: string, more: boolean): string {
  return `${count(shown, `${status} block`)}${more ? '; there are more' : ''}.`
}
