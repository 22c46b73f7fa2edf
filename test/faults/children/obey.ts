import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Does with a memory, or with its bare file, what each line of standard input says, and answers each with one line. */
const [path = ''] = process.argv.slice(2)
const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
const database = new DatabaseSync(path)

const ACTS: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  recall: async (query) => (await memory.recall({ query })).blocks.map(({ content }) => content),
  remember: async (content) => (await memory.remember({ content })).blockId,
  /** Reads an older state from now on. */
  hold: async () => {
    database.exec('BEGIN')
    return database.prepare('SELECT count(*) AS total FROM blocks').get()
  },
  release: async () => database.exec('COMMIT'),
  dream: async () => (await memory.dream()).summary,
  close: async () => {
    database.close()
    await memory.close()
  },
}

process.stdout.write('"ready"\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [act = '', ...rest] = line.split(' ')
  const answer = await ACTS[act]?.(rest.join(' '))
  process.stdout.write(`${JSON.stringify(answer ?? null)}\n`)
  if (act === 'close') process.exit(0)
}
