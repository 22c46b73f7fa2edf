import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { addToken, serveHttp } from './helpers/http.ts'
import { withToken } from './helpers/with-token.ts'

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** The scenarios that need no tools, prompts and resources of the suite itself. */
const SCENARIOS = [
  ...['server-initialize', 'ping', 'tools-list', 'tools-call-error'],
  ...['prompts-list', 'resources-list', 'dns-rebinding-protection'],
]

test('elfmem serve --http passes the scenarios of the official suite', async () => {
  const home = temporaryDirectory()
  const { url } = await serveHttp(home)
  const asked = [
    SUITE,
    'server',
    '--url',
    await withToken(url, await addToken(home, 'suite')),
    '--suite',
    'all',
  ]
  const child = spawn(process.execPath, asked, {
    cwd: temporaryDirectory(),
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said += part
  })
  await once(child, 'close')
  const passed = [...said.matchAll(/^✓ ([a-z0-9-]+): \d+ passed/gm)].map(([, name = '']) => name)
  expect(passed).toEqual(expect.arrayContaining(SCENARIOS))
})
