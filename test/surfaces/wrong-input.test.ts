import { describe, expect, test } from 'vitest'
import { kebabCase, snakeCase } from '../../src/adapters/project/spelling.ts'
import type { ElfmemError } from '../../src/errors.ts'
import { parseInput } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { asCommands } from '../../src/surfaces/cli/as-commands.ts'
import { failureOf } from '../../src/surfaces/failure.ts'
import { asTools } from '../../src/surfaces/mcp/tool-names.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { exampleInput } from './helpers/example-input.ts'

const offer = { offered: new Set(operations.map(({ name }) => name)) }

function refusalOf(operation: Operation, input: unknown): ElfmemError {
  try {
    parseInput(operation, input)
  } catch (error) {
    return error as ElfmemError
  }
  throw new Error(`${operation.name} takes ${JSON.stringify(input)}`)
}

describe('wrong input', () => {
  test('is refused with the name of the argument', () => {
    for (const operation of operations)
      for (const argument of Object.keys(inputJsonSchema(operation).properties ?? {})) {
        const { code, message, details } = refusalOf(operation, { [argument]: () => 'wrong' })
        expect(code).toBe('INVALID_INPUT')
        expect(message).toMatch(new RegExp(`\\b${argument} must be .`))
        expect(details).toHaveProperty(
          'issues',
          expect.arrayContaining([expect.objectContaining({ path: argument })]),
        )
      }
  })

  test('is refused with a call that works, as each surface makes it', () => {
    for (const operation of operations) {
      const refusal = refusalOf(operation, { noSuchArgument: 1 })
      expect(refusal.recovery).toContain(operation.guide.example)
      expect(parseInput(operation, exampleInput(operation.guide.example))).toBeDefined()
      const command = failureOf(refusal, asCommands).recovery
      expect(command).toContain(`: elfmem ${kebabCase(operation.name)}`)
      const tool = failureOf(refusal, (text) => asTools(text, offer)).recovery
      expect(tool).toContain(`: elfmem_${snakeCase(operation.name)}`)
      expect(command + tool).not.toMatch(/\bmemory\.\w+\(|\bawait\b/)
    }
  })

  test('of an unknown argument is refused with the nearest name, nested ones too', () => {
    const call = (name: string) => operations.find((operation) => operation.name === name) as Operation
    expect(refusalOf(call('recall'), { query: 'x', limt: 3 }).message).toContain('limit?')
    const blocks = [{ content: 'Tea', contents: 'Tea' }]
    expect(refusalOf(call('rememberMany'), { blocks }).message).toContain('blocks[0]')
    const hostAnalyses = { aaaa: { alignmentScore: 1, summary: '', mood: 'good' } }
    expect(refusalOf(call('dream'), { hostAnalyses }).message).toContain('hostAnalyses.aaaa')
  })
})
