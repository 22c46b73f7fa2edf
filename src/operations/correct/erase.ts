import * as z from 'zod'
import { shownLine } from '../../domain/safety/visible.ts'
import { count, preview } from '../../domain/text/text.ts'
import { type EraseResult, foundIn, erase as run, whatIsErased } from '../../flow/erase/erase.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** Blocks named in a text for people. */
const NAMED_MOST = 20
const PREVIEW_LENGTH = 80

const file = z.object({
  path: z.string(),
  bytes: z.int(),
  before: z.int().describe('How often something that is looked for stood in it'),
  after: z.int().describe('The same afterwards; of a file that is gone 0'),
})

const lookedFor = z
  .object({
    texts: z.int().describe('Whole contents, summaries, cues and notes, in all their forms'),
    runs: z.int().describe('Six words in a row'),
    words: z.int().describe('Single words and numbers'),
    standing: z.int().describe('Forms that stand in a kept block as well, and so are not looked for'),
    standingIn: z
      .array(z.string())
      .readonly()
      .describe('Kept blocks that hold a whole text, six words in a row, or a number or code; at most 20'),
    standingInCount: z.int().describe('How many such blocks there are'),
    salt: z.string(),
    digests: z
      .array(z.string())
      .readonly()
      .describe('The first 16 hex digits of sha256 over the salt and each form looked for'),
  })
  .describe('The forms looked for')

/** Without `yes` the answer says what would go and nothing changes; for the owner alone. */
export const erase = defineOperation({
  name: 'erase',
  summary: 'Remove blocks and every trace of their words from the files of the memory; it cannot be undone.',
  guide: {
    when: 'Words must not be there any more: a secret, what somebody wants deleted, what was never yours to keep.',
    whenNot: 'A block is only wrong or unwanted: forget() hides it and can be undone, edit() corrects it.',
    next: 'Without yes it only says what would go. Keep the answer: it is the certificate. Delete the copies it names.',
    example: "await memory.erase({ blockIds: ['3f2a9c1e'], yes: true })",
  },
  tools: 'all',
  needs: 'owner',
  effect: 'destroy',
  isLasting: true,
  cost: 'batch',
  idempotent: true,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'OUT_OF_SCOPE'],
  keepsInput: false,
  input: z.object({
    blockIds: schemas.blockIds.min(1).optional(),
    tags: schemas.tags
      .min(1)
      .optional()
      .describe('All blocks with one of these tags; project/* for all that begin so'),
    sources: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('All blocks of one of these sources, as written'),
    sessions: z.array(z.string().min(1)).min(1).optional().describe('All blocks of one of these sessions'),
    query: z
      .string()
      .optional()
      .describe(
        'All blocks that hold all of these words exactly, a phrase in quotation marks as one; also words of before an edit, whose block stays',
      ),
    copies: z
      .enum(['rewrite', 'delete'])
      .default('rewrite')
      .describe('How to treat backups and exports beside the memory that hold something'),
    yes: z.boolean().default(false).describe('Erase; without it the answer only says what would go'),
  }),
  output: z.object({
    erased: z.boolean(),
    finished: z.boolean().describe('False: files still hold something (held); call it again'),
    blocks: z
      .array(
        z.object({
          id: z.string(),
          status: z
            .enum(['inbox', 'active', 'archived', 'undone', 'before'])
            .describe(
              'undone: only what undo needs has it; before: words of before an edit, whose block stays',
            ),
          content: z.string().optional().describe('Its beginning; left out once it is erased'),
        }),
      )
      .readonly(),
    lookedFor,
    others: z
      .array(
        z.object({
          id: z.string(),
          status: z.enum(['inbox', 'active', 'archived']).describe('Where it stands'),
          content: z.string().describe('Its beginning'),
        }),
      )
      .readonly()
      .optional()
      .describe('Without yes: the kept blocks that hold some of the same (standingIn), which stay'),
    files: z.array(file).readonly(),
    continues: z
      .boolean()
      .describe(
        'True: the rest of an erasing that began earlier; before is then what stood there at its beginning',
      ),
    foundBefore: z.int(),
    foundAfter: z.int(),
    rewritten: z.array(z.string()).readonly().describe('Copies that were written anew without the words'),
    deleted: z.array(z.string()).readonly(),
    held: z
      .array(
        z.object({
          path: z.string(),
          reason: z.string(),
          remedy: z.string().describe('The remedy'),
        }),
      )
      .readonly()
      .describe('Files that may still hold something, and why'),
    elsewhere: z
      .array(z.string())
      .readonly()
      .describe(
        "Files that are not the memory's own and hold the words, such as copies made at other places: these are left alone",
      ),
    unread: z
      .int()
      .describe('Files beside the memory that were not looked at: too many, too large, or not to be read'),
    summary: schemas.summary,
  }),
  positionals: ['blockIds'],
  asks: {
    key: 'yes',
    question: ({ blocks }) => `This cannot be undone. Type yes to erase ${whatIsErased(blocks)}:`,
    // Exactly what was shown, whatever came in meanwhile; words of before an edit are no block.
    confirmed: (input, { blocks }) =>
      blocks.some(({ status }) => status === 'before')
        ? { ...input, yes: true }
        : { copies: input.copies, blockIds: blocks.map(({ id }) => id), yes: true },
  },
  run: async (engine, input, context) => {
    const result = await run(engine, context, input)
    const { standingIn } = result.lookedFor
    const others = result.erased ? [] : await engine.store.read((tx) => tx.blocks(standingIn))
    return {
      erased: result.erased,
      finished: result.finished,
      blocks: result.blocks.map(({ id, status, content }) =>
        result.erased ? { id, status } : { id, status, content: preview(content, PREVIEW_LENGTH) },
      ),
      lookedFor: result.lookedFor,
      ...(result.erased
        ? {}
        : {
            others: others.map(({ id, status, content }) => ({
              ...{ id, status, content: preview(content, PREVIEW_LENGTH) },
            })),
          }),
      files: filesOf(result),
      continues: result.continues,
      foundBefore: foundIn(result.before),
      foundAfter: foundIn(result.after),
      rewritten: result.rewritten,
      deleted: result.deleted,
      held: result.held,
      elsewhere: result.elsewhere,
      unread: result.unread,
      summary: summaryOf(result),
    }
  },
  render: ({ blocks, others = [], files, held, elsewhere, summary, erased }) =>
    [
      'An erasing cannot be undone.',
      ...(erased
        ? []
        : blocks
            .slice(0, NAMED_MOST)
            .map(({ id, status, content }) => `  ${shortId(id)}  ${status}  ${content ?? ''}`)),
      ...(blocks.length > NAMED_MOST && !erased ? [`  and ${blocks.length - NAMED_MOST} more`] : []),
      ...others.map(({ id, content }) => `  ~ ${shortId(id)}  stays, and holds some of the same: ${content}`),
      ...files
        .filter(({ before, after }) => before + after > 0)
        .map(
          ({ path, before, after }) =>
            `  ${shownLine(path)}: found ${before}${erased ? ` before, ${after} after` : ''}`,
        ),
      ...held.map(
        ({ path, reason }) => `  ! ${shownLine(path)} may still hold something. ${shownLine(reason)}`,
      ),
      ...elsewhere.map(
        (path) => `  ! ${shownLine(path)} is not the memory's own, may hold the words, and was left alone.`,
      ),
      summary,
    ].join('\n'),
  failed: ({ finished }) => !finished,
})

