import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ElfmemError, openMemory } from '../../src/index.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'
import { ATTACKS } from './texts.ts'

/** What a terminal obeys or hides; line ends and tabs are fine. */
const OBEYED = /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u{e0000}-\u{e007f}\u2028\u2029]/u

const hostile = ATTACKS.filter(({ text }) => OBEYED.test(text))

async function homeWithAttacks(): Promise<string> {
  const home = temporaryDirectory()
  const items = hostile.map(({ text }) => ({
    content: text,
    tags: ['project/\u202eatlas'],
    source: [...text].slice(0, 30).join(''),
  }))
  const { code, err } = await elfmem(['remember-many', '--blocks', JSON.stringify(items)], { home })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return home
}

test('no command for a terminal in a remembered text reaches the terminal', async () => {
  expect(hostile.length).toBeGreaterThan(12)
  const home = await homeWithAttacks()
  const said = async (...argv: string[]) => (await elfmem(argv, { home })).out
  const waiting = await said('inbox', '--max-count', '500')
  await said('dream')
  const [{ id }] = JSON.parse(await said('ls', '--json')).blocks
  const outputs = [
    waiting,
    ...(await Promise.all([said('ls'), said('show', id), said('recall', 'alert nice day'), said('history')])),
  ]
  expect(outputs.filter((output) => OBEYED.test(output) || output === '')).toEqual([])
})

test('JSON for a terminal escapes what it would obey, and says exactly what is stored', async () => {
  const home = await homeWithAttacks()
  const { out } = await elfmem(['inbox', '--json', '--max-count', '500'], { home })
  expect(out).not.toMatch(OBEYED)
  const contents = JSON.parse(out).blocks.map(({ content }: { content: string }) => content)
  expect([...contents].sort()).toEqual(hostile.map(({ text }) => text).sort())
})

test('a refusal does not repeat commands for a terminal', async () => {
  const home = temporaryDirectory()
  for (const argv of [
    ['\u001b[2Jrecal'],
    ['forget', 'abcd\u009b2Jef'],
    ['show', '\u202effffffff', '--json'],
  ]) {
    const { out, err, code } = await elfmem(argv, { home })
    expect(code).toBeGreaterThan(0)
    expect(out + err).not.toBe('')
    expect(out + err).not.toMatch(OBEYED)
  }
})

test('a warning about the settings of a project does not, either', async () => {
  const cwd = temporaryDirectory()
  const { err } = await elfmem(['status'], { cwd, home: cwd, env: { 'ELFMEM_NO_SUCH\u001b[2J': 'x' } })
  expect(err).toContain('ELFMEM_NO_SUCH')
  expect(err).not.toMatch(OBEYED)
})

const NASTY = 'e\u001b[2J\u009b31m\u202e'

test('what describes a memory and its settings does not, either', async () => {
  const home = temporaryDirectory()
  const cwd = join(temporaryDirectory(), NASTY)
  mkdirSync(cwd)
  const config = join(home, 'given.json')
  writeFileSync(config, JSON.stringify({ project: { db: join(home, `${NASTY}.db`) } }))
  for (const argv of [
    ['init', '--here'],
    ['init', '--here', '--json'],
    ['config', '--config', config],
    ['config', '--config', config, '--json'],
  ]) {
    const { out, err, code } = await elfmem(argv, { cwd, home })
    expect({ argv, code }).toEqual({ argv, code: 0 })
    expect(out).toContain('e')
    expect(out + err).not.toMatch(OBEYED)
  }
})

test('an export to a terminal does not, and brings back exactly what was stored', async () => {
  const home = await homeWithAttacks()
  const { out } = await elfmem(['export', '-'], { home })
  expect(out).not.toMatch(OBEYED)
  const other = temporaryDirectory()
  const { code } = await elfmem(['import', '-', '--trusted'], { home: other, stdin: out })
  expect(code).toBe(0)
  const listed = async (of: string) =>
    JSON.parse((await elfmem(['inbox', '--json', '--max-count', '500'], { home: of })).out).blocks.map(
      ({ content }: { content: string }) => content,
    )
  expect(await listed(other)).toEqual(await listed(home))
})

test('an error of the library does not, and keeps its code and its facts', async () => {
  await using memory = await openMemory(':memory:', { config: { embeddings: { provider: 'hashing' } } })
  const refused = async (call: Promise<unknown>) => (await call.catch((error) => error)) as ElfmemError
  const unknown = await refused(memory.show({ blockId: `abcd${NASTY}` }))
  expect(unknown).toMatchObject({ code: 'NOT_FOUND', details: { ids: [`abcd${NASTY}`] } })
  const settings = { recall: { topK: NASTY } } as never
  const wrong = await refused(openMemory(':memory:', { config: settings }))
  expect(wrong.code).toBe('CONFIG_INVALID')
  for (const { message, recovery, stack } of [unknown, wrong])
    expect(message + recovery + stack).not.toMatch(OBEYED)
})
