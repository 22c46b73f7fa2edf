import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { parseCommand } from '../../src/surfaces/cli/flags.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (name: string) => readFileSync(join(root, name), 'utf8')
const dockerfile = textOf('Dockerfile').replaceAll(/\\\n\s*/g, '')

/** The last list of a word of the Dockerfile. */
const listOf = (word: string) =>
  JSON.parse(
    dockerfile
      .match(new RegExp(`^${word} (\\[.*\\])$`, 'gm'))!
      .at(-1)!
      .slice(word.length),
  ) as string[]
const serve = COMMANDS.find(({ name }) => name === 'serve')!

test('the image starts the built command, as no root, with flags that it has', () => {
  expect(listOf('ENTRYPOINT')).toEqual(['node', `/app/${manifest.bin.elfmem.slice(2)}`])
  const [command, ...argv] = listOf('CMD')
  expect(command).toBe('serve')
  expect(parseCommand(argv, serve).values).toMatchObject({ memories: '/memories', 'allow-remote': true })
  expect(dockerfile.match(/^USER .*$/gm)?.at(-1)).toBe('USER node')
  expect(dockerfile).toMatch(/^VOLUME \/memories$/m)
  expect(dockerfile).toMatch(/^HEALTHCHECK .*\/health\/live/m)
  const copied = [...dockerfile.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(([, from = '']) =>
    from.split(' '),
  )
  const made = ['dist']
  for (const path of copied.map((each) => each.replace('/build/', '')))
    expect(made.includes(path) || existsSync(join(root, path)), path).toBe(true)
  expect(lock.packages['node_modules/pg'].version).toMatch(/^\d/)
})
