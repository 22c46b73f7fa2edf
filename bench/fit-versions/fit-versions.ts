import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import weights from '../../src/recall/pair-weights.json' with { type: 'json' }
import { sharedMiniLm } from '../lib/embedders.ts'
import { percent, textTable } from '../lib/table.ts'
import { type Counts, total } from '../versions/counts.ts'
import { type Comparisons, comparisonsOf } from './compare.ts'
import { examplesOf } from './examples.ts'
import { failures, productCounts } from './gates.ts'
import { countsOf, DEFAULT, LOOKED_AT } from './measure.ts'
import { fitNets, rounded } from './net.ts'
import { type NoteSet, readSets } from './sets.ts'

const USAGE = `usage: npm run fit:versions -- [flags]
Fits the pair score of versions to sets of bench/data, writes its weights and says what they do.
  --check FILE  sets that are measured only; may be given again
  --seed N      seed of the fit (1)
  --keep        fits nothing and measures the weights as they are
  --cache DIR   where vectors are kept between runs`

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

const { values } = parseArgs({
  options: {
    check: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    cache: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await main()

async function main(): Promise<void> {
  const embedder = sharedMiniLm(values.cache)
  const partsOf = async (sets: readonly NoteSet[]): Promise<Part[]> => {
    const parts: Part[] = []
    for (const { name, stores } of sets)
      for (const store of stores) parts.push(...foldsOf(name, await comparisonsOf(store, embedder)))
    return parts
  }
  const sets = [...CHAINS, ...OTHERS].flatMap((name) =>
    readSets(fileURLToPath(new URL(`${name}.json`, DATA))),
  )
  const parts = await partsOf(sets)
  const seed = Number(values.seed)
  const model = values.keep ? weights : rounded(fitNets(parts.flatMap(examplesOf), { seed }))
  if (!values.keep) writeFileSync(WEIGHTS, `${JSON.stringify(model)}\n`)
  const modelOf = values.keep ? () => model : foldModels(parts, seed)
  const all: Counts[] = []
  const measure = (name: string, some: readonly Part[], modelFor: (part: Part) => typeof model) => {
    const counts = some.map((part) => countsOf(part, modelFor(part)))
    const sums = LOOKED_AT.map((_, i) => total(counts.map((each) => each[i] ?? {})))
    print(name, sums)
    all.push(sums[DEFAULT] as Counts)
  }
  const unseen = values.keep ? '' : ', by weights that have not seen them'
  const [chains, others] = [true, false].map((wanted) => parts.filter(({ isChains }) => isChains === wanted))
  measure(`chains and controls${unseen}`, chains ?? [], modelOf)
  measure(`pairs, frames, talk${unseen}`, others ?? [], modelOf)
  for (const path of values.check) {
    const checked = readSets(path)
    sets.push(...checked)
    measure(basename(path), await partsOf(checked), () => model)
  }
  const stores = sets.flatMap((set) => set.stores)
  const counts = total([...all, await productCounts(stores, embedder)])
  const { told, toldFirst, folded = 0, spoken = 0, rank = 0, rankAlone = 0 } = counts
  console.log(`\ntold chains with the newest first: ${toldFirst} of ${told}; folded by a guess: ${folded}`)
  if (spoken > 0)
    console.log(`talk: mean reciprocal rank ${percent(rankAlone / spoken)} -> ${percent(rank / spoken)}`)
  const failed = failures(counts)
  for (const sentence of failed) console.error(`failed: ${sentence}`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

/** Splits the comparisons of a store by the fit that leaves them out. */
function foldsOf(name: string, { asked, noted }: Comparisons): Part[] {
  const whole = CHAINS.findIndex((chain) => name === chain || name === `${chain}, each`)
  const foldOf = (id = '') => (whole >= 0 ? whole : Number(/\d+/.exec(id)?.[0] ?? 0) % FOLDS)
  return Array.from({ length: FOLDS }, (_, fold) => ({
    ...{ fold, isChains: CHAINS.includes(name) },
    asked: asked.filter(({ question }) => foldOf(question.asked[0]) === fold),
    noted: noted.filter(({ notes }) => foldOf(notes.at(-1)?.id) === fold),
  }))
}

/** Fits weights for each fold to all other folds. */
function foldModels(parts: readonly Part[], seed: number): (part: Part) => ReturnType<typeof fitNets> {
  const examples = parts.map((part) => ({ fold: part.fold, examples: examplesOf(part) }))
  const models = Array.from({ length: FOLDS }, (_, fold) => {
    const others = examples.filter((each) => each.fold !== fold)
    return fitNets(
      others.flatMap((each) => each.examples),
      { seed },
    )
  })
  return ({ fold }) => models[fold] as ReturnType<typeof fitNets>
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
  console.log(`\n${textTable({ head: [name, ...head], rows: known })}`)
}
