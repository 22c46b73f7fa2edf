import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { fileOf, folderOf } from './samples.ts'

/** Takes a file or folder in; returns what it kept and what it left. */
async function taken(path: string, format: 'auto' | 'rules' = 'auto') {
  const { memory } = await openTestMemory()
  const { left } = await memory.importFrom({ path, format })
  const { blocks } = await memory.ls({ status: 'inbox' })
  return { left, texts: blocks.map(({ content }) => content) }
}

test.each(['2024-02-30', '99999-01-01', '2024-05-01T25:00', 'March 5'])(
  'importFrom names the wrong date %s and makes no other of it',
  async (date) => {
    const path = fileOf('note.md', `---\ndate: ${date}\n---\nThe pier is closed.\n`)
    const { memory } = await openTestMemory()
    const { left } = await memory.importFrom({ path })
    expect(left).toMatchObject([{ what: 'dates', count: 1, examples: [date] }])
  },
)

test('importFrom names a note that is no UTF-8 and leaves it out', async () => {
  const path = folderOf({
    'latin.md': Buffer.from('Das Café öffnet um neun.\n', 'latin1'),
    'good.md': 'Der Kiosk öffnet um zehn.\n',
    'sign.md': 'The sign \ufffd stands for a broken letter.\n',
  })
  const { left, texts } = await taken(path)
  expect(texts.toSorted()).toEqual([
    'Der Kiosk öffnet um zehn.',
    'The sign \ufffd stands for a broken letter.',
  ])
  expect(left).toMatchObject([{ what: 'files', count: 1, examples: ['latin.md'] }])
  expect(left[0]?.why).toContain('no UTF-8')
})

test('importFrom names links and pipes and reads none', async () => {
  const outside = folderOf({ 'secret.md': 'Nobody may read this.\n' })
  const path = folderOf({ 'AGENTS.md': '- Use tabs.\n' })
  symlinkSync(join(outside, 'secret.md'), join(path, 'CLAUDE.md'))
  mkdirSync(join(path, '.cursor'))
  symlinkSync(outside, join(path, '.cursor', 'rules'))
  execFileSync('mkfifo', [join(path, 'GEMINI.md')])
  const { left, texts } = await taken(path, 'rules')
  expect(texts).toEqual(['Use tabs.'])
  expect(left).toMatchObject([{ count: 3, examples: ['CLAUDE.md', 'GEMINI.md', '.cursor/rules'] }])
})
