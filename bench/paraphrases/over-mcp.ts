import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mean } from '../lib/statistics.ts'
import { percent, type Table } from '../lib/table.ts'
import type { Pair, PairSet } from './corpora.ts'

/** What an agent is served that remembers, dreams and asks over MCP and sets nothing. */
export interface ServedRow {
  readonly pairs: PairSet
  readonly asked: number
  readonly hit1: number
  readonly hit5: number
  readonly meanBlocks: number
  /** Answers by what they say of themselves. */
  readonly match: Readonly<Record<string, number>>
}

interface Recalled {
  readonly match: string
  readonly blocks: readonly { readonly content: string }[]
}

const BIN = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))

/** Asks the pairs' questions of a server process of its own, over a new memory file. */
export async function askOverMcp(
  pairs: readonly Pair[],
  { set, path, home }: { readonly set: PairSet; readonly path: string; readonly home: string },
): Promise<ServedRow> {
  const client = new Client({ name: 'elfmem-bench', version: '0' })
  const env = { PATH: process.env.PATH ?? '', HOME: home }
  const args = [...process.execArgv, BIN, 'serve', '--quiet', '--db', path]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home }))
  const call = async (name: string, given: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const answer = await client.callTool({ name: `elfmem_${name}`, arguments: given })
    if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer.content)}`)
    return answer.structuredContent
  }
  try {
    for (const { block } of pairs) await call('remember', { content: block })
    await call('dream', {})
    const answers: { readonly place: number; readonly recalled: Recalled }[] = []
    for (const { block, question } of pairs) {
      const recalled = (await call('recall', { query: question })) as Recalled
      const place = recalled.blocks.findIndex(({ content }) => content === block) + 1
      answers.push({ place, recalled })
    }
    const byMatch = Map.groupBy(answers, ({ recalled }) => recalled.match)
    return {
      pairs: set,
      asked: pairs.length,
      hit1: mean(answers.map(({ place }) => (place === 1 ? 1 : 0))),
      hit5: mean(answers.map(({ place }) => (place >= 1 && place <= 5 ? 1 : 0))),
      meanBlocks: mean(answers.map(({ recalled }) => recalled.blocks.length)),
      match: Object.fromEntries([...byMatch].map(([match, { length }]) => [match, length])),
    }
  } finally {
    await client.close()
  }
}

export function servedTable(rows: readonly ServedRow[]): Table {
  const qualities = ['match', 'perhaps', 'nothing']
  return {
    head: ['questions', 'asked', 'served hit@1', 'hit@5', 'mean blocks', ...qualities],
    rows: rows.map(({ pairs, asked, hit1, hit5, meanBlocks, match }) => [
      pairs,
      String(asked),
      percent(hit1),
      percent(hit5),
      meanBlocks.toFixed(1),
      ...qualities.map((quality) => String(match[quality] ?? 0)),
    ]),
  }
}
