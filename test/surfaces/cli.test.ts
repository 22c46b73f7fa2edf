import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { kebabCase } from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { propertiesOf } from '../../src/surfaces/cli/arguments.ts'
import { exampleCommand } from '../../src/surfaces/cli/as-commands.ts'
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'
import { exampleInput } from './helpers/example-input.ts'

const ESCAPE = '\u001b['

describe('a command', () => {
  test('reads a text from standard input when it is a dash', async () => {
    const home = temporaryDirectory()
    await elfmem(['remember', '-'], { home, stdin: 'From a pipe: a, b\n' })
    const { out } = await elfmem(['inbox', '--json'], { home })
    expect(JSON.parse(out).blocks[0].content).toBe('From a pipe: a, b')
  })

  test('learn-document reads the file that it is given, and keeps its name as the source', async () => {
    const home = temporaryDirectory()
    const file = join(home, 'NOTES.md')
    writeFileSync(file, '# Harbour\n\nThe pilot boards at dawn.\n')
    const learnt = await elfmem(['learn-document', file, '--json'], { home })
    expect(JSON.parse(learnt.out)).toMatchObject({ chunks_total: 1, chunks_created: 1 })
    const [block] = JSON.parse((await elfmem(['inbox', '--json'], { home })).out).blocks
    expect(block).toMatchObject({
      source: 'NOTES.md',
      content: expect.stringContaining('The pilot boards at dawn.'),
    })
    const missing = await elfmem(['learn-document', join(home, 'none.md'), '--json'], { home })
    expect(missing.code).toBe(2)
  })

  test('takes a word behind -- for a text, also if it reads like a call for help', async () => {
    const home = temporaryDirectory()
    await elfmem(['remember', '--', '-h'], { home })
    const { out } = await elfmem(['inbox', '--json'], { home })
    expect(JSON.parse(out).blocks[0].content).toBe('-h')
  })

  test('takes a negative number for a value, not for a flag', async () => {
    const home = temporaryDirectory()
    const { out, code } = await elfmem(['recall', 'tea', '--min-strength', '-0.5', '--json'], { home })
    expect(code).toBe(2)
    expect(JSON.parse(out).code).toBe('INVALID_INPUT')
    await elfmem(['remember', '-5 degrees and colder close the yard'], { home })
    const inbox = await elfmem(['inbox', '--json'], { home })
    expect(JSON.parse(inbox.out).blocks[0].content).toBe('-5 degrees and colder close the yard')
  })

  test('splits a list at commas unless they stand in phrases', async () => {
    const home = temporaryDirectory()
    await elfmem(['setup', '--values', 'Be kind, be brief'], { home })
    await elfmem(['remember', 'x marks the spot', '--tags', 'a,b', '--tags', 'c'], { home })
    const { out } = await elfmem(['inbox', '--json'], { home })
    const { blocks } = JSON.parse(out)
    expect(blocks.map((block: { content: string }) => block.content)).toContain('Be kind, be brief')
    expect(blocks.at(-1).tags).toEqual(['a', 'b', 'c'])
  })

  test('takes a list as JSON, or as one value a line, and names the line that is none', async () => {
    const home = temporaryDirectory()
    const things = [{ content: 'Tea is at four', tags: ['house'] }, { content: 'Beds are made at nine' }]
    const lines = `${things.map((each) => JSON.stringify(each)).join('\n\n')}\r\n`
    writeFileSync(join(home, 'things.jsonl'), lines)
    writeFileSync(join(home, 'things.json'), JSON.stringify(things, undefined, 2))
    for (const [way, created] of [
      ['things.jsonl', 2],
      ['things.json', 0],
      ['-', 0],
      [JSON.stringify(things[0]), 0],
    ] as const) {
      const { out } = await elfmem(['remember-many', way, '--json'], { home, stdin: lines })
      expect(JSON.parse(out)).toMatchObject({ created })
    }
    const broken = await elfmem(['remember-many', '-', '--json'], { home, stdin: `${lines}{"content": ` })
    expect(broken.code).toBe(2)
    expect(JSON.parse(broken.out).error).toContain('line 4')
  })

  test('keeps to the scope that --scope, the environment or the config binds', async () => {
    const home = temporaryDirectory()
    const mine = { home, env: { ELFMEM_SCOPE: 'mine' } }
    const contentsOf = async (argv: readonly string[], world: Parameters<typeof elfmem>[1]) => {
      const { out } = await elfmem(['inbox', '--json', ...argv], world)
      return JSON.parse(out).blocks.map(({ content }: { content: string }) => content)
    }
    await elfmem(['remember', 'Ours', '--scope', 'ours'], { home })
    await elfmem(['remember', 'Mine'], mine)
    expect(await contentsOf([], { home })).toEqual(['Ours', 'Mine'])
    expect(await contentsOf([], mine)).toEqual(['Mine'])
    expect(await contentsOf(['--scope', 'ours'], { home })).toEqual(['Ours'])
    const refused = await elfmem(['inbox', '--json', '--scope', 'ours'], mine)
    expect([refused.code, JSON.parse(refused.out).code]).toEqual([1, 'OUT_OF_SCOPE'])
    const config = join(home, 'scoped.yaml')
    writeFileSync(config, 'project:\n  scope: ours\n')
    expect(await contentsOf(['--config', config], { home })).toEqual(['Ours'])
  })

  test('continues the session of the command before it', async () => {
    const home = temporaryDirectory()
    for (const told of ['Tea is at four', 'Milk is in the cellar']) await elfmem(['remember', told], { home })
    await elfmem(['dream'], { home })
    const { out } = await elfmem(['recall', '--frame', 'short_term', '--json'], { home })
    expect(JSON.parse(out).blocks).toHaveLength(2)
  })

  test('prints on a terminal how to take it back, and a page how to see the rest', async () => {
    const home = temporaryDirectory()
    const { out } = await elfmem(['remember', 'Tea is at four'], { home, tty: true })
    const [, number] = /elfmem undo (\d+)/.exec(out) ?? []
    for (const told of ['Milk is in the cellar', 'Bread needs a night'])
      await elfmem(['remember', told], { home })
    await elfmem(['undo', number!], { home })
    const page = ['ls', '--status', 'inbox', '--limit', '1']
    const first = (await elfmem(page, { home })).out
    const [, cursor = ''] = /--cursor (\S+?)\.?$/m.exec(first) ?? []
    const second = (await elfmem([...page, '--cursor', cursor.replaceAll("'", '')], { home })).out
    expect(second).not.toContain('--cursor')
    for (const left of ['Milk', 'Bread']) expect(`${first}${second}`).toContain(left)
    expect(`${first}${second}`).not.toContain('Tea')
  })
})

