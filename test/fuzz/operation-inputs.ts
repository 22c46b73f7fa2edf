import { rmSync } from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { snakeCase } from '../../src/adapters/project/spelling.ts'
import { ElfmemError, ERROR_CODES, type ErrorCode } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { operations } from '../../src/operations/table.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { type Dump, differences, dumpOf, problemsBeside } from '../faults/dump.ts'
import { copyOf, type Prepared, prepare, quickFolder } from '../faults/prepared.ts'
import { createTestClock } from '../helpers/clock.ts'
import { nextTurn } from '../helpers/timer.ts'
import { type Bound, tryFor } from './bound.ts'
import { hostileText, hostileValue } from './hostile.ts'
import { spoilt } from './mutate.ts'
import { arbitraryOf, type Hints } from './schema-arbitrary.ts'

/** One call of the library by somebody who may mean anything. */
interface Call {
  readonly name: string
  readonly input: unknown
}

/** What an input is never the reason for. */
const NEVER: readonly ErrorCode[] = ['STORE_BUSY', 'STORE_FULL', 'EMBEDDER_FAILED', 'CLOSED']
/** What only a file can be the reason for: none of ours, or none at all. */
const BAD_FILE: readonly ErrorCode[] = ['STORE_CORRUPT', 'STORE_FAILED']
const OF_FILES = new Set(['backup', 'restoreBackup', 'export', 'import'])

/** What lies beside a memory. */
const ENDS = ['', '-wal', '-shm', '-index', '.backups', '.exports', '.files']

/** Calls in which somebody takes the responsibility for who the agent is. */
function isTrusted({ name, input }: Call): boolean {
  if (['setup', 'restoreBackup', 'undo', 'restore'].includes(name)) return true
  const said = Object(input) as Readonly<Record<string, unknown>>
  return said.allowConstitutional === true || said.trusted === true
}

/** Whatever is called with whatever: a fitting answer or a refusal in our words, and a memory that works on. */
export async function tryOperationInputs(bound: Bound): Promise<void> {
  const prepared = await prepare(quickFolder())
  await tryFor(bound, sequences(prepared), async (calls) => {
    const path = copyOf(prepared)
    const memory = await openMemory(path, {
      embedder: createHashingEmbedder(),
      clock: createTestClock(),
      as: 'owner',
    })
    try {
      let before = dumpOf(path)
      for (const [at, call] of calls.entries()) {
        before = await makeCall(memory, confined(call, `${path}.files`), { path, before })
        expectWholeTexts(before, calls.slice(0, at + 1))
      }
      await expectToWork(memory, path)
    } finally {
      await memory.close()
      for (const end of ENDS) rmSync(`${path}${end}`, { force: true, recursive: true })
    }
  })
}

/** What takes many arguments is called more often than what takes one, but not always. */
const WEIGHT_MAX = 6

function sequences(prepared: Prepared): fc.Arbitrary<Call[]> {
  const hints = hintsFor(prepared)
  const call = fc.oneof(
    ...operations.map((operation) => {
      const names = Object.keys(operation.input.shape)
      const whole = arbitraryOf(inputJsonSchema(operation), hints)
      const input = fc.oneof(
        { weight: 4, arbitrary: whole },
        { weight: 5, arbitrary: spoilt(whole) },
        { weight: 1, arbitrary: hostileValue },
      )
      const call = input.map((each): Call => ({ name: operation.name, input: each }))
      return { weight: Math.min(names.length + 1, WEIGHT_MAX), arbitrary: call }
    }),
  )
  return fc.array(call, { minLength: 1, maxLength: 14 })
}

/** Mostly what fits, sometimes anything. */
function mostly(
  fitting: fc.Arbitrary<unknown>,
  other: fc.Arbitrary<unknown> = hostileText,
): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: other })
}

