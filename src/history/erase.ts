import { count, splitWhitespace } from '../block/text.ts'
import { filesOf } from '../care/files-of.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { ElfmemError } from '../errors.ts'
import { ID_PREFIX_MIN, notFound } from '../intake/check-input.ts'
import { readMeta } from '../store/log.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import {
  type Chosen,
  type ChosenBlock,
  COPIES_ELSEWHERE,
  type ErasingChoice,
  type ErasingFiles,
  type ErasingReport,
  type ErasingRequest,
  UNFINISHED_ERASING,
} from './erasing.ts'

/** The choice of what to erase: one of the five, or none to finish an erasing that did not end. */
export interface EraseInput {
  readonly blockIds?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly sources?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  /** Words, and phrases in quotation marks. */
  readonly query?: string | undefined
  readonly copies: ErasingRequest['copies']
  /** False: only says what would be erased. */
  readonly yes: boolean
}

/** The report of an erasing: the blocks, and how often their texts stood in which file before and after. */
export interface EraseResult extends ErasingReport {
  readonly blocks: readonly ChosenBlock[]
  readonly erased: boolean
}

const CHOICES = ['blockIds', 'tags', 'sources', 'sessions', 'query'] as const

/**
 * Removes blocks and every trace of their words from database, log and index, or says what that would be. It cannot be
 * taken back. The log keeps that it was done, and how much.
 */
export async function erase(engine: Engine, context: CallContext, input: EraseInput): Promise<EraseResult> {
  const erasing = await erasingOf(engine)
  const choice = choiceOf(input)
  if (choice === undefined) return finish(engine, context, erasing, input.copies)
  const chosen = await erasing.choose(choice)
  // What an erasing that did not end has chosen is gone from the rows already.
  const isAgain = input.yes && chosen.blocks.length === 0 && chosen.ambiguous.length === 0
  if (isAgain && (await engine.store.read(hasUnfinishedErasing)))
    return finish(engine, context, erasing, input.copies)
  const blocks = mustChoose(chosen, input)
  if (!input.yes) return { ...(await erasing.survey(blocks)), blocks, erased: false }
  try {
    const report = await erasing.erase({ blocks, copies: input.copies })
    return await settled(engine, context, erasing, report, blocks)
  } finally {
    // The texts that recalls returned may be those that are gone.
    engine.served.clear()
  }
}

async function finish(
  engine: Engine,
  context: CallContext,
  erasing: ErasingFiles,
  copies: ErasingRequest['copies'],
): Promise<EraseResult> {
  const report = await erasing.finish(copies)
  if (report === undefined)
    throw new ElfmemError('INVALID_INPUT', 'Nothing says what to erase, and no erasing is left to finish.', {
      recovery: 'Pass blockIds, tags, sources, sessions or query.',
    })
  return settled(engine, context, erasing, report, [])
}

/** Notes in the log what was erased, and that it is finished if it is. */
async function settled(
  engine: Engine,
  context: CallContext,
  erasing: ErasingFiles,
  report: ErasingReport,
  blocks: readonly ChosenBlock[],
): Promise<EraseResult> {
  const { before, after, isFinished } = report
  const what = blocks.length === 0 ? 'the rest of an earlier erasing' : whatIsErased(blocks)
  const summary = `erased ${what}: found ${foundIn(before)} times before, ${foundIn(after)} after${isFinished ? '' : ', not finished'}`
  const entry = { operation: 'erase', blockIds: [], summary }
  await mutate(engine, context, ({ log }) => log(entry), { undoable: false })
  if (isFinished) await erasing.settle()
  return { ...report, blocks, erased: true }
}

/** Says in words how many blocks go, and how many earlier wordings of blocks that stay. */
export function whatIsErased(blocks: readonly Pick<ChosenBlock, 'id' | 'status'>[]): string {
  const former = blocks.filter(({ status }) => status === 'before')
  const stay = new Set(former.map(({ id }) => id)).size
  const gone = blocks.length - former.length
  const wordings = `${count(former.length, 'earlier wording')} of ${count(stay, 'kept block')}`
  if (former.length === 0) return count(gone, 'block')
  return gone === 0 ? wordings : `${count(gone, 'block')} and ${wordings}`
}

/** Returns how often any of the texts was found in files. */
export function foundIn(files: ErasingReport['before']): number {
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

/** Returns the erasing of the memory's files, which also knows the copies that were made elsewhere, and the log file. */
async function erasingOf(engine: Engine): Promise<ErasingFiles> {
  const files = filesOf(engine)
  const kept = await engine.store.read((tx) => readMeta(tx, COPIES_ELSEWHERE))
  const { file = [] } = engine.settings.log
  return files.erasing((JSON.parse(kept ?? '[]') as string[]).concat(file))
}

/** True while files may hold words of blocks that are erased. */
export async function hasUnfinishedErasing(tx: ReadTransaction): Promise<boolean> {
  return (await readMeta(tx, UNFINISHED_ERASING)) !== undefined
}