describe('a refusal', () => {
  test('is two lines on standard error and code 1', async () => {
    const { code, out, err } = await elfmem(['forget', 'ffffffff'], { home: temporaryDirectory() })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.trimEnd().split('\n')).toHaveLength(2)
  })

  test('is one object on standard output with --json', async () => {
    const { code, out, err } = await elfmem(['forget', 'ffffffff', '--json'], { home: temporaryDirectory() })
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(JSON.parse(out)).toMatchObject({
      code: 'NOT_FOUND',
      error: expect.any(String),
      recovery: expect.any(String),
    })
  })

  test.each([
    [['recal', 'x'], 'elfmem recall'],
    [['learn_document', 'x', '--tgas', 'a'], '--tags'],
    [['recall', 'a', 'b'], 'quotes'],
  ])('of %j has code 2 and names what would work', async (argv, hint) => {
    const { code, err } = await elfmem(argv, { home: temporaryDirectory() })
    expect(code).toBe(2)
    expect(err).toContain(hint)
  })
})

/** True for a page that fits a terminal of 80 columns and 24 lines, in which a long command takes two. */
const isOneScreen = (page: string) => {
  const widths = page.split('\n').map((line) => stripVTControlCharacters(line).length)
  return widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / 80)), 0) <= 24
}