function hintsFor({ known }: Prepared): Hints {
  const ids = fc.constantFrom(...Object.values(known), known.older, known.newer)
  const id = mostly(
    ids,
    fc.oneof(
      ids.map((each) => each.slice(0, 6)),
      fc.string({ minLength: 4, maxLength: 20 }),
    ),
  )
  const words = fc.constantFrom('harbour', 'ferry', 'lamp', 'salt', 'library', 'not', 'five', 'June', 'the')
  const statement = fc.oneof(
    fc.array(words, { minLength: 1, maxLength: 9 }).map((all) => all.join(' ')),
    hostileText,
  )
  const line = mostly(fc.array(words, { minLength: 1, maxLength: 4 }).map((all) => all.join(' ')))
  const date = mostly(
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((each) => each.toISOString()),
  )
  const files = fc.constantFrom('a.jsonl', 'b.db', '.', 'c/d.jsonl')
  const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    blockId: id,
    blockIds: id,
    helped: id,
    misled: id,
    beside: id,
    supersedes: id,
    a: id,
    b: id,
    source: fc.oneof(id, line),
    target: id,
    'hostAnalyses key': id,
    relation: mostly(fc.constantFrom('supports', 'contradicts', 'elaborates', 'similar')),
    guardRelation: mostly(fc.constantFrom('supports', 'elaborates')),
    content: statement,
    text: statement,
    query: statement,
    sourceQuery: statement,
    targetQuery: statement,
    tags: mostly(fc.constantFrom('project/atlas', 'self/value', 'mind/ben')),
    tag: mostly(fc.constantFrom('project/*', 'self/*')),
    category: mostly(fc.constantFrom('decision', 'mind', 'observation')),
    cue: line,
    note: line,
    session: line,
    actor: line,
    principles: line,
    identity: line,
    values: line,
    scope: mostly(fc.constantFrom('town', 'other')),
    at: date,
    since: date,
    until: date,
    path: files,
    name: fc.constantFrom('a.jsonl', 'b.db', '../c', 'd'),
    cursor: mostly(fc.constant('')),
    method: mostly(fc.constantFrom(...operations.map((operation) => operation.name))),
    operation: mostly(fc.constantFrom(...operations.map((operation) => snakeCase(operation.name)))),
    operationId: fc.integer({ min: 1, max: 12 }),
  }
  return (name, { type, enum: words }) =>
    words === undefined && type !== 'array' && type !== 'object' && Object.hasOwn(byName, name)
      ? byName[name]
      : name.endsWith(' key')
        ? id
        : undefined
}

/** The same call with its file in the folder, whatever it is called. */
function confined({ name, input }: Call, folder: string): Call {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { name, input }
  const { path } = input as { readonly path?: unknown }
  if (typeof path !== 'string') return { name, input }
  return { name, input: { ...input, path: `${folder}/${path.replaceAll('..', '--')}` } }
}

type Method = (input: unknown) => Promise<unknown>

interface State {
  readonly path: string
  readonly before: Dump
}

/** Resolves to what is in the file afterwards. */
async function makeCall(memory: Memory, call: Call, { path, before }: State): Promise<Dump> {
  const operation = operations.find(({ name }) => name === call.name)!
  const method = (memory as unknown as Readonly<Record<string, Method>>)[call.name]!
  const said = await method(call.input).then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  // What an answer left to be written is its own.
  await nextTurn()
  const after = dumpOf(path)
  if ('error' in said) {
    expectRefusal(said.error, call)
    expect(differences(before, after), `${call.name} was refused`).toEqual([])
  } else {
    expect(operation.output.safeParse(said.answer).error, `${call.name} answered`).toBeUndefined()
    expect(operation.render(said.answer), `${call.name} rendered`).toEqual(expect.any(String))
    JSON.stringify(said.answer)
  }
  if (!isTrusted(call)) expect(principlesOf(after), call.name).toEqual(principlesOf(before))
  return after
}

/** What is kept is what was said: no NUL, and no half of a character that became the sign for one that was lost. */
function expectWholeTexts(dump: Dump, calls: readonly Call[]): void {
  const kept = Object.values(dump).join('\n')
  const names = calls.map(({ name }) => name).join(', ')
  expect(kept.includes('\\u0000'), `a NUL was kept by ${names}`).toBe(false)
  if (!kept.includes('\ufffd')) return
  const said = inspect(calls, { depth: 9, maxStringLength: Infinity, maxArrayLength: 1_000 })
  expect(said.includes('\ufffd'), `half a character was lost by ${names}`).toBe(true)
}

function expectRefusal(error: unknown, { name }: Call): void {
  if (!ElfmemError.is(error)) throw new Error(`${name} failed with no error of ours`, { cause: error })
  expect(ERROR_CODES).toContain(error.code)
  expect(NEVER).not.toContain(error.code)
  if (BAD_FILE.includes(error.code) && !OF_FILES.has(name))
    throw new Error(`${name} let an error of the store through`, { cause: error })
  expect(error.message.trim()).not.toBe('')
  expect(error.recovery.trim()).not.toBe('')
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: error.code })
}

/** Whether one waits still or a dream has made it active changes nothing of what it says. */
function principlesOf({ blocks = '' }: Dump): unknown[] {
  return blocks
    .split('\n')
    .filter((line) => line.includes('self/constitutional'))
    .map((line) => JSON.parse(line))
    .filter(({ tags }) => tags.includes('self/constitutional'))
    .map(({ id, content, status, tags }) => ({ id, content, tags, isLetGo: status === 'archived' }))
}

async function expectToWork(memory: Memory, path: string): Promise<void> {
  const { checks } = await memory.doctor()
  expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  const { blockId } = await memory.remember({ content: 'The zeppelin lands beside the windmill' })
  await memory.dream()
  const { blockIds } = await memory.recall({ query: 'where does the zeppelin land?' })
  expect(blockIds).toContain(blockId)
  expect(problemsBeside(path)).toEqual([])
}
