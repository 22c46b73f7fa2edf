import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../surfaces/helpers/cli.ts'
import { openTestMemory } from '../../surfaces/helpers/roads.ts'
import { addToken, serveHttp } from '../helpers/http.ts'
import { serveFixtures } from './fixture-server.ts'
import { withToken } from './with-token.ts'

const STABLE = join(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
/** The suite of the next revision is not released: npm install @modelcontextprotocol/conformance@0.2.0-alpha.12 anywhere. */
const NEXT = process.env.CONFORMANCE_2026 ?? ''
const listOf = (name: string) => ['--expected-failures', join(import.meta.dirname, name)]

/** Runs a suite; its exit code, and what it said of each scenario. */
async function conformance(suite: string, url: string, ...more: readonly string[]) {
  const child = spawn(process.execPath, [suite, 'server', '--url', url, ...more], {
    cwd: temporaryDirectory(),
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      said += part
    })
  const [code] = (await once(child, 'close')) as [number]
  const scenarios = [...said.matchAll(/^([✓✗]) ([a-z0-9-]+): (\d+) passed/gm)]
  const passed = scenarios.filter(([, mark]) => mark === '✓').map(([, , name = '']) => name)
  return { code, said, passed, total: /^Total: .*$/m.exec(said)?.[0] ?? said.slice(-500) }
}

test('elfmem serve --http passes what the official suite asks of a server without its fixtures', async ({
  annotate,
}) => {
  const home = temporaryDirectory()
  const token = await addToken(home, 'suite')
  const { url } = await serveHttp(home)
  const { passed, total } = await conformance(STABLE, await withToken(url, token), '--suite', 'all')
  await annotate(total)
  expect(passed).toEqual(
    expect.arrayContaining([
      ...[
        'server-initialize',
        'ping',
        'completion-complete',
        'tools-list',
        'tools-call-error',
        'prompts-list',
      ],
      ...['resources-list', 'dns-rebinding-protection'],
    ]),
  )
})

test('with the fixtures it passes all', async ({ annotate }) => {
  const { url, token } = await serveFixtures(await openTestMemory())
  const asked = ['--suite', 'all', ...listOf('expected-failures.yml')]
  const { code, said, passed, total } = await conformance(STABLE, await withToken(url, token), ...asked)
  await annotate(total)
  expect(passed.length, said).toBeGreaterThan(30)
  expect(code, said.slice(-1_500)).toBe(0)
})

test.skipIf(NEXT === '')(
  'the suite for 2026-07-28, named by CONFORMANCE_2026, passes all but what is explained',
  async ({ annotate }) => {
    const { url, token } = await serveFixtures(await openTestMemory())
    const asked = ['--requirements', '2026-07-28', ...listOf('expected-failures-2026.yml')]
    const { code, said, passed, total } = await conformance(NEXT, await withToken(url, token), ...asked)
    await annotate(total)
    expect(passed.length, said).toBeGreaterThan(20)
    expect(code, said.slice(-1_500)).toBe(0)
  },
)