describe('help', () => {
  test('alone names every operation and command once in 80 columns and 24 lines, and ends with 2', async () => {
    const names = [...operations, ...COMMANDS].map((each) => kebabCase(each.name))
    const screen = { tty: true, columns: 80, env: { NO_COLOR: '1' } }
    const { code, out } = await elfmem([], { home: temporaryDirectory(), ...screen })
    expect(code).toBe(2)
    const lines = out.trimEnd().split('\n')
    // The command and the prompt behind it stand on the screen, too.
    expect(lines.length).toBeLessThanOrEqual(22)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const all = await elfmem(['help', 'all'], { home: '/' })
    for (const name of names) expect(all.out.match(new RegExp(`^  ${name} `, 'gm')), name).toHaveLength(1)
    expect((await elfmem(['--help'], { home: '/' })).code).toBe(0)
    expect((await elfmem(['-v'], { home: '/' })).out).toBe('elfmem 0.0.0-test\n')
  })

  test('of every operation has an example that the operation takes', async () => {
    for (const operation of operations) {
      const input = exampleInput(operation.guide.example)
      expect(operation.input.safeParse(input).error, operation.name).toBeUndefined()
      const name = kebabCase(operation.name)
      const { out, code } = await elfmem([name, '--help'], { home: '/', tty: true, columns: 80 })
      expect([code, out]).toEqual([0, expect.stringContaining(exampleCommand(operation))])
      expect(isOneScreen(out), name).toBe(true)
      const whole = await elfmem([name, '--help', '--all'], { home: '/' })
      for (const [key, { aliasOf }] of Object.entries(propertiesOf(operation)))
        if (aliasOf === undefined)
          expect(whole.out).toMatch(new RegExp(`--(no-)?${kebabCase(key)}|<${kebabCase(key)}>`))
    }
  })

  test.each([
    ['search', 'elfmem recall'],
    ['list', 'elfmem ls'],
    ['delete', 'elfmem forget'],
    ['constructor', '--help'],
  ])('of %s, a command of other programs, names ours', async (word, hint) => {
    const { code, err } = await elfmem([word, 'tea'], { home: '/' })
    expect(code).toBe(2)
    expect(err).toContain(hint)
  })

  test('is plain unless it is read on a terminal that wants colours', async () => {
    const on = async (world: { tty?: boolean; env?: Record<string, string> }) =>
      (await elfmem(['--help'], { home: '/', ...world })).out.includes(ESCAPE)
    expect(await on({})).toBe(false)
    expect(await on({ tty: true })).toBe(true)
    expect(await on({ tty: true, env: { NO_COLOR: '1' } })).toBe(false)
  })
})

describe('init', () => {
  test('makes a memory that every later command finds, and keeps a config that is there', async () => {
    const cwd = temporaryDirectory()
    const home = temporaryDirectory()
    const { out } = await elfmem(['init', '--json'], { cwd, home })
    expect(JSON.parse(out).database).toBe(join(cwd, '.elfmem', 'memory.db'))
    await elfmem(['remember', 'here'], { cwd, home })
    expect(existsSync(join(cwd, '.elfmem', 'memory.db'))).toBe(true)
    expect(readFileSync(join(cwd, '.elfmem', '.gitignore'), 'utf8')).toMatch(/^\*$/m)
    writeFileSync(join(cwd, '.elfmem', 'config.yaml'), '# mine\n')
    // Its owner changed it, and says so.
    await elfmem(['trust'], { cwd, home })
    expect((await elfmem(['init'], { cwd, home })).code).toBe(0)
    expect(readFileSync(join(cwd, '.elfmem', 'config.yaml'), 'utf8')).toBe('# mine\n')
  })
})
