import * as z from 'zod'
import { count, preview, shownLine, splitWhitespace } from '../../block/text.ts'
import { mustBeWhole } from '../../care/files-of.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { COPIES_ELSEWHERE } from '../../history/erase.ts'
import { type ChosenBlock, choose, type ErasingChoice } from '../../history/erase-choose.ts'
import {
  type Erasable,
  eraseRows,
  lookAt,
  piecesWithoutRow,
  settleErasing,
  unfinishedErasing,
} from '../../history/erase-rows.ts'
import { ID_PREFIX_MIN, notFound } from '../../intake/check-input.ts'
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
          .enum(['inbox', 'active', 'archived', 'undone', 'before'])
          .describe('undone: only undo still has it; before: earlier words, whose block stays'),
        content: z.string().optional().describe('Its beginning, until it is erased'),
      }),
    )
    .readonly(),
  others: z
    .array(z.object({ id: z.string(), status: schemas.status, content: z.string() }))
    .readonly()
    .describe('Kept blocks that hold one of these texts; at most 20'),
  files: z.array(z.string()).readonly().describe('The files of the memory that hold words of them now'),
  copies: z.array(z.string()).readonly().describe('Backups and exports that hold them, or cannot be read'),
  deleted: z.array(z.string()).readonly().describe('Those that were deleted'),
  summary: schemas.summary,
})

const names = z.array(schemas.name.min(1)).min(1).max(1_000).optional()

