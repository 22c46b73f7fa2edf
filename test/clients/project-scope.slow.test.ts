import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { HASHING } from '../surfaces/helpers/cli.ts'
import { type World, world } from './world.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')

async function connected(
  { home, env: more }: Pick<World, 'home'> & { readonly env?: Record<string, string> },
  cwd: string,
  ...argv: readonly string[]
): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1' })
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ...more }
  const args = ['--no-warnings', BIN, 'serve', ...argv]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  return client
}

async function said(client: Client, name: string, input: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input })
  return JSON.stringify(content)
}

test('serve --project-scope shows one project nothing of another in the same file', async () => {
  const at = world()
  const other = join(at.project, '../other')
  mkdirSync(join(other, '.git'), { recursive: true })
  const [one, two] = [
    await connected(at, at.project, '--project-scope'),
    await connected(at, other, '--project-scope'),
  ]
  await said(one, 'elfmem_remember', { content: 'Staging listens on port 4210.' })
  expect(await said(two, 'elfmem_recall', { query: 'staging port' })).not.toContain('4210')
  expect(await said(two, 'elfmem_ls', { status: 'inbox' })).not.toContain('4210')
  expect(await said(one, 'elfmem_recall', { query: 'staging port' })).toContain('4210')
  const inner = join(at.project, 'packages/inner')
  mkdirSync(inner, { recursive: true })
  expect(
    await said(await connected(at, inner, '--project-scope'), 'elfmem_recall', { query: 'staging port' }),
  ).toContain('4210')
})

test('serve --project-scope serves the own memory of a trusted project whole', async () => {
  const at = world()
  await at.run(['init'])
  await at.run(['remember', 'Tea is at four'])
  expect(
    await said(await connected(at, at.project, '--project-scope'), 'elfmem_recall', { query: 'when is tea' }),
  ).toContain('four')
})

test('serve --project-scope obeys no config that came with a project', async () => {
  const at = world({ 'project/.elfmem/config.yaml': 'project: { scope: elsewhere }' })
  await at.run(['remember', 'Tea is at four'], { cwd: at.home })
  await at.run(['remember', 'Cake is at five', '--scope', 'elsewhere'], { cwd: at.home })
  const client = await connected(at, at.project, '--project-scope')
  expect(await said(client, 'elfmem_ls', { status: 'inbox' })).not.toMatch(/four|five/)
})
