import * as z from 'zod'
import { count, preview, shownLine, splitWhitespace } from '../../block/text.ts'
import { mustBeWhole } from '../../care/files-of.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { COPIES_ELSEWHERE } from '../../history/erase.ts'
import {
  type ChosenBlock,
  choose,
  type ErasingChoice,
  eraseRows,
  lookAt,
  piecesWithoutRow,
  settleErasing,
  unfinishedErasing,
} from '../../history/erase-rows.ts'
import { readBlocks } from '../../store/blocks.ts'
import { readMeta } from '../../store/log.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences, shortId } from '../wording.ts'

/** Blocks named in a text for people. */
const NAMED_MOST = 20
const PREVIEW_LENGTH = 80

const output = z.object({
  erased: z.boolean(),
  finished: z.boolean().describe('False: files still hold words; call it again without blocks'),
  blocks: z
    .array(
      z.object({
        id: z.string(),
        status: z
          .enum(['inbox', 'active', 'archived', 'before'])
          .describe('before: words of before an edit or an undo; their block stays as it is'),
        content: z.string().optional().describe('Its beginning, until it is erased'),
      }),
    )
    .readonly(),
  others: z
    .array(z.object({ id: z.string(), content: z.string() }))
    .readonly()
    .describe('Kept blocks that hold one of these texts; at most 20'),
  files: z
    .array(z.string())
    .readonly()
    .describe('Files of the memory that still hold words of what was erased'),
  copies: z.array(z.string()).readonly().describe('Backups and exports that hold them, or cannot be read'),
  deleted: z.array(z.string()).readonly().describe('Those that were deleted'),
  summary: schemas.summary,
})

const input = z.object({
  blockIds: schemas.blockIds.min(1).optional(),
  query: schemas.question
    .optional()
    .describe('All blocks with all of these words, and words of before an edit or an undo'),
  copies: z
    .enum(['keep', 'delete'])
    .default('keep')
    .describe('What becomes of backups and exports beside the memory that hold the blocks'),
  yes: z.boolean().default(false).describe('Erase; without it the answer only says what would go'),
})

type EraseInput = z.output<typeof input>

/** Erases blocks, for the owner alone. Without `yes` the answer says what would go, and nothing changes. */
export const erase = defineOperation({
  name: 'erase',
  summary: 'Remove blocks and every trace of their words from the memory; it cannot be undone.',
  guide: {
    when: 'Words must not be there any more: a secret, what somebody wants deleted, what was never yours to keep.',
    whenNot: 'For a block that is only wrong or unwanted use forget(), which can be undone, or edit().',
    next: 'Without yes it only says what would go. Delete the copies it names, or pass copies: delete.',
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
  input,
  output,
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
    mustBeWhole(engine)
    const { store } = engine
    const { blocks, wanted, isBegun } = await chosenBy(engine, input)
    const others = await store.read((tx) => readBlocks(tx, wanted.standingIn))
    const made = await store.read((tx) => readMeta(tx, COPIES_ELSEWHERE))
    const known = (JSON.parse(made ?? '[]') as string[]).concat(engine.settings.log.file ?? [])
    const erasing = await store.files?.erasing()
    const found = await erasing?.copies([...wanted.pieces, ...wanted.ids], known)
    const { beside, elsewhere } = found ?? { beside: [], elsewhere: [] }
    const erased = isBegun || input.yes
    const deleted = erased && input.copies === 'delete' ? beside : []
    const left = erased
      ? await eraseNow(engine, context, { blocks, wanted, isBegun, deleted })
      : { files: [], finished: false }
    const beginningOf = (content: string) => preview(content, PREVIEW_LENGTH)
    const told = {
      ...{ ...left, erased, deleted },
      copies: [...beside, ...elsewhere].filter((path) => !deleted.includes(path)),
      blocks: blocks.map(({ id, status, content }) => ({
        ...{ id, status, ...(erased ? {} : { content: beginningOf(content) }) },
      })),
      others: others.map(({ id, content }) => ({ id, content: beginningOf(content) })),
    }
    return { ...told, summary: summaryOf(told, store.files !== undefined) }
  },
  render: ({ blocks, others, files, copies, summary, erased }) =>
    [
      'An erasing cannot be undone.',
      ...(erased ? [] : blocks.slice(0, NAMED_MOST)).map(
        ({ id, status, content }) => `  ${shortId(id)}  ${status}  ${content ?? ''}`,
      ),
      ...(blocks.length > NAMED_MOST && !erased ? [`  and ${blocks.length - NAMED_MOST} more`] : []),
      ...others.map(({ id, content }) => `  ~ ${shortId(id)}  stays, and holds the same: ${content}`),
      ...files.map((path) => `  ${shownLine(path)} holds words of them.`),
      ...copies.map((path) => `  ! ${shownLine(path)} holds them, or cannot be read.`),
      summary,
    ].join('\n'),
  failed: ({ finished }) => !finished,
})

type Told = Omit<z.output<typeof output>, 'summary'>

