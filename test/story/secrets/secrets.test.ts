import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { SettingsInput } from '../../../src/engine/settings.ts'
import { openTestMemory, refusal, temporaryFolder } from '../../helpers/memory.ts'
import { alnum, joined, upper } from '../../secrets/fake-keys.ts'

const TOKEN = joined('ghp', '_', alnum(36))

const KEY = joined('AKIA', upper(16))

const PASSWORD = joined('hunter', '42!', 'xyzzy')

/** Reads all files in the folder of a memory. */
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

test('remember replaces a secret by the mark of its kind', async () => {
  const { memory } = await openTestMemory()
  const answer = await memory.remember({ content: `The deploy token is ${TOKEN}.`, cue: `ask for ${KEY}` })
  expect(answer.redacted).toEqual([
    { kind: 'GitHub token', count: 1, field: 'content' },
    { kind: 'AWS access key id', count: 1, field: 'cue' },
  ])
  expect(JSON.stringify(answer)).not.toContain(TOKEN)
  const { block } = await memory.show({ blockId: answer.blockId })
  expect(block).toMatchObject({
    content: 'The deploy token is [redacted: GitHub token].',
    cue: 'ask for [redacted: AWS access key id]',
  })
})

test('no file of a memory holds a secret, whichever call brought it', async () => {
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

test('remember with secrets refuse names kind and place and stores nothing', async () => {
  const { memory, path } = await openTestMemory(kept('refuse'))
  const error = await refusal(
    memory.rememberMany({ blocks: [{ content: 'Tea is at four' }, { content: `It is ${TOKEN}` }] }),
  )
  expect(error).toMatchObject({
    code: 'SECRET_REFUSED',
    message: expect.stringMatching(/^blocks\[1\]\.content .*GitHub token/),
  })
  expect(JSON.stringify(error)).not.toContain(TOKEN)
  expect(await memory.status()).toMatchObject({ inboxCount: 0 })
  expect(bytesBeside(path)).not.toContain(TOKEN)
})

test('import takes secrets out or refuses them', async () => {
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
  const refused = strict.memory.import({ path: file, trusted: true })
  expect((await refusal(refused)).code).toBe('SECRET_REFUSED')
  expect(await strict.memory.status()).toMatchObject({ activeCount: 0 })
})
