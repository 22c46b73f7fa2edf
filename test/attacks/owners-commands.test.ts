import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shown } from '../../src/block/text.ts'
import { ownersCall } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { inputOf, optionsOf } from '../../src/surfaces/cli/arguments.ts'
import { parseFlags } from '../../src/surfaces/cli/flags.ts'
import type { CliIo } from '../../src/surfaces/cli/io.ts'
import { ownersCommand } from '../../src/surfaces/owners-command.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { arbitraryOf } from '../fuzz/schema-arbitrary.ts'

/** Splits command lines into words as a shell reads them. */
function wordsOf(commands: readonly string[]): string[][] {
  const script = commands.map((command) => `printf '%s\\0' ${command} END-OF-LINE`).join('\n')
  const lines = execFileSync('bash', ['-c', script], { maxBuffer: 1e8 }).toString().split('END-OF-LINE\0')
  return lines.slice(0, -1).map((line) => line.split('\0').slice(0, -1))
}

/** Reads the words with the parser of the command line. */
async function readAs(operation: Operation, words: readonly string[]) {
  const io = { cwd: '/', readStdin: () => Promise.reject(new Error('standard input')) } as unknown as CliIo
  const flags = parseFlags(words.slice(2), optionsOf(operation))
  return { raw: await inputOf(operation, flags, io), location: flags.global.db }
}

const word = fc.oneof(
  fc.constantFrom(
    'x',
    '-x',
    '--',
    '-',
    'a b',
    "it's",
    '$HOME',
    '`id`',
    '$(id)',
    '!!',
    'x; touch pwned',
    'a\nb',
  ),
  fc.constantFrom('\u001b[2J', '\u202ex', '{"a":1}', ' a ', '', '\\n', "\\'", 'sourceClass'),
  fc.string({ unit: 'grapheme' }),
)

test('the command in a refusal, read by a shell, is exactly the call that was refused', async () => {
  let [made, asked] = [0, 0]
  for (const operation of operations) {
    const places = Object.keys(operation.local ?? {})
    const raw = arbitraryOf(inputJsonSchema(operation), (name, { type, enum: words }) => {
      if (type !== 'string' || words !== undefined) return undefined
      return places.includes(name) ? fc.constant('/tmp/x') : word
    })
    const asking = fc.record({
      raw: raw.map((each) => each as Record<string, unknown>),
      location: word.map((each) => `/x/${each}`),
      caller: fc.constant({ actor: 'cli as agent', capability: 'agent' as const }),
    })
    const ways = fc.sample(asking, 20).map((each) => {
      const call = ownersCall(operation, each)
      return { ...each, ...(call && ownersCommand(call, operation, 'agent')) }
    })
    const lines = ways.filter(({ command }) => command !== undefined)
    asked += ways.length
    made += lines.length
    const words = wordsOf(lines.map(({ command = '' }) => command))
    for (const [at, { command = '', raw: given, location }] of lines.entries()) {
      expect(shown(command), command).toBe(command)
      const read = await readAs(operation, words[at] ?? []).catch((error: unknown) => error)
      expect(read, command).toEqual({ raw: given, location })
    }
  }
  expect(made / asked).toBeGreaterThan(0.5)
})
