import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { OpenSystem } from './system.ts'

interface Entities {
  readonly entities: readonly { readonly name: string }[]
}

/** The reference memory server over stdio: one entity a text; it finds texts that contain the whole question. */
export const openServerMemory: OpenSystem = async ({ folder, packages }) => {
  const home = join(packages, 'node_modules/@modelcontextprotocol/server-memory')
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const client = new Client({ name: 'elfmem-bench', version: '0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(home, 'dist/index.js')],
    env: { PATH: process.env.PATH ?? '', MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    stderr: 'ignore',
  })
  await client.connect(transport)
  const create = (texts: readonly string[], from: number) =>
    client.callTool({
      name: 'create_entities',
      arguments: {
        entities: texts.map((text, i) => ({
          name: `n${from + i}`,
          entityType: 'note',
          observations: [text],
        })),
      },
    })
  return {
    version,
    ...(transport.pid === null ? {} : { pid: transport.pid }),
    add: async (text, at) => void (await create([text], at)),
    addMany: async (texts, from) => void (await create(texts, from)),
    search: async (query, { topK }) => {
      const { content } = await client.callTool({ name: 'search_nodes', arguments: { query } })
      const [first] = content as readonly { readonly text?: string }[]
      const { entities } = JSON.parse(first?.text ?? '{"entities":[]}') as Entities
      return entities.slice(0, topK).map(({ name }) => Number(name.slice(1)))
    },
    close: () => client.close(),
  }
}
