import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveProject } from '../../../adapters/project/resolve.ts'
import { type Memory, openMemory } from '../../../engine/memory.ts'
import type { Clock, Ids } from '../../../engine/ports.ts'
import type { SettingsInput } from '../../../engine/settings.ts'
import type { CallContext } from '../../../operations/call-context.ts'
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

/** The memory being watched, and its clock. */
interface Stage {
  readonly memory: Memory
  readonly clock: DemoClock
}

const RESTED_HOURS = 120

/** Plays four weeks of an agent's journal through a memory of its own, which is gone afterwards. */
export async function playDemo({ global: { json } }: ParsedFlags, io: CliIo): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'elfmem-demo-'))
  const screen = openScreen(io, json)
  try {
    const facts = await playAll(await worldOf(join(directory, 'memory.db'), io), screen, io)
    if (json) io.stdout.write(`${JSON.stringify(facts, undefined, 2)}\n`)
    return EXIT_OK
  } finally {
    screen.progress.clear()
    rmSync(directory, { recursive: true, force: true })
  }
}

interface World {
  readonly clock: DemoClock
  readonly config: SettingsInput
  readonly open: (settings?: SettingsInput) => Promise<Memory>
}

/** Plays the demo into a memory that stays; returns the settings it was made with, and its clock, which goes on from there. */
export async function playInto(path: string, ids: Ids, io: CliIo): Promise<Omit<World, 'open'>> {
  const { open, ...world } = await worldOf(path, io, ids)
  await playAll({ open, ...world }, openScreen(io, true), io)
  return world
}

/** The local model, unless texts are hashed; somebody's endpoint is never asked for a demo. */
async function worldOf(path: string, io: CliIo, ids?: Ids): Promise<World> {
  const { settings } = await resolveProject({ cwd: io.cwd, env: io.env, home: io.home })
  const provider = settings.embeddings.provider === 'hashing' ? ('hashing' as const) : ('local' as const)
  const [clock, config] = [new DemoClock(), { embeddings: { provider } }]
  const parts = { clock, actor: 'demo', as: 'owner', ...(ids && { ids }) } as const
  const open = (more: SettingsInput = {}) => openMemory(path, { ...parts, config: { ...config, ...more } })
  return { clock, config, open }
}

async function playAll({ clock, open }: World, screen: Screen, io: CliIo) {
  const begun = performance.now()
  const { line, style } = screen
  line(`${style.bold('elfmem')}  ${style.dim('four weeks in the life of an agent, in a memory of its own')}`)
  const lived = await (async () => {
    await using memory = await open()
    const stage = { memory, clock }
    const weeks = await playWeeks(stage, screen, io)
    const setup = await playSetup(stage, screen, io)
    return { weeks, setup, ...(await playUse(memory, screen)) }
  })()
  // Working hours without any use count only as far as the cap on a pause lets them.
  await using rested = await open({ session: { gapCapMinutes: RESTED_HOURS * 60 } })
  const faded = await playFade({ memory: rested, clock }, screen)
  const seconds = (performance.now() - begun) / 1000
  playEnd(screen, seconds)
  return { ...lived, faded, seconds }
}

async function playWeeks(stage: Stage, screen: Screen, io: CliIo) {
  const { act, line, style, progress, shorten } = screen
  await act(
    'Remember, then dream',
    'a note is on disk in a millisecond; a dream at the end of each week makes it recallable',
  )
  const weeks = []
  for (let first = 0; first < journal.length; first += 3) {
    const sessions = journal.slice(first, first + 3)
    let [notes, repeated] = [0, 0]
    const times: number[] = []
    for (const session of sessions) {
      const kept = await rememberSession(stage, session)
      notes += kept.notes
      repeated += kept.repeated
      times.push(kept.milliseconds)
      line(
        `  ${style.dim(session.startedAt.slice(0, 10))}  ${shorten(session.name, 30).padEnd(50)} ${String(kept.notes).padStart(3)} notes`,
      )
    }
    const dreamt = await dreamAll(stage, {
      progress: progress.report,
      ...(io.signal && { signal: io.signal }),
    })
    progress.clear()
    const { promoted, deduplicated, nearDuplicatesFlagged, edgesCreated, seconds } = dreamt
    line(
      `  ${style.good('dream')}       ${promoted} recallable, ${count(edgesCreated, 'edge')}, ${repeated + deduplicated} known already, ${count(nearDuplicatesFlagged, 'near-duplicate')}  ${style.dim(`${seconds.toFixed(1)}\u00a0s`)}`,
    )
    weeks.push({
      sessions: sessions.length,
      notes,
      repeated,
      millisecondsPerNote: Math.max(...times),
      ...dreamt,
    })
  }
  return weeks
}