/** Files as they were and are; one that came meanwhile was not there before. */
function filesOf({ before, after }: EraseResult): z.output<typeof file>[] {
  const now = new Map(after.map((each) => [each.path, each]))
  const known = new Set(before.map(({ path }) => path))
  const told = [...before, ...after.filter(({ path }) => !known.has(path))]
  return told.map((each) => {
    const later = now.get(each.path)
    return {
      path: each.path,
      bytes: each.bytes,
      before: known.has(each.path) ? foundIn([each]) : 0,
      after: later === undefined ? 0 : foundIn([later]),
    }
  })
}

function summaryOf(result: EraseResult): string {
  const { blocks, erased, finished, lookedFor: looked, before, after, held, elsewhere, unread } = result
  const rest = [
    looked.standingInCount > 0 &&
      `${count(looked.standingInCount, 'kept block')} ${looked.standingInCount === 1 ? 'holds' : 'hold'} some of the same words or numbers (${looked.standingIn.slice(0, 3).map(shortId).join(', ')}).`,
    elsewhere.length > 0 &&
      `${count(elsewhere.length, 'file')} elsewhere: delete what you do not want to keep.`,
    unread > 0 &&
      `${count(unread, 'file')} beside the memory ${unread === 1 ? 'was' : 'were'} not looked at.`,
  ]
  const holding = before.filter((each) => foundIn([each]) > 0).length
  if (!erased)
    return sentences(
      `${whatIsErased(blocks)} would be erased; the words stand ${foundIn(before)} times in ${count(holding, 'file')} of the memory.`,
      ...rest,
      'Nothing was erased: say yes (--yes) to do it.',
    )
  const found = `Found ${foundIn(before)} times ${result.continues ? 'when it began' : 'before'}, ${foundIn(after)} after${after.some((each) => each.unread) ? ' in what could be read' : ''}.`
  const byChance =
    finished &&
    foundIn(after) > 0 &&
    'What is left are single words that stand there by chance, as parts of others.'
  const erasedNow = blocks.length > 0 && `${whatIsErased(blocks)} erased.`
  if (finished) {
    const continued = result.continues && 'An erasing that began earlier is finished.'
    return sentences(erasedNow, continued, found, byChance, ...rest)
  }
  return sentences(
    erasedNow,
    found,
    `Not finished: ${count(held.length, 'file')} may still hold something.`,
    ...new Set(held.map(({ remedy }) => remedy)),
    ...rest,
  )
}
