import { expect, onTestFinished, test } from 'vitest'
import type { CallContext } from '../../src/engine/engine.ts'
import type { Memory } from '../../src/engine/memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { acceptCaller, callerName } from '../../src/intake/check-input.ts'
import { operations } from '../../src/operations/table.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { callFor } from '../helpers/call-for.ts'
import { openOn, openStore } from '../helpers/scoped.ts'
import { shortestCall, textPlaces } from './walk.ts'

const THEIRS = [
  'The vault of Borealis opens at nine.',
  'Borealis keeps herrings in barrels.',
  'No barrel of Borealis leaks.',
]
/** Words of the other scope, which no answer may hold. */
const WORDS = /borealis|vault|herring|barrel/i
/** An id that nobody has. */
const NOBODYS = 'fedcba9876543210'

interface Walked {
  readonly memory: Memory
  readonly context: CallContext
  /** Looks at the whole store, as its owner. */
  readonly whole: Memory
  readonly own: string
  readonly foreign: readonly string[]
}

async function opened(bind: 'memory' | 'caller'): Promise<Walked> {
  const store = await openStore()
  const whole = await openOn(store)
  const theirs = await openOn(store, { scope: 'theirs' })
  const foreign: string[] = []
  for (const content of THEIRS)
    foreign.push((await theirs.remember({ content, tags: ['harbour'], session: 'their-session' })).blockId)
  await theirs.dream()
  await theirs.connect({ source: foreign[0]!, target: foreign[1]!, note: 'Both of Borealis.' })
  const memory = bind === 'memory' ? await openOn(store, { scope: 'mine' }) : whole
  const scope = 'mine'
  const context = { principal: acceptCaller('mcp', { name: await callerName('eve'), as: 'owner', scope }) }
  const { blockId: own } = await whole.remember({ content: 'The lighthouse is mine.', scope })
  await whole.dream({ scope })
  return { memory, context, whole, own, foreign }
}

/** What came of a call: its answer, or its refusal. */
async function answerOf(call: Promise<unknown>): Promise<{ readonly code: string; readonly text: string }> {
  try {
    return { code: 'ok', text: JSON.stringify(await call) }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { code: error.code, text: JSON.stringify(error) }
  }
}

const stateOf = async ({ whole, foreign }: Walked) =>
  JSON.stringify(await Promise.all(foreign.map((blockId) => whole.show({ blockId }))))

test.each(['memory', 'caller'] as const)(
  'a caller whose %s is bound to a scope is told by no argument of any operation that a foreign block exists',
  async (bind) => {
    const walked = await opened(bind)
    const { memory, context, own, foreign } = walked
    const untold = foreign[2]!.slice(0, 8)
    onTestFinished(() => memory.close())
    const before = await stateOf(walked)
    let calls = 0
    for (const operation of operations)
      for (const { path, input } of textPlaces(operation, own)) {
        const ask = async (text: string) => {
          const { code, text: said } = await answerOf(callFor(memory, operation, input(text), context))
          return { code, said: said.replaceAll(text, 'ID') }
        }
        for (const id of [foreign[0]!, foreign[1]!.slice(0, 8)]) {
          const place = `${operation.name} ${path}`
          const nobodys = await ask(NOBODYS.slice(0, id.length))
          const theirs = await ask(id)
          calls += 1
          expect([place, theirs.code]).toEqual([place, nobodys.code])
          // A refusal tells of a foreign block what it tells of none.
          if (theirs.code !== 'ok') expect([place, theirs.said]).toEqual([place, nobodys.said])
          expect([place, WORDS.test(theirs.said)]).toEqual([place, false])
          expect([place, theirs.said.includes(untold)]).toEqual([place, false])
        }
      }
    expect(calls).toBeGreaterThan(150)
    expect(await stateOf(walked)).toBe(before)
  },
)

test.each(['memory', 'caller'] as const)(
  'a caller whose %s is bound to a scope is refused another scope, backup, export, import and restore',
  async (bind) => {
    const { memory, context } = await opened(bind)
    let scoped = 0
    for (const operation of operations) {
      const { scope } = inputJsonSchema(operation).properties ?? {}
      if (scope?.type !== 'string' || scope.enum !== undefined) continue
      scoped += 1
      const input = { ...shortestCall(operation), scope: 'theirs' }
      const { code } = await answerOf(callFor(memory, operation, input, context))
      expect([operation.name, code]).toEqual([operation.name, 'OUT_OF_SCOPE'])
    }
    expect(scoped).toBeGreaterThan(15)
    for (const name of ['backup', 'export', 'import', 'restoreBackup']) {
      const operation = operations.find((each) => each.name === name)!
      const { code } = await answerOf(
        callFor(memory, operation, { ...(name === 'backup' ? {} : { name: 'x' }) }, context),
      )
      expect([name, code]).toEqual([name, 'OUT_OF_SCOPE'])
    }
  },
)
