import * as z from 'zod'
import { count, preview, shownLine, splitWhitespace } from '../../block/text.ts'
import { mustBeWhole } from '../../care/files-of.ts'
import { type CallContext, type Engine, type Mutation, mutate } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import { COPIES_ELSEWHERE, type FileSurvey, type FoundInFile } from '../../history/erase.ts'
import { type Chosen, type ChosenBlock, choose, type ErasingChoice } from '../../history/erase-choose.ts'
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

const file = z.object({
  path: z.string(),
  bytes: z.int(),
  before: z.int().describe('How often a piece of the texts stood in it'),
  after: z.int().describe('The same afterwards; of a file that is gone 0'),
})

const output = z.object({
  erased: z.boolean(),
  finished: z.boolean().describe('False: the file still holds something; call it again without blocks'),
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
  texts: z.int().describe('Number of contents, summaries, cues and notes that are looked for'),
  others: z
    .array(
      z.object({
        id: z.string(),
        status: z.enum(['inbox', 'active', 'archived']).describe('Where it stands'),
        content: z.string().describe('Its beginning'),
      }),
    )
    .readonly()
    .describe('Kept blocks that hold one of these texts; at most 20'),
  files: z.array(file).readonly(),
  foundBefore: z.int(),
  foundAfter: z.int(),
  copies: z
    .array(z.string())
    .readonly()
    .describe('Backups and exports beside the memory that hold the blocks, or cannot be read'),
  deleted: z.array(z.string()).readonly().describe('Those that were deleted'),
  elsewhere: z
    .array(z.string())
    .readonly()
    .describe('Copies made at other places that hold the blocks, or cannot be read; these are left alone'),
  summary: schemas.summary,
})

const input = z.object({
  blockIds: schemas.blockIds.min(1).optional(),
  tags: schemas.tags
    .min(1)
    .optional()
    .describe('All blocks with one of these tags; project/* for all that begin so'),
  sources: z
    .array(schemas.name.min(1))
    .min(1)
    .max(1_000)
    .optional()
    .describe('All blocks of one of these sources, as written'),
  sessions: z
    .array(schemas.name.min(1))
    .min(1)
    .max(1_000)
    .optional()
    .describe('All blocks of one of these sessions'),
  query: schemas.question
    .optional()
    .describe(
      'All blocks that hold all of these words exactly, a phrase in quotation marks as one; also words of before an edit, whose block stays',
    ),
  copies: z
    .enum(['keep', 'delete'])
    .default('keep')
    .describe('How to treat backups and exports beside the memory that hold the blocks'),
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
    const { blocks, erased, isFinished, wanted, before, after, ...report } = await eraseBlocks(
      engine,
      context,
      input,
    )
    const others = await engine.store.read((tx) => readBlocks(tx, wanted.standingIn))
    const told = {
      erased,
      finished: isFinished,
      texts: wanted.texts.length,
      blocks: blocks.map(({ id, status, content }) =>
        erased ? { id, status } : { id, status, content: preview(content, PREVIEW_LENGTH) },
      ),
      others: others.map((each) => ({
        id: each.id,
        status: each.status,
        content: preview(each.content, PREVIEW_LENGTH),
      })),
      ...report,
      files: foundFiles(before, after),
      foundBefore: foundIn(before),
      foundAfter: foundIn(after),
    }
    return { ...told, summary: summaryOf(told, engine.store.files !== undefined) }
  },
  render: ({ blocks, others, files, copies, elsewhere, summary, erased }) =>
    [
      'An erasing cannot be undone.',
      ...(erased
        ? []
        : blocks
            .slice(0, NAMED_MOST)
            .map(({ id, status, content }) => `  ${shortId(id)}  ${status}  ${content ?? ''}`)),
      ...(blocks.length > NAMED_MOST && !erased ? [`  and ${blocks.length - NAMED_MOST} more`] : []),
      ...others.map(({ id, content }) => `  ~ ${shortId(id)}  stays, and holds the same: ${content}`),
      ...files
        .filter(({ before, after }) => before + after > 0)
        .map(
          ({ path, before, after }) =>
            `  ${shownLine(path)}: found ${before}${erased ? ` before, ${after} after` : ''}`,
        ),
      ...[...copies, ...elsewhere].map((path) => `  ! ${shownLine(path)} holds them, or cannot be read.`),
      summary,
    ].join('\n'),
  failed: ({ finished }) => !finished,
})

