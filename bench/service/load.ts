import { createRandom, type Random } from '../lib/random.ts'
import { median, quantile } from '../lib/statistics.ts'
import { placed } from '../speed/filled.ts'
import { sentence } from '../speed/sentences.ts'

/** A service that listens, and a token for each of its memories. */
export interface Line {
  readonly url: string
  readonly tokens: readonly string[]
}

/** The clients of one run, which all call for the same time. */
export interface Load {
  readonly clients: number
  readonly seconds: number
  /** Blocks in each memory when the run begins. */
  readonly blocks: number
  /** True: somebody asks for dreams all the while. */
  readonly dreams: boolean
}

const KINDS = ['recall', 'remember', 'outcome'] as const
export type Kind = (typeof KINDS)[number]

/** Milliseconds of the calls of one kind. */
export interface Spread {
  readonly calls: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The measurements of one run. */
export interface Measured {
  readonly times: Readonly<Record<Kind, Spread>>
  readonly callsPerSecond: number
  readonly failures: number
  /** The greatest median of a client, over the median of these medians. */
  readonly slowestClient: number
  readonly dreams: number
}

/** One call that was answered. */
interface Call {
  readonly kind: Kind
  readonly client: number
  readonly ms: number
}

/** The blocks that a client recalled last, which its next report is about. */
interface Recalled {
  readonly memory: number
  readonly blockIds: readonly string[]
}

/** Lets clients recall (60 %), remember (30 %) and report (10 %) on memories drawn by chance, each call after its last. */
export async function runLoad(line: Line, load: Load): Promise<Measured> {
  const calls: Call[] = []
  const until = performance.now() + load.seconds * 1_000
  let failures = 0
  let dreams = 0
  const client = async (number: number) => {
    const random = createRandom(40, number)
    let recalled: Recalled | undefined
    while (performance.now() < until) {
      const kind = kindOf(random, recalled)
      const memory = kind === 'outcome' && recalled ? recalled.memory : random.below(line.tokens.length)
      const started = performance.now()
      const answer = await post(line, memory, kind, inputOf(kind, random, load, recalled))
      const ms = performance.now() - started
      if (answer === undefined) failures += 1
      else calls.push({ kind, client: number, ms })
      if (kind === 'recall') recalled = recalledIn(memory, answer)
    }
  }
  const dreamer = async () => {
    const random = createRandom(41, 0)
    while (load.dreams && performance.now() < until) {
      const dreamt = await post(line, random.below(line.tokens.length), 'dream', {})
      if (dreamt !== undefined) dreams += 1
    }
  }
  const started = performance.now()
  await Promise.all([...Array.from({ length: load.clients }, (_, i) => client(i)), dreamer()])
  const seconds = (performance.now() - started) / 1_000
  return { ...measuredOf(calls, load.clients), callsPerSecond: calls.length / seconds, failures, dreams }
}

function kindOf(random: Random, recalled: Recalled | undefined): Kind {
  const drawn = random.below(10)
  if (drawn < 6) return 'recall'
  return drawn < 9 || recalled === undefined ? 'remember' : 'outcome'
}

function inputOf(kind: Kind, random: Random, { blocks }: Load, recalled: Recalled | undefined): object {
  if (kind === 'recall') return { query: question(random.below(blocks)) }
  if (kind === 'remember') return placed(blocks + random.below(1_000_000))
  return { signal: 0.8, blockIds: recalled?.blockIds ?? [] }
}

/** The first words of a sentence that the memory has. */
export function question(i: number): string {
  return sentence(i).split(' ').slice(0, 6).join(' ')
}

function recalledIn(memory: number, answer: unknown): Recalled | undefined {
  const { blocks = [] } = Object(answer) as { readonly blocks?: readonly { readonly id: string }[] }
  return blocks.length === 0 ? undefined : { memory, blockIds: blocks.slice(0, 3).map(({ id }) => id) }
}

/** The answer of one call; undefined if it failed. */
async function post(
  { url, tokens }: Line,
  memory: number,
  operation: string,
  input: object,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${tokens[memory]}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/${operation}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
  })
  const answer: unknown = await response.json()
  return response.ok ? answer : undefined
}

function measuredOf(calls: readonly Call[], clients: number): Pick<Measured, 'times' | 'slowestClient'> {
  const times = Object.fromEntries(
    KINDS.map((kind) => [kind, spreadOf(calls.filter((call) => call.kind === kind).map(({ ms }) => ms))]),
  ) as Record<Kind, Spread>
  const medians = Array.from({ length: clients }, (_, client) =>
    median(calls.filter((call) => call.client === client).map(({ ms }) => ms)),
  )
  return { times, slowestClient: Math.max(...medians) / Math.max(median(medians), 1e-9) }
}

/** The middle and the slow ends of some times. */
function spreadOf(times: readonly number[]): Spread {
  const at = (share: number) => quantile(times, share)
  return { calls: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Asks each memory for the first time, a few at once; returns how long the answers took. */
export async function openAll(
  line: Line,
  { clients, blocks }: Pick<Load, 'clients' | 'blocks'>,
): Promise<Spread> {
  const times: number[] = []
  const waiting = line.tokens.keys()
  const client = async () => {
    for (const memory of waiting) {
      const started = performance.now()
      await post(line, memory, 'recall', { query: question(memory % blocks) })
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return spreadOf(times)
}
