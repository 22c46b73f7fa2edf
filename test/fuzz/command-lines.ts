import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { kebabCase } from '../../src/adapters/project/spelling.ts'
import { operations } from '../../src/operations/table.ts'
import { optionsOf } from '../../src/surfaces/cli/arguments.ts'
import { GLOBAL_FLAGS } from '../../src/surfaces/cli/flags.ts'
import { quickFolder } from '../faults/prepared.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { type Bound, tryFor } from './bound.ts'
import { hostileText } from './hostile.ts'

interface CommandLine {
  readonly argv: readonly string[]
  readonly stdin: string
}

/** A shell hands over neither NUL nor half a character; a path out of the folder would be what was asked for. */
const word = fc
  .oneof(
    hostileText,
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      '-',
      '--',
      '---',
      '',
      '-1',
      '-.5',
      '-0x10',
      '--=x',
      '-qh',
      '=',
      'a,b',
      '[1]',
      '[',
      '{}',
      '{"a":',
    ),
    fc.constantFrom('note.md', 'export.jsonl', 'folder', 'missing/file', 'half.json', 'config.yaml', 'a b'),
    fc.constantFrom('harbour', '3c099a896b98c68a', 'active', 'supports', 'self', 'all', '3', '0.5', '1e9'),
    fc.constant(JSON.stringify({ content: 'a block', tags: ['x'] })),
    fc.constant('['.repeat(20_000) + ']'.repeat(20_000)),
    fc.constant('{"a":'.repeat(20_000) + 1 + '}'.repeat(20_000)),
  )
  .filter(
    (text) => text.isWellFormed() && !text.includes('\0') && !text.includes('..') && !/^[~/]/.test(text),
  )

const command = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...operations.map(({ name }) => name)) },
  { weight: 3, arbitrary: fc.constantFrom('init', 'config', 'completion', 'serve', 'help') },
  { weight: 1, arbitrary: word },
)

/** Flags of the command, of others, of all, and none at all. */
function argumentsOf(name: string): fc.Arbitrary<string[]> {
  const operation = operations.find((each) => each.name === name)
  const own = operation ? Object.keys(optionsOf(operation)) : ['all', 'here', 'global', 'agent-name', 'scope']
  const flag = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...own, ...Object.keys(GLOBAL_FLAGS)) },
    { weight: 1, arbitrary: fc.constantFrom('no-json', '__proto__', 'constructor', 'top_k', 'topK') },
  )
  const argument = fc.oneof(
    word.map((each) => [each]),
    flag.map((each) => [`--${each}`]),
    fc.tuple(flag, word).map(([each, value]) => [`--${each}`, value]),
    fc.tuple(flag, word).map(([each, value]) => [`--${each}=${value}`]),
  )
  const first = operation ? kebabCase(operation.name) : name
  return fc.array(argument, { maxLength: 5 }).map((all) => [first, ...all.flat()])
}

const line: fc.Arbitrary<CommandLine> = fc.record({
  argv: fc.oneof({ weight: 15, arbitrary: command.chain(argumentsOf) }, fc.array(word, { maxLength: 4 })),
  stdin: fc.oneof(fc.constantFrom('', '\n', '{"content":"from a pipe"}\n', '[', '\ufeff[]'), hostileText),
})

/** What is typed is understood or refused with what to do, and leaves nothing but what was asked for. */
export async function tryCommandLines(bound: Bound): Promise<void> {
  const folder = quickFolder()
  let cases = 0
  await tryFor(bound, fc.array(line, { minLength: 1, maxLength: 3 }), async (lines) => {
    cases += 1
    const world = join(folder, `world-${cases}`)
    const home = join(world, 'home')
    const cwd = join(home, 'work')
    mkdirSync(cwd, { recursive: true })
    writeFileSync(join(cwd, 'note.md'), '# Harbour\n\nThe pilot boards at dawn.\n')
    writeFileSync(join(cwd, 'half.json'), '{"content": ')
    writeFileSync(join(cwd, 'config.yaml'), 'memory:\n  inbox_threshold: 3\n')
    mkdirSync(join(cwd, 'folder'))
    try {
      for (const each of lines) await expectAnswer(each, { home, cwd })
      expect(readdirSync(world)).toEqual(['home'])
      expect(readdirSync(home).filter((name) => name !== 'work' && name !== '.elfmem')).toEqual([])
    } finally {
      rmSync(world, { recursive: true, force: true })
    }
  })
}

/** Codes that say the memory is not as it should be, which no words on a command line are the reason for. */
const FAULTS = /failed in a way it should not|This is a fault of elfmem|Maximum call stack/
const TRACE = /\n\s+at .*[(:]/

async function expectAnswer(
  { argv, stdin }: CommandLine,
  { home, cwd }: { readonly home: string; readonly cwd: string },
): Promise<void> {
  // The demo plays for seconds and the server for ever; what they are asked to do is tried by their own tests.
  if (argv[0] === 'demo') return
  const signal = argv[0] === 'serve' ? { signal: AbortSignal.abort() } : {}
  const { code, out, err } = await elfmem(argv, { home, cwd, stdin, ...signal })
  expect([0, 1, 2]).toContain(code)
  expect(`${out}${err}`).not.toMatch(FAULTS)
  expect(err).not.toMatch(TRACE)
  if (code === 0) return
  const asData = argv.includes('--json')
  if (asData && out.startsWith('{') && 'error' in JSON.parse(out))
    expect(JSON.parse(out)).toMatchObject({ code: expect.any(String), recovery: expect.stringMatching(/\S/) })
  else if (!isDoctor(argv) && argv.length > 0) expect(err).toMatch(/✗ .*\S[\s\S]*\n {2}\S.*\n$/)
}

/** Its bad news is its answer. */
const isDoctor = (argv: readonly string[]): boolean => argv[0] === 'doctor'