type Found = readonly FoundInFile[]

/** Files as they were and are; one that came meanwhile was not there before. */
function foundFiles(before: Found, after: Found): z.output<typeof file>[] {
  const all = new Map([...after, ...before].map(({ path, bytes }) => [path, bytes]))
  const timesIn = (files: Found, path: string) => foundIn(files.filter((each) => each.path === path))
  return [...all].map(([path, bytes]) => ({
    ...{ path, bytes, before: timesIn(before, path), after: timesIn(after, path) },
  }))
}

type Told = Omit<z.output<typeof output>, 'summary'>

function summaryOf({ blocks, erased, finished, others, files, ...told }: Told, hasFiles: boolean): string {
  const copies = told.copies.length + told.elsewhere.length
  const rest = [
    others.length > 0 &&
      `${count(others.length, 'kept block')} ${others.length === 1 ? 'holds' : 'hold'} the same text.`,
    told.deleted.length > 0 && `${count(told.deleted.length, 'copy', 'copies')} deleted.`,
    copies > 0 &&
      `${count(copies, 'copy', 'copies')} still ${copies === 1 ? 'holds' : 'hold'} them: delete what you do not want to keep.`,
  ]
  const holding = files.filter(({ before }) => before > 0).length
  if (!erased)
    return sentences(
      hasFiles
        ? `${whatIsErased(blocks)} would be erased; pieces of the texts stand ${count(told.foundBefore, 'time')} in ${count(holding, 'file')} of the memory.`
        : `${whatIsErased(blocks)} would be erased.`,
      ...rest,
      'Nothing was erased: say yes (--yes) to do it.',
    )
  return sentences(
    blocks.length > 0 ? `${whatIsErased(blocks)} erased.` : 'An erasing that began earlier goes on.',
    hasFiles
      ? `Searched ${count(files.length, 'file')}, ${files.reduce((sum, { bytes }) => sum + bytes, 0)} bytes: found ${count(told.foundBefore, 'time')} before, ${told.foundAfter === 0 ? 'nothing' : told.foundAfter} after.`
      : 'No row holds them any more. This memory is in no file of its own: backups, logs and free space of the database that holds it were not searched.',
    !finished &&
      'Not finished: a process still reads an older state. Close what has the memory open, then call erase again without blocks (elfmem erase).',
    ...rest,
  )
}

/** The report of an erasing: the blocks, and how often their texts stood in which file before and after. */
interface Erasing extends FileSurvey {
  readonly blocks: readonly ChosenBlock[]
  readonly wanted: Erasable
  readonly after: Found
  readonly deleted: readonly string[]
  readonly erased: boolean
  readonly isFinished: boolean
}

const CHOICES = ['blockIds', 'tags', 'sources', 'sessions', 'query'] as const

/** Erases what is chosen, or says what that would be. Without a choice it finishes an erasing that did not end. */
async function eraseBlocks(engine: Engine, context: CallContext, input: EraseInput): Promise<Erasing> {
  const { store } = engine
  mustBeWhole(engine)
  const choice = choiceOf(input)
  if (choice === undefined) return finish(engine, context, input)
  const chosen = await store.read(({ rows }) => choose(rows, choice), { aside: true })
  // An erasing that did not end has removed the rows already, so nothing is found for its choice.
  const isAgain = input.yes && chosen.blocks.length === 0 && chosen.ambiguous.length === 0
  if (isAgain && (await store.read(unfinishedErasing)) !== undefined) return finish(engine, context, input)
  const blocks = mustChoose(chosen, input)
  const wanted = await store.read(({ rows }) => lookAt(rows, blocks), { aside: true })
  const found = await survey(engine, wanted)
  if (!input.yes)
    return { ...found, blocks, wanted, after: [], deleted: [], erased: false, isFinished: false }
  try {
    await mutate(engine, context, ({ tx }) => eraseRows(tx, wanted, engine.ids.random()), OVERWRITING)
    return await purge(engine, context, input, { found, wanted, blocks })
  } finally {
    // The texts that recalls returned may be those that are gone.
    engine.served.clear()
  }
}

