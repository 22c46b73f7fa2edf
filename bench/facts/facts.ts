import { readFileSync } from 'node:fs'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import type { Bench } from '../lib/bench.ts'
import { readData } from '../lib/data.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { table } from '../lib/table.ts'

/** Facts that look alike, each with the question that names it. */
interface LookAlikes {
  readonly name: string
  readonly facts: readonly { readonly fact: string; readonly question: string }[]
}

/** Two texts of a kind: different facts that look alike, or one fact in two dresses. */
interface TextPair {
  readonly kind: string
  readonly a: string
  readonly b: string
}

/** The fate of the second text of a pair, or of either when it is asked for in its very words. */
const STEPS = ['remember', 'dream', 'echo', 'hidden', 'olderFirst', 'newerFirst'] as const
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
    'older first in its words',
    'newer first in its words',
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
    const [older, newer] = [await shownFor(pair, a), await shownFor(pair, b)]
    return {
      remember: second.status === 'duplicate',
      dream: deduplicated > 0,
      echo: (await echo.remember({ content: b })).status === 'duplicate',
      hidden: !(older.isShown && newer.isShown),
      olderFirst: older.isFirst,
      newerFirst: newer.isFirst,
    }
  } finally {
    await Promise.all([pair.close(), echo.close()])
  }
}

/** Other facts among which look-alikes are asked for, besides those of the other sets. */
const CROWD = Array.from(
  { length: 160 },
  (_, i) => `Record ${i} of room ${i % 13} holds ${(i * 31) % 97} boxes and is due on ${1 + (i % 28)} May.`,
)

/** Facts that look alike: how many the question that names them finds at all and first, alone and in a crowd. */
async function lookAlikesFound(): Promise<string> {
  const embedder = createMiniLmEmbedder()
  const lookAlikes = readData<readonly LookAlikes[]>('look-alikes.json')
  const rows: (readonly [name: string, ...numbers: number[]])[] = []
  try {
    const crowd = await holding(embedder, [
      ...lookAlikes.flatMap(({ facts }) => facts.map(({ fact }) => fact)),
      ...CROWD,
    ])
    for (const { name, facts } of lookAlikes) {
      const alone = await holding(
        embedder,
        facts.map(({ fact }) => fact),
      )
      rows.push([name, facts.length, ...(await foundOf(alone, facts)), ...(await foundOf(crowd, facts))])
      await alone.close()
    }
    await crowd.close()
  } finally {
    await embedder.close()
  }
  const sums = [1, 2, 3, 4, 5].map((at) => rows.reduce((total, row) => total + Number(row[at]), 0))
  return table(
    ['look-alikes', 'facts', 'found', 'first', 'found in a crowd', 'first in a crowd'],
    [...rows, ['all', ...sums]].map((row) => row.map(String)),
  )
}

async function holding(embedder: Embedder, contents: readonly string[]): Promise<Memory> {
  const memory = await opened(embedder)
  await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  await dreamAll(memory)
  return memory
}

/** Facts that are an entry of the answer to their question, and those that are its first. */
async function foundOf(
  memory: Memory,
  facts: LookAlikes['facts'],
): Promise<readonly [found: number, first: number]> {
  let [found, first] = [0, 0]
  for (const { fact, question } of facts) {
    const { blocks } = await memory.recall({ query: question, reinforce: false })
    const place = blocks.findIndex(({ content }) => content === fact)
    if (place >= 0) found++
    if (place === 0) first++
  }
  return [found, first]
}

function opened(embedder: Embedder): Promise<Memory> {
  return openMemory(':memory:', { config: {}, embedder })
}

/** Asks in the words of a text whether it is shown, also apart from an entry, and whether it is first. */
async function shownFor(memory: Memory, text: string): Promise<{ isShown: boolean; isFirst: boolean }> {
  const { blocks, counterpoints } = await memory.recall({ query: text, reinforce: false })
  const shown = [...blocks, ...blocks.flatMap(({ versions = [] }) => versions), ...counterpoints]
  return { isShown: shown.some(({ content }) => content === text), isFirst: blocks[0]?.content === text }
}
