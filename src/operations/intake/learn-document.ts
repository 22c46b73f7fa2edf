import * as z from 'zod'
import { DEFAULT_CATEGORY } from '../../domain/block/category.ts'
import { count } from '../../domain/text/count.ts'
import { learnDocument as run } from '../../flow/intake/learn-document.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { dreamHint, sentences } from '../wording.ts'

const DEFAULT_SOURCE = 'document'

export const learnDocument = defineScopedOperation({
  name: 'learnDocument',
  summary: 'Cut a document into blocks and put them into the inbox.',
  guide: {
    when: 'You have a text longer than one statement that should be found piece by piece: notes, a README, minutes.',
    whenNot: 'For one fact (remember), or a text you can look up again at any time.',
    next: 'dream until nothing is left; recall finds the pieces at once, and the dream links them.',
    example: "await memory.learnDocument({ text: await readFile('NOTES.md', 'utf8'), source: 'NOTES.md' })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'instant',
  idempotent: true,
  input: z.object({
    text: z.string().describe('The document itself; Markdown is cut at its headings'),
    source: schemas.source
      .default(DEFAULT_SOURCE)
      .describe('Where the text comes from, for example a file name'),
    session: schemas.session.optional().describe('Groups the chunks; made from the text when left out'),
    tags: schemas.tags.optional(),
    category: schemas.category.default(DEFAULT_CATEGORY),
    cue: schemas.cue.optional(),
    at: schemas.at.optional(),
  }),
  output: z.object({
    chunksTotal: z.int(),
    chunksCreated: z.int(),
    chunksDuplicate: z.int().describe('Chunks that were known already'),
    blockIds: z.array(z.string()).readonly().describe('In the order of the document, known ones included'),
    session: z.string(),
    visible: schemas.visible,
    ...schemas.dreamAdvice,
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['text'],
  fromFile: { text: 'text', name: 'source' },
  run: async (engine, input, context) => {
    const { threshold: _threshold, ...result } = await run(engine, context, {
      ...input,
      source: input.source || DEFAULT_SOURCE,
    })
    const { chunksTotal, chunksCreated, chunksDuplicate } = result
    const text = sentences(
      `${count(chunksTotal, 'chunk')}: ${chunksCreated} new, ${chunksDuplicate} known already.`,
      dreamHint(result),
    )
    return { ...result, visible: true as const, summary: text }
  },
  render: ({ summary }) => summary,
})