const input = z.object({
  blockIds: schemas.blockIds.min(1).optional(),
  tags: schemas.tags.min(1).optional().describe('All blocks with one of these tags; project/* by beginning'),
  sources: names.describe('All blocks of one of these sources'),
  sessions: names.describe('All blocks of one of these sessions'),
  query: schemas.question
    .optional()
    .describe('All blocks with all of these words; also words of before an edit, whose block stays'),
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
    whenNot: 'A block is only wrong or unwanted: forget() hides it and can be undone, edit() corrects it.',
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
    const { blocks, wanted, ...report } = await eraseBlocks(engine, context, input)
    const others = await engine.store.read((tx) => readBlocks(tx, wanted.standingIn))
    const told = {
      ...report,
      blocks: blocks.map(({ id, status, content }) =>
        report.erased ? { id, status } : { id, status, content: preview(content, PREVIEW_LENGTH) },
      ),
      others: others.map(({ id, status, content }) => ({
        ...{ id, status, content: preview(content, PREVIEW_LENGTH) },
      })),
    }
    return { ...told, summary: summaryOf(told, engine.store.files !== undefined) }
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

/** The report of an erasing: the blocks, and the files and copies that hold words of them. */
interface Erasing {
  readonly blocks: readonly ChosenBlock[]
  readonly wanted: Erasable
  readonly files: readonly string[]
  readonly copies: readonly string[]
  readonly deleted: readonly string[]
  readonly erased: boolean
  readonly finished: boolean
}

const CHOICES = ['blockIds', 'tags', 'sources', 'sessions', 'query'] as const

/** Erases what is chosen, or says what that would be. Without a choice it finishes an erasing that did not end. */
async function eraseBlocks(engine: Engine, context: CallContext, input: EraseInput): Promise<Erasing> {
  const { store } = engine
  mustBeWhole(engine)
  const { blocks, wanted, isBegun } = await chosenBy(engine, input)
  const kept = await store.read((tx) => readMeta(tx, COPIES_ELSEWHERE))
  const known = (JSON.parse(kept ?? '[]') as string[]).concat(engine.settings.log.file ?? [])
  const files = await store.files?.erasing()
  const copies = await files?.copies([...wanted.pieces, ...wanted.ids], known)
  const { beside = [], elsewhere = [] } = copies ?? {}
  const holding = [...beside, ...elsewhere]
  if (!isBegun && !input.yes) {
    const own = (await files?.own(wanted.pieces)) ?? []
    return { blocks, wanted, files: own, copies: holding, deleted: [], erased: false, finished: false }
  }
  const deleted = input.copies === 'delete' ? beside : []
  try {
    if (!isBegun)
      await mutate(engine, context, ({ tx }) => eraseRows(tx, wanted, engine.ids.random()), OVERWRITING)
    const left = await purge(engine, context, { wanted, deleted, blocks })
    const stay = holding.filter((path) => !deleted.includes(path))
    return { ...left, blocks, wanted, copies: stay, deleted, erased: true }
  } finally {
    // The texts that recalls returned may be those that are gone.
    engine.served.clear()
  }
}

/** Returns the chosen blocks and what to look for; of an erasing that did not end the ids alone, because its rows are gone. */
async function chosenBy({ store }: Engine, input: EraseInput) {
  const choice = choiceOf(input)
  const blocks = choice === undefined ? [] : await store.read(({ rows }) => choose(rows, choice), ASIDE)
  if (blocks.length > 0) {
    const wanted = await store.read(({ rows }) => lookAt(rows, blocks), ASIDE)
    return { blocks, wanted, isBegun: false }
  }
  const ids = input.yes || choice === undefined ? await store.read(unfinishedErasing) : undefined
  if (ids === undefined) throw nothingToErase(input)
  return { blocks, wanted: { ids, texts: [], words: [], pieces: [], standingIn: [] }, isBegun: true }
}

const ASIDE = { aside: true } as const
const OVERWRITING = { undoable: false, overwrites: true } as const

/** Removes the texts from the files after the rows are gone, and logs what was erased, and that it is finished if it is. */
async function purge(
  engine: Engine,
  context: CallContext,
  { wanted, deleted, blocks }: Pick<Erasing, 'wanted' | 'deleted' | 'blocks'>,
): Promise<Pick<Erasing, 'files' | 'finished'>> {
  const { store, keptIndex } = engine
  const erasing = await store.files?.erasing()
  await keptIndex?.cache.drop(true)
  const isPurged = (await erasing?.purge(deleted)) ?? true
  const pieces = await store.read(({ rows }) => piecesWithoutRow(rows, wanted.pieces), ASIDE)
  const files = (await erasing?.own(pieces)) ?? []
  const finished = isPurged && files.length === 0
  const what = blocks.length === 0 ? 'the rest of an earlier erasing' : whatIsErased(blocks)
  const note = async ({ tx, log }: Mutation) => {
    await log({
      operation: 'erase',
      blockIds: [],
      summary: `erased ${what}${finished ? '' : ', not finished'}`,
    })
    if (finished) await settleErasing(tx)
  }
  await mutate(engine, context, note, OVERWRITING)
  return { files, finished }
}

/** Says in words how many blocks go, and how many earlier wordings of blocks that stay. */
function whatIsErased(blocks: readonly Pick<ChosenBlock, 'id' | 'status'>[]): string {
  const former = blocks.filter(({ status }) => status === 'before')
  const stay = new Set(former.map(({ id }) => id)).size
  const gone = blocks.length - former.length
  const wordings = `${count(former.length, 'earlier wording')} of ${count(stay, 'kept block')}`
  if (former.length === 0) return count(gone, 'block')
  return gone === 0 ? wordings : `${count(gone, 'block')} and ${wordings}`
}

function choiceOf(input: EraseInput): ErasingChoice | undefined {
  const given = CHOICES.filter((each) => input[each] !== undefined)
  if (given.length === 0) return undefined
  if (given.length > 1)
    throw new ElfmemError('INVALID_INPUT', `An erasing is by one of ${CHOICES.join(', ')}.`, {
      recovery: 'Pass one of them; call it again for the other.',
      details: { arguments: given },
    })
  const { blockIds: ids, tags, sources, sessions, query } = input
  if (ids?.some((id) => id.trim().length < ID_PREFIX_MIN)) throw notFound(ids)
  if (query !== undefined) return { words: wordsOf(query) }
  return ids === undefined ? { tags, sources, sessions } : { ids }
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

function nothingToErase(input: EraseInput): ElfmemError {
  const by = CHOICES.find((each) => input[each] !== undefined)
  if (by === undefined)
    return new ElfmemError('INVALID_INPUT', 'Nothing says what to erase, and no erasing is left to finish.', {
      recovery: 'Pass blockIds, tags, sources, sessions or query.',
    })
  return new ElfmemError('NOT_FOUND', `No block is chosen by ${by}, so there is nothing to erase.`, {
    recovery:
      'ls() shows blocks with their tags, sources and sessions; a query chooses by all of its words exactly.',
  })
}
