import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { kebabCase } from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { argumentOfExample, exampleCommand } from '../../src/surfaces/example.ts'
import { elfmem, temporaryDirectory } from './helpers/cli.ts'

const ESCAPE = '\u001b['

describe('a command', () => {
  test('keeps what it is told and finds it again', async () => {
    const home = temporaryDirectory()
    await elfmem(['remember', 'Tea is at four', '--tags', 'house,habit'], { home })
    await elfmem(['dream'], { home })
    const { out, code } = await elfmem(['recall', 'when is tea'], { home })
    expect(code).toBe(0)
    expect(out).toContain('Tea is at four')
  })

  test('looks back at the session of the commands before it', async () => {
    const home = temporaryDirectory()
    for (const told of ['Tea is at four', 'Milk is in the cellar']) await elfmem(['remember', told], { home })
    await elfmem(['dream'], { home })
    const { out } = await elfmem(['recall', '--frame', 'short_term', '--json'], { home })
    expect(JSON.parse(out).blocks.map(({ content }: { content: string }) => content)).toEqual([
      'Milk is in the cellar',
      'Tea is at four',
    ])
  })

  test('says below an answer what was left out', async () => {
    const home = temporaryDirectory()
    for (const told of ['Tea is at four', 'Milk for tea is in the cellar'])
      await elfmem(['remember', told], { home })
    await elfmem(['dream'], { home })
    const { out } = await elfmem(['recall', 'tea', '--top-k', '1'], { home })
    expect(out).toContain(' Left out: 1 beyond the limit.')
  })

  test('reads a text from standard input when it is a dash', async () => {
    const home = temporaryDirectory()
    await elfmem(['remember', '-'], { home, stdin: 'From a pipe: a, b\n' })
    const { out } = await elfmem(['inbox', '--json'], { home })
    expect(JSON.parse(out).blocks[0].content).toBe('From a pipe: a, b')
  })

  test('takes the name of a document for the document, and keeps the name as its source', async () => {
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
    expect(JSON.parse(missing.out).recovery).toContain('file that exists')
  })

  test('takes a negative number for a value, not for a flag', async () => {
    const home = temporaryDirectory()
    const { out, code } = await elfmem(['recall', 'tea', '--min-strength', '-0.5', '--json'], { home })
    expect(code).toBe(2)
    expect(JSON.parse(out).error).toBe('recall: min-strength must be a number from 0 to 1, not -0.5.')
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

  test('takes data from a file, from standard input and in place', async () => {
    const home = temporaryDirectory()
    const analyses = { ffffffffffffffff: { alignment_score: 0.5, summary: 'nobody' } }
    writeFileSync(join(home, 'analyses.json'), JSON.stringify(analyses))
    const ways = ['analyses.json', '-', JSON.stringify(analyses)]
    for (const way of ways) {
      const argv = ['dream', '--host-analyses', way, '--json']
      const { out } = await elfmem(argv, { home, stdin: JSON.stringify(analyses) })
      expect(JSON.parse(out).analyses_unused).toEqual(['ffffffffffffffff'])
    }
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

  test('keeps to one scope, which the environment or the config may bind', async () => {
    const home = temporaryDirectory()
    const mine = { home, env: { ELFMEM_SCOPE: 'mine' } }
    const contentsOf = async (argv: readonly string[], world: Parameters<typeof elfmem>[1]) => {
      const { out } = await elfmem(['inbox', '--json', ...argv], world)
      return JSON.parse(out).blocks.map(({ content }: { content: string }) => content)
    }
    await elfmem(['remember', 'Ours', '--scope', 'ours'], { home })
    await elfmem(['remember', 'Mine'], mine)
    await elfmem(['remember', 'Nobody’s'], { home })
    expect(await contentsOf([], { home })).toEqual(['Ours', 'Mine', 'Nobody’s'])
    expect(await contentsOf([], mine)).toEqual(['Mine'])
    expect(await contentsOf(['--scope', 'ours'], { home })).toEqual(['Ours'])
    const refused = await elfmem(['inbox', '--json', '--scope', 'ours'], mine)
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.out).code).toBe('OUT_OF_SCOPE')
    const config = join(home, 'scoped.yaml')
    writeFileSync(config, 'project:\n  scope: ours\n')
    expect(await contentsOf(['--config', config], { home })).toEqual(['Ours'])
    const status = await elfmem(['status'], { home })
    expect(status.out).toContain('scopes (active+waiting): mine 0+1, ours 0+1')
    expect((await elfmem(['status'], mine)).out).toContain('scope mine')
    expect((await elfmem(['ls', '--status', 'inbox'], { home })).out).toMatch(/\S+ {2}ours {2}Ours/)
    const unfit = await elfmem(['status', '--json'], { home, env: { ELFMEM_SCOPE: 'two words' } })
    expect(JSON.parse(unfit.out)).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(JSON.parse(unfit.out).error).toContain('ELFMEM_SCOPE')
  })

  test('continues the session of the command before it', async () => {
    const home = temporaryDirectory()
    await elfmem(['remember', 'One'], { home })
    await elfmem(['remember', 'Two'], { home })
    await elfmem(['dream'], { home })
    const { out } = await elfmem(['ls', '--json'], { home })
    const sessions = JSON.parse(out).blocks.map((block: { session?: string }) => block.session)
    expect(sessions).toHaveLength(2)
    const shown = await Promise.all(
      JSON.parse(out).blocks.map((block: { id: string }) => elfmem(['show', block.id, '--json'], { home })),
    )
    expect(new Set(shown.map(({ out: page }) => JSON.parse(page).block.session)).size).toBe(1)
  })
})

describe('a refusal', () => {
  test('is two lines for people and code 1 when the memory says no', async () => {
    const { code, out, err } = await elfmem(['forget', 'ffffffff'], { home: temporaryDirectory() })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.trimEnd().split('\n')).toHaveLength(2)
  })

  test('is one object on standard output under --json, and nothing else', async () => {
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
    [['completion', 'tcsh'], 'bash'],
  ])('of %j has code 2 and says what would work', async (argv, hint) => {
    const { code, err } = await elfmem(argv, { home: temporaryDirectory() })
    expect(code).toBe(2)
    expect(err).toContain(hint)
  })

  test('of a cancelled command says that nothing was changed', async () => {
    const { code, err } = await elfmem(['dream'], { home: temporaryDirectory(), signal: AbortSignal.abort() })
    expect(code).toBe(1)
    expect(err).toMatch(/cancelled/)
  })

  test('of a broken config names the file and shows no stack', async () => {
    const home = temporaryDirectory()
    writeFileSync(join(home, 'broken.yaml'), 'memory: [')
    const { code, err } = await elfmem(['status', '--config', 'broken.yaml'], { home })
    expect(code).toBe(1)
    expect(err).toContain('broken.yaml')
    expect(err).not.toMatch(/^\s+at /m)
  })
})

describe('help', () => {
  const COMMAND_NAMES = [
    ...operations.map((each) => kebabCase(each.name)),
    ...COMMANDS.map((each) => each.name),
  ]

  test('names every operation and command once, fits 80 columns and 24 lines, and alone exits with 2', async () => {
    const { code, out } = await elfmem([], {
      home: temporaryDirectory(),
      ...{ tty: true, columns: 80, env: { NO_COLOR: '1' } },
    })
    expect(code).toBe(2)
    const lines = out.trimEnd().split('\n')
    // The command and the prompt behind it stand on the screen, too.
    expect(lines.length).toBeLessThanOrEqual(22)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
    const named = lines.flatMap((line) => /^ {2}\S+ {2,}(.*)$/.exec(line)?.[1]?.split(', ') ?? [])
    const verbs = lines.flatMap((line) => /^ {2}(\S+) {2,}[A-Z]/.exec(line)?.[1] ?? [])
    for (const name of COMMAND_NAMES)
      expect(
        [...named, ...verbs].filter((each) => each === name),
        name,
      ).toHaveLength(1)
    const plain = await elfmem([], { home: temporaryDirectory() })
    expect(await elfmem(['--help'], { home: '/' })).toEqual({ ...plain, code: 0 })
  })

  test('of a group tells its commands, and of all groups every command once', async () => {
    const of = async (...names: string[]) => (await elfmem(['help', ...names], { home: '/' })).out
    const all = await of('all')
    for (const name of COMMAND_NAMES) expect(all.match(new RegExp(`^  ${name} `, 'gm')), name).toHaveLength(1)
    const look = await of('look')
    expect(look).toContain('Show everything known about one block.')
    expect(look).not.toContain('Archive a block')
    expect(await of('show')).toEqual((await elfmem(['show', '--help'], { home: '/' })).out)
    expect((await elfmem(['help', 'nothing'], { home: '/' })).code).toBe(2)
  })

  test.each([
    ['search', 'elfmem recall'],
    ['list', 'elfmem ls'],
    ['delete', 'elfmem forget'],
    ['take-in', 'elfmem help take-in'],
    ['constructor', '--help'],
  ])('of %s, which other programs call a command, has a hint', async (word, hint) => {
    const { code, err } = await elfmem([word, 'tea'], { home: '/' })
    expect(code).toBe(2)
    expect(err).toContain(hint)
  })

  test('of a completion for no shell says which there are, and -v is the version', async () => {
    const { code, err } = await elfmem(['completion'], { home: '/' })
    expect([code, err]).toEqual([2, expect.stringContaining('bash, zsh, fish')])
    expect((await elfmem(['-v'], { home: '/' })).out).toBe('elfmem 0.0.0-test\n')
  })

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    'of %s has an example that the operation takes',
    async (_, operation) => {
      const input = await argumentOfExample(operation.guide.example)
      expect(operation.input.safeParse(input).error).toBeUndefined()
      const { out, code } = await elfmem([kebabCase(operation.name), '--help'], { home: '/' })
      expect(code).toBe(0)
      expect(out).toContain(await exampleCommand(operation))
    },
  )

  test.each(COMMANDS.map(({ name }) => name))('of %s says what it is for', async (name) => {
    const { out, code } = await elfmem([name, '--help'], { home: '/' })
    expect(code).toBe(0)
    expect(out).toContain(COMMANDS.find((each) => each.name === name)!.summary)
  })

  test('is plain unless it is read on a terminal that wants colours', async () => {
    const on = async (world: { tty?: boolean; env?: Record<string, string> }) =>
      (await elfmem(['--help'], { home: '/', ...world })).out.includes(ESCAPE)
    expect(await on({})).toBe(false)
    expect(await on({ tty: true })).toBe(true)
    expect(await on({ tty: true, env: { NO_COLOR: '1' } })).toBe(false)
  })

  test('knows its version', async () => {
    expect((await elfmem(['--version'], { home: '/' })).out).toBe('elfmem 0.0.0-test\n')
  })
})

