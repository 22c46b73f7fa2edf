import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

type Fields = Record<string, unknown>

test('on the command line an agent names no file, whatever takes one, and reads what it is given', async () => {
  const home = temporaryDirectory()
  const run = async (argv: string[], stdin = '') => {
    const { out } = await elfmem([...argv, '--json'], { home, stdin })
    return JSON.parse(out) as Fields
  }
  const files = ['/etc/passwd', '/dev/stdin', '/no/such/file', 'passwd']
  for (const as of ['agent', 'reader'])
    for (const file of files)
      for (const argv of [
        ['learn-document', file],
        ['remember-many', file],
        ['remember-many', '--blocks', file],
        ['connects', file],
        ['dream', '--host-analyses', file],
        ['dream', '--edge-labels', file],
      ]) {
        const refused = await run([...argv, '--as', as], '[]')
        expect([argv, refused]).toMatchObject([argv, { code: 'OWNER_ONLY' }])
        expect(JSON.stringify(refused)).not.toMatch(/root:|cannot be read/)
      }
  expect(await run(['learn-document', '-', '--as', 'agent'], 'Tea is at four.')).toMatchObject({
    chunks_created: 1,
  })
  expect(await run(['learn-document', '--text', 'Coffee is at five.', '--as', 'agent'])).toMatchObject({
    chunks_created: 1,
  })
  expect(await run(['remember-many', '[{"content":"Milk."}]', '--as', 'agent'])).toMatchObject({ created: 1 })
  expect(await run(['remember-many', '-', '--as', 'agent'], '{"content":"Bread."}')).toMatchObject({
    created: 1,
  })
})

test.each([
  ['root:x:0:0\nbin:x', 'Line 1'],
  ['{"content":"a"}\n\nhunter2 is it', 'Line 3'],
  ['[{"content": hunter2}]', 'line 1, column 14'],
  ['[{"content":\n"a"}\n{"hunter2": 1}]', 'line 3, column 1'],
  ['[{"content":"hunter2', 'line 1, column 21'],
  ['[{"content":"hunter2}\n]', 'line 1, column 22'],
])('of a text that is no JSON the place is told and no word: %j', async (stdin, place) => {
  const { err, code } = await elfmem(['remember-many', '-'], { home: temporaryDirectory(), stdin })
  expect(code).toBe(2)
  expect(err).toContain(place)
  expect(err).not.toMatch(/hunter2|root|bin/)
})

test.each(['a\0b', 'a'.repeat(300)])(
  'a path that no file can have is refused as an argument, whatever takes one',
  async (name) => {
    const { memory } = await openTestMemory()
    const path = `${temporaryDirectory()}/${name}`
    const calls: readonly Promise<unknown>[] = [
      memory.export({ path }),
      memory.import({ path }),
      memory.backup({ path }),
      memory.restoreBackup({ path }),
    ]
    for (const call of calls) expect(await refusal(call)).toMatchObject({ code: 'INVALID_INPUT' })
  },
)
