import { expect, test } from 'vitest'
import { asProcess, world } from './world.ts'

const BEFORE = '{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}\n'

test('killed before any step, init leaves the file before or after, and what follows is as if nothing had been', async () => {
  const states = new Set<string>()
  for (let dieAt = 0; ; dieAt += 1) {
    const at = world({ 'project/.mcp.json': BEFORE })
    const before = at.all()
    const argv = ['init', '--client', 'claude-code,cursor', '--yes', '-q']
    const { killed } = await asProcess(at, argv, dieAt)
    states.add(at.read('project/.mcp.json'))
    expect((await at.init('claude-code,cursor')).code).toBe(0)
    expect(at.read('project/.mcp.json')).toContain('"elfmem"')
    expect((await at.uninstall('all')).code).toBe(0)
    // A part that was being written may lie there, under a name that says whose it is.
    const rest = Object.entries(at.all()).filter(([path]) => !/\/\.[^/]+\.elfmem$/.test(path))
    const parts = Object.keys(at.all()).filter((path) => path.endsWith('.elfmem'))
    if (parts.every((path) => !path.includes('.cursor')))
      expect(Object.fromEntries(rest), `${dieAt}`).toEqual(before)
    if (!killed) break
    expect(dieAt).toBeLessThan(60)
  }
  expect(states.size).toBe(2)
})

test('killed before any step, uninstall leaves the file before or after, and a second one ends it', async () => {
  const states = new Set<string>()
  for (let dieAt = 0; ; dieAt += 1) {
    const at = world({ 'project/.mcp.json': BEFORE })
    await at.init('claude-code')
    const { killed } = await asProcess(at, ['uninstall', '--client', 'all', '--yes', '-q'], dieAt)
    states.add(at.read('project/.mcp.json'))
    expect((await at.uninstall('all')).code).toBe(0)
    expect(at.read('project/.mcp.json'), `${dieAt}`).toBe(BEFORE)
    if (!killed) break
    expect(dieAt).toBeLessThan(40)
  }
  expect(states.size).toBe(2)
})
