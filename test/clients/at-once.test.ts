import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asProcess, world } from './world.ts'

const BEFORE = '{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}\n'

test('two processes at once put their entries into one file, and both are taken out again', async () => {
  const at = world({ 'project/AGENTS.md': '# Ours\n', 'project/.mcp.json': BEFORE })
  const before = at.all()
  const names = ['codex', 'opencode', 'zed', 'claude-code', 'claude-code']
  const ends = await Promise.all(
    names.map((name) => asProcess(at, ['init', '--client', name, '--rules', '--yes', '-q'])),
  )
  expect(ends.map(({ code }) => code)).toEqual(names.map(() => 0))
  expect(at.read('project/AGENTS.md').match(/elfmem:begin/g)).toHaveLength(1)
  await at.uninstall('codex')
  await at.uninstall('opencode')
  expect(at.read('project/AGENTS.md')).toContain('elfmem:begin')
  await at.uninstall('all')
  expect(at.all()).toEqual(before)
  expect(readdirSync(join(at.home, '.elfmem/clients'))).toEqual([])
})