function summaryOf({ blocks, erased, finished, others, copies, deleted }: Told, hasFiles: boolean): string {
  const hold = (many: number) => (many === 1 ? 'holds' : 'hold')
  const rest = [
    others.length > 0 && `${count(others.length, 'kept block')} ${hold(others.length)} the same text.`,
    deleted.length > 0 && `${count(deleted.length, 'copy', 'copies')} deleted.`,
    copies.length > 0 &&
      `${count(copies.length, 'copy', 'copies')} ${hold(copies.length)} them: delete what you do not want to keep.`,
  ]
  if (!erased)
    return sentences(
      `${whatIsErased(blocks)} would be erased.`,
      ...rest,
      'Nothing was erased: say yes (--yes) to do it.',
    )
  return sentences(
    blocks.length > 0 ? `${whatIsErased(blocks)} erased.` : 'An erasing that began earlier goes on.',
    hasFiles
      ? finished && 'A search of the files of the memory found nothing of them.'
      : 'This memory is in no file of its own: backups, logs and free space of its database were not searched.',
    !finished &&
      'Not finished: a process still reads an older state. Close what has the memory open, then call erase again without blocks (elfmem erase).',
    ...rest,
  )
}

/** Returns the chosen blocks and what to look for. An erasing that did not end has ids alone, because its rows are gone. */
async function chosenBy({ store }: Engine, input: EraseInput) {
  const choice = choiceOf(input)
  const blocks = choice === undefined ? [] : await store.read((tx) => choose(tx, choice), ASIDE)
  if (blocks.length > 0) {
    const wanted = await store.read(({ rows }) => lookAt(rows, blocks), ASIDE)
    return { blocks, wanted, isBegun: false }
  }
  const ids = input.yes || choice === undefined ? await store.read(unfinishedErasing) : undefined
  if (ids === undefined) throw nothingToErase(choice !== undefined)
  return { blocks, wanted: { ids, texts: [], words: [], pieces: [], standingIn: [] }, isBegun: true }
}

const ASIDE = { aside: true } as const
const OVERWRITING = { undoable: false, overwrites: true } as const

/** Removes the rows, then the texts from the files. Logs what was erased, and when it is finished. */
async function eraseNow(
  engine: Engine,
  context: CallContext,
  { blocks, wanted, isBegun, deleted }: Awaited<ReturnType<typeof chosenBy>> & { deleted: readonly string[] },
): Promise<{ readonly files: readonly string[]; readonly finished: boolean }> {
  const { store, keptIndex } = engine
  try {
    if (!isBegun)
      await mutate(engine, context, ({ tx }) => eraseRows(tx, wanted, engine.ids.random()), OVERWRITING)
    const erasing = await store.files?.erasing()
    await keptIndex?.cache.drop(true)
    const isPurged = (await erasing?.purge(deleted)) ?? true
    const pieces = await store.read(({ rows }) => piecesWithoutRow(rows, wanted.pieces), ASIDE)
    const files = (await erasing?.own(pieces)) ?? []
    const finished = isPurged && files.length === 0
    const what = isBegun ? 'the rest of an earlier erasing' : whatIsErased(blocks)
    const note = async ({ tx, log }: Mutation) => {
      const summary = `erased ${what}${finished ? '' : ', not finished'}`
      await log({ operation: 'erase', blockIds: [], summary })
      if (finished) await settleErasing(tx)
    }
    await mutate(engine, context, note, OVERWRITING)
    return { files, finished }
  } finally {
    // The texts of earlier recalls may hold erased words.
    engine.served.clear()
  }
}

/** Says in words how many blocks go, and how many earlier wordings. */
function whatIsErased(blocks: readonly Pick<ChosenBlock, 'status'>[]): string {
  const former = blocks.filter(({ status }) => status === 'before').length
  const gone = blocks.length - former
  const parts = [gone > 0 && count(gone, 'block'), former > 0 && count(former, 'earlier wording')]
  return parts.filter(Boolean).join(' and ')
}

function choiceOf({ blockIds: ids, query }: EraseInput): ErasingChoice | undefined {
  if (ids !== undefined && query !== undefined)
    throw new ElfmemError('INVALID_INPUT', 'An erasing is by blockIds or by a query.', {
      recovery: 'Pass one of them; call it again for the other.',
    })
  if (query !== undefined) return { words: wordsOf(query) }
  return ids === undefined ? undefined : { ids }
}

/** The words of a search; what stands in quotation marks is one. Throws `INVALID_INPUT` when there is none. */
function wordsOf(query: string): string[] {
  const parts = query.split('"')
  const words = parts.flatMap((part, i) => (i % 2 === 1 ? [part.trim()] : splitWhitespace(part)))
  const wanted = words.filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (wanted.length > 0) return wanted
  throw new ElfmemError('INVALID_INPUT', 'The search holds no word.', {
    recovery: 'Pass the words that the blocks hold, or a phrase in quotation marks.',
  })
}

function nothingToErase(isChosen: boolean): ElfmemError {
  return isChosen
    ? new ElfmemError('NOT_FOUND', 'No block is chosen so, and there is nothing to erase.', {
        recovery: 'ls() and recall() show ids; a query chooses by all of its words.',
      })
    : new ElfmemError('INVALID_INPUT', 'Nothing says what to erase, and no erasing is left to finish.', {
        recovery: 'Pass blockIds or query.',
      })
}
