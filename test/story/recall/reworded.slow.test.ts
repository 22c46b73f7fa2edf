import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMiniLmEmbedder } from '../../../src/adapters/embed/minilm/minilm.ts'
import { openTestMemory } from '../../helpers/memory.ts'

interface Reworded {
  readonly note: string
  readonly question: string
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as unknown
const PAIRS = read('../../fixtures/reworded.json') as readonly Reworded[]

const HAY = [
  ...(read('../../../bench/data/notes.json') as readonly string[]),
  ...(read('../../../bench/data/paraphrases.json') as readonly { readonly block: string }[]).map(
    ({ block }) => block,
  ),
]

/** Asks a store of `size` blocks that holds some notes about those, and about others that it does not hold. */
async function asked(size: number, held: readonly Reworded[], missing: readonly Reworded[]) {
  const { memory, learn } = await openTestMemory({ embedder: createMiniLmEmbedder() })
  await learn(...held.map(({ note }) => note), ...HAY.slice(0, size - held.length))
  const answers = (pairs: readonly Reworded[]) =>
    Promise.all(pairs.map(({ question }) => memory.recall({ query: question, reinforce: false })))
  return { there: await answers(held), absent: await answers(missing) }
}

test.each([
  [5, 10],
  [50, 2],
  [500, 2],
])(
  'recall among %i blocks answers every reworded question and rarely calls what is missing a match',
  async (size, groups) => {
    const parts = Array.from({ length: groups }, (_, part) => PAIRS.filter((_, i) => i % groups === part))
    const all = []
    for (const [i, part] of parts.entries())
      all.push(await asked(size, part, parts[(i + 1) % groups] as readonly Reworded[]))
    const [there, absent] = [all.flatMap((each) => each.there), all.flatMap((each) => each.absent)]
    expect(there).toHaveLength(PAIRS.length)
    expect(there.filter(({ blocks }) => blocks.length === 0)).toEqual([])
    expect(absent.filter(({ match }) => match === 'match').length / absent.length).toBeLessThan(0.3)
  },
  240_000,
)