async function playSetup(stage: Stage, screen: Screen, io: CliIo) {
  const { act, line, style, quote } = screen
  await act(
    'Who am I',
    'ten principles to begin with, seeded once; the self frame shows them with what was learned',
  )
  const { summary } = await stage.memory.setup({ seed: true })
  await dreamAll(stage, io.signal ? { signal: io.signal } : {})
  line(`  ${summary}`)
  const { text, blocks } = await stage.memory.recall({ frame: 'self', reinforce: false })
  const more = quote(text, 9)
  if (more > 0) line(`  ${style.dim(`│ … ${more} more lines`)}`)
  return { summary, selfBlocks: blocks.length }
}

/**
 * Remembers one session of the journal at its times; returns how many notes, how many of them had been
 * said before word for word, and milliseconds for each.
 */
async function rememberSession({ memory, clock }: Stage, session: JournalSession) {
  clock.moveTo(session.startedAt)
  await memory.beginSession({ taskType: session.name })
  const begun = performance.now()
  let repeated = 0
  for (const { minute, content, tags, source, category, cue } of session.entries) {
    clock.moveTo(session.startedAt, minute)
    const { status } = await memory.remember({
      content,
      ...(tags && { tags: [...tags] }),
      ...(source && { source }),
      ...(category && { category }),
      ...(cue && { cue }),
    })
    if (status === 'duplicate') repeated++
  }
  const milliseconds = (performance.now() - begun) / Math.max(1, session.entries.length)
  await memory.endSession()
  return { notes: session.entries.length, repeated, milliseconds }
}

/** Dreams over everything that waits. */
async function dreamAll({ memory }: Stage, context: CallContext) {
  const begun = performance.now()
  const { processed, promoted, deduplicated, edgesCreated, nearDuplicatesFlagged } = await memory.dream(
    {},
    context,
  )
  return {
    processed,
    promoted,
    deduplicated,
    edgesCreated,
    nearDuplicatesFlagged,
    seconds: (performance.now() - begun) / 1000,
  }
}

/** Lets working hours pass without use, curates, and brings one block back. */
async function playFade({ memory, clock }: Stage, { act, line, style, shorten }: Screen) {
  await act(
    'Fade',
    `${RESTED_HOURS} working hours later, unused: observations go, knowledge stays, nothing is lost`,
  )
  clock.skipHours(RESTED_HOURS)
  const { archived } = await memory.curate()
  const faded = await Promise.all(
    archived.slice(0, 3).map(async (blockId) => (await memory.show({ blockId })).block.content),
  )
  const [first] = archived
  const restored = first === undefined ? undefined : (faded[0] ?? '')
  if (first !== undefined) await memory.restore({ blockId: first })
  const { activeCount: active } = await memory.status()
  line(`  ${archived.length} faded into the archive, ${active} are active`)
  for (const content of faded) line(`  ${style.dim('·')} ${style.dim(shorten(content, 6))}`)
  if (restored) line(`  ${style.good('restored')}  ${shorten(restored, 14)}`)
  const facts = { hours: RESTED_HOURS, archived: archived.length, faded }
  return { ...facts, ...(restored === undefined ? {} : { restored }), active }
}

function playEnd({ line, style }: Screen, seconds: number): void {
  line()
  line(style.dim(`That took ${seconds.toFixed(1)}\u00a0s, no key and no network. Now yours:`))
  for (const [command, does] of NEXT) line(`  ${style.name(command.padEnd(33))} ${does}`)
}

/** Three commands to go on with, each to be pasted. */
const NEXT = [
  ['elfmem init', 'a memory for this project'],
  ["elfmem remember 'Tea is at four'", 'one thing worth keeping'],
  ["elfmem recall 'when is tea'", 'ask for it in other words'],
] as const