describe('init', () => {
  test('makes a directory whose database every later command finds', async () => {
    const cwd = temporaryDirectory()
    const home = temporaryDirectory()
    const { out } = await elfmem(['init', '--json'], { cwd, home })
    expect(JSON.parse(out).database).toBe(join(cwd, '.elfmem', 'memory.db'))
    await elfmem(['remember', 'here'], { cwd, home })
    expect(existsSync(join(cwd, '.elfmem', 'memory.db'))).toBe(true)
    expect(readFileSync(join(cwd, '.elfmem', '.gitignore'), 'utf8')).toMatch(/^\*$/m)
  })

  test('means the memory of the home directory when run there, as every later command does', async () => {
    const home = temporaryDirectory()
    const { out } = await elfmem(['init', '--json'], { cwd: home, home })
    const { database, mcp } = JSON.parse(out)
    await elfmem(['remember', 'here'], { cwd: home, home })
    expect(existsSync(database)).toBe(true)
    expect(mcp.mcpServers.elfmem.args).not.toContain('--db')
  })

  test('writes names that YAML would misread so that they survive', async () => {
    const home = temporaryDirectory()
    const name = 'Ann "elf": #1\'s agent'
    await elfmem(['init', '--global', '--agent-name', name], { cwd: home, home })
    expect(parse(readFileSync(join(home, '.elfmem', 'config.yaml'), 'utf8')).project.agent_name).toBe(name)
    const { out, code } = await elfmem(['config', '--json'], { home })
    expect(code).toBe(0)
    expect(JSON.parse(out).settings.project.agent_name).toBe(name)
  })

  test('takes no name that is more than one line, and of a folder’s name makes one', async () => {
    const home = temporaryDirectory()
    const cwd = join(temporaryDirectory(), 'two\nlines')
    mkdirSync(cwd)
    const { code, err } = await elfmem(['init', '--agent-name', 'Ann\n[1] Obey'], { cwd, home })
    expect([code, err]).toEqual([2, expect.stringContaining('one line')])
    expect(existsSync(join(cwd, '.elfmem'))).toBe(false)
    expect((await elfmem(['init'], { cwd, home })).code).toBe(0)
    const { out } = await elfmem(['config', '--json'], { cwd, home })
    expect(JSON.parse(out)).toMatchObject({ settings: { project: { name: 'two lines' } }, warnings: [] })
  })

  test('never overwrites', async () => {
    const [cwd, home] = [temporaryDirectory(), temporaryDirectory()]
    await elfmem(['init'], { cwd, home })
    writeFileSync(join(cwd, '.elfmem', 'config.yaml'), '# mine\n')
    const { code } = await elfmem(['init'], { cwd, home })
    expect(code).toBe(0)
    expect(readFileSync(join(cwd, '.elfmem', 'config.yaml'), 'utf8')).toBe('# mine\n')
  })

  test('writes a config in which nothing but the names is set', async () => {
    const [cwd, home] = [temporaryDirectory(), temporaryDirectory()]
    await elfmem(['init'], { cwd, home })
    const { out } = await elfmem(['config', '--json'], { cwd, home })
    const bare = await elfmem(['config', '--json'], { cwd: temporaryDirectory(), home })
    const { settings, warnings } = JSON.parse(out)
    expect(warnings).toEqual([])
    expect({ ...settings, project: { ...settings.project, name: undefined } }).toEqual(
      JSON.parse(bare.out).settings,
    )
  })
})

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('for %s offers every command and flag', async (shell) => {
    const { out, code } = await elfmem(['completion', shell], { home: '/' })
    expect(code).toBe(0)
    for (const { name } of operations) expect(out).toContain(kebabCase(name))
    for (const flag of ['top-k', 'no-reinforce', 'all', 'json']) expect(out).toContain(flag)
  })
})
