import { describe, expect, test } from 'vitest'
import { kebabCase, snakeCase } from '../../src/adapters/project/spelling.ts'
import type { ElfmemError } from '../../src/errors.ts'
import { parseInput } from '../../src/operations/door.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { argumentOfExample, exampleCommand, exampleToolCall } from '../../src/surfaces/example.ts'
import { failureOf, type Spelling } from '../../src/surfaces/failure.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'

const COMMAND_LINE: Spelling = { name: kebabCase, example: exampleCommand }
const MCP: Spelling = { name: snakeCase, example: exampleToolCall }

/** Words of the schema library, which say nothing to a caller. */
const JARGON = /Invalid (?:input|option)|expected|received|Too (?:small|big)|Unrecognized|✖|→|undefined/

/** Every operation with each of its arguments. */
const each = operations.flatMap((operation) =>
  Object.keys(inputJsonSchema(operation).properties ?? {}).map((argument) => ({ operation, argument })),
)

function refusalOf(operation: Operation, input: unknown): ElfmemError {
  try {
    parseInput(operation, input)
  } catch (error) {
    return error as ElfmemError
  }
  throw new Error(`${operation.name} takes ${JSON.stringify(input)}`)
}

describe('wrong input', () => {
  test('is refused with the name of the argument and no word of the schema library', () => {
    expect(each.length).toBeGreaterThan(80)
    for (const { operation, argument } of each) {
      const { code, message, details } = refusalOf(operation, { [argument]: () => 'wrong' })
      expect(code).toBe('INVALID_INPUT')
      expect(message).toMatch(new RegExp(`\\b${argument} must be .+, not a function\\.`))
      expect(message).not.toMatch(JARGON)
      const [issue] = ((details as { issues?: { path: string }[] }).issues ?? []).filter(
        ({ path }) => path === argument,
      )
      expect(issue).toBeDefined()
    }
  })

  test('is refused with a call that works, as each surface makes it', async () => {
    for (const operation of operations) {
      const { recovery } = refusalOf(operation, { noSuchArgument: 1 })
      expect(recovery).toContain(operation.guide.example)
      const input = await argumentOfExample(operation.guide.example)
      expect(parseInput(operation, input)).toBeDefined()
      const said = async (spelling: Spelling) =>
        (await failureOf(refusalOf(operation, { noSuchArgument: 1 }), spelling)).recovery
      expect(await said(COMMAND_LINE)).toContain(`elfmem ${kebabCase(operation.name)}`)
      expect(await said(MCP)).toContain(`elfmem_${snakeCase(operation.name)} {`)
    }
  })

  test('of an unknown argument is refused with the nearest name, nested ones too', () => {
    const call = (name: string) => operations.find((operation) => operation.name === name) as Operation
    expect(refusalOf(call('recall'), { query: 'x', limt: 3 }).message).toContain('limit?')
    const blocks = [{ content: 'Tea', contents: 'Tea' }]
    expect(refusalOf(call('rememberMany'), { blocks }).message).toContain('blocks[0]')
    const analysis = { alignmentScore: 1, summary: '', mood: 'good' }
    const hostAnalyses = { aaaa: analysis }
    expect(refusalOf(call('dream'), { hostAnalyses }).message).toContain('hostAnalyses.aaaa')
  })
})
