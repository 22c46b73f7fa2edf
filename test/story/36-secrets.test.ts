import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { SettingsInput } from '../../src/config/settings.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'
import { alnum, joined, upper } from '../secrets/fake-keys.ts'
import { POSITIVES } from '../secrets/positives.ts'

const TOKEN = joined('ghp', '_', alnum(36))
const KEY = joined('AKIA', upper(16))
const PASSWORD = joined('hunter', '42!', 'xyzzy')

/** Every byte that lies in the folder of a memory. */
function bytesBeside(path: string): string {
  const folder = dirname(path)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

const kept = (secrets: 'keep' | 'redact' | 'refuse'): { settings: SettingsInput } => ({
  settings: { memory: { secrets } },
})

test('a secret that is remembered leaves only a mark of its kind, and the answer says so without it', async () => {
  const { memory } = await openTestMemory()
  const answer = await memory.remember({ content: `The deploy token is ${TOKEN}.`, cue: `ask for ${KEY}` })
  expect(answer.redacted).toEqual([
    { kind: 'GitHub token', count: 1, field: 'content' },
    { kind: 'AWS access key id', count: 1, field: 'cue' },
  ])
  expect(answer.summary).toContain('GitHub token')
  expect(JSON.stringify(answer)).not.toContain(TOKEN)
  const { block } = await memory.show({ blockId: answer.blockId })
  expect(block).toMatchObject({
    content: 'The deploy token is [redacted: GitHub token].',
    cue: 'ask for [redacted: AWS access key id]',
  })
})

test('whatever brings a secret, no file of the memory ever holds it', async () => {
  const { memory, path } = await openTestMemory(kept('redact'))
  const first = await memory.remember({ content: `One token: ${TOKEN}`, source: `mail with ${KEY}` })
  await memory.rememberMany({ blocks: [{ content: `Again ${TOKEN}`, session: `s ${KEY}` }] })
  await memory.learnDocument({ text: `# Login\n\npassword: ${PASSWORD}\n\n# More\n\nkey ${KEY}` })
  await memory.setup({ values: [`Never say ${TOKEN}`] })
  await memory.dream()
  const { blockIds } = await memory.recall({ query: `what is ${TOKEN}?` })
  await memory.remember({ content: `One token: ${TOKEN}` })
  await memory.edit({ blockId: first.blockId, content: `The token was ${TOKEN}`, cue: KEY })
  await memory.outcome({ helped: blockIds.slice(0, 1), source: `logged in with ${TOKEN}` })
  const [source = '', target = ''] = (await memory.ls()).blocks.map(({ id }) => id)
  await memory.connect({ source, target, note: `both use ${KEY}` })
  await memory.disconnect({ source, target, reason: `password=${PASSWORD}` })
  await memory.forget({ blockId: first.blockId, reason: `it held ${TOKEN}` })
  await memory.undo({ reason: `${TOKEN} is gone` })
  await memory.backup()
  const bytes = bytesBeside(path).toLowerCase()
  expect(bytes).toContain('[redacted: github token]')
  for (const secret of [TOKEN, KEY, PASSWORD]) expect(bytes).not.toContain(secret.toLowerCase())
})

test('a secret can be refused instead: the error names kind and place, and nothing is kept', async () => {
  const { memory, path } = await openTestMemory(kept('refuse'))
  const error = await refusal(
    memory.rememberMany({ blocks: [{ content: 'Tea is at four' }, { content: `It is ${TOKEN}` }] }),
  )
  expect(error).toMatchObject({
    code: 'SECRET_REFUSED',
    message: 'blocks[1].content holds what looks like a secret (GitHub token) at character 6.',
  })
  expect(JSON.stringify(error)).not.toContain(TOKEN)
  expect(await memory.status()).toMatchObject({ inboxCount: 0 })
  expect(bytesBeside(path)).not.toContain(TOKEN)
})

test('who wants secrets kept has them kept exactly', async () => {
  const { memory } = await openTestMemory(kept('keep'))
  const { blockId, redacted } = await memory.remember({ content: `It is ${TOKEN}` })
  expect(redacted).toBeUndefined()
  expect((await memory.show({ blockId })).block.content).toBe(`It is ${TOKEN}`)
})

test('every kind of secret is kept out, at least thirty of them', async () => {
  const { memory, path } = await openTestMemory()
  const { redacted = [] } = await memory.rememberMany({
    blocks: POSITIVES.map(({ text }) => ({ content: text })),
  })
  expect(new Set(redacted.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(30)
  expect(redacted).toHaveLength(POSITIVES.length)
  const bytes = bytesBeside(path)
  expect(POSITIVES.filter(({ secret }) => bytes.includes(secret)).map(({ kind }) => kind)).toEqual([])
})

test('an import brings no secret either, and what it takes in is found by its other words', async () => {
  const from = await openTestMemory(kept('keep'))
  const [secretId] = await from.learn(`The kettle opens with ${TOKEN}`, 'Tea is at four')
  await from.memory.edit({ blockId: secretId!, content: `The kettle needs ${TOKEN}` })
  const file = join(temporaryFolder(), 'all.jsonl')
  await from.memory.export({ path: file })
  expect(readFileSync(file, 'utf8')).toContain(TOKEN)

  const to = await openTestMemory(kept('redact'))
  const answer = await to.memory.import({ path: file, trusted: true })
  expect(answer.redacted).toContainEqual({
    kind: 'GitHub token',
    count: 1,
    field: expect.stringMatching(/^line \d+: content$/),
  })
  expect(bytesBeside(to.path).toLowerCase()).not.toContain(TOKEN.slice(4).toLowerCase())
  const { blocks } = await to.memory.recall({ query: 'kettle' })
  expect(blocks[0]?.content).toBe('The kettle needs [redacted: GitHub token]')

  const strict = await openTestMemory(kept('refuse'))
  const error = await refusal(strict.memory.import({ path: file, trusted: true }))
  expect(error).toMatchObject({ code: 'SECRET_REFUSED', message: expect.stringMatching(/^Line \d+: /) })
  expect(await strict.memory.status()).toMatchObject({ activeCount: 0 })
})

test('an export line that is no export is refused as before', async () => {
  const { memory } = await openTestMemory()
  const file = join(temporaryFolder(), 'bad.jsonl')
  writeFileSync(file, `${TOKEN}\n`)
  const error = await refusal(memory.import({ path: file }))
  expect(error).toMatchObject({ code: 'INVALID_INPUT' })
  expect(JSON.stringify(error)).not.toContain(TOKEN)
})

test('a block whose id looks like the number of a card is reached by it and survives an export', async () => {
  const { memory, learn } = await openTestMemory(kept('redact'))
  const content =
    'My neighbour discovered the outdated tarlunnet permit of the vineyard while the east gate was closed, which means we can paint the token and the partial voucher fissilgor number 1749.'
  const [source = '', target = ''] = await learn(content, 'Tea is at four.')
  expect(source).toBe('4130095743953205')
  await memory.connect({ source: target, target: source })
  await memory.outcome({ helped: [source, target] })
  await memory.forget({ blockId: target })
  const path = join(temporaryFolder(), 'all.jsonl')
  await memory.export({ path })
  const other = await openTestMemory(kept('redact'))
  expect(await other.memory.import({ path, trusted: true })).toMatchObject({ blocksAdded: 2 })
  expect((await other.memory.show({ blockId: source })).block.content).toBe(content)
})

test('another secret in the same words replaces nothing, and the refusal says how to note the change', async () => {
  const { memory } = await openTestMemory()
  const note = (password: string) => `The admin password is ${password}.`
  const { blockId } = await memory.remember({ content: note(PASSWORD) })
  const refused = await refusal(
    memory.remember({ content: note(joined('plum', '88!', 'qwxz')), supersedes: blockId }),
  )
  expect(refused).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('taken out as secret'),
  })
  expect(refused.recovery).toContain(`supersedes: '${blockId}'`)
})
