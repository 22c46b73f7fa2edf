import { createRandom, type Random } from '../lib/random.ts'
import { median } from '../lib/statistics.ts'
import { placed } from '../speed/filled.ts'
import { sentence } from '../speed/sentences.ts'
import { type Timing, timed, timing } from '../speed/timed.ts'

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
}

export const KINDS = ['recall', 'remember', 'outcome'] as const
type Kind = (typeof KINDS)[number]

/** The measurements of one run. */
export interface Measured {
  readonly times: Readonly<Record<Kind, Timing>>
  readonly callsPerSecond: number
  readonly failures: number
  /** The greatest median of a client, over the median of these medians. */
  readonly slowestClient: number
  readonly dreams: number
}

/** The blocks that a client recalled last, which its next report is about. */
interface Recalled {
  readonly memory: number
  readonly blockIds: readonly string[]
}

/** Lets clients recall (60 %), remember (30 %) and report (10 %) on memories drawn by chance, each call after its last, while somebody asks for dreams. */
export async function runLoad(line: Line, load: Load, dreamers = 0): Promise<Measured> {
  const calls: { readonly kind: Kind; readonly client: number; readonly ms: number }[] = []
  const started = performance.now()
  const isOver = () => performance.now() > started + load.seconds * 1_000
  let failures = 0
  let dreams = 0
  const client = async (number: number) => {
    const random = createRandom(40, number)
    let recalled: Recalled | undefined
    while (!isOver()) {
      const kind = kindOf(random, recalled)
      const memory = kind === 'outcome' && recalled ? recalled.memory : random.below(line.tokens.length)
      const begun = performance.now()
      const answer = await post(line, memory, kind, inputOf(kind, random, load, recalled))
      if (answer === undefined) failures += 1
      else calls.push({ kind, client: number, ms: performance.now() - begun })
      if (kind === 'recall') recalled = recalledIn(memory, answer)
    }
  }
  const dreamer = async (_: unknown, number: number) => {
    const random = createRandom(41, number)
    while (!isOver())
      if ((await post(line, random.below(line.tokens.length), 'dream', {})) !== undefined) dreams += 1
  }
  const clients = [...Array(load.clients).keys()]
  await Promise.all([...clients.map(client), ...Array.from({ length: dreamers }, dreamer)])
  const seconds = (performance.now() - started) / 1_000
  const msOf = (fits: (call: (typeof calls)[number]) => boolean) => calls.filter(fits).map(({ ms }) => ms)
  const medians = clients.map((number) => median(msOf((call) => call.client === number)))
  return {
    times: Object.fromEntries(
      KINDS.map((kind) => [kind, timing(msOf((call) => call.kind === kind))]),
    ) as Measured['times'],
    ...{ callsPerSecond: calls.length / seconds, failures, dreams },
    slowestClient: Math.max(...medians) / Math.max(median(medians), 1e-9),
  }
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

/** Returns the first words of a sentence that the memory has. */
export function question(i: number): string {
  return sentence(i).split(' ').slice(0, 6).join(' ')
}

function recalledIn(memory: number, answer: unknown): Recalled | undefined {
  const { blocks = [] } = Object(answer) as { readonly blocks?: readonly { readonly id: string }[] }
  return blocks.length === 0 ? undefined : { memory, blockIds: blocks.slice(0, 3).map(({ id }) => id) }
}

/** Returns the answer of one call; undefined if it failed. */
async function post(
  { url, tokens }: Line,
  memory: number,
  operation: string,
  input: object,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${tokens[memory]}`, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(input) }
  const response = await fetch(`${url}/v1/${operation}`, request)
  const answer: unknown = await response.json()
  return response.ok ? answer : undefined
}

/** Asks each memory for the first time, a few at once. */
export async function openAll(line: Line, clients: number, blocks: number): Promise<Timing> {
  const times: number[] = []
  const waiting = line.tokens.keys()
  const client = async () => {
    for (const memory of waiting)
      times.push(await timed(() => post(line, memory, 'recall', { query: question(memory % blocks) })))
  }
  await Promise.all(Array.from({ length: clients }, client))
  return timing(times)
}
