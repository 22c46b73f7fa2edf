import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { temporaryDirectory } from './helpers/cli.ts'

test('a real server that nobody calls for a moment dreams by itself, with the embedder of the package', async () => {
  const home = temporaryDirectory()
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, '../../src/bin.ts'), 'serve', '--quiet', '--tools', 'all'],
      env: { PATH: process.env.PATH ?? '', HOME: home, ELFMEM_MEMORY_AUTO_DREAM_QUIET_SECONDS: '1' },
      cwd: home,
    }),
  )
  onTestFinished(() => client.close())
  for (let at = 0; at < 12; at++)
    await client.callTool({ name: 'elfmem_remember', arguments: { content: `Shelf ${at} holds maps.` } })
  const store = await openSqliteStore(join(home, '.elfmem', 'agent.db'))
  onTestFinished(() => store.close())
  while ((await store.read((tx) => tx.waiting())) > 0) await sleep(100)
  // A dream is logged after its last block is promoted.
  const call = { name: 'elfmem_history', arguments: { operation: 'dream' } }
  await expect
    .poll(async () => (await client.callTool(call)).structuredContent, { timeout: 30_000 })
    .toMatchObject({ operations: [{ actor: 'auto' }] })
})
