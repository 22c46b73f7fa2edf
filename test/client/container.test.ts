import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { COMMANDS } from '../../src/surfaces/cli/commands.ts'
import { parseCommand } from '../../src/surfaces/cli/flags.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (name: string) => readFileSync(join(root, name), 'utf8')
const dockerfile = textOf('Dockerfile').replaceAll(/\\\n\s*/g, '')
const compose = parse(textOf('compose.yml')) as {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

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

test('compose starts it over PostgreSQL behind loopback, and names only what is there', () => {
  const { elfmem, postgres } = compose.services
  const [, env, path] = elfmem!.entrypoint as string[]
  expect([env, path]).toEqual(['--env-file=/run/secrets/elfmem_env', listOf('ENTRYPOINT')[1]])
  const [command, ...argv] = elfmem!.command as string[]
  expect([command, parseCommand(argv, serve).values.http]).toEqual(['serve', true])
  expect(elfmem?.ports).toEqual(['127.0.0.1:3536:3536'])
  expect(elfmem).not.toHaveProperty('environment')
  expect(postgres).not.toHaveProperty('ports')
  for (const service of Object.values(compose.services)) {
    for (const volume of service.volumes as string[]) {
      const [from = ''] = volume.split(':')
      expect(from.startsWith('.') ? existsSync(join(root, from)) : from in compose.volumes, volume).toBe(true)
    }
    for (const name of service.secrets as string[]) expect(compose.secrets, name).toHaveProperty(name)
  }
  expect(statSync(join(root, 'docker/role.sh')).mode & 0o111).not.toBe(0)
})
