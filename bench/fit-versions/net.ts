import { type PairModel, standardised } from '../../src/domain/versions/pair-score.ts'
import { createRandom, type Random } from '../lib/random.ts'

/** A pair as the fit sees it. */
export interface Example {
  /** In the order of `FEATURES`; NaN where unknown. */
  readonly features: readonly number[]
  /** 1 if the newer note is a later word about what the older says. */
  readonly label: 0 | 1
  readonly weight: number
}

export interface FitOptions {
  readonly hidden: number
  /** Number of nets whose outputs are averaged. */
  readonly nets: number
  readonly epochs: number
  readonly rate: number
  readonly decay: number
  readonly seed: number
}

export const FIT: FitOptions = { hidden: 12, nets: 2, epochs: 16, rate: 4e-3, decay: 3e-4, seed: 1 }

const BATCH = 128

/** Fits the nets to the examples by Adam on the weighted logistic loss; the same seed gives the same weights. */
export function fitNets(examples: readonly Example[], options: Partial<FitOptions> = {}): PairModel {
  const given = { ...FIT, ...options }
  const { mean, scale } = spreadOf(examples)
  const inputs = examples.map(({ features }) => standardised(features, { mean, scale, nets: [] }))
  const nets = Array.from({ length: given.nets }, (_, i) =>
    fitNet(inputs, examples, given, createRandom(given.seed, i)),
  )
  return { mean, scale, nets }
}

/** Mean and standard deviation of each feature where it is known. */
function spreadOf(examples: readonly Example[]): Pick<PairModel, 'mean' | 'scale'> {
  const columns = (examples[0]?.features ?? []).map((_, i) =>
    examples.map(({ features }) => features[i] as number).filter((value) => !Number.isNaN(value)),
  )
  const meanOf = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const mean = columns.map(meanOf)
  const scale = columns.map((values, i) =>
    Math.sqrt(Math.max(1e-6, meanOf(values.map((value) => (value - (mean[i] as number)) ** 2)))),
  )
  return { mean, scale }
}

/** The parameters of one net in one array: rows of the hidden layer, their biases, the outputs, the bias of the output. */
function fitNet(
  inputs: readonly Float64Array[],
  examples: readonly Example[],
  { hidden, epochs, rate, decay }: FitOptions,
  random: Random,
): PairModel['nets'][number] {
  const width = inputs[0]?.length ?? 0
  const [biases, outputs, last] = [hidden * width, hidden * width + hidden, hidden * width + 2 * hidden]
  const weights = Float64Array.from({ length: last + 1 }, (_, i) => {
    if (i < biases) return random.between(-1, 1) / Math.sqrt(width)
    return i >= outputs && i < last ? random.between(-0.5, 0.5) : 0
  })
  const adam = createAdam(weights, decay)
  const units = new Float64Array(hidden)
  const slopes = new Float64Array(last + 1)
  const order = inputs.map((_, i) => i)
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random)
    for (let from = 0; from < order.length; from += BATCH) {
      slopes.fill(0)
      let total = 0
      for (const at of order.slice(from, from + BATCH)) {
        const input = inputs[at] as Float64Array
        const { label, weight } = examples[at] as Example
        let z = weights[last] as number
        for (let h = 0; h < hidden; h++) {
          let sum = weights[biases + h] as number
          for (let i = 0; i < width; i++) sum += (input[i] as number) * (weights[h * width + i] as number)
          units[h] = Math.tanh(sum)
          z += (units[h] as number) * (weights[outputs + h] as number)
        }
        const miss = (1 / (1 + Math.exp(-z)) - label) * weight
        total += weight
        slopes[last] = (slopes[last] as number) + miss
        for (let h = 0; h < hidden; h++) {
          const unit = units[h] as number
          slopes[outputs + h] = (slopes[outputs + h] as number) + miss * unit
          const bend = miss * (weights[outputs + h] as number) * (1 - unit ** 2)
          slopes[biases + h] = (slopes[biases + h] as number) + bend
          for (let i = 0; i < width; i++)
            slopes[h * width + i] = (slopes[h * width + i] as number) + bend * (input[i] as number)
        }
      }
      adam(slopes, total, rate * (1.05 - epoch / epochs))
    }
  }
  return {
    hidden: units.reduce<number[][]>(
      (rows, _, h) => [...rows, [...weights.slice(h * width, (h + 1) * width)]],
      [],
    ),
    hiddenBias: [...weights.slice(biases, outputs)],
    out: [...weights.slice(outputs, last)],
    outBias: weights[last] as number,
  }
}

/** Makes the step of Adam (Kingma and Ba, 2015) with a ridge on all parameters but the last. */
function createAdam(weights: Float64Array, decay: number) {
  const [first, second] = [new Float64Array(weights.length), new Float64Array(weights.length)]
  let step = 0
  return (slopes: Float64Array, total: number, rate: number): void => {
    step++
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i] as number
      const slope = (slopes[i] as number) / total + (i < weights.length - 1 ? decay * weight : 0)
      first[i] = 0.9 * (first[i] as number) + 0.1 * slope
      second[i] = 0.999 * (second[i] as number) + 0.001 * slope ** 2
      const [m, v] = [(first[i] as number) / (1 - 0.9 ** step), (second[i] as number) / (1 - 0.999 ** step)]
      weights[i] = weight - (rate * m) / (Math.sqrt(v) + 1e-8)
    }
  }
}

function shuffle(order: number[], random: Random): void {
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const [one, other] = [order[i] as number, order[j] as number]
    order[i] = other
    order[j] = one
  }
}
