import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import weights from '../../src/recall/pair-weights.json' with { type: 'json' }
import { type Counts, total } from '../lib/counts.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent, table } from '../lib/table.ts'
import { type Comparisons, comparisonsOf } from './compare.ts'
import { examplesOf } from './examples.ts'
import { failures, productCounts } from './gates.ts'
import { countsOf, DEFAULT, LOOKED_AT } from './measure.ts'
import { fitNets, rounded } from './net.ts'
import { ranked } from './rankings.ts'
import { type NoteSet, readSets } from './sets.ts'

const USAGE = `usage: npm run fit:versions -- [flags]
Fits the pair score of versions to sets of bench/data, writes its weights and says what they do.
  --check FILE  sets that are measured only; may be given again
  --seed N      seed of the fit (1)
  --anew        ranks all notes again instead of reading what an earlier run left
  --keep        fits nothing and measures the weights as they are
  --offline     does not ask the product itself, so that two of the gates are not tried`

const WEIGHTS = new URL('../../src/recall/pair-weights.json', import.meta.url)
const DATA = new URL('../data/', import.meta.url)
/** Each of these is left out of a fit of its own, so that it is measured by weights that have not seen it; */
const CHAINS = [1, 2, 3, 4, 5, 6].map((number) => `changes-${number}`)
/** of each of these one part in six is. */
const OTHERS = ['fit-coexist', 'fit-frames', 'fit-chains', 'fit-talk']
const FOLDS = CHAINS.length

/** The comparisons of a set, or of a part of it. */
interface Part extends Comparisons {
  /** The fit that leaves it out. */
  readonly fold: number
  /** True of a set of `CHAINS`. */
  readonly isChains: boolean
}

interface Measured {
  readonly part: Part
  /** For each value of `LOOKED_AT`. */
  readonly counts: Counts[]
}

const embedder = shareEmbedder(createMiniLmEmbedder())

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      check: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: '1' },
      anew: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      offline: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const sets = [...CHAINS, ...OTHERS].flatMap((name) =>
    readSets(fileURLToPath(new URL(`${name}.json`, DATA))),
  )
  const parts: Part[] = []
  for (const set of sets) parts.push(...(await partsOf(set, values.anew)))
  const seed = Number(values.seed)
  const model = values.keep ? weights : rounded(fitNets(parts.flatMap(examplesOf), { seed }))
  if (!values.keep) writeFileSync(WEIGHTS, `${JSON.stringify(model)}\n`)
  const measured = values.keep
    ? parts.map((part) => ({ part, counts: countsOf(part, model) }))
    : crossValidated(parts, seed)
  const all: Counts[] = []
  for (const [isChains, name] of [
    [true, 'chains and controls'],
    [false, 'pairs, frames, talk'],
  ] as const) {
    const own = measured.filter(({ part }) => part.isChains === isChains).map(({ counts }) => counts)
    print(`${name}${values.keep ? '' : ', by weights that have not seen them'}`, sumOf(own))
    all.push(sumOf(own)[DEFAULT] as Counts)
  }
  const checked: NoteSet[] = []
  for (const path of values.check) {
    const own = readSets(path)
    const counts: Counts[][] = []
    for (const set of own)
      counts.push(...(await partsOf(set, values.anew)).map((part) => countsOf(part, model)))
    print(basename(path), sumOf(counts))
    all.push(sumOf(counts)[DEFAULT] as Counts)
    checked.push(...own)
  }
  if (!values.offline) all.push(await productCounts([...sets, ...checked], embedder))
  const counts = total(all)
  if (!values.offline) console.log(saidOf(counts))
  const failed = failures(counts)
  for (const sentence of failed) console.error(`failed: ${sentence}`)
  return failed.length > 0 ? 1 : 0
}

/** Returns the comparisons of a set by the fit that leaves them out. */
async function partsOf({ name, stores }: NoteSet, isAnew: boolean): Promise<Part[]> {
  const whole = CHAINS.findIndex((chain) => name === chain || name === `${chain}, each`)
  const foldOf = (id: string) => (whole >= 0 ? whole : Number(/\d+/.exec(id)?.[0] ?? 0) % FOLDS)
  const parts: Part[] = []
  for (const store of stores) {
    const { asked, noted } = comparisonsOf(store, await ranked(store, embedder, isAnew))
    for (let fold = 0; fold < FOLDS; fold++)
      parts.push({
        ...{ fold, isChains: CHAINS.includes(name) },
        asked: asked.filter(({ question }) => foldOf(question.asked[0] ?? '') === fold),
        noted: noted.filter(({ notes }) => foldOf(notes.at(-1)?.id ?? '') === fold),
      })
  }
  return parts
}

function crossValidated(parts: readonly Part[], seed: number): Measured[] {
  const examples = new Map(parts.map((part) => [part, examplesOf(part)]))
  return Array.from({ length: FOLDS }, (_, fold) => {
    const others = parts.filter((part) => part.fold !== fold).flatMap((part) => examples.get(part) ?? [])
    const model = fitNets(others, { seed })
    const own = parts.filter((part) => part.fold === fold)
    return own.map((part) => ({ part, counts: countsOf(part, model) }))
  }).flat()
}

/** Adds counts of several parts, for each value of `LOOKED_AT`. */
function sumOf(parts: readonly Counts[][]): Counts[] {
  return LOOKED_AT.map((_, i) => total(parts.map((counts) => counts[i] ?? {})))
}

const NONE = '–'

function print(name: string, counts: readonly Counts[]): void {
  const share = (part: string, all: string) => (each: Counts) =>
    each[all] ? `${percent((each[part] ?? 0) / each[all])} of ${each[all]}` : NONE
  const number = (part: string, all: string) => (each: Counts) =>
    each[all] ? `${each[part] ?? 0} of ${each[all]}` : NONE
  const rows: readonly (readonly [string, (each: Counts) => string])[] = [
    ['chains, newest first (%)', share('newest', 'chains')],
    ['newest present (%)', share('present', 'chains')],
    ['an outdated one alone', number('stale', 'chains')],
    ['controls right', number('right', 'controls')],
    ['asked facts that lose the first place', number('lost', 'first')],
    ['pairs that both hold, marked', number('marked', 'pairs')],
    ['entries brought in', number('brought', 'questions')],
    ['talk, mean reciprocal rank if nobody knew the speakers (%)', share('reciprocal', 'talk')],
    ['notes said to replace a version (%)', share('namedRight', 'replacing')],
    ['notes said to replace what still holds', number('namedWrong', 'noted')],
  ]
  const head = LOOKED_AT.map((limit) => (limit === Number.POSITIVE_INFINITY ? 'ranking' : `z ≥ ${limit}`))
  const cells = rows.map(([row, cell]) => [row, ...counts.map(cell)])
  const known = cells.filter(([, ...each]) => each.some((cell) => cell !== NONE))
  console.log(`\n${table([name, ...head], known)}`)
}

function saidOf(counts: Counts): string {
  const { told, toldFirst, folded = 0, spoken = 0, rank = 0, rankAlone = 0, in10 = 0, in10Alone = 0 } = counts
  const of = (sum: number) => percent(sum / Math.max(1, spoken))
  return [
    `\ntold chains with the newest first: ${toldFirst} of ${told}; folded by a guess: ${folded}`,
    ...(spoken > 0
      ? [
          `talk: mean reciprocal rank ${of(rankAlone)} -> ${of(rank)}, recall at 10 ${of(in10Alone)} -> ${of(in10)}`,
        ]
      : []),
  ].join('\n')
}

process.exitCode = await main()
