import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'
import { elfmem, HASHING } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '..', '..', 'src', 'bin.ts')

/** What an argument may name that has no end, or none that anybody knows. */
const ENDLESS: readonly (readonly [name: string, make: (path: string) => void])[] = [
  ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
]

const COMMANDS = ['learn-document', 'remember-many', 'import']

// An import reads a named pipe as it comes, and others have their turn meanwhile.
const CASES = ENDLESS.flatMap(([name, make]) => COMMANDS.map((command) => ({ name, command, make }))).filter(
  ({ name, command }) => !(command === 'import' && name === 'a named pipe'),
)

test.each(CASES)('$command refuses $name at once, before it is read', async ({ make, command }) => {
  const home = temporaryFolder()
  make(join(home, 'given.md'))
  const child = spawn(process.execPath, [BIN, command, join(home, 'given.md')], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING },
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(status).toBe(2)
  expect(err).toMatch(/is (?:no regular file|a named pipe)\./)
})

test('a pipe of the shell is read to its end', () => {
  const home = temporaryFolder()
  const line = `"$0" "$1" learn-document <(printf 'The crane lifts 7 tons.')`
  const out = execFileSync('bash', ['-c', line, process.execPath, BIN], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING },
    cwd: home,
    encoding: 'utf8',
  })
  expect(out).toContain('1 ')
})

test.each([
  ['PK\u0003\u0004rest', 'a ZIP archive'],
  ['# Heading\n', 'a Markdown file'],
  ['SQLite format 3\u0000', 'a database'],
])('import names what it was given in place of an export (%j)', async (content, name) => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'given'), content)
  const { code, err } = await elfmem(['import', join(home, 'given')], { home, cwd: home, env: HASHING })
  expect(code).toBe(2)
  expect(err).toContain(`The file is ${name}, not an export of elfmem.`)
})