const OVERWRITING = { undoable: false, overwrites: true } as const

async function finish(engine: Engine, context: CallContext, input: EraseInput): Promise<Erasing> {
  const ids = await engine.store.read(unfinishedErasing)
  if (ids === undefined)
    throw new ElfmemError('INVALID_INPUT', 'Nothing says what to erase, and no erasing is left to finish.', {
      recovery: 'Pass blockIds, tags, sources, sessions or query.',
    })
  const wanted = { ids, texts: [], words: [], pieces: [], standingIn: [] }
  return purge(engine, context, input, { found: await survey(engine, wanted), wanted, blocks: [] })
}

/** Counts the texts in all files and names the copies that hold them; a memory without files has none. */
async function survey({ store, settings }: Engine, wanted: Erasable): Promise<FileSurvey> {
  const kept = await store.read((tx) => readMeta(tx, COPIES_ELSEWHERE))
  const known = (JSON.parse(kept ?? '[]') as string[]).concat(settings.log.file ?? [])
  const files = await store.files?.erasing()
  return (await files?.survey(wanted, known)) ?? { before: [], copies: [], elsewhere: [] }
}

/** Removes the texts from the files after the rows are gone, and logs what was erased, and that it is finished if it is. */
async function purge(
  engine: Engine,
  context: CallContext,
  input: EraseInput,
  { found, ...told }: Pick<Erasing, 'wanted' | 'blocks'> & { readonly found: FileSurvey },
): Promise<Erasing> {
  const { store, keptIndex } = engine
  const deleted = input.copies === 'delete' ? found.copies : []
  const files = await store.files?.erasing()
  await keptIndex?.cache.drop(true)
  const isPurged = (await files?.purge(deleted)) ?? true
  const pieces = await store.read(({ rows }) => piecesWithoutRow(rows, told.wanted.pieces), { aside: true })
  const own = (await files?.find(pieces)) ?? []
  const copies = found.copies.filter((path) => !deleted.includes(path))
  const after = [...own, ...found.before.filter(({ path }) => copies.includes(path))]
  const isFinished = isPurged && own.every(({ times }) => times === 0)
  const what = told.blocks.length === 0 ? 'the rest of an earlier erasing' : whatIsErased(told.blocks)
  const summary = `erased ${what}: found ${foundIn(found.before)} times before, ${foundIn(after)} after${isFinished ? '' : ', not finished'}`
  const note = async ({ tx, log }: Mutation) => {
    await log({ operation: 'erase', blockIds: [], summary })
    if (isFinished) await settleErasing(tx)
  }
  await mutate(engine, context, note, OVERWRITING)
  return { ...found, ...told, after, copies, deleted, erased: true, isFinished }
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

/** Returns how often any of the texts was found in files. */
function foundIn(files: Found): number {
  return files.reduce((sum, { times }) => sum + times, 0)
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

function mustChoose({ blocks, unknown, ambiguous }: Chosen, input: EraseInput): readonly ChosenBlock[] {
  const [unclear] = ambiguous
  if (unclear !== undefined)
    throw new ElfmemError('AMBIGUOUS_ID', `More than one block id begins with "${unclear}".`, {
      recovery: 'Give more characters of the id.',
      details: { prefix: unclear, ambiguous },
    })
  if (unknown.length > 0) throw notFound(unknown)
  if (blocks.length > 0) return blocks
  const by = CHOICES.find((each) => input[each] !== undefined)
  throw new ElfmemError('NOT_FOUND', `No block is chosen by ${by}, so there is nothing to erase.`, {
    recovery:
      'ls() shows blocks with their tags, sources and sessions; a query chooses by all of its words exactly.',
  })
}
