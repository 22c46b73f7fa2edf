import { type PairModel, standardised } from '../../src/recall/pair-score.ts'
import { createRandom, type Random } from '../lib/random.ts'

/** A pair as the fit sees it. */
export interface Example {
  /** As `pairFeatures` gives them; NaN where unknown. */
  readonly features: readonly number[]
  /** 1 if the newer note is a later word about what the older says. */
  readonly label: 0 | 1
  readonly weight: number
}

interface FitOptions {
  /** Units of the hidden layer. */
  readonly units: number
  /** Number of nets whose outputs are averaged. */
  readonly nets: number
  /** Number of times that each example is drawn on average. */
  readonly epochs: number
  readonly seed: number
}

const FIT: FitOptions = { units: 12, nets: 2, epochs: 30, seed: 1 }

const BATCH = 128
const RATE = 4e-3
/** Strength of the ridge on all parameters. */
const DECAY = 3e-4

/** Fits nets to the examples by Adam on the weighted logistic loss; the same seed gives the same weights. */
export function fitNets(examples: readonly Example[], options: Partial<FitOptions> = {}): PairModel {
  const { units, nets, epochs, seed } = { ...FIT, ...options }
  const spread = spreadOf(examples.map(({ features }) => features))
  // The last input is always 1, and its weight is the bias.
  const inputs = examples.map(({ features }) =>
    Float64Array.from([...standardised(features, { ...spread, nets: [] }), 1]),
  )
  const fitNet = (random: Random) => {
    const net = new Net(inputs[0]?.length ?? 1, units, random)
    const steps = Math.ceil((epochs * inputs.length) / BATCH)
    for (let step = 0; step < steps; step++) {
      for (let i = 0; i < BATCH; i++) {
        const at = random.below(inputs.length)
        net.learn(inputs[at] as Float64Array, examples[at] as Example)
      }
      net.step(RATE * (1.05 - step / steps))
    }
    return net.result()
  }
  return { ...spread, nets: Array.from({ length: nets }, (_, i) => fitNet(createRandom(seed, i))) }
}

/** Returns mean and standard deviation of each feature where it is known. */
function spreadOf(rows: readonly (readonly number[])[]): Pick<PairModel, 'mean' | 'scale'> {
  const meanOf = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const columns = (rows[0] ?? []).map((_, i) =>
    rows.map((row) => row[i] as number).filter((value) => !Number.isNaN(value)),
  )
  const mean = columns.map(meanOf)
  const variances = columns.map((values, i) =>
    meanOf(values.map((value) => (value - (mean[i] as number)) ** 2)),
  )
  return { mean, scale: variances.map((variance) => Math.sqrt(Math.max(1e-6, variance))) }
}

/** A net with one hidden layer while it is fitted; its parameters are the rows of the layer and then the outputs, in one array. */
class Net {
  readonly #width: number
  readonly #outputs: number
  readonly #weights: Float64Array
  readonly #slopes: Float64Array
  readonly #first: Float64Array
  readonly #second: Float64Array
  /** The outputs of the units for the last example, and then a 1, whose weight is the bias. */
  readonly #units: Float64Array
  #learned = 0
  #steps = 0

  constructor(width: number, units: number, random: Random) {
    const size = units * width + units + 1
    this.#width = width
    this.#outputs = units * width
    this.#weights = Float64Array.from({ length: size }, (_, i) => {
      if (i >= this.#outputs) return i < size - 1 ? random.between(-0.5, 0.5) : 0
      return i % width < width - 1 ? random.between(-1, 1) / Math.sqrt(width) : 0
    })
    this.#slopes = new Float64Array(size)
    this.#first = new Float64Array(size)
    this.#second = new Float64Array(size)
    this.#units = new Float64Array(units + 1).fill(1)
  }

  /** Adds the slopes of an example's loss. */
  learn(input: Float64Array, { label, weight }: Example): void {
    const [width, outputs, weights, slopes, units] = [
      this.#width,
      this.#outputs,
      this.#weights,
      this.#slopes,
      this.#units,
    ]
    const last = units.length - 1
    let z = weights[outputs + last] as number
    for (let h = 0; h < last; h++) {
      let sum = 0
      for (let i = 0; i < width; i++) sum += (input[i] as number) * (weights[h * width + i] as number)
      units[h] = Math.tanh(sum)
      z += (units[h] as number) * (weights[outputs + h] as number)
    }
    const miss = (1 / (1 + Math.exp(-z)) - label) * weight
    this.#learned += weight
    units.forEach((unit, h) => {
      slopes[outputs + h] = (slopes[outputs + h] as number) + miss * unit
    })
    for (let h = 0; h < last; h++) {
      const bend = miss * (weights[outputs + h] as number) * (1 - (units[h] as number) ** 2)
      for (let i = 0; i < width; i++)
        slopes[h * width + i] = (slopes[h * width + i] as number) + bend * (input[i] as number)
    }
  }

  /** Moves the parameters by the slopes since the last step, as Adam does (Kingma and Ba, 2015). */
  step(rate: number): void {
    const [weights, first, second] = [this.#weights, this.#first, this.#second]
    this.#steps++
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i] as number
      const slope = (this.#slopes[i] as number) / this.#learned + DECAY * weight
      first[i] = 0.9 * (first[i] as number) + 0.1 * slope
      second[i] = 0.999 * (second[i] as number) + 0.001 * slope ** 2
      const mean = (first[i] as number) / (1 - 0.9 ** this.#steps)
      const square = (second[i] as number) / (1 - 0.999 ** this.#steps)
      weights[i] = weight - (rate * mean) / (Math.sqrt(square) + 1e-8)
    }
    this.#slopes.fill(0)
    this.#learned = 0
  }

  result(): PairModel['nets'][number] {
    const [width, weights] = [this.#width, [...this.#weights]]
    const rows = [...this.#units.slice(1)].map((_, h) => weights.slice(h * width, (h + 1) * width))
    return {
      hidden: rows.map((row) => row.slice(0, -1)),
      hiddenBias: rows.map((row) => row.at(-1) as number),
      out: weights.slice(this.#outputs, -1),
      outBias: weights.at(-1) as number,
    }
  }
}

/** Rounds all numbers of a model to four digits behind the point. */
export function rounded(model: PairModel): PairModel {
  const round = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(4)) : value)
  return JSON.parse(JSON.stringify(model, round)) as PairModel
}
