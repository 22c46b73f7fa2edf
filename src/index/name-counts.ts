import { nextTurn } from '../engine/engine.ts'
import type { LanguagePack, NameTerms } from '../language/pack.ts'
import { namesOf } from '../language/question.ts'
import { readPage } from '../store/blocks.ts'
import type { BlockCondition } from '../store/database.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** A name with the number of blocks that hold it, and when the first and the last of these were said. */
interface NameCount {
  readonly value: string
  readonly blocks: number
  readonly firstAt: string
  readonly lastAt: string
}

/** The counts of a name while blocks are read. */
interface Counting extends NameCount {
  /** The numbers of blocks in which a sentence tells it from a word with a capital. */
  readonly inside: number
  readonly beginning: number
}

/** One block in so many must tell a name, since a word of code or the first word of sentences may be told by chance. */
const TOLD_ONCE_IN = 50
/** The blocks that are read at once. */
const PAGE = 1_000

/** Asks for the names in the blocks of a condition. */
interface NamesAsked {
  readonly condition: BlockCondition
  readonly language: LanguagePack
  readonly limit: number
}

/**
 * Counts the names in the blocks that a condition lets through, and returns those with most blocks, ties by name. A word that stands with
 * a capital only where sentences begin, or in code, is no name, unless a longer name has it. Cost: all these blocks and their words.
 */
export async function countNames(
  tx: ReadTransaction,
  { condition, language, limit }: NamesAsked,
): Promise<{ readonly values: readonly NameCount[]; readonly distinct: number }> {
  const names = new Map<string, Counting>()
  for (let cursor: string | undefined = ''; cursor !== undefined; await nextTurn()) {
    const place = cursor === '' ? {} : { cursor }
    const page = await readPage(tx, { ...condition, order: 'arrival', limit: PAGE, ...place })
    for (const block of page.blocks)
      for (const [key, said] of saidIn(namesOf(block, language)))
        names.set(key, withOne(names.get(key), said, block.occurredAt))
    cursor = page.cursor
  }
  const accepted = [...names].filter(([key, each]) => isName(key, each, names))
  const parts = new Set(accepted.flatMap(([key]) => key.split(' ')))
  const values = [...names]
    .filter(([key, each]) => each.value !== '' && (parts.has(key) || isName(key, each, names)))
    .map(([, { inside: _, beginning: __, ...each }]) => each)
    .sort((one, other) => other.blocks - one.blocks || (one.value < other.value ? -1 : 1))
  return { values: values.slice(0, limit), distinct: values.length }
}

/** Returns true for what sentences tell as a name; "Ask Anna" at a beginning is none, since Anna is one. */
function isName(
  key: string,
  { inside, beginning, blocks }: Counting,
  names: ReadonlyMap<string, Counting>,
): boolean {
  const rest = names.get(key.slice(key.indexOf(' ') + 1))
  const isOfAnother = rest !== undefined && rest.inside * TOLD_ONCE_IN >= rest.blocks
  return (inside + (isOfAnother ? 0 : beginning)) * TOLD_ONCE_IN >= blocks
}

/** Returns the names of a block by their terms; a word that stands in a longer name alone comes without its text. */
function saidIn(names: readonly NameTerms[]): ReadonlyMap<string, Partial<NameTerms>> {
  const words = names.filter(({ terms }) => terms.length > 1).flatMap(({ terms }) => terms)
  return new Map<string, Partial<NameTerms>>([
    ...words.map((word) => [word, {}] as const),
    ...names.map((name) => [name.terms.join(' '), name] as const),
  ])
}

/** Returns the counts of a name with one block more. */
function withOne(
  counted: Counting | undefined,
  { text = '', told }: Partial<NameTerms>,
  at: string,
): Counting {
  const from = counted ?? { value: '', blocks: 0, inside: 0, beginning: 0, firstAt: at, lastAt: at }
  return {
    value: from.value || text,
    blocks: from.blocks + 1,
    inside: from.inside + Number(told === 'inside'),
    beginning: from.beginning + Number(told === 'beginning'),
    firstAt: at < from.firstAt ? at : from.firstAt,
    lastAt: at > from.lastAt ? at : from.lastAt,
  }
}
