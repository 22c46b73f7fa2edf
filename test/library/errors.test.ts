import { expect, test } from 'vitest'
import {
  BlockNotActiveError,
  ConnectError,
  DegreeLimitError,
  ElfmemError,
  SelfLoopError,
} from '../../src/index.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

/** What a call was refused with. */
const refusedWith = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error('the call was not refused')
    },
    (error: unknown) => error,
  )

test('the code of an error narrows the type of its details', async () => {
  const { memory } = await openTestMemory()
  const error = await refusedWith(memory.show({ blockId: '3f2a9c1e' }))
  let ids: readonly string[] | undefined
  if (ElfmemError.is(error) && error.code === 'NOT_FOUND') {
    ids = error.details.ids
    // @ts-expect-error: that is a fact of RATE_LIMITED
    error.details.retryAfterSeconds
  }
  expect(ids).toEqual(['3f2a9c1e'])

  if (error instanceof ElfmemError && error.code === 'RATE_LIMITED')
    error.details.retryAfterSeconds satisfies number
  // @ts-expect-error: no fact is known before the code is
  if (ElfmemError.is(error)) error.details.ids
})

test('ElfmemError.is knows errors of another copy of the package', () => {
  const other = { [Symbol.for('elfmem.error')]: true, code: 'SELF_LOOP', details: { blockId: 'a' } }
  expect([ElfmemError.is(other), SelfLoopError.is(other), ConnectError.is(other)]).toEqual([true, true, true])
  const alike = { code: 'SELF_LOOP', details: { blockId: 'a' } }
  expect([ElfmemError.is(alike), SelfLoopError.is(alike), alike instanceof ConnectError]).toEqual([
    false,
    false,
    false,
  ])
})

const GUARDS = { SelfLoopError, BlockNotActiveError, DegreeLimitError, ConnectError }

/** The names of the guards that know an error. */
function knownTo(error: unknown): string[] {
  const known = Object.entries(GUARDS).filter(([, guard]) => guard.is(error))
  expect(known).toEqual(Object.entries(GUARDS).filter(([, guard]) => error instanceof guard))
  return known.map(([name]) => name)
}

test('connect refuses with an error that its own guard and ConnectError know', async () => {
  const { memory, learn } = await openTestMemory({
    settings: { memory: { similarityEdgesPerBlock: 0, edgeDegreeCap: 1 }, graph: { pendingMax: 1 } },
  })
  const [a = '', b = '', c = '', d = '', gone = ''] = await learn(...statements(5))
  await memory.forget({ blockId: gone })
  await memory.connect({ source: a, target: b })
  await memory.connect({ source: a, target: c })
  const refused = async (target: string, more = {}) =>
    refusedWith(memory.connect({ source: a, target, ...more }))

  expect(knownTo(await refused(a))).toEqual(['SelfLoopError', 'ConnectError'])
  for (const target of [gone, '3f2a9c1e'])
    expect(knownTo(await refused(target))).toEqual(['BlockNotActiveError', 'ConnectError'])
  expect(knownTo(await refused(d))).toEqual(['DegreeLimitError', 'ConnectError'])
  expect(knownTo(await refused(b, { ifExists: 'error' }))).toEqual(['ConnectError'])
  expect(knownTo(await refused(b, { relation: 'contradicts' }))).toEqual(['ConnectError'])
  expect(knownTo(await refused(b, { weight: 7 }))).toEqual([])
  expect(knownTo(await refusedWith(memory.show({ blockId: '3f2a9c1e' })))).toEqual([])
})
