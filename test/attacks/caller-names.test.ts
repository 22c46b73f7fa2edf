import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { callerName } from '../../src/flow/guard/caller-name.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const LONG = 'the assistant of the accounting department, which has a long name'

test('two names are two callers, however much alike they begin and whatever signs they have', async () => {
  const names = [
    ...[`${LONG} 1`, `${LONG} 2`, `${LONG}${'x'.repeat(10_000)}`, `${LONG}${'x'.repeat(10_001)}`],
    ...['a b', 'a-b', 'a_b', 'a  b', 'a+b', 'a~2b~b', 'a~b', ' ab', 'ab ', 'ab', 'Ab', 'a\tb', 'a\nb'],
    ...['/a', '\u02fa', '~2f~a', '//', '\ud800', '\ud801', '\ufffd', 'library', 'mcp', '💾', '💿'],
    ...['🦊'.repeat(64), '🦊'.repeat(65), '🦊'.repeat(66)],
  ]
  const kept = await Promise.all(names.map(callerName))
  expect(new Set(kept).size).toBe(names.length)
  for (const name of kept) {
    expect(name).toMatch(/^[\p{L}\p{N}\p{M}~+_.-]+$/u)
    expect(name.length).toBeLessThan(700)
  }
})

test('what two names have in common makes them no one caller', async () => {
  const part = fc.string({ unit: 'binary', maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(part, part, part, async (begin, one, other) => {
      fc.pre((begin + one).normalize('NFC') !== (begin + other).normalize('NFC'))
      expect(await callerName(begin + one)).not.toBe(await callerName(begin + other))
    }),
  )
})

test('two names that differ only in what looks like a secret, or stand as one does without it, are two callers', async () => {
  const names = [
    ...['password=Tr0ub4dor3', 'password=Hunter22xy', 'password=[redacted: password]'],
    ...[`${LONG} password=Tr0ub4dor3`, `${LONG} password=Hunter22xy`],
    ...[`password=Tr0ub4dor3 ${LONG}`, `password=Hunter22xy ${LONG}`],
  ]
  const kept = await Promise.all(names.map(callerName))
  expect(new Set(kept).size).toBe(names.length)
  expect(await Promise.all(names.map(callerName))).toEqual(kept)
  expect(kept.join(' ')).not.toMatch(/Tr0ub4dor3|Hunter22xy/)
})

test.each([
  ['begins the same', `${LONG} 1`, `${LONG} 2`],
  ['differs in a secret alone', 'password=Tr0ub4dor3', 'password=Hunter22xy'],
])('a client takes back nothing of another whose name %s', async (_, one, other) => {
  const { memory: owner } = await openTestMemory()
  const first = await connectClient(owner, { name: one })
  await first.callTool({ name: 'elfmem_remember', arguments: { content: 'Tea is at four.' } })
  const { id } = (await owner.history()).operations[0]!
  const undone = async (name: string) => {
    const client = await connectClient(owner, { name })
    return (await client.callTool({ name: 'elfmem_undo', arguments: { operation_id: id } })).structuredContent
  }
  expect(await undone(other)).toMatchObject({ code: 'OWNER_ONLY' })
  expect(await undone(one)).toMatchObject({ undone_count: 1 })
})

test('a secret in the name of a client or of a program is in no log', async () => {
  const secret = 'ghp_Wq3vB7nK2mX9pL4sT8yR1cF6hJ5dG0aZeU7i'
  const { memory: owner } = await openTestMemory()
  for (const name of [`bot ${secret}`, `password=${secret}`, `${'x'.repeat(50)} ${secret}`]) {
    const client = await connectClient(owner, { name })
    await client.callTool({
      name: 'elfmem_remember',
      arguments: { content: `Said by one of ${name.length}.` },
    })
    await owner.remember({ content: `Also ${name.length}.` }, { actor: name })
  }
  const { memory: program } = await openTestMemory({ actor: `bot ${secret}` })
  await program.remember({ content: 'Tea is at four.' })
  for (const memory of [owner, program]) {
    const actors = (await memory.history({ lastN: 50 })).operations.map(({ actor }) => actor)
    expect(actors.length).toBeGreaterThan(0)
    for (const actor of actors) expect(actor).not.toContain(secret.slice(4, 20))
  }
})
