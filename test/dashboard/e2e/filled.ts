import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Memory, openMemory } from '../../../src/engine/memory.ts'
import { createTestClock, type TestClock } from '../../helpers/clock.ts'
import { temporaryFolder } from '../../helpers/memory.ts'

type Told = Pick<Parameters<Memory['remember']>[0], 'content' | 'sourceClass' | 'source'>

/** The block that tests find, change and take back. */
const DOGS = 'Dogs ride free on the ferry to Brannoch.'

const FACTS: readonly Told[] = [
  { content: 'The ferry to Brannoch leaves at ten on weekdays.', sourceClass: 'user' },
  { content: 'The ferry to Brannoch carries forty cars and two buses.' },
  {
    content: 'Tickets for the ferry to Brannoch are sold at the harbour office.',
    sourceClass: 'document',
    source: 'timetable.pdf',
  },
  { content: 'The ferry to Brannoch does not sail when the wind is above nine.' },
  {
    content: 'The captain of the ferry to Brannoch is Elsbeth Rourke.',
    sourceClass: 'peer',
    source: 'osprey',
  },
  { content: 'Marta takes the ferry to Brannoch every second Friday.', sourceClass: 'user' },
  { content: DOGS, sourceClass: 'document', source: 'timetable.pdf' },
  { content: 'Breakfast on the ferry to Brannoch costs nine euros.' },
  { content: 'The harbour office opens at eight.' },
  { content: 'Ruben prefers short answers with one example.', sourceClass: 'user' },
  { content: 'Marta keeps the accounts of the greenhouse in a blue binder.' },
  { content: 'The bakery closes for two weeks in August.', sourceClass: 'document', source: 'notice' },
]

const ROOMS = ['north', 'south', 'east', 'west'] as const

let template: Promise<string> | undefined

/** Makes a file with a dozen facts, some experience, a contradiction, near-duplicates and two proposals; returns its path. */
export async function filledFile(): Promise<string> {
  template ??= fillTemplate()
  const folder = temporaryFolder()
  cpSync(await template, folder, { recursive: true })
  return join(folder, 'household.db')
}

/** All tests of a file copy one template. */
async function fillTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'elfmem-household-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await fill(join(folder, 'household.db'))
  return folder
}

async function fill(path: string): Promise<void> {
  const clock = createTestClock('2026-03-02T09:00:00Z')
  await using memory = await openMemory(path, { config: {}, clock, as: 'owner', actor: 'script' })
  const ids = await tell(memory, clock, FACTS)
  const { recallId } = await memory.recall({ query: 'When does the ferry to Brannoch leave?' })
  await memory.outcome({ helped: ids.slice(0, 1), misled: ids.slice(6, 7), recallId: recallId ?? '' })
  await memory.connect({ source: ids[3] ?? '', target: ids[0] ?? '', relation: 'elaborates' })
  const [nine = '', eleven = ''] = await tell(memory, clock, [
    { content: 'The weekly digest goes out on Mondays at nine.' },
    { content: 'The weekly digest goes out on Mondays at eleven.', sourceClass: 'document', source: 'board' },
  ])
  await memory.connect({ source: eleven, target: nine, relation: 'contradicts' })
  const board = ROOMS.map(
    (room) => `The notice board says that the ${room} reading room is closed for painting`,
  )
  for (const end of [' until further notice.', ' until further notice now.'])
    await tell(
      memory,
      clock,
      board.map((each) => ({ content: each + end, sourceClass: 'document', source: 'board' }) as const),
    )
  await propose(path, clock, ids[9] ?? '')
}

async function tell(memory: Memory, clock: TestClock, told: readonly Told[]): Promise<string[]> {
  const ids: string[] = []
  for (const each of told) {
    ids.push((await memory.remember({ ...each, session: 'kitchen' })).blockId)
    clock.advance({ minutes: 40 })
  }
  await memory.dream()
  return ids
}

async function propose(path: string, clock: TestClock, blockId: string): Promise<void> {
  await using agent = await openMemory(path, { config: {}, clock, as: 'agent', actor: 'osprey' })
  await agent.propose({
    kind: 'principle',
    content: 'I say what I do not know before I say what I guess.',
    reason: 'Marta asked for it three times in March.',
  })
  await agent.propose({
    kind: 'rewording',
    blockId,
    content: 'Ruben prefers short answers with one example and no list.',
    reason: 'He struck out the lists twice.',
  })
}
