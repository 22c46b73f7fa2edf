import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveProject } from '../../../adapters/project/resolve.ts'
import { parseGivenSettings } from '../../../adapters/project/settings-schema.ts'
import { type Memory, openMemory } from '../../../engine/memory.ts'
import { openLifetime } from '../../../engine/open-memory.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { SettingsInput } from '../../../engine/settings.ts'
import { count } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { type JournalSession, journal } from './journal.ts'
import { openScreen, type Screen } from './screen.ts'
import { playUse } from './use.ts'

const MINUTE_MS = 60_000

/** A clock that stands where the journal says it is; it moves by a second with every look, as time does. */
export class DemoClock implements Clock {
  #ms = 0

  now(): number {
    this.#ms += 1000
    return this.#ms
  }

  /** Goes to so many minutes after a time, never backwards. */
  moveTo(iso: string, minutes = 0): void {
    this.#ms = Math.max(this.#ms, Date.parse(iso) + minutes * MINUTE_MS)
  }

  skipHours(hours: number): void {
    this.#ms += hours * 60 * MINUTE_MS
  }
}

const RESTED_HOURS = 120

/** Plays four weeks of an agent's journal through a memory of its own, which is gone afterwards. */
export async function playDemo({ global: { json } }: ParsedFlags, io: CliIo): Promise<number> {
  const { path, remove } = demoPlace()
  const screen = openScreen(io, json)
  try {
    const facts = await playAll(await worldOf(path, io), screen, io)
    if (json) io.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`)
    return EXIT_OK
  } finally {
    screen.progress.clear()
    remove()
  }
}

/** The memory of the demo after its four weeks, open to be looked at; `remove` takes its folder away once it is closed. */
export async function openDemoMemory(io: CliIo) {
  const { path, remove } = demoPlace()
  try {
    const world = await worldOf(path, io)
    await playAll(world, openScreen(io, true), io)
    const settings = parseGivenSettings({ ...world.config })
    const project = { settings, database: { path, rule: '--db' }, env: {}, surface: 'dashboard' } as const
    // Every look would move the clock of the demo by a second; nothing it shows is to grow older meanwhile.
    const now = world.clock.now()
    const how = { clock: { now: () => now }, sessionMode: 'resume', as: 'reader' } as const
    return { memory: await openLifetime(project, how), remove }
  } catch (error) {
    remove()
    throw error
  }
}

function demoPlace() {
  const directory = mkdtempSync(join(tmpdir(), 'elfmem-demo-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  return { path: join(directory, 'memory.db'), remove }
}

type World = Awaited<ReturnType<typeof worldOf>>

/** The local model, unless texts are hashed; somebody's endpoint is never asked for a demo. */
async function worldOf(path: string, io: CliIo) {
  const { settings } = await resolveProject({ cwd: io.cwd, env: io.env, home: io.home })
  const provider = settings.embeddings.provider === 'hashing' ? ('hashing' as const) : ('local' as const)
  const [clock, config] = [new DemoClock(), { embeddings: { provider } }]
  const parts = { clock, actor: 'demo', as: 'owner' } as const
  const open = (more: SettingsInput = {}) => openMemory(path, { ...parts, config: { ...config, ...more } })
  return { clock, config, open }
}

async function playAll({ clock, open }: World, screen: Screen, io: CliIo) {
  const begun = performance.now()
  const { line, style } = screen
  line(`${style.bold('elfmem')}  ${style.dim('four weeks in the life of an agent, in a memory of its own')}`)
  const lived = await (async () => {
    await using memory = await open()
    await memory.setup({ seed: true })
    return { weeks: await playWeeks(memory, clock, screen, io), ...(await playUse(memory, screen)) }
  })()
  // Working hours without any use count only as far as the cap on a pause lets them.
  await using rested = await open({ session: { gapCapMinutes: RESTED_HOURS * 60 } })
  const faded = await playFade(rested, clock, screen)
  const seconds = (performance.now() - begun) / 1000
  line()
  line(style.dim(`That took ${seconds.toFixed(1)}\u00a0s, no key and no network. Now yours:`))
  for (const [command, does] of NEXT) line(`  ${style.name(command.padEnd(33))} ${does}`)
  return { ...lived, faded, seconds }
}

async function playWeeks(memory: Memory, clock: DemoClock, screen: Screen, io: CliIo) {
  const { act, line, style, progress, shorten } = screen
  await act(
    'Remember, then dream',
    'a note is on disk in a millisecond; a dream at the end of each week makes it recallable',
  )
  const context = { progress: progress.report, ...(io.signal && { signal: io.signal }) }
  const weeks = []
  for (let first = 0; first < journal.length; first += 3) {
    const sessions = journal.slice(first, first + 3)
    for (const session of sessions) {
      await rememberSession(memory, clock, session)
      const notes = String(session.entries.length).padStart(3)
      line(
        `  ${style.dim(session.startedAt.slice(0, 10))}  ${shorten(session.name, 30).padEnd(50)} ${notes} notes`,
      )
    }
    const begun = performance.now()
    const { promoted, deduplicated, nearDuplicatesFlagged, edgesCreated } = await memory.dream({}, context)
    const seconds = (performance.now() - begun) / 1000
    progress.clear()
    const found = [
      `${promoted} recallable`,
      count(edgesCreated, 'edge'),
      `${deduplicated} known already`,
      count(nearDuplicatesFlagged, 'near-duplicate'),
    ]
    line(`  ${style.good('dream')}       ${found.join(', ')}  ${style.dim(`${seconds.toFixed(1)}\u00a0s`)}`)
    weeks.push({ sessions: sessions.length, promoted, deduplicated, nearDuplicatesFlagged, edgesCreated })
  }
  return weeks
}

/** Remembers one session of the journal at its times. */
async function rememberSession(memory: Memory, clock: DemoClock, session: JournalSession): Promise<void> {
  clock.moveTo(session.startedAt)
  await memory.beginSession({ taskType: session.name })
  for (const { minute, content, tags, source, category, cue } of session.entries) {
    clock.moveTo(session.startedAt, minute)
    await memory.remember({
      content,
      ...(tags && { tags }),
      ...(source && { source }),
      ...(category && { category }),
      ...(cue && { cue }),
    })
  }
  await memory.endSession()
}

/** Lets working hours pass without use, curates, and brings one block back. */
async function playFade(memory: Memory, clock: DemoClock, { act, line, style, shorten }: Screen) {
  await act(
    'Fade',
    `${RESTED_HOURS} working hours later, unused: observations go, knowledge stays, nothing is lost`,
  )
  clock.skipHours(RESTED_HOURS)
  const { archived } = await memory.curate()
  const faded = await Promise.all(
    archived.slice(0, 3).map(async (blockId) => (await memory.show({ blockId })).block.content),
  )
  const [restored] = faded
  if (archived[0] !== undefined) await memory.restore({ blockId: archived[0] })
  line(`  ${archived.length} faded into the archive`)
  for (const content of faded) line(`  ${style.dim('·')} ${style.dim(shorten(content, 6))}`)
  if (restored !== undefined) line(`  ${style.good('restored')}  ${shorten(restored, 14)}`)
  return { hours: RESTED_HOURS, archived: archived.length, faded, restored }
}

/** Three commands to go on with, each to be pasted. */
const NEXT = [
  ['elfmem init', 'a memory for this project'],
  ["elfmem remember 'Tea is at four'", 'one thing worth keeping'],
  ["elfmem recall 'when is tea'", 'ask for it in other words'],
] as const
