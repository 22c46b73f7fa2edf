import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { ElfmemError, ERROR_CODES } from '../../src/errors.ts'
import { operations } from '../../src/operations/table.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { differences, dumpOf, problemsBeside } from '../faults/dump.ts'
import { copyOf, type Prepared, prepare, quickFolder } from '../faults/prepared.ts'
import { createTestClock } from '../helpers/clock.ts'
import { nextTurn } from '../helpers/timer.ts'
import { tryFor } from './bound.ts'
import { hostileText, hostileValue } from './hostile.ts'
import { spoilt } from './mutate.ts'
import { arbitraryOf, type Hints } from './schema-arbitrary.ts'

/** One call of the library. */
interface Call {
  readonly name: string
  readonly input: unknown
}

/** Codes that no input causes, but for the last two, which a named file may cause. */
const NEVER = ['STORE_BUSY', 'STORE_FULL', 'EMBEDDER_FAILED', 'CLOSED', 'STORE_CORRUPT', 'STORE_FAILED']
const OF_FILES = new Set(['backup', 'restoreBackup', 'export', 'import', 'importFrom'])

/** Calls the library with any inputs. */
export async function tryOperationInputs(): Promise<void> {
  const prepared = await prepare(quickFolder())
  await tryFor(fc.array(callOf(prepared), { minLength: 1, maxLength: 14 }), async (calls) => {
    const path = copyOf(prepared)
    const embedder = createHashingEmbedder()
    const memory = await openMemory(path, { embedder, clock: createTestClock(), as: 'owner' })
    try {
      for (const call of calls) await makeCall(memory, confined(call, `${path}.files`), path)
      await expectToWork(memory, path)
    } finally {
      await memory.close()
      rmSync(dirname(path), { force: true, recursive: true })
    }
  })
}

/** An operation with many arguments is called more often than one with few, but not always. */
const WEIGHT_MAX = 6

function callOf(prepared: Prepared): fc.Arbitrary<Call> {
  const hints = hintsFor(prepared)
  return fc.oneof(
    ...operations.map((operation) => {
      const whole = arbitraryOf(inputJsonSchema(operation), hints)
      const input = fc.oneof(
        { weight: 4, arbitrary: whole },
        { weight: 5, arbitrary: spoilt(whole) },
        { weight: 1, arbitrary: hostileValue },
      )
      const weight = Math.min(Object.keys(operation.input.shape).length + 1, WEIGHT_MAX)
      return { weight, arbitrary: input.map((each): Call => ({ name: operation.name, input: each })) }
    }),
  )
}

/** Gives ids that are there, statements about them, and files of the test's own folder. */
function hintsFor({ known }: Prepared): Hints {
  const mostly = (fitting: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: hostileText })
  const id = mostly(fc.constantFrom(known.a, known.b, known.c, known.d, known.gone))
  const word = fc.constantFrom('harbour', 'ferry', 'lamp', 'salt', 'library', 'not', 'five', 'June', 'the')
  const statement = mostly(fc.array(word, { minLength: 1, maxLength: 9 }).map((all) => all.join(' ')))
  const range = { noInvalidDate: true, min: new Date(0), max: new Date(4e12) }
  const date = mostly(fc.date(range).map((each) => each.toISOString()))
  const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    ...Object.fromEntries(
      ['blockId', 'blockIds', 'helped', 'misled', 'beside', 'supersedes', 'a', 'b', 'target'].map((name) => [
        name,
        id,
      ]),
    ),
    ...Object.fromEntries(
      ['content', 'text', 'query', 'sourceQuery', 'targetQuery', 'cue', 'note'].map((name) => [
        name,
        statement,
      ]),
    ),
    ...{ at: date, since: date, until: date },
    source: fc.oneof(id, statement),
    relation: mostly(fc.constantFrom('supports', 'contradicts', 'elaborates', 'similar')),
    tags: mostly(fc.constantFrom('project/atlas', 'self/value', 'mind/ben')),
    path: fc.constantFrom('a.jsonl', 'b.db', '.', 'c/d.jsonl'),
    name: fc.constantFrom('a.jsonl', 'b.db', '../c', 'd'),
    operationId: fc.integer({ min: 1, max: 12 }),
  }
  return (name, { type, enum: words }) =>
    words === undefined && type !== 'array' && type !== 'object' && Object.hasOwn(byName, name)
      ? byName[name]
      : undefined
}

/** Puts files and folders that the call names into the folder. */
function confined({ name, input }: Call, folder: string): Call {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { name, input }
  const given = Object.entries(input).filter(([key]) => ['path', 'markdown'].includes(key))
  const inFolder = (at: unknown) => (typeof at === 'string' ? `${folder}/${at.replaceAll('..', '--')}` : at)
  const places = given.map(([key, at]) => [key, inFolder(at)])
  return { name, input: { ...input, ...Object.fromEntries(places) } }
}

type Method = (input: unknown) => Promise<unknown>

async function makeCall(memory: Memory, call: Call, path: string): Promise<void> {
  const operation = operations.find(({ name }) => name === call.name)!
  const method = (memory as unknown as Readonly<Record<string, Method>>)[call.name]!
  const before = dumpOf(path)
  const said = await method(call.input).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  // A call may write after its answer; those writes count as part of the call.
  await nextTurn()
  const after = dumpOf(path)
  if ('error' in said) {
    expectRefusal(said.error, call)
    expect(differences(before, after), `${call.name} was refused`).toEqual([])
  } else {
    expect(operation.output.safeParse(said.answer).error, `${call.name} answered`).toBeUndefined()
    expect(operation.render(said.answer), `${call.name} rendered`).toEqual(expect.any(String))
  }
  expect(Object.values(after).join('\n').includes('\\u0000'), `${call.name} kept a NUL`).toBe(false)
}

function expectRefusal(error: unknown, { name }: Call): void {
  if (!ElfmemError.is(error)) throw new Error(`${name} failed with no error of ours`, { cause: error })
  expect(ERROR_CODES).toContain(error.code)
  expect(OF_FILES.has(name) ? NEVER.slice(0, -2) : NEVER).not.toContain(error.code)
  expect(error.message.trim()).not.toBe('')
  expect(error.recovery.trim()).not.toBe('')
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: error.code })
}

async function expectToWork(memory: Memory, path: string): Promise<void> {
  const { blockId } = await memory.remember({ content: 'The zeppelin lands beside the windmill' })
  await memory.dream()
  const { blockIds } = await memory.recall({ query: 'where does the zeppelin land?' })
  expect(blockIds).toContain(blockId)
  expect(problemsBeside(path)).toEqual([])
}
