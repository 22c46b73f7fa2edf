import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { CONFLICT_COSINE, CONTRADICTION_RULES } from '../../src/dream/contradiction.ts'
import { dot } from '../../src/index/columns.ts'
import type { Bench } from '../lib/bench.ts'
import { textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { count, findAmong, type JudgedPair, judgePairs } from './judge.ts'
import { HALVES, type LabelledPair, readLabelled, readOthers } from './labelled.ts'
import { type BandRow, type ConflictsData, type CountedRow, partsOf } from './report.ts'

const BANDS = [-1, 0.5, 0.6, 0.7, 0.8, 0.9] as const

export const conflicts: Bench = {
  name: 'conflicts',
  summary:
    'labelled pairs of statements: which contradictions the rules find without a model, and how often wrongly',
  flags: {
    misses: {
      type: 'boolean',
      description: 'Print what was wrong or missed in the half the rules were made on',
    },
  },
  run: async (flags, log) => {
    const { pairs } = readLabelled()
    const cosineFloor = CONFLICT_COSINE
    const embedder = shareEmbedder(createMiniLmEmbedder())
    log(`${pairs.length} labelled pairs`)
    const cosineOf = await cosines(pairs, (texts) => embedder.vectorsOf(texts))
    const judged = judgePairs(pairs, cosineOf, { cosineFloor })
    const texts = readOthers()
    log(`${texts.length} other texts, each with each`)
    const found = findAmong(texts)
    const data: ConflictsData = {
      cosineFloor,
      rules: ruleRows(judged),
      bands: bandRows(judgePairs(pairs, cosineOf, { cosineFloor: -1 })),
      others: { texts: texts.length, found: found.length },
    }
    const report = [textOf(partsOf(data))]
    if (flags.misses === true) report.push(missText(judged), ...found.map((each) => each.join(' | ')))
    return { report: report.join('\n\n'), data }
  },
  present: partsOf,
}

async function cosines(
  pairs: readonly LabelledPair[],
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
): Promise<(pair: LabelledPair) => number> {
  const [newer, older] = [
    await embed(pairs.map((pair) => pair.newer)),
    await embed(pairs.map((pair) => pair.older)),
  ]
  const known = new Map(
    pairs.map((pair, i) => [pair, dot(newer[i] as Float32Array, older[i] as Float32Array)]),
  )
  return (pair) => known.get(pair) as number
}

function ruleRows(judged: readonly JudgedPair[]): CountedRow[] {
  return HALVES.flatMap((half) => {
    const own = judged.filter((each) => each.half === half)
    return [
      ...CONTRADICTION_RULES.map((rule) => ({ half, of: rule, ...count(own, rule) })),
      { half, of: 'all', ...count(own) },
    ]
  })
}

function bandRows(judged: readonly JudgedPair[]): BandRow[] {
  return HALVES.flatMap((half) =>
    BANDS.map((low, i) => {
      const high = BANDS[i + 1] ?? Number.POSITIVE_INFINITY
      const own = judged.filter((each) => each.half === half && each.cosine >= low && each.cosine < high)
      const of = low < 0 ? `below ${high}` : Number.isFinite(high) ? `${low} to ${high}` : `from ${low}`
      return { half, of, pairs: own.length, ...count(own) }
    }),
  )
}

/** Only of the half the rules were made on, so that nobody makes them on the other by reading. */
function missText(judged: readonly JudgedPair[]): string {
  return judged
    .filter(({ half, right }) => half === HALVES[0] && !right)
    .map(({ pair, rule, cosine }) =>
      [rule ?? 'missed', pair.rule ?? pair.label, cosine.toFixed(2), pair.newer, pair.older].join(' | '),
    )
    .join('\n')
}
