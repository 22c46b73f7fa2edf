import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { redactSecrets } from '../../src/domain/safety/secrets/secrets.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'
import { HELD_OUT } from '../secrets/held-out.ts'
import { isTakenOut } from '../secrets/shape.ts'
import { SHAPES } from '../secrets/shapes.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')

const ALL = [...SHAPES, ...HELD_OUT].filter((shape) => isTakenOut(shape, redactSecrets(shape.text).text))
/** The public half of a key may have the same made-up signs as another's secret. */
const HARMLESS = ALL.map(({ text }) => redactSecrets(text).text).join('\n')

/** Values of twelve signs and more, which cannot stand in a file by chance. */
const LOOKED_FOR = ALL.filter(({ secret }) => secret.length >= 12 && !HARMLESS.includes(secret))

/** Every byte that lies in a folder and below. */
function bytesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

/** Secrets of which the files hold the bytes, as they are or as JSON has them. */
function foundIn(folder: string, shapes: readonly { readonly secret: string }[]): string[] {
  const bytes = bytesIn(folder)
  const asBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
  return shapes
    .map(({ secret }) => secret)
    .filter(
      (secret) =>
        bytes.includes(asBytes(secret)) || bytes.includes(asBytes(JSON.stringify(secret).slice(1, -1))),
    )
}

/** A text as a cue or a source may be. */
function oneLine(text: string): string {
  return /\n/.test(text) || text.length > 200 ? 'later' : text
}

/** A part of the shapes, other ones for each way in. */
function every(nth: number, of: number) {
  return LOOKED_FOR.filter((_, at) => at % of === nth)
}

test('no shape of a secret is in any file, however the library is given it', async () => {
  const { memory, path } = await openTestMemory({ settings: { memory: { secrets: 'redact' } } })
  await memory.rememberMany({ blocks: LOOKED_FOR.map(({ text }) => ({ content: text })) })
  for (const { text } of every(0, 12))
    await memory.remember({ content: text, cue: oneLine(text), source: oneLine(text) })
  await memory.learnDocument({
    text: every(1, 6)
      .map(({ text }) => text)
      .join('\n\n'),
  })
  const { blockId } = await memory.remember({ content: 'Tea is at four' })
  for (const { text } of every(2, 40)) await memory.edit({ blockId, content: text })
  await memory.dream()
  await memory.backup()
  expect(foundIn(dirname(path), LOOKED_FOR)).toEqual([])
  expect(LOOKED_FOR.length).toBeGreaterThan(300)
})

test('no shape comes in over MCP, and the answer names its kind alone', async () => {
  const { memory, path } = await openTestMemory({ as: 'agent', settings: { memory: { secrets: 'redact' } } })
  const client = await connectClient(memory)
  const shapes = every(3, 10)
  for (const { secret, text } of shapes) {
    const answer = await client.callTool({ name: 'elfmem_remember', arguments: { content: text } })
    expect(JSON.stringify(answer)).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(JSON.stringify(answer)).toContain('was not kept')
  }
  expect(foundIn(dirname(path), shapes)).toEqual([])
})

test('no shape comes in with an import', async () => {
  const from = await openTestMemory({ settings: { memory: { secrets: 'keep' } } })
  const shapes = every(4, 8)
  await from.memory.rememberMany({
    blocks: shapes.map(({ text }) => ({ content: text, cue: oneLine(text) })),
  })
  const file = join(temporaryFolder(), 'all.jsonl')
  await from.memory.export({ path: file })
  expect(foundIn(dirname(file), shapes)).toHaveLength(shapes.length)
  const to = await openTestMemory({ settings: { memory: { secrets: 'redact' } } })
  await to.memory.import({ path: file, trusted: true })
  expect(foundIn(dirname(to.path), shapes)).toEqual([])
})

test('no shape comes in by the command line', () => {
  const home = temporaryFolder()
  const shapes = every(5, 200)
  const elfmem = (...args: readonly string[]) =>
    execFileSync(process.execPath, [BIN, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, ELFMEM_DB: join(home, 'memory', 'memory.db') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  mkdirSync(join(home, 'memory'))
  for (const { text } of shapes) elfmem('remember', '--', text)
  const documents = every(6, 20)
  const file = join(home, 'document.md')
  writeFileSync(file, documents.map(({ text }) => text).join('\n\n'))
  elfmem('learn-document', file)
  expect(foundIn(join(home, 'memory'), [...shapes, ...documents])).toEqual([])
})

test('doctor finds what was kept before by kind, place and block, and never tells the secret', async () => {
  const before = await openTestMemory({ settings: { memory: { secrets: 'keep' } } })
  const { memory, path, store, clock } = before
  const [waiting = '', gone = '', edited = '', plain = ''] = await before.learn(
    `The bot: ${SHAPES[0]?.secret}`,
    'Das Passwort lautet Sommer2026',
    'machine h login ana password hunter2made',
    'Tea is at four',
  )
  await memory.forget({ blockId: gone })
  await memory.edit({ blockId: edited, content: 'It was written down elsewhere' })
  await memory.connect({ source: waiting, target: plain, note: 'pw: hunter22x' })
  const late = await memory.remember({ content: 'Use Girasol2026 as the password.', cue: 'mdp: Tournesol26' })

  const now = await openTestMemory({ path, store, clock })
  const { checks, keptSecrets = [], summary } = await now.memory.doctor({ secrets: true })
  const places = keptSecrets.map(({ place, blockIds }) => [place, ...blockIds])
  expect(places).toContainEqual(['content', waiting])
  expect(places).toContainEqual(['content', gone])
  expect(places).toContainEqual(['content', late.blockId])
  expect(places).toContainEqual(['cue', late.blockId])
  expect(places).toContainEqual(['note', ...[waiting, plain].sort()])
  expect(
    keptSecrets.filter(({ place, blockIds }) => place === 'log' && blockIds.includes(edited)),
  ).not.toEqual([])
  expect(keptSecrets.some(({ blockIds }) => blockIds.length === 1 && blockIds[0] === plain)).toBe(false)
  const check = checks.find(({ name }) => name === 'secrets')
  expect(check).toMatchObject({ outcome: 'warn', recovery: expect.stringContaining('elfmem erase') })
  const said = JSON.stringify({ checks, keptSecrets, summary })
  for (const secret of [
    'Sommer2026',
    'hunter2made',
    'hunter22x',
    'Girasol2026',
    'Tournesol26',
    SHAPES[0]?.secret ?? '',
  ])
    expect(said).not.toContain(secret)
})

test('doctor looks for secrets only when asked, and says when there are none', async () => {
  const { memory, learn } = await openTestMemory()
  await learn('Tea is at four')
  expect((await memory.doctor()).keptSecrets).toBeUndefined()
  const { checks, keptSecrets } = await memory.doctor({ secrets: true })
  expect(keptSecrets).toEqual([])
  expect(checks.find(({ name }) => name === 'secrets')).toMatchObject({ outcome: 'ok' })
})

test('where secrets are refused, an unseen shape is refused with its kind and nothing is kept', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { secrets: 'refuse' } } })
  const error = await refusal(memory.remember({ content: 'La contraseña del wifi es LunaLlena7' }))
  expect(error.message).toBe('content holds what looks like a secret (password) at character 26.')
  expect(error.code).toBe('SECRET_REFUSED')
  expect(await memory.status()).toMatchObject({ inboxCount: 0 })
})
