import { readFileSync } from 'node:fs'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { Bench } from '../lib/bench.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { table } from '../lib/table.ts'
import { LOOK_ALIKES } from './look-alikes.ts'

/** Two texts of a kind: different facts that look alike, or one fact in two dresses. */
interface TextPair {
  readonly kind: string
  readonly a: string
  readonly b: string
}

/** What became of the second text of a pair, or of either when both were asked for. */
const STEPS = ['remember', 'dream', 'echo', 'hidden'] as const
type Fate = Readonly<Record<(typeof STEPS)[number], boolean>>

export const facts: Bench = {
  name: 'facts',
  summary: 'texts that look alike: which are found, taken for one or hidden (--data FILE for pairs)',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'JSON with pairs of kind, a and b: different facts, or the same fact in two dresses',
    },
  },
  run: async (flags, log) => {
    const lookAlikes = await lookAlikesFound()
    if (typeof flags.data !== 'string')
      return { report: `${lookAlikes}\n\npairs skipped: no --data FILE with pairs of texts`, data: [] }
    const { pairs } = JSON.parse(readFileSync(flags.data, 'utf8')) as { readonly pairs: readonly TextPair[] }
    const embedder = shareEmbedder(createMiniLmEmbedder())
    log(`${pairs.length} pairs`)
    const fates = new Map<string, Fate[]>()
    for (const pair of pairs) {
      const known = fates.get(pair.kind) ?? []
      fates.set(pair.kind, [...known, await fateOf(pair, embedder)])
    }
    const rows = [...fates].map(([kind, each]) => rowOf(kind, each))
    const all = rowOf('all', [...fates.values()].flat())
    return { report: [reportOf([...rows, all]), lookAlikes].join('\n\n'), data: [...rows, all] }
  },
}

interface Row extends Readonly<Record<(typeof STEPS)[number], number>> {
  readonly kind: string
  readonly pairs: number
}

function rowOf(kind: string, fates: readonly Fate[]): Row {
  const counted = STEPS.map((step) => [step, fates.filter((fate) => fate[step]).length] as const)
  return {
    kind,
    pairs: fates.length,
    ...(Object.fromEntries(counted) as Record<(typeof STEPS)[number], number>),
  }
}

function reportOf(rows: readonly Row[]): string {
  const head = [
    'kind',
    'pairs',
    'one at remember',
    'archived by dream',
    'taken for an echo',
    'not shown verbatim',
  ]
  return table(
    head,
    rows.map(({ kind, pairs, ...counts }) => [
      kind,
      ...[pairs, ...STEPS.map((step) => counts[step])].map(String),
    ]),
  )
}

async function fateOf({ a, b }: TextPair, embedder: Embedder): Promise<Fate> {
  const [pair, echo] = [await opened(embedder), await opened(embedder)]
  try {
    await pair.remember({ content: a })
    const second = await pair.remember({ content: b })
    const { deduplicated } = await pair.dream()
    await echo.remember({ content: a })
    await echo.dream()
    await echo.recall({ query: a })
    return {
      remember: second.status === 'duplicate',
      dream: deduplicated > 0,
      echo: (await echo.remember({ content: b })).status === 'duplicate',
      hidden: !((await shows(pair, a)) && (await shows(pair, b))),
    }
  } finally {
    await Promise.all([pair.close(), echo.close()])
  }
}

/** Facts that look alike and are an entry of the answer to the question that names them, of each set. */
async function lookAlikesFound(): Promise<string> {
  const embedder = createMiniLmEmbedder()
  const rows: (readonly [name: string, found: number, facts: number])[] = []
  try {
    for (const { name, facts } of LOOK_ALIKES) {
      const memory = await opened(embedder)
      for (const { fact } of facts) await memory.remember({ content: fact })
      await memory.dream()
      let found = 0
      for (const { fact, question } of facts) {
        const { blocks } = await memory.recall({ query: question, reinforce: false })
        if (blocks.some(({ content }) => content === fact)) found++
      }
      rows.push([name, found, facts.length])
      await memory.close()
    }
  } finally {
    await embedder.close()
  }
  const sum = (at: 1 | 2) => rows.reduce((total, row) => total + row[at], 0)
  return table(
    ['look-alikes', 'found', 'of'],
    [...rows, ['all', sum(1), sum(2)] as const].map((row) => row.map(String)),
  )
}

function opened(embedder: Embedder): Promise<Memory> {
  return openMemory(':memory:', { config: {}, embedder })
}

/** True if a question in the very words of a text brings it, as an entry or set apart from one. */
async function shows(memory: Memory, text: string): Promise<boolean> {
  const { blocks, counterpoints } = await memory.recall({ query: text, reinforce: false })
  const shown = [...blocks, ...blocks.flatMap(({ versions = [] }) => versions), ...counterpoints]
  return shown.some(({ content }) => content === text)
}
