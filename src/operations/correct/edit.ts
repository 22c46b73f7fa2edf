import * as z from 'zod'
import { edit as run } from '../../flow/correct/edit.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId, wordsStay } from '../wording.ts'

export const edit = defineScopedOperation({
  name: 'edit',
  summary: 'Correct the words, cue, tags, category or source class of a block.',
  guide: {
    when: 'A block is wrong or badly put, and its record should stay.',
    whenNot:
      'When the fact itself changed: remember the new one with supersedes. Archived blocks: restore first.',
    next: 'Nothing; the next recall uses it. history shows what it was.',
    example: "await memory.edit({ blockId: '3f2a9c1e', content: 'Releases go out on Thursdays.' })",
  },
  needs: 'agent',
  effect: 'write',
  cost: 'embedding',
  idempotent: true,
  input: z.object({
    blockId: schemas.blockId,
    content: schemas.content.optional(),
    cue: schemas.cue.optional().describe('In which situation it should come to mind; blank takes it away'),
    tags: schemas.tags.optional().describe('Instead of the tags it has'),
    category: schemas.category.optional(),
    sourceClass: schemas.sourceClass
      .optional()
      .describe('Who is to count as speaking: user vouches for it; only the owner may say it'),
    allowConstitutional: z.boolean().default(false).describe('Needed to change a principle'),
  }),
  output: z.object({
    blockId: z.string(),
    changed: z.array(z.enum(['content', 'cue', 'tags', 'category', 'sourceClass'])).readonly(),
    sameAs: z.string().optional().describe('Another block that says the same now'),
    redacted: schemas.redacted.optional(),
    summary: schemas.summary,
  }),
  positionals: ['blockId', 'content'],
  ownerOnly: { sourceClass: 'given', allowConstitutional: [true] },
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    const { blockId, changed, sameAs } = result
    const text = sentences(
      changed.length === 0
        ? `${shortId(blockId)} was like this already.`
        : `Changed ${changed.join(', ')} of ${shortId(blockId)}.`,
      (changed.includes('content') || changed.includes('cue')) && wordsStay('elfmem erase --query'),
      sameAs !== undefined && `${shortId(sameAs)} says the same: forget one of them.`,
    )
    return { ...result, summary: text }
  },
  render: ({ summary }) => summary,
})
