import { similarityThresholdsOf } from '../../src/engine/embedding.ts'
import { leastShare, quantile } from '../lib/statistics.ts'
import { percent, table } from '../lib/table.ts'
import { CIRCUMSTANCES, cosineNeeded, type Edge, joinFrom, type Pair, shareOf } from './pairs.ts'

/** The cosines of pairs of one kind. */
export interface PairClass {
  readonly name: string
  readonly cosines: readonly number[]
}

/** What was measured with one embedder. */
export interface Measured {
  readonly embedder: string
  readonly classes: readonly PairClass[]
  /** Each note's and then each statement's best neighbour among them. */
  readonly best: readonly Edge[]
  /** Those notes and statements themselves. */
  readonly texts: readonly string[]
  /** How many of those are notes. */
  readonly notes: number
  /** Every pair of the bench's own texts, restatements too. */
  readonly pairs: readonly Pair[]
}

const PERCENTILES = [1, 5, 25, 50, 75, 95, 99]
const FLOORS = [0.3, 0.4, 0.45, 0.5, 0.55, 0.6]
/** Cosines at which two texts may be called very alike, shown for pairs only. */
const HIGHER = [0.65, 0.7, 0.75, 0.8, 0.9]
const THRESHOLDS = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]
/** Wrong neighbours are shown from here on. */
const SHOWN_FROM = 0.4
const LINES = Array.from({ length: 15 }, (_, i) => 0.2 + i * 0.05)

export function report(measured: readonly Measured[], { showWrong }: { readonly showWrong: boolean }) {
  const threshold = similarityThresholdsOf(
    { graph: { similarityThresholds: {}, pendingMax: 1, edgeDecay: true } },
    '',
  ).edgeScoreThreshold
  const parts = [
    ['Cosines, by percentile', percentileTable(measured)],
    ['Pairs at and above a cosine floor, percent', floorTable(measured)],
    [
      `Each text joined to its best neighbour, score from ${threshold.toFixed(2)}, without tags, percent`,
      edgeTable(measured, threshold),
    ],
    ['Cosine that a score needs, without tags', thresholdTable()],
    ['Best neighbours and all pairs from a cosine on, percent', lineTable(measured)],
    ...(showWrong ? measured.map((each) => [`Taken to be wrong by ${each.embedder}`, wrongText(each)]) : []),
  ]
  const data = measured.map((each) => ({
    embedder: each.embedder,
    classes: each.classes.map(({ name, cosines }) => ({
      name,
      pairs: cosines.length,
      percentiles: PERCENTILES.map((share) => quantile(cosines, share / 100)),
    })),
    lines: LINES.map((line) => ({
      line,
      ...joinFrom(line, each.best, each.notes),
      ...pairsFrom(line, each),
    })),
  }))
  return { report: parts.map((part) => part.join('\n\n')).join('\n\n'), data }
}

function percentileTable(measured: readonly Measured[]): string {
  return table(
    ['embedder', 'pairs', 'n', ...PERCENTILES.map((share) => `${share} %`)],
    measured.flatMap(({ embedder, classes }) =>
      classes.map(({ name, cosines }) => [
        embedder,
        name,
        String(cosines.length),
        ...PERCENTILES.map((share) => quantile(cosines, share / 100).toFixed(2)),
      ]),
    ),
    2,
  )
}

function floorTable(measured: readonly Measured[]): string {
  const names = measured[0]?.classes.map(({ name }) => name) ?? []
  return table(
    ['embedder', 'floor', ...names],
    measured.flatMap(({ embedder, classes }) =>
      [...FLOORS, ...HIGHER].map((floor) => [
        embedder,
        floor.toFixed(2),
        ...classes.map(({ cosines }) => percent(shareOf(cosines, (cosine) => cosine >= floor))),
      ]),
    ),
  )
}

const JOINED_HEADS = ['topics joined', 'of them right', 'notes joined', 'edges', 'right']

function joinedCells(line: number, { best, notes }: Measured): string[] {
  const { joined, right, notesJoined, edges, precision } = joinFrom(line, best, notes)
  return [percent(joined), percent(right), percent(notesJoined), String(edges), percent(precision)]
}

function edgeTable(measured: readonly Measured[], threshold: number): string {
  const circumstances = CIRCUMSTANCES.filter(({ sameCategory }) => sameCategory)
  return table(
    ['embedder', 'circumstance', 'floor', 'decides', ...JOINED_HEADS],
    measured.flatMap((each) =>
      circumstances.flatMap((circumstance) => {
        const needed = cosineNeeded(threshold, circumstance)
        return FLOORS.map((floor) => {
          const line = Math.max(floor, needed)
          return [
            each.embedder,
            circumstance.name,
            floor.toFixed(2),
            line.toFixed(2),
            ...joinedCells(line, each),
          ]
        })
      }),
    ),
    2,
  )
}

function thresholdTable(): string {
  return table(
    ['score', ...CIRCUMSTANCES.map(({ name }) => name)],
    THRESHOLDS.map((threshold) => [
      threshold.toFixed(2),
      ...CIRCUMSTANCES.map((circumstance) => {
        const needed = cosineNeeded(threshold, circumstance)
        return needed > 1 ? 'never' : needed.toFixed(2)
      }),
    ]),
  )
}

/** How many pairs are as alike, which share of them is related, and the least that share may be (95 %). */
function pairsFrom(
  line: number,
  { pairs }: Measured,
): { readonly pairs: number; readonly related: number; readonly relatedAtLeast: number } {
  const above = pairs.filter(({ cosine }) => cosine >= line)
  const related = above.filter((pair) => pair.related).length
  return {
    pairs: above.length,
    related: above.length === 0 ? 0 : related / above.length,
    relatedAtLeast: leastShare(related, above.length),
  }
}

function lineTable(measured: readonly Measured[]): string {
  return table(
    ['embedder', 'cosine', ...JOINED_HEADS, 'all pairs', 'related', 'at least'],
    measured.flatMap((each) =>
      LINES.map((line) => {
        const { pairs, related, relatedAtLeast } = pairsFrom(line, each)
        return [
          each.embedder,
          line.toFixed(2),
          ...joinedCells(line, each),
          String(pairs),
          ...(pairs === 0 ? [] : [percent(related), percent(relatedAtLeast)]),
        ]
      }),
    ),
  )
}

function wrongText({ best, texts }: Measured): string {
  const wrong = best.filter(({ related, cosine }) => !related && cosine >= SHOWN_FROM)
  const different = new Map(wrong.map((edge) => [`${edge.from} ${edge.to}`, edge]))
  return [...different.values()]
    .sort((a, b) => b.cosine - a.cosine)
    .map(({ cosine, from, to }) => `${cosine.toFixed(3)}  ${texts[from]}\n       ${texts[to]}`)
    .join('\n')
}
