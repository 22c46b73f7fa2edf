import { lastSaidAt } from '../block/validity.ts'
import { nextTurn } from '../engine/engine.ts'
import type { LanguagePack, NameTerms } from '../language/pack.ts'
import { namesOf } from '../language/question.ts'
import { readPage } from '../store/blocks.ts'
import type { BlockCondition } from '../store/database.ts'
import type { ReadTransaction } from '../store/transaction.ts'

/** A word is a name if at least one of this many blocks tells so, since a word of code may be told by chance. */
const TOLD_ONCE_IN = 50
/** The blocks that are read at once. */
const PAGE = 1_000

/** A block has a name, by itself if there is a text, or as a word of a longer name. */
interface Holding extends Partial<Pick<NameTerms, 'text' | 'told'>> {
  readonly firstAt: string
  readonly lastAt: string
}

/**
 * Counts the names in the blocks that a condition lets through, and returns those with most blocks, ties by name. A word that stands with
 * a capital only where sentences begin, or in code, is no name, unless a longer name has it. Cost: all these blocks and their words.
 */
export async function countNames(
  tx: ReadTransaction,
  condition: BlockCondition,
  { language, limit }: { readonly language: LanguagePack; readonly limit: number },
) {
  const names = new Map<string, Holding[]>()
  for (let cursor: string | undefined = ''; cursor !== undefined; await nextTurn()) {
    const place = cursor === '' ? {} : { cursor }
    const page = await readPage(tx, { ...condition, order: 'arrival', limit: PAGE, ...place })
    for (const block of page.blocks)
      for (const [key, said] of termsIn(namesOf(block, language))) {
        const held = { ...said, firstAt: block.occurredAt, lastAt: lastSaidAt(block) }
        names.get(key)?.push(held) ?? names.set(key, [held])
      }
    cursor = page.cursor
  }
  const told = [...names].filter(([key]) => isTold(key, names))
  const parts = new Set(told.flatMap(([key]) => [key, ...key.split(' ')]))
  const values = [...names]
    .flatMap(([key, held]) => {
      const value = held.find(({ text }) => text !== undefined)?.text
      if (value === undefined || !parts.has(key)) return []
      const [firstAt = ''] = held.map((each) => each.firstAt).sort()
      return [
        {
          value,
          blocks: held.length,
          firstAt,
          lastAt: held
            .map((each) => each.lastAt)
            .sort()
            .at(-1),
        },
      ]
    })
    .sort((one, other) => other.blocks - one.blocks || (one.value < other.value ? -1 : 1))
  return { values: values.slice(0, limit), distinct: values.length }
}

/** Returns the names of a block by their terms; a word that stands in a longer name alone comes without its text. */
function termsIn(names: readonly NameTerms[]): ReadonlyMap<string, Partial<NameTerms>> {
  const words = names.filter(({ terms }) => terms.length > 1).flatMap(({ terms }) => terms)
  const parts = words.map((word) => [word, {}] as const)
  return new Map([...parts, ...names.map((name) => [name.terms.join(' '), name] as const)])
}

/** Returns true if sentences tell that a key is a name. "Ask Anna" at a beginning is none, because Anna is one. */
function isTold(key: string, names: ReadonlyMap<string, readonly Holding[]>): boolean {
  const often = (name: string, by: NameTerms['told']) => {
    const held = names.get(name) ?? []
    return held.length > 0 && held.filter(({ told }) => told === by).length * TOLD_ONCE_IN >= held.length
  }
  const rest = key.slice(key.indexOf(' ') + 1)
  return often(key, 'inside') || (often(key, 'beginning') && !often(rest, 'inside'))
}
