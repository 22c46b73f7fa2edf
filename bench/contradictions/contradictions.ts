import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Answer, answerOf, type Mark, marksIn } from '../lib/answer.ts'
import type { Bench } from '../lib/bench.ts'
import { rememberByDate } from '../lib/by-date.ts'
import { add, type Counts } from '../lib/counts.ts'
import { readData } from '../lib/data.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'

interface Pair {
  readonly id: string
  readonly one: string
  readonly other: string
  /** About the one, about the other, and about both. */
  readonly questions: readonly string[]
}

export const contradictions: Bench = {
  name: 'contradictions',
  summary: 'contradictions that an agent has stated: unmarked, folded or with one side absent',
  flags: {},
  run: async () => {
    const { pairs } = readData<{ pairs: readonly Pair[] }>('contradictions.json')
    const notes = pairs.flatMap(({ id, one, other }, i) => [
      { id: `${id}a`, at: new Date(Date.UTC(2026, 0, 5 + i)).toISOString(), text: one },
      { id: `${id}b`, at: new Date(Date.UTC(2026, 3, 5 + i)).toISOString(), text: other },
    ])
    const { memory, idOf } = await rememberByDate(notes, { embedder: shareEmbedder(createMiniLmEmbedder()) })
    for (const { id } of pairs)
      await memory.connect({ source: idOf(`${id}b`), target: idOf(`${id}a`), relation: 'contradicts' })
    const counts: Counts = {}
    for (const { id, questions } of pairs)
      for (const query of questions) {
        const result = await memory.recall({ query, reinforce: false })
        const answer = answerOf(result)
        const sides = [idOf(`${id}a`), idOf(`${id}b`)] as const
        add(counts, contradictionCounts(sides, answer, marksIn(result.text, answer, 'contradicts')))
      }
    await memory.close()
    return { report: textOf(partsOf(counts)), data: counts }
  },
  present: partsOf,
}

function partsOf(counts: Counts): readonly Part[] {
  const body = {
    head: ['recalls about a stated contradiction', 'number'],
    rows: Object.entries(counts).map(([name, count]) => [name, String(count)]),
  }
  return [{ name: 'recalls', body }]
}

/** Counts what an answer makes of two blocks that contradict each other. */
function contradictionCounts(
  sides: readonly [string, string],
  { entries, under }: Answer,
  marks: readonly Mark[],
): Counts {
  const [one, other] = sides
  const isFolded = under.has(one) || under.has(other)
  const isAbsent = !isFolded && sides.some((side) => !entries.includes(side))
  const isMarked = (side: string, against: string) =>
    marks.some(({ entry, names }) => entry === side && names === against)
  const isUnmarked = !isFolded && !isAbsent && !(isMarked(one, other) && isMarked(other, one))
  return {
    all: 1,
    'one folded under another': Number(isFolded),
    'one absent': Number(isAbsent),
    'both entries, not marked on both': Number(isUnmarked),
    'not as promised': Number(isFolded || isAbsent || isUnmarked),
  }
}
