import { describe, expect, test } from 'vitest'
import { HolderTurns } from '../../src/surfaces/service/holder-turns.ts'

/** Returns a call that runs until it is ended, and notes its beginning. */
function endable(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const call = () => {
    begun.push(name)
    return promise
  }
  return { call, end: () => resolve(name) }
}

describe('turns of holders', () => {
  test('run lets two calls of a holder run, and the third when one has ended', async () => {
    const turns = new HolderTurns(2, 10)
    const begun: string[] = []
    const calls = ['one', 'two', 'three'].map((name) => endable(name, begun))
    const answers = calls.map(({ call }) => turns.run('ann', call))
    expect(begun).toEqual(['one', 'two'])
    expect(turns.waiting).toBe(1)
    calls[1]?.end()
    await answers[1]
    // First the process takes in what others sent.
    expect(begun).toEqual(['one', 'two'])
    await new Promise(setImmediate)
    expect(begun).toEqual(['one', 'two', 'three'])
    for (const { end } of calls) end()
    await expect(Promise.all(answers)).resolves.toEqual(['one', 'two', 'three'])
    expect(turns.waiting).toBe(0)
  })

  test('run begins the call of another holder at once while many calls of one wait', async () => {
    const turns = new HolderTurns(1, 10)
    const begun: string[] = []
    const flood = Array.from({ length: 5 }, (_, i) => endable(`flood ${i}`, begun))
    const answers = flood.map(({ call }) => turns.run('ann', call))
    await turns.run('bob', async () => begun.push('bob'))
    expect(begun).toEqual(['flood 0', 'bob'])
    for (const { end } of flood) end()
    await Promise.all(answers)
  })

  test('run refuses a call beyond the most that may wait with RATE_LIMITED, and takes calls after that', async () => {
    const turns = new HolderTurns(1, 1)
    const [first, second] = [endable('first', []), endable('second', [])]
    const answers = [turns.run('ann', first.call), turns.run('ann', second.call)]
    await expect(turns.run('ann', async () => 'third')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    first.end()
    second.end()
    await Promise.all(answers)
    await expect(turns.run('ann', async () => 'fourth')).resolves.toBe('fourth')
  })

  test('run hands on the place of a call that failed', async () => {
    const turns = new HolderTurns(1, 5)
    const failed = turns.run('ann', async () => Promise.reject(new Error('no')))
    const next = turns.run('ann', async () => 'next')
    await expect(failed).rejects.toThrow('no')
    await expect(next).resolves.toBe('next')
  })
})
