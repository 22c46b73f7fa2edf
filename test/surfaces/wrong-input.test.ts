import * as fc from 'fast-check'
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

describe('input that is wrong', () => {
  test('names each argument, what is allowed and what was given, without a word of the schema library', () => {
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

  test('is told in the spelling of the surface, and only there', async () => {
    for (const { operation, argument } of each) {
      const error = refusalOf(operation, { [argument]: () => 'wrong' })
      for (const spelling of [COMMAND_LINE, MCP]) {
        const failure = await failureOf(error, spelling)
        expect(failure.error).toContain(`${spelling.name(argument)} must be `)
        expect(failure.error.replaceAll(/"[^"]*"/g, '')).not.toMatch(/\b[a-z]+[A-Z]/)
        expect(failure.details?.operation).toBe(spelling.name(operation.name))
      }
    }
  })

  test('comes with a call that works, as each surface makes it', async () => {
    for (const operation of operations) {
      const { recovery } = refusalOf(operation, { noSuchArgument: 1 })
      expect(recovery).toBe(`A call that works: ${operation.guide.example}`)
      const input = await argumentOfExample(operation.guide.example)
      expect(parseInput(operation, input)).toBeDefined()
      const said = async (spelling: Spelling) =>
        (await failureOf(refusalOf(operation, { noSuchArgument: 1 }), spelling)).recovery
      expect(await said(COMMAND_LINE)).toMatch(
        new RegExp(`^A call that works: elfmem ${kebabCase(operation.name)}\\b`),
      )
      expect(await said(MCP)).toMatch(
        new RegExp(`^A call that works: elfmem_${snakeCase(operation.name)} \\{`),
      )
    }
  })

  test('has in no call of a tool the dash that is standard input on a command line', async () => {
    for (const operation of operations) {
      const given = (await exampleToolCall(operation)) ?? ''
      const [name] = given.split(' ', 1)
      const values = Object.values(JSON.parse(given.slice(name?.length)) as Record<string, unknown>)
      expect(values.flat(), given).not.toContain('-')
    }
    const learn = operations.find(({ name }) => name === 'learnDocument') as Operation
    expect(await exampleToolCall(learn)).toContain('Releases go out on Tuesdays.')
    expect(await exampleCommand(learn)).toContain("learn-document '-' ")
  })

  test('is refused, not dropped, when an argument has another name, wherever it stands', () => {
    const call = (name: string) => operations.find((operation) => operation.name === name) as Operation
    expect(refusalOf(call('recall'), { query: 'x', limt: 3, topk: 2 }).message).toMatch(
      /^recall takes no limt \(did you mean limit\?\), topk \(did you mean topK\?\)\. It takes query, frame, limit, tags, /,
    )
    const many = refusalOf(call('rememberMany'), { blocks: [{ content: 'Tea', contents: 'Tea' }] })
    expect(many.message).toMatch(
      /^rememberMany: blocks\[0\] takes no contents \(did you mean content\?\)\. It/,
    )
    const label = { a: 'aaaa', b: 'bbbb', relation: 'elaborates', sure: 1 }
    expect(refusalOf(call('dream'), { edgeLabels: [label] }).message).toContain(
      'edgeLabels[0] takes no sure.',
    )
    const analysis = { alignmentScore: 1, summary: '', mood: 'good' }
    expect(refusalOf(call('dream'), { hostAnalyses: { aaaa: analysis } }).message).toContain(
      'hostAnalyses.aaaa takes no mood.',
    )
  })

  test('of any kind is told in short sentences', async () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true })
    await fc.assert(
      fc.property(fc.constantFrom(...each), anything, ({ operation, argument }, value) => {
        try {
          parseInput(operation, { [argument]: value })
        } catch (error) {
          const { message, code } = error as ElfmemError
          expect(code).toBe('INVALID_INPUT')
          expect(message).not.toMatch(/Invalid (?:input|option)|Too (?:small|big)/)
          expect(message.length).toBeLessThan(2_000)
        }
      }),
    )
  })
})
