import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import type { Shape } from '../secrets/shape.ts'
import { SHAPES } from '../secrets/shapes.ts'

/** These values are too long to stand in a file by chance. */
const LOOKED_FOR = SHAPES.filter(({ secret }) => secret.length >= 12)
const REDACTING = { settings: { memory: { secrets: 'redact' } } } as const

/** Lists the secrets whose bytes lie in a folder, as they are or as JSON has them. */
function foundIn(folder: string, shapes: readonly Shape[]): string[] {
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
  const asBytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
  return shapes
    .map(({ secret }) => secret)
    .filter((secret) =>
      [secret, JSON.stringify(secret).slice(1, -1)].some((each) => bytes.includes(asBytes(each))),
    )
}

const oneLine = (text: string): string => (/\n/.test(text) || text.length > 200 ? 'later' : text)

test('no secret that the library is given is in any file', async () => {
  const { memory, path } = await openTestMemory(REDACTING)
  await memory.rememberMany({ blocks: LOOKED_FOR.map(({ text }) => ({ content: text })) })
  const { blockId } = await memory.remember({ content: 'Tea is at four' })
  for (const { text } of LOOKED_FOR.filter((_, at) => at % 10 === 0)) {
    await memory.remember({ content: text, cue: oneLine(text), source: oneLine(text) })
    await memory.learnDocument({ text })
    await memory.edit({ blockId, content: text })
  }
  await memory.dream()
  await memory.backup()
  expect(foundIn(dirname(path), LOOKED_FOR)).toEqual([])
})
