import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { messagesModel, type Turn } from './helpers/scripted-models.ts'
import { ASKED, fetched, learned, PORT, ROOT, ran, type World, world } from './helpers/world.ts'

/** Runs Claude Code with the plugin, once for each list of arguments; the requests that its model got. */
async function claudeRuns(
  context: TestContext,
  where: World,
  script: readonly Turn[],
  ...runs: readonly (readonly string[])[]
): Promise<readonly string[]> {
  const claude = await fetched(context)
  const { url, requests } = await messagesModel(script)
  const variables = {
    CLAUDE_CONFIG_DIR: join(where.home, '.claude'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }
  for (const args of runs) await ran(claude, [...args, '--plugin-dir', where.plugin], where, variables)
  return requests
}

test('claude plugin validate accepts the plugin and its list', async (context) => {
  const claude = await fetched(context)
  const where = await world()
  for (const folder of ['plugin', '.'])
    expect(await ran(claude, ['plugin', 'validate', join(ROOT, folder)], where, {})).toContain('passed')
})

test('Claude Code shows its model no memory that its own session wrote', async (context) => {
  const where = await world()
  const content = 'Production of the shop answers on port 9900.'
  const tool = 'mcp__plugin_elfmem_elfmem__elfmem_remember'
  const script = [{ tool, input: { content } }, { says: 'Kept.' }, { says: 'It is 9900.' }]
  const session = '11111111-2222-4333-8444-555555555555'
  const requests = await claudeRuns(
    context,
    where,
    script,
    ['-p', ASKED, '--allowedTools', tool, '--session-id', session],
    ['-p', 'Which port does production of the shop answer on?', '--resume', session],
  )
  expect(requests).toHaveLength(3)
  const fences = (requests[2] ?? '').split('<memory ').slice(1)
  const shown = fences.map((each) => each.split('</memory>')[0]).join()
  expect(shown).toContain('4210')
  expect(shown).not.toContain('9900')
})

test('Claude Code shows memory once, and a check that passes is evidence for it', async (context) => {
  const where = await world()
  const check = { command: 'grep -q 4210 deploy.conf' }
  const deploy = { writes: join(where.cwd, 'deploy.conf'), content: 'port = 4210\n' }
  const script = [check, deploy, check, { says: 'It answers.' }]
  const args = ['-p', ASKED, '--allowedTools', 'Bash,Write']
  const requests = await claudeRuns(context, where, script, args)
  expect(requests).toHaveLength(4)
  for (const request of [requests[0], requests[3]]) expect(request?.split(PORT)).toHaveLength(2)
  expect(await learned(where)).toMatchObject([{ reason: 'implicit: check' }])
})
