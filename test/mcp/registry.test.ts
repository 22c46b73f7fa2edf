import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingLeaves } from '../../src/adapters/project/settings-schema.ts'
import { TOOLS_VARIABLE } from '../../src/adapters/project/variables.ts'
import { toolChoiceFrom } from '../../src/operations/tool-choice.ts'
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'

interface Registered {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly packages: readonly [
    {
      readonly registryType: string
      readonly identifier: string
      readonly version: string
      readonly transport: { readonly type: string }
      readonly packageArguments: readonly { readonly value: string }[]
      readonly environmentVariables: readonly { readonly name: string; readonly default?: string }[]
    },
  ]
}

const read = (file: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')) as unknown
const server = read('server.json') as Registered
const manifest = read('package.json') as {
  readonly name: string
  readonly version: string
  readonly mcpName: string
}

test('the registry of MCP servers and the package name each other, and one version', () => {
  const [{ registryType, identifier, version }] = server.packages
  expect(manifest.mcpName).toBe(server.name)
  expect({ registryType, identifier }).toEqual({ registryType: 'npm', identifier: manifest.name })
  expect([server.version, version]).toEqual([manifest.version, manifest.version])
  // Bounds of the registry's schema.
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(server.description.length).toBeLessThanOrEqual(100)
})

test('the registry starts a command that there is, with variables that mean something', () => {
  const [{ transport, packageArguments, environmentVariables }] = server.packages
  expect(transport.type).toBe('stdio')
  const [command] = packageArguments.map(({ value }) => value)
  expect(COMMANDS.map(({ name }) => name as string)).toContain(command)
  const known = [...settingLeaves().map(({ env }) => env), 'ELFMEM_DB', 'ELFMEM_SCOPE', TOOLS_VARIABLE]
  for (const { name } of environmentVariables) expect(known).toContain(name)
  const usual = environmentVariables.find(({ name }) => name === TOOLS_VARIABLE)?.default ?? ''
  expect(toolChoiceFrom(usual, [])).toBe('agent')
})
